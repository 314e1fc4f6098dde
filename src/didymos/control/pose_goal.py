"""Where an end effector shall be now: a pose that may jump, followed within limits of velocity and acceleration.

Positions follow axis by axis (`joint_goal.py`); an orientation turns about the axis of what is left, at a rate that grows with
the limit of acceleration and falls in time to arrive at rest. Rotation vectors are along the axes of the world.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.joint_goal import GOAL, begin_goal, follow

__all__ = ["POSE_GOAL", "begin_pose", "difference", "follow_pose", "matrix_quaternion", "quaternion_of", "turned"]

POSE_GOAL = np.dtype(
    [
        ("axes", GOAL, 3),  # x, y, z
        ("orientation", np.float64, 4),  # w first
        ("rate", np.float64, 3),  # [rad/s] along the axes of the world
    ]
)
"""Memory layout of a pose to be reached at the next call."""

Quaternion = tuple[float, float, float, float]


@kernel
def quaternion_of(roll: float, pitch: float, yaw: float) -> Quaternion:
    """The orientation Rz(yaw) Ry(pitch) Rx(roll)."""
    a, b, c = math.cos(0.5 * roll), math.cos(0.5 * pitch), math.cos(0.5 * yaw)
    d, e, f = math.sin(0.5 * roll), math.sin(0.5 * pitch), math.sin(0.5 * yaw)
    return a * b * c + d * e * f, d * b * c - a * e * f, a * e * c + d * b * f, a * b * f - d * e * c


@kernel
def matrix_quaternion(r: Any) -> Quaternion:
    """The unit quaternion, w first, of a rotation [3, 3]."""
    w = math.sqrt(max(0.0, 1.0 + r[0, 0] + r[1, 1] + r[2, 2])) / 2.0
    x = math.copysign(math.sqrt(max(0.0, 1.0 + r[0, 0] - r[1, 1] - r[2, 2])) / 2.0, r[2, 1] - r[1, 2])
    y = math.copysign(math.sqrt(max(0.0, 1.0 - r[0, 0] + r[1, 1] - r[2, 2])) / 2.0, r[0, 2] - r[2, 0])
    z = math.copysign(math.sqrt(max(0.0, 1.0 - r[0, 0] - r[1, 1] + r[2, 2])) / 2.0, r[1, 0] - r[0, 1])
    n = math.sqrt(w * w + x * x + y * y + z * z)
    return w / n, x / n, y / n, z / n


@kernel
def difference(to: Quaternion, origin: Quaternion) -> tuple[float, float, float]:
    """The rotation vector [rad], along the axes of the world, that turns `origin` into `to` on the shorter way."""
    a, b, c, d = to
    w, x, y, z = origin
    r = a * w + b * x + c * y + d * z
    i = -a * x + b * w - c * z + d * y
    j = -a * y + b * z + c * w - d * x
    k = -a * z - b * y + c * x + d * w
    if r < 0.0:
        r, i, j, k = -r, -i, -j, -k
    length = math.sqrt(i * i + j * j + k * k)
    scale = 2.0 * math.atan2(length, r) / length if length > 1e-12 else 2.0
    return scale * i, scale * j, scale * k


@kernel
def turned(q: Quaternion, x: float, y: float, z: float) -> Quaternion:
    """An orientation turned by a rotation vector [rad] along the axes of the world."""
    angle = math.sqrt(x * x + y * y + z * z)
    s = math.sin(0.5 * angle) / angle if angle > 1e-12 else 0.5
    a, b, c, d = math.cos(0.5 * angle), s * x, s * y, s * z
    w, i, j, k = q
    r, u = a * w - b * i - c * j - d * k, a * i + b * w + c * k - d * j
    f, g = a * j - b * k + c * w + d * i, a * k + b * j - c * i + d * w
    n = math.sqrt(r * r + u * u + f * f + g * g)
    return r / n, u / n, f / n, g / n


@kernel
def begin_pose(goal: Any, position: Any, orientation: Quaternion) -> None:
    """At rest at a pose."""
    for k in range(3):
        begin_goal(goal.axes[k], position[k], position[k])
        goal.rate[k] = 0.0
    for k in range(4):
        goal.orientation[k] = orientation[k]


@kernel
def follow_pose(goal: Any, position: Any, orientation: Quaternion, limits: Any, period: float) -> None:
    """One period on the way to a pose; `limits` has velocity, acceleration [m/s, m/s^2], rate, rate_change [rad/s, rad/s^2]."""
    for k in range(3):
        follow(goal.axes[k], position[k], limits.velocity, limits.acceleration, period)
    o = goal.orientation
    now = (o[0], o[1], o[2], o[3])
    x, y, z = difference(orientation, now)
    left = math.sqrt(x * x + y * y + z * z)
    speed = math.sqrt(goal.rate[0] * goal.rate[0] + goal.rate[1] * goal.rate[1] + goal.rate[2] * goal.rate[2])
    most = min(limits.rate, speed + limits.rate_change * period, math.sqrt(2.0 * limits.rate_change * left))
    if left <= max(most * period, 1e-9):
        most = left / period
    scale = most / left if left > 1e-12 else 0.0
    goal.rate[0], goal.rate[1], goal.rate[2] = scale * x, scale * y, scale * z
    o[0], o[1], o[2], o[3] = turned(now, period * scale * x, period * scale * y, period * scale * z)
