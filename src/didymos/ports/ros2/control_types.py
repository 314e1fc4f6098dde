"""The interfaces of ros2_control that the port speaks, as text, as ROS 2 Jazzy has them (control_msgs 5, ros2_control 4)."""

from __future__ import annotations

from typing import Final

__all__ = ["ACTION", "CONTROLLER_STATE", "GROUP", "INTERFACES", "MANAGER_SERVICES", "TRAJECTORY"]

ACTION: Final = "control_msgs/action/FollowJointTrajectory"
CONTROLLER_STATE: Final = "control_msgs/msg/JointTrajectoryControllerState"
TRAJECTORY: Final = "trajectory_msgs/msg/JointTrajectory"
GROUP: Final = "std_msgs/msg/Float64MultiArray"

_POINT, _MULTI_DOF = "trajectory_msgs/JointTrajectoryPoint", "trajectory_msgs/MultiDOFJointTrajectoryPoint"
_NAME_TO_OK = "string name\n---\nbool ok"

_ACTION_TEXT = f"""
trajectory_msgs/JointTrajectory trajectory
trajectory_msgs/MultiDOFJointTrajectory multi_dof_trajectory
JointTolerance[] path_tolerance
JointComponentTolerance[] component_path_tolerance
JointTolerance[] goal_tolerance
JointComponentTolerance[] component_goal_tolerance
builtin_interfaces/Duration goal_time_tolerance
---
int32 error_code
int32 SUCCESSFUL = 0
int32 INVALID_GOAL = -1
int32 INVALID_JOINTS = -2
int32 OLD_HEADER_TIMESTAMP = -3
int32 PATH_TOLERANCE_VIOLATED = -4
int32 GOAL_TOLERANCE_VIOLATED = -5
string error_string
---
std_msgs/Header header
string[] joint_names
{_POINT} desired
{_POINT} actual
{_POINT} error
string[] multi_dof_joint_names
{_MULTI_DOF} multi_dof_desired
{_MULTI_DOF} multi_dof_actual
{_MULTI_DOF} multi_dof_error
"""

_CONTROLLER_STATE_TEXT = f"""
std_msgs/Header header
string[] joint_names
{_POINT} reference
{_POINT} feedback
{_POINT} error
{_POINT} output
string[] multi_dof_joint_names
{_MULTI_DOF} multi_dof_reference
{_MULTI_DOF} multi_dof_feedback
{_MULTI_DOF} multi_dof_error
{_MULTI_DOF} multi_dof_output
float64 speed_scaling_factor
"""

_LISTED_TEXT = """
string name
string state
string type
bool is_async
uint16 update_rate
string[] claimed_interfaces
string[] required_command_interfaces
string[] required_state_interfaces
bool is_chainable
bool is_chained
string[] exported_state_interfaces
string[] reference_interfaces
ChainConnection[] chain_connections
"""

_COMPONENT_TEXT = """
string name
string type
bool is_async
uint16 rw_rate
string class_type
string plugin_name
lifecycle_msgs/State state
HardwareInterface[] command_interfaces
HardwareInterface[] state_interfaces
"""

_SWITCH_TEXT = """
string[] activate_controllers
string[] deactivate_controllers
int32 strictness
int32 BEST_EFFORT=1
int32 STRICT=2
int32 AUTO=3
int32 FORCE_AUTO=4
bool activate_asap
builtin_interfaces/Duration timeout
---
bool ok
string message
"""

_MANAGER = {
    "ListControllers": "---\nControllerState[] controller",
    "ListControllerTypes": "---\nstring[] types\nstring[] base_classes",
    "ListHardwareInterfaces": "---\nHardwareInterface[] command_interfaces\nHardwareInterface[] state_interfaces",
    "ListHardwareComponents": "---\nHardwareComponentState[] component",
    "LoadController": _NAME_TO_OK,
    "ConfigureController": _NAME_TO_OK,
    "CleanupController": _NAME_TO_OK,
    "UnloadController": _NAME_TO_OK,
    "SwitchController": _SWITCH_TEXT,
    "SetHardwareComponentState": "string name\nlifecycle_msgs/State target_state\n---\nbool ok\nlifecycle_msgs/State state",
}

MANAGER_SERVICES: Final = {
    "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_"): name for name in _MANAGER
}
"""The services of a controller_manager by their names: `list_controllers` is of type `ListControllers`."""

INTERFACES: Final = {
    "control_msgs/msg/JointTolerance": "string name\nfloat64 position\nfloat64 velocity\nfloat64 acceleration",
    "control_msgs/msg/JointComponentTolerance": """uint16 X_AXIS=1
uint16 Y_AXIS=2
uint16 Z_AXIS=3
uint16 TRANSLATION=4
uint16 ROTATION=5
string joint_name
uint16 component
float64 position
float64 velocity
float64 acceleration""",
    ACTION: _ACTION_TEXT,
    CONTROLLER_STATE: _CONTROLLER_STATE_TEXT,
    "controller_manager_msgs/msg/ChainConnection": "string name\nstring[] reference_interfaces",
    "controller_manager_msgs/msg/ControllerState": _LISTED_TEXT,
    "controller_manager_msgs/msg/HardwareInterface": "string name\nstring data_type\nbool is_available\nbool is_claimed",
    "controller_manager_msgs/msg/HardwareComponentState": _COMPONENT_TEXT,
    **{f"controller_manager_msgs/srv/{name}": text for name, text in _MANAGER.items()},
}
"""All definitions, in an order in which each one needs only what stands before it."""
