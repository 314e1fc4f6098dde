"""The ``<origin>`` of a URDF element."""

from __future__ import annotations

import math

import numpy as np

from didymos.describe.formats.xml_file import Element
from didymos.describe.formats.xml_values import vector
from didymos.rotations import Pose, quaternion_to_matrix, rpy_to_matrix

__all__ = ["read_origin"]


def read_origin(element: Element) -> Pose:
    """The pose in an element's ``<origin>``; the identity where it has none."""
    origin = element.at_most_one("origin")
    if origin is None:
        return Pose()
    position = vector(origin, "xyz", (0.0, 0.0, 0.0))
    if "quat_xyzw" not in origin.attributes:
        return Pose(position, rpy_to_matrix(vector(origin, "rpy", (0.0, 0.0, 0.0))))
    x, y, z, w = vector(origin, "quat_xyzw", (0.0, 0.0, 0.0, 1.0))
    length = math.hypot(w, x, y, z)
    if abs(length - 1) > 1e-3:
        raise origin.error(f"'quat_xyzw' of {element} has the length {length:.6g}, expected 1")
    return Pose(position, quaternion_to_matrix(np.array([w, x, y, z])))
