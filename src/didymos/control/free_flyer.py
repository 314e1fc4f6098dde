"""The controller's own model of a planar free-flyer: a base that floats in a plane and carries a chain of three links.

    H(z) z'' + c(z, z') = B tau - Je^T f,      z = (x, y, theta, q1, q2, q3)

x, y, theta pose of the base's centre of mass, q relative joint angles, tau = (torque on the base, three joint torques), f force
and moment (f_x, f_y, n) that the end effector exerts on the target, in the world's frame, at the end effector. With a_i the
absolute angle of link i, e(a) = (cos a, sin a), every centre of mass is a sum of vectors that turn with one link each, so

    p_i = p_0 + sum_k s_k,     J_i column of joint j = z_axis x (p_i - o_j),     J_i' z' = -sum_k (a_k')^2 s_k

    H = sum_i m_i J_i^T J_i + I_i w_i^T w_i,       c = sum_i m_i J_i^T (J_i' z')

Masses in [kg], inertias about the centres of mass [kg m^2], lengths [m]. Nothing here knows the simulator.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel

__all__ = ["FREE_FLYER", "carry", "free_flyer", "inverse_dynamics", "solve"]

FREE_FLYER = ("m0", "i0", "r0x", "r0y", "m1", "i1", "l1", "r1", "m2", "i2", "l2", "r2", "m3", "i3", "l3", "r3")
"""The parameters in the order in which the model reads them: l joint to centre of mass, r from there to the next joint."""


@kernel
def free_flyer(par: Any, z: Any, zd: Any, h: Any, c: Any, je: Any, bias: Any, xe: Any) -> None:
    """Fill H [6, 6], c [6], the end effector's Jacobian [3, 6], its J' z' [3] and its pose (x, y, angle) [3]."""
    origin = np.zeros((5, 2))  # of the base and the joints; last, the end effector
    drift = np.zeros((5, 2))  # acceleration of these without z''
    angle, rate = z[2], zd[2]
    origin[0, 0], origin[0, 1] = z[0], z[1]
    rx, ry = par[2], par[3]
    sx, sy = rx * math.cos(angle) - ry * math.sin(angle), rx * math.sin(angle) + ry * math.cos(angle)
    origin[1, 0], origin[1, 1] = z[0] + sx, z[1] + sy
    drift[1, 0], drift[1, 1] = -rate * rate * sx, -rate * rate * sy
    h[:, :] = 0.0
    c[:] = 0.0
    column = np.zeros((2, 6))
    for i in range(4):
        mass, inertia = par[4 * i], par[4 * i + 1]
        px, py, ax, ay = z[0], z[1], 0.0, 0.0
        if i > 0:
            angle += z[2 + i]
            rate += zd[2 + i]
            near, far = par[4 * i + 2], par[4 * i + 2] + par[4 * i + 3]
            cx, cy = math.cos(angle), math.sin(angle)
            px, py = origin[i, 0] + near * cx, origin[i, 1] + near * cy
            ax, ay = drift[i, 0] - rate * rate * near * cx, drift[i, 1] - rate * rate * near * cy
            origin[i + 1, 0], origin[i + 1, 1] = origin[i, 0] + far * cx, origin[i, 1] + far * cy
            drift[i + 1, 0] = drift[i, 0] - rate * rate * far * cx
            drift[i + 1, 1] = drift[i, 1] - rate * rate * far * cy
        _columns(origin, i, px, py, column)
        for a in range(3 + i):
            c[a] += mass * (column[0, a] * ax + column[1, a] * ay)
            for b in range(3 + i):
                h[a, b] += mass * (column[0, a] * column[0, b] + column[1, a] * column[1, b])
                if a >= 2 and b >= 2:
                    h[a, b] += inertia
    _columns(origin, 3, origin[4, 0], origin[4, 1], column)
    je[:2, :] = column
    je[2, :2] = 0.0
    je[2, 2:] = 1.0
    xe[0], xe[1], xe[2] = origin[4, 0], origin[4, 1], angle
    bias[0], bias[1], bias[2] = drift[4, 0], drift[4, 1], 0.0


@kernel
def _columns(origin: Any, last: int, px: float, py: float, column: Any) -> None:
    """Jacobian [2, 6] of a point that moves with link `last`."""
    column[:, :] = 0.0
    column[0, 0] = 1.0
    column[1, 1] = 1.0
    for j in range(last + 1):
        column[0, 2 + j] = -(py - origin[j, 1])
        column[1, 2 + j] = px - origin[j, 0]


@kernel
def carry(par: Any, mass: float, inertia: float, ahead: float, out: Any) -> None:
    """Parameters [16] with a load fixed to the last link, its centre `ahead` [m] of the end effector along the link."""
    out[:] = par
    m3, l3, r3 = par[12], par[14], par[15]
    far = l3 + r3 + ahead
    total = m3 + mass
    centre = (m3 * l3 + mass * far) / total
    out[12] = total
    out[13] = par[13] + inertia + m3 * (centre - l3) ** 2 + mass * (far - centre) ** 2
    out[14] = centre
    out[15] = l3 + r3 - centre


@kernel
def solve(a: Any, x: Any) -> bool:
    """Solve a x = b by elimination with pivots; `x` holds b and becomes the answer; `a` is used up. False where singular."""
    n = x.shape[0]
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[pivot, k]):
                pivot = i
        if abs(a[pivot, k]) < 1e-12:
            return False
        if pivot != k:
            for j in range(n):
                a[k, j], a[pivot, j] = a[pivot, j], a[k, j]
            x[k], x[pivot] = x[pivot], x[k]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= factor * a[k, j]
            x[i] -= factor * x[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[k] -= a[k, j] * x[j]
        x[k] /= a[k, k]
    return True


@kernel
def inverse_dynamics(h: Any, c: Any, rows: Any, setpoints: Any, je: Any, push: Any, tau: Any) -> bool:
    """Torques [4] on base and joints that give four setpoints accelerations `rows` z'' = `setpoints`, rows [4, 6].

    The base's translation has no motor: its two equations of motion fix the two accelerations that nobody chose. (The original
    eliminates them by a chain of inverses to the same end.) `push` (f_x, f_y, n) is what the end effector exerts on the target.
    """
    a = np.zeros((6, 6))
    x = np.zeros(6)
    for i in range(2):
        a[i, :] = h[i, :]
        x[i] = -c[i] - push[i]
    for i in range(4):
        a[2 + i, :] = rows[i, :]
        x[2 + i] = setpoints[i]
    if not solve(a, x):
        return False
    for i in range(4):
        tau[i] = c[2 + i]
        for j in range(6):
            tau[i] += h[2 + i, j] * x[j]
        for k in range(3):
            tau[i] += je[k, 2 + i] * push[k]
    return True
