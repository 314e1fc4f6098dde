"""Checks that URDF and SDF share: axes, limits, and joints that have no room to move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from didymos.describe.description import JointKind
from didymos.describe.formats.mechanism import JointSource
from didymos.describe.formats.xml_file import Element
from didymos.rotations import Pose, axis_angle_to_matrix

__all__ = ["bounds", "checked_axis", "not_negative", "welded"]

_UNLIMITED = 1e9  # [rad] or [m]; files write 1e10 or 1e16 for infinity


def checked_axis(element: Element, axis: np.ndarray, joint: str) -> np.ndarray:
    """A unit vector along the axis; an `InputError` where it has no direction."""
    length = float(np.linalg.norm(axis))
    if not length > 1e-9:
        raise element.error(f"joint {joint!r} has the axis {axis.tolist()}, expected one that is not zero")
    return axis / length


def bounds(element: Element, lower: float, upper: float, joint: str) -> tuple[float | None, float | None]:
    """Limits in the order of the file, None where one is infinite; an `InputError` where they are crossed."""
    if lower > upper:
        raise element.error(f"joint {joint!r} has the limits {lower:g} to {upper:g}, expected the lower one first")
    return (None if lower <= -_UNLIMITED else lower), (None if upper >= _UNLIMITED else upper)


def not_negative(element: Element, value: float, what: str, joint: str) -> float:
    """A damping or a friction; an `InputError` where it would feed energy in."""
    if value < 0:
        raise element.error(f"joint {joint!r} has a {what} of {value:g}, expected none below zero")
    return value


def welded(joint: JointSource, position: float) -> JointSource:
    """A joint held at a position [rad] or [m] for good."""
    if joint.kind is JointKind.PRISMATIC:
        moved = Pose(position * joint.axis)
    else:
        rotation = axis_angle_to_matrix(joint.axis, position)
        moved = Pose(joint.anchor - rotation @ joint.anchor, rotation)
    return replace(joint, kind=JointKind.FIXED, pose=joint.pose @ moved, welded=True)
