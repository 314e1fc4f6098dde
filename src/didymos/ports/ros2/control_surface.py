"""What ros2_control's clients and the robot's own programs find on the wire of a robot: topics, services and actions, by name.

Known without DDS: `didymos check` asks here, and tells what of the twin file does not fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from didymos.errors import InputError
from didymos.ports.ros2.control_types import ACTION, CONTROLLER_STATE, GROUP, MANAGER_SERVICES, TRAJECTORY
from didymos.ports.ros2.controllers import plan_controllers
from didymos.ports.ros2.joint_lines import joint_lines
from didymos.ports.ros2.own_commands import own_commands
from didymos.ports.ros2.own_messages import own_messages

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun

__all__ = ["Entry", "control_surface", "surface_mistakes", "why_no_control"]


@dataclass(frozen=True)
class Entry:
    """Something on the wire: what it is for the robot's node, its name (without a namespace), its ROS 2 type, its quality.

    `lasting` is transient local; all of it is reliable. `topics` and services of an action are not listed one by one.
    """

    kind: Literal["publishes", "listens", "service", "action"]
    name: str
    type_name: str
    about: str = ""
    lasting: bool = False


def control_surface(robot: RobotRun) -> list[Entry]:
    """All of a robot in a run: controllers, their manager, and commands and messages in types of the robot's own."""
    return [*_controllers(robot), *_own(robot)]


def why_no_control(robot: RobotRun) -> str:
    """Why a robot has no controllers; empty where it has some."""
    if joint_lines(robot):
        return ""
    if not robot.robot.actuators:
        return "nothing drives a joint by an actuator that ros2_control could command"
    program = "no program" if robot.program is None else f"the program {type(robot.program).__name__}"
    return f"{program} moves the joints and has no set-points for them; the program joints or idle leaves them to others"


def surface_mistakes(robot: RobotRun) -> list[InputError]:
    """What of the sections `ros2.controllers`, `commands` and `messages` with types of their own does not fit the robot."""
    found = []
    for part in (_controllers, _own_commands, _own_messages):
        try:
            list(part(robot))
        except InputError as error:
            place = (error.path or "").split(".")
            found.append(error if error.file is not None else robot.twin.mistake(error.message, *place))
    return found


def _controllers(robot: RobotRun) -> Iterator[Entry]:
    lines = joint_lines(robot)
    plans = plan_controllers(lines, robot.twin.file.ros2.controllers, [item.joint for item in robot.robot.actuators])
    if not lines:
        return
    for name, type_ in MANAGER_SERVICES.items():
        yield Entry("service", f"/controller_manager/{name}", f"controller_manager_msgs/srv/{type_}")
    for plan in plans.values():
        about = ", ".join(plan.interfaces)
        if plan.kind == "trajectory":
            yield Entry("action", f"/{plan.name}/follow_joint_trajectory", ACTION, about)
            yield Entry("listens", f"/{plan.name}/joint_trajectory", TRAJECTORY, about)
            yield Entry("publishes", f"/{plan.name}/controller_state", CONTROLLER_STATE)
        elif plan.kind != "broadcast":
            yield Entry("listens", f"/{plan.name}/commands", GROUP, about)


def _own(robot: RobotRun) -> Iterator[Entry]:
    yield from _own_commands(robot)
    yield from _own_messages(robot)


def _own_commands(robot: RobotRun) -> Iterator[Entry]:
    able = bool(joint_lines(robot))
    for command in own_commands(robot):
        if able or not command.needs_joints:
            yield Entry("listens", command.topic, command.type_name)


def _own_messages(robot: RobotRun) -> Iterator[Entry]:
    for message in own_messages(robot):
        yield Entry("publishes", message.topic, message.type_name, f"{message.rate:g} Hz")
