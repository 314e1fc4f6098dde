"""Angles and limits that several programs need; forward-left-up, so positive pitch is nose down and positive yaw nose left."""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel

__all__ = ["limit", "roll_pitch_yaw", "turn_vector", "wrap"]


@kernel
def limit(value: float, low: float, high: float) -> float:
    """The value, held inside [low, high]."""
    return min(max(value, low), high)


@kernel
def wrap(angle: float) -> float:
    """The angle [rad] in [-pi, pi)."""
    return angle - 2.0 * math.pi * math.floor((angle + math.pi) / (2.0 * math.pi))


@kernel
def roll_pitch_yaw(q: Any) -> tuple[float, float, float]:
    """Euler angles Z-Y-X [rad] of a unit quaternion, w first, shape [4]."""
    w, x, y, z = q[0], q[1], q[2], q[3]
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = math.asin(limit(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    return roll, pitch, yaw


@kernel
def turn_vector(q: Any, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector of the body in the world's frame; q the body's orientation, w first, shape [4]."""
    w, a, b, c = q[0], q[1], q[2], q[3]
    tx, ty, tz = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    return x + w * tx + b * tz - c * ty, y + w * ty + c * tx - a * tz, z + w * tz + a * ty - b * tx
