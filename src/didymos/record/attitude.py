"""Angles of an orientation, for eyes and expectations: roll, pitch, yaw (Z-Y-X, forward-left-up) and tilt.

    R = Rz(yaw) Ry(pitch) Rx(roll);   tilt is the angle between the body's z axis and the vertical.

Quaternions are w first. Pitch is exact up to its poles at +-90 deg, where roll and yaw are not defined one by one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["ANGLES", "angle"]

ANGLES = ("roll", "pitch", "yaw", "tilt")


def angle(name: str, orientation: NDArray[np.float64]) -> NDArray[np.float64]:
    """One of `ANGLES` [rad], shape [n], of unit quaternions, shape [n, 4]."""
    w, x, y, z = orientation.T
    if name == "roll":
        return np.arctan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    if name == "pitch":
        return np.arcsin(np.clip(2.0 * (w * y - z * x), -1.0, 1.0))
    if name == "yaw":
        return np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return 2.0 * np.arcsin(np.clip(np.hypot(x, y), 0.0, 1.0))
