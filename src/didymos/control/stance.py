"""The legs that stand: what the ground shall do to the trunk, and which foot carries how much of it.

Virtual model: the trunk hangs on springs and dampers, in the level frame,

    F = m (k_v (v* - v), g + k_z (z* - z) - d_z v_z),    T = k_r (tilt* - tilt) - d_r w + yaw likewise

Distribution: the forces f_i of the feet that stand (shares W, 0 to 1) with the least of

    |A f - (F, T)|^2_S + f^T W^-1 f,    A = (I ...; [r_i]x ...)    ->    f = W A^T (A W A^T + S^-1)^-1 (F, T)

r_i from the centre of mass; then each is held inside its cone of friction about the normal of the slope. Two feet of a diagonal
cannot turn the trunk about the line between them; there the weights S decide, and placing the feet does the rest. Reference:
Pratt et al., Virtual model control, IJRR 20 (2001).
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control import legged_memory as at

__all__ = ["distribute", "solve_symmetric"]

_LEAST = 4.0  # [N] that a foot which stands always presses with
_S_INVERSE = (0.02, 0.02, 0.004, 0.001, 0.001, 0.004)  # softness of F [1] and T [m^2], beside shares of 1


@kernel
def solve_symmetric(a: Any, x: Any) -> None:
    """Solve a x = b, a [6, 6] row-major and positive definite (its factor replaces it), `x` holds b and becomes the answer."""
    for i in range(6):
        for j in range(i + 1):
            total = a[6 * i + j]
            for k in range(j):
                total -= a[6 * i + k] * a[6 * j + k]
            a[6 * i + j] = math.sqrt(max(total, 1e-12)) if i == j else total / a[7 * j]
    for i in range(6):
        for k in range(i):
            x[i] -= a[6 * i + k] * x[k]
        x[i] /= a[7 * i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            x[i] -= a[6 * k + i] * x[k]
        x[i] /= a[7 * i]


@kernel
def distribute(friction: float, most: float, com_x: float, com_z: float, m: Any) -> None:
    """Forces of the ground on the feet [N], level frame, from the setpoints wrench in `WRENCH` (force, then torque)."""
    a, x = m[at.MATRIX : at.MATRIX + 36], m[at.WRENCH : at.WRENCH + 6]
    r = at.ROTATION
    cx, cy, cz = m[r] * com_x + m[r + 2] * com_z, m[r + 3] * com_x + m[r + 5] * com_z, m[r + 6] * com_x + m[r + 8] * com_z
    for i in range(36):
        a[i] = 0.0
    for i in range(6):
        a[7 * i] = _S_INVERSE[i]
    for leg in range(4):
        w, p = m[at.SHARE + leg], at.LEVEL + 3 * leg
        if w <= 0.0:
            continue
        rx, ry, rz = m[p] - cx, m[p + 1] - cy, m[p + 2] - cz
        for i in range(3):
            a[7 * i] += w
        # lower left block w [r]x, lower right block w [r]x [r]x^T
        a[19] -= w * rz
        a[20] += w * ry
        a[24] += w * rz
        a[26] -= w * rx
        a[30] -= w * ry
        a[31] += w * rx
        a[21] += w * (ry * ry + rz * rz)
        a[27] -= w * rx * ry
        a[28] += w * (rx * rx + rz * rz)
        a[33] -= w * rx * rz
        a[34] -= w * ry * rz
        a[35] += w * (rx * rx + ry * ry)
    solve_symmetric(a, x)
    nz = 1.0 / math.sqrt(1.0 + m[at.SLOPE] ** 2 + m[at.SLOPE + 1] ** 2)
    nx, ny = -nz * m[at.SLOPE], -nz * m[at.SLOPE + 1]
    for leg in range(4):
        w, p, f = m[at.SHARE + leg], at.LEVEL + 3 * leg, at.FORCE + 3 * leg
        rx, ry, rz = m[p] - cx, m[p + 1] - cy, m[p + 2] - cz
        fx = w * (x[0] + x[4] * rz - x[5] * ry)
        fy = w * (x[1] + x[5] * rx - x[3] * rz)
        fz = w * (x[2] + x[3] * ry - x[4] * rx)
        normal = (fx * nx + fy * ny + fz * nz) if w > 0.0 else 0.0
        fx, fy, fz = fx - normal * nx, fy - normal * ny, fz - normal * nz
        if w > 0.0:
            normal = min(max(normal, _LEAST), most)
        along = math.sqrt(fx * fx + fy * fy + fz * fz)
        part = friction * normal / along if along > friction * normal else 1.0
        m[f], m[f + 1], m[f + 2] = part * fx + normal * nx, part * fy + normal * ny, part * fz + normal * nz
