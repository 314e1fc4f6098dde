"""Gazebo's motor models (RotorS, PX4's for Gazebo classic, MulticopterMotorModel of gz) as rotors.

    Gazebo     T = motorConstant w^2,  Q = momentConstant T,  H = rotorDragCoefficient w V,  M = rollingMomentCoefficient w V
    ours       k_T = motorConstant,    k_M = momentConstant motorConstant,   k_D, k_R the last two;   w = maxRotVelocity u

V the velocity across the axis. In still air the two are equal; in climb, descent and wind ours loses and gains thrust (see
`parts/rotor.py`), Gazebo's does not (PX4's classic one loses it linearly). Thrust acts along z of the rotor's link, as in
Gazebo, and torques on the link that carries its joint: so the part sits in a frame of that link, with x along the thrust,
which does not turn with the blades. The joint follows the speed within the motor's time constant, with the inertia of the link
that it turns, without rotorVelocitySlowdownSim. Of the two time constants the one of speeding up is used. M of gz has the same
sign for both senses of rotation, ours changes it with the sense, as PX4's does.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.describe.formats.device_list import DeviceList, Unmapped
from didymos.describe.formats.gazebo_values import number_at, rounded, text_at
from didymos.describe.formats.mechanism import WORLD
from didymos.describe.formats.xml_file import Element
from didymos.rotations import Pose

__all__ = ["add_rotor"]

# The defaults of all three plugins.
_MOTOR_CONSTANT = 8.54858e-06  # [N s^2]
_MOMENT_CONSTANT = 0.016  # [m]
_MOST_SPEED = 838.0  # [rad/s]
_TIME_UP, _TIME_DOWN = 1.0 / 80.0, 1.0 / 40.0  # [s]
_SENSES = {"ccw": 1, "cw": -1}
_ALONG = 1e-6  # of a unit vector


def add_rotor(devices: DeviceList, plugin: Element, scope: str) -> None:
    """Add the rotor of a plugin."""
    sense = _SENSES.get(text_at(plugin, "turningDirection").lower())
    if sense is None:
        raise Unmapped("it says no turningDirection, cw or ccw")
    motor = text_at(plugin, "motorType", default="velocity")
    if motor != "velocity":
        raise Unmapped(f"its motorType is {motor!r}, and ours holds a speed")
    joint = devices.joint(text_at(plugin, "jointName"), scope)
    link = devices.link(text_at(plugin, "linkName", default=joint.child), scope)
    if link != joint.child or joint.parent == WORLD:
        raise Unmapped(f"its link {link!r} is not what its joint {joint.name!r} turns on the robot")
    thrust = number_at(plugin, "motorConstant", default=_MOTOR_CONSTANT)
    up, down = (
        number_at(plugin, f"timeConstant{way}", default=time) for way, time in (("Up", _TIME_UP), ("Down", _TIME_DOWN))
    )
    if down != up:
        devices.report.add(plugin, f"<timeConstantDown> {down:g} of {plugin} is not used: our rotor slows as it speeds up")
    x, y, z = joint.pose.rotation.T
    frame = devices.placed(f"{link}_rotor", joint.parent, Pose(joint.pose.position, np.column_stack([z, y, -x])))
    record: dict[str, Any] = {
        "kind": "rotor",
        "link": frame,
        "direction": sense,
        "thrust_coefficient": thrust,
        "torque_coefficient": rounded(thrust * number_at(plugin, "momentConstant", default=_MOMENT_CONSTANT)),
        "speed_per_input": number_at(plugin, "maxRotVelocity", default=_MOST_SPEED),
        "time_constant": up,
        "flapping_drag": number_at(plugin, "rotorDragCoefficient", default=1.0e-4),
        "flapping_moment": number_at(plugin, "rollingMomentCoefficient", default=1.0e-6),
    }
    about = float(joint.axis @ devices.inertial(link).inertia @ joint.axis)
    if abs(joint.axis[2] - 1.0) < _ALONG and about > 0.0 and up > 0.0:
        record |= {"joint": joint.name, "axle_gain": rounded(about / up)}
    else:
        why = "it has no inertia, no lag, or not z as its axis"
        devices.report.add(plugin, f"joint {joint.name!r} is not turned by its rotor: {why}")
    devices.add("parts", link, record)
