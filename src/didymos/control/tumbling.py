"""Torque-free rotation of a rigid body, and the pose of a frame that it carries.

    I w' = (I w) x w,   that is  w_1' = k_1 w_2 w_3, ...   with  k_1 = (I_2 - I_3) / I_1, ...;       q' = q (0, w) / 2

w rate along the principal axes of inertia [rad/s], I principal moments [kg m^2], q from the body's axes to the world's, w
first. One step of RK4 for both; the quaternion is brought back to length one. A step of h errs by about (|w| h)^5: 1e-8 of a
radian at 0.1 rad/s and 0.25 s. Conserved: the angular momentum in the world, q (I w), and the energy w I w / 2.

Reference: Goldstein, Classical Mechanics (1980), ch. 5-6.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.model.vectors import unit_quaternion

__all__ = ["shape_of", "spin_change", "tumble"]

Quaternion = tuple[float, float, float, float]
Vector = tuple[float, float, float]


@kernel
def shape_of(inertia: Any) -> Vector:
    """k of principal moments of inertia [3], each between -1 and 1: all that tumbling knows of them."""
    x, y, z = inertia[0], inertia[1], inertia[2]
    return (y - z) / x, (z - x) / y, (x - y) / z


@kernel
def spin_change(shape: Vector, w: Vector) -> Vector:
    """w' [rad/s^2] of a body that no torque acts on."""
    return shape[0] * w[1] * w[2], shape[1] * w[2] * w[0], shape[2] * w[0] * w[1]


@kernel
def _turning(q: Quaternion, w: Vector) -> Quaternion:
    """q' [1/s]."""
    a, b, c, d = q
    x, y, z = w
    return (
        0.5 * (-b * x - c * y - d * z),
        0.5 * (a * x + c * z - d * y),
        0.5 * (a * y + d * x - b * z),
        0.5 * (a * z + b * y - c * x),
    )


@kernel
def _moved(q: Quaternion, by: Quaternion, h: float) -> Quaternion:
    return q[0] + h * by[0], q[1] + h * by[1], q[2] + h * by[2], q[3] + h * by[3]


@kernel
def _changed(w: Vector, by: Vector, h: float) -> Vector:
    return w[0] + h * by[0], w[1] + h * by[1], w[2] + h * by[2]


@kernel
def _step(shape: Vector, q: Quaternion, w: Vector, h: float) -> tuple[Quaternion, Vector]:
    """One step of RK4."""
    q1, w1 = _turning(q, w), spin_change(shape, w)
    wb = _changed(w, w1, 0.5 * h)
    q2, w2 = _turning(_moved(q, q1, 0.5 * h), wb), spin_change(shape, wb)
    wc = _changed(w, w2, 0.5 * h)
    q3, w3 = _turning(_moved(q, q2, 0.5 * h), wc), spin_change(shape, wc)
    wd = _changed(w, w3, h)
    q4, w4 = _turning(_moved(q, q3, h), wd), spin_change(shape, wd)
    s = h / 6.0
    p = _moved(_moved(_moved(_moved(q, q1, s), q2, 2.0 * s), q3, 2.0 * s), q4, s)
    v = _changed(_changed(_changed(_changed(w, w1, s), w2, 2.0 * s), w3, 2.0 * s), w4, s)
    return unit_quaternion(p[0], p[1], p[2], p[3]), v


@kernel
def tumble(shape: Vector, q: Quaternion, w: Vector, time: float, longest: float) -> tuple[Quaternion, Vector]:
    """Attitude and rate after a time [s], which may be negative, in steps of at most `longest` [s]."""
    steps = max(1, math.ceil(abs(time) / longest))
    h = time / steps
    for _ in range(steps):
        q, w = _step(shape, q, w, h)
    return q, w
