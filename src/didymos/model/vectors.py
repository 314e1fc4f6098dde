"""Vectors, rotations and inertias of compiled code, one number at a time: nothing is allocated."""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel

__all__ = [
    "cross", "quaternion_product", "turn", "turn_axis", "turn_by", "turn_quaternion", "turn_together", "turned_inertia",
    "unit_quaternion",
]  # fmt: skip

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


@kernel
def cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> Vector:
    """a x b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@kernel
def turn(r: Any, x: float, y: float, z: float) -> Vector:
    """R p, of a rotation [3, 3]."""
    return (
        r[0, 0] * x + r[0, 1] * y + r[0, 2] * z,
        r[1, 0] * x + r[1, 1] * y + r[1, 2] * z,
        r[2, 0] * x + r[2, 1] * y + r[2, 2] * z,
    )


@kernel
def turn_together(a: Any, b: Any, out: Any) -> None:
    """A B into `out`, which is neither of both; all [3, 3]."""
    for i in range(3):
        x, y, z = a[i, 0], a[i, 1], a[i, 2]
        out[i, 0] = x * b[0, 0] + y * b[1, 0] + z * b[2, 0]
        out[i, 1] = x * b[0, 1] + y * b[1, 1] + z * b[2, 1]
        out[i, 2] = x * b[0, 2] + y * b[1, 2] + z * b[2, 2]


@kernel
def turn_axis(r: Any, axis: Any, angle: float) -> None:
    """R <- R Rot(axis, angle), of a unit axis [3] in the turning frame (Rodrigues)."""
    x, y, z = axis[0], axis[1], axis[2]
    s, c = math.sin(angle), math.cos(angle)
    d = 1.0 - c
    m00, m01, m02 = c + x * x * d, x * y * d - z * s, x * z * d + y * s
    m10, m11, m12 = x * y * d + z * s, c + y * y * d, y * z * d - x * s
    m20, m21, m22 = x * z * d - y * s, y * z * d + x * s, c + z * z * d
    for i in range(3):
        u, v, w = r[i, 0], r[i, 1], r[i, 2]
        r[i, 0] = u * m00 + v * m10 + w * m20
        r[i, 1] = u * m01 + v * m11 + w * m21
        r[i, 2] = u * m02 + v * m12 + w * m22


@kernel
def unit_quaternion(w: float, x: float, y: float, z: float) -> Quaternion:
    """A quaternion, w first, at length one; that of no turn where it is zero, as a reading that has not come."""
    length = math.sqrt(w * w + x * x + y * y + z * z)
    if not length > 0.0:
        return 1.0, 0.0, 0.0, 0.0
    return w / length, x / length, y / length, z / length


@kernel
def quaternion_product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def turn_by(a: Quaternion, x: float, y: float, z: float) -> Vector:
    """R p, of the rotation of a unit quaternion, w first: p + 2 u x (u x p + w p)."""
    w, u, v, t = a
    cx, cy, cz = cross(u, v, t, x, y, z)
    dx, dy, dz = cross(u, v, t, cx + w * x, cy + w * y, cz + w * z)
    return x + 2.0 * dx, y + 2.0 * dy, z + 2.0 * dz


@kernel
def turn_quaternion(r: Any, w: float, x: float, y: float, z: float) -> None:
    """R <- R Rot(quaternion), of a unit quaternion, w first."""
    m00, m01, m02 = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    m10, m11, m12 = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    m20, m21, m22 = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)
    for i in range(3):
        u, v, t = r[i, 0], r[i, 1], r[i, 2]
        r[i, 0] = u * m00 + v * m10 + t * m20
        r[i, 1] = u * m01 + v * m11 + t * m21
        r[i, 2] = u * m02 + v * m12 + t * m22


@kernel
def turned_inertia(r: Any, inertia: Any, out: Any) -> None:
    """R I R^T into `out`; inertias as xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = inertia[0], inertia[1], inertia[2], inertia[3], inertia[4], inertia[5]
    a0, a1, a2 = turn(r, xx, xy, xz)  # the columns of R I
    b0, b1, b2 = turn(r, xy, yy, yz)
    c0, c1, c2 = turn(r, xz, yz, zz)
    out[0] = a0 * r[0, 0] + b0 * r[0, 1] + c0 * r[0, 2]
    out[1] = a1 * r[1, 0] + b1 * r[1, 1] + c1 * r[1, 2]
    out[2] = a2 * r[2, 0] + b2 * r[2, 1] + c2 * r[2, 2]
    out[3] = a0 * r[1, 0] + b0 * r[1, 1] + c0 * r[1, 2]
    out[4] = a0 * r[2, 0] + b0 * r[2, 1] + c0 * r[2, 2]
    out[5] = a1 * r[2, 0] + b1 * r[2, 1] + c1 * r[2, 2]
