"""The frame in which an aircraft hovers: its body's, or for a tail-sitter the body's with the nose turned down to the level.

    q_body = q_hover Ry(-h),    h [rad] the nose-up angle of the body where it hovers level: 0, or pi/2 for a tail-sitter

so z of the hover frame is up and x points where the aircraft will fly to, whatever the body does. An attitude is held by the
rotation that is left, as a vector about the axes of the frame,

    e = 2 sgn(w) (x, y, z)  of  (w, x, y, z) = conj(q) q*

which needs no angles and has no pole: a tail-sitter turns through 90 degrees of pitch with it. |e| = 2 sin(angle / 2).

Frames: world east-north-up, body and hover frame forward-left-up. Quaternions w first, as tuples.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.filter_predict import multiply

__all__ = ["attitude_error", "from_angles", "hover_attitude", "to_body", "to_hover", "upright"]

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


@kernel
def from_angles(roll: float, pitch: float, yaw: float) -> Quaternion:
    """The orientation Rz(yaw) Ry(pitch) Rx(roll) of angles [rad]."""
    cr, sr = math.cos(0.5 * roll), math.sin(0.5 * roll)
    cp, sp = math.cos(0.5 * pitch), math.sin(0.5 * pitch)
    cy, sy = math.cos(0.5 * yaw), math.sin(0.5 * yaw)
    return (
        cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy,
    )  # fmt: skip


@kernel
def hover_attitude(q: Any, nose: float) -> Quaternion:
    """The hover frame's orientation, of a body's q, [4], that hovers with its nose up by an angle [rad]."""
    return multiply(q[0], q[1], q[2], q[3], math.cos(0.5 * nose), 0.0, math.sin(0.5 * nose), 0.0)


@kernel
def to_hover(x: float, y: float, z: float, nose: float) -> Vector:
    """A vector of the body's frame in the hover frame."""
    c, s = math.cos(nose), math.sin(nose)
    return c * x - s * z, y, s * x + c * z


@kernel
def to_body(x: float, y: float, z: float, nose: float) -> Vector:
    """A vector of the hover frame in the body's."""
    c, s = math.cos(nose), math.sin(nose)
    return c * x + s * z, y, c * z - s * x


@kernel
def attitude_error(q: Quaternion, target: Quaternion) -> Vector:
    """The rotation [rad] from an orientation to another, about the axes of the first; 2 at 180 degrees."""
    w, x, y, z = multiply(q[0], -q[1], -q[2], -q[3], target[0], target[1], target[2], target[3])
    twice = 2.0 if w >= 0.0 else -2.0
    return twice * x, twice * y, twice * z


@kernel
def upright(q: Quaternion) -> float:
    """Cosine of the angle between the frame's z and the vertical."""
    return 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])
