"""Gazebo's joint controllers, wheel drives and joint state publishers as parts and sensors of joints.

| plugin | ours |
|---|---|
| JointPositionController (gz), a PID on the joint's position within cmd_max | drive of ratio 1: the same law, in turns |
| JointController (gz) with use_force_commands, a PID on its speed | wheel_servo, without a D part |
| JointController without; DiffDrive, MecanumDrive, AckermannSteering; diff_drive, skid_steer_drive of classic | wheel_servo |
| JointStatePublisher, joint_state_publisher | joints |

The last drives of the table set speeds, whatever that takes; a wheel_servo is given the torque limit of the plugin
(wheelTorque) or of the joint, or, where neither says one, the robot's weight at the wheel's radius, more than which no tyre
holds. Its gain is k_p = J / (4 h), with J the wheel's inertia about its axle and h = 2 ms, the step of a new twin: an error of
speed dies out within four steps also in the air, and explicit integration is stable up to k_p = 2 J / h. Its integral takes
0.1 s.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.describe.description import JointKind
from didymos.describe.formats.device_list import DeviceList, Unmapped
from didymos.describe.formats.gazebo_values import number_at, rounded, truth_at
from didymos.describe.formats.mechanism import JointSource
from didymos.describe.formats.xml_file import Element

__all__ = ["add_joint_states", "add_position_controller", "add_velocity_controller", "add_wheels"]

_TURN = 2.0 * math.pi
_STEP = 0.002  # [s]
_STEPS_TO_SETTLE = 4.0
_INTEGRAL_TIME = 0.1  # [s]
_GRAVITY = 9.81  # [m/s^2]
_ANY_SPEED = 1e9  # [rad/s]
_WHEELS = (
    "left_joint", "right_joint", "leftJoint", "rightJoint",
    "leftFrontJoint", "rightFrontJoint", "leftRearJoint", "rightRearJoint",
    "front_left_joint", "front_right_joint", "back_left_joint", "back_right_joint",
)  # fmt: skip


def add_position_controller(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add a drive for every joint of a position controller."""
    if truth_at(plugin, "use_velocity_commands"):
        raise Unmapped("it sets speeds instead of forces, whatever that takes")
    for joint in _joints(devices, plugin, scope, ("joint_name",)):
        gains = {
            key: rounded(_TURN * number_at(plugin, tag, default=default))
            for key, tag, default in (("kp", "p_gain", 1.0), ("ki", "i_gain", 0.1), ("kd", "d_gain", 0.01))
        }
        most = min(number_at(plugin, "cmd_max", default=1000.0), math.inf if joint.effort is None else joint.effort)
        if not most > 0.0 or min(gains.values()) < 0.0:
            raise Unmapped("its gains or its cmd_max are not positive")
        record: dict[str, Any] = {"kind": "drive", "link": devices.mount(joint), "joint": joint.name, "ratio": 1.0, **gains}
        record |= {"integral_limit": number_at(plugin, "i_max", default=1.0) if gains["ki"] else 0.0, "peak_torque": most}
        devices.add("parts", joint.name, record)


def add_velocity_controller(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add a servo of speed for every joint of a velocity controller."""
    for joint in _joints(devices, plugin, scope, ("joint_name",)):
        if not truth_at(plugin, "use_force_commands"):
            _add_servo(devices, joint, None)
            continue
        if number_at(plugin, "d_gain", default=0.0):
            devices.report.add(plugin, f"<d_gain> of {plugin} is not used: our servo of speed has none")
        record: dict[str, Any] = {"kind": "wheel_servo", "link": devices.mount(joint), "joint": joint.name}
        record |= {"proportional": number_at(plugin, "p_gain", default=1.0), "integral": number_at(plugin, "i_gain", default=0.0)}
        record |= {"torque_limit": number_at(plugin, "cmd_max", default=1000.0), "largest_demand": joint.velocity or _ANY_SPEED}
        devices.add("parts", joint.name, record)


def add_wheels(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add a servo of speed for every wheel of a drive."""
    torque = number_at(plugin, "wheelTorque", "max_wheel_torque", "torque", default=0.0)
    for joint in _joints(devices, plugin, scope, _WHEELS):
        _add_servo(devices, joint, torque or None, _radius(plugin))


def add_joint_states(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add the encoders of a publisher: of the joints that it names, or of all."""
    named = [child.text.strip() for tag in ("joint_name", "jointName") for child in plugin.all(tag)]
    names = [name.strip() for text in named for name in text.split(",") if name.strip()]
    record: dict[str, Any] = {"kind": "joints"}
    rate = number_at(plugin, "update_rate", "updateRate", default=0.0)
    record |= {"rate": rate} if rate > 0.0 else {}
    record |= {"joints": list(dict.fromkeys(devices.joint(name, scope).name for name in names))} if names else {}
    devices.add("sensors", "encoders", record)


def _joints(devices: DeviceList, plugin: Element, scope: str, tags: tuple[str, ...]) -> list[JointSource]:
    names = [child.text.strip() for child in plugin.children if child.tag in tags and child.text.strip()]
    if not names:
        raise Unmapped("it names no joint")
    return [devices.joint(name, scope) for name in dict.fromkeys(names)]


def _radius(plugin: Element) -> float:
    """Radius of the wheels [m]; 0.3, where the plugin does not say."""
    radius = number_at(plugin, "wheel_radius", "wheelRadius", default=0.0)
    across = number_at(plugin, "wheelDiameter", "wheel_diameter", default=0.0)
    return radius or 0.5 * across or 0.3


def _add_servo(devices: DeviceList, joint: JointSource, torque: float | None, radius: float = 0.3) -> None:
    """A servo that holds a speed as stiffly as a step of 2 ms allows."""
    if joint.kind is JointKind.PRISMATIC:
        raise Unmapped(f"its joint {joint.name!r} slides")
    wheel = devices.inertial(joint.child)
    about = float(joint.axis @ wheel.inertia @ joint.axis)
    if not about > 0.0:
        raise Unmapped(f"the link of its joint {joint.name!r} has no inertia")
    gain = rounded(about / (_STEPS_TO_SETTLE * _STEP))
    weight = _GRAVITY * sum(link.inertial.mass for link in devices.mechanism.links.values())
    record: dict[str, Any] = {"kind": "wheel_servo", "link": devices.mount(joint), "joint": joint.name}
    record |= {"proportional": gain, "integral": rounded(gain / _INTEGRAL_TIME)}
    record |= {"torque_limit": rounded(torque or joint.effort or weight * radius)}
    record |= {"largest_demand": joint.velocity or _ANY_SPEED}
    devices.add("parts", joint.name, record)
