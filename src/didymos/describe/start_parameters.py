"""The start of everything as parameters: positions and velocities of joints, ball joints among them, and of free bodies.

    start.joints.NAME, start.joint_velocities.NAME              a joint that turns or slides: [rad], [m], [rad/s], [m/s]
    start.joints.NAME.x, start.joint_velocities.NAME.x, .y, .z  a ball joint: its rotation vector, its rate in the child's frame
    start.objects.NAME.position.x, ...                          a free body: position, orientation (roll, pitch, yaw), velocity
                                                                and angular_velocity in its own frame

The root link's own are `start.position.x` and so on, of the record `start` itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import mujoco

from didymos.describe.description import Description, Joint, JointKind
from didymos.describe.free_bodies import FREE_STATE, FreeBody, free_bodies
from didymos.describe.parameter import Parameter
from didymos.describe.schema import TwinFile
from didymos.spec import Vector

__all__ = ["start_parameters"]

_ONE_NUMBER = (JointKind.REVOLUTE, JointKind.CONTINUOUS, JointKind.PRISMATIC)


def start_parameters(file: TwinFile, description: Description, described: Iterable[FreeBody]) -> Iterator[Parameter]:
    """All start values of joints and free bodies, as the file gives them or as described; `described` are `Surroundings.free`."""
    for name, joint in description.joints.items():
        if len(joint.engine_joints) == 1 and joint.kind in _ONE_NUMBER:
            yield from _of_joint(file, description, name, joint)
        elif len(joint.engine_joints) == 1 and joint.kind is JointKind.BALL:
            yield from _of_ball(file, name)
    for name, body in free_bodies(file, described).items():
        given = file.start.objects.get(name)
        for key, unit in FREE_STATE.items():
            for axis, own in zip("xyz", getattr(body, key), strict=True):
                vector = getattr(given, key, None)
                value = getattr(vector, axis) if vector is not None and axis in vector.model_fields_set else own
                place = ("start", "objects", name, key, axis)
                yield Parameter(".".join(place), float(value), unit, place=place)


def _of_joint(file: TwinFile, description: Description, name: str, joint: Joint) -> Iterator[Parameter]:
    unit = "m" if joint.kind is JointKind.PRISMATIC else "rad"
    place, rate = ("start", "joints", name), ("start", "joint_velocities", name)
    value: Any = file.start.joints.get(name, _described(description, joint))
    speed: Any = file.start.joint_velocities.get(name, 0.0)
    if isinstance(value, float):  # three numbers are a mistake that check.py tells
        yield Parameter(".".join(place), value, unit, joint.lower, joint.upper, place=place)
    if isinstance(speed, float):
        yield Parameter(".".join(rate), speed, f"{unit}/s", place=rate)


def _described(description: Description, joint: Joint) -> float:
    """Where a joint stands if nobody says otherwise [rad or m]."""
    spec = description.spec.joint(joint.engine_joints[0])
    in_degrees = description.spec.compiler.degree and spec.type == mujoco.mjtJoint.mjJNT_HINGE
    return math.radians(spec.ref) if in_degrees else float(spec.ref)


def _of_ball(file: TwinFile, name: str) -> Iterator[Parameter]:
    for key, unit in (("joints", "rad"), ("joint_velocities", "rad/s")):
        given: Any = getattr(file.start, key).get(name, Vector())
        for axis in "xyz" if isinstance(given, Vector) else "":
            place = ("start", key, name, axis)
            yield Parameter(".".join(place), getattr(given, axis), unit, place=place)
