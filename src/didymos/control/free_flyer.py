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
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel

__all__ = ["FREE_FLYER", "LOAD", "Dynamics", "carrying", "free_flyer", "inverse_dynamics", "solve"]

_BASE = np.dtype(
    [
        ("mass", np.float64),
        ("inertia", np.float64),
        ("shoulder_x", np.float64),  # from the centre of mass, in the base's frame
        ("shoulder_y", np.float64),
    ]
)
_LINK = np.dtype(
    [
        ("mass", np.float64),
        ("inertia", np.float64),
        ("to_center", np.float64),  # from its joint to its centre of mass
        ("to_end", np.float64),  # from there to the next joint, of the last link to the end effector
    ]
)
FREE_FLYER = np.dtype([("base", _BASE), ("links", _LINK, 3)])
"""Memory layout of the model's parameters."""

LOAD = np.dtype([("mass", np.float64), ("inertia", np.float64), ("ahead", np.float64)])
"""Memory layout of what the end effector may hold: its centre of mass lies `ahead` [m] of it, along the last link."""


class Dynamics(NamedTuple):
    """The model at one z and z'."""

    mass_matrix: NDArray[np.float64]  # H, [6, 6]
    bias_force: NDArray[np.float64]  # c, [6]
    jacobian: NDArray[np.float64]  # Je of the end effector (x, y, angle), [3, 6]
    drift: NDArray[np.float64]  # Je' z', [3]
    pose: NDArray[np.float64]  # of the end effector: x, y, angle, [3]


@kernel
def free_flyer(robot: Any, z: Any, zd: Any) -> Dynamics:
    """The dynamics of a robot (`FREE_FLYER`) at z [6], z' [6]."""
    h, c, column = np.zeros((6, 6)), np.zeros(6), np.zeros((2, 6))
    origin = np.zeros((5, 2))  # of the base and the joints; last, the end effector
    drift = np.zeros((5, 2))  # acceleration of these without z''
    angle, rate = z[2], zd[2]
    origin[0, 0], origin[0, 1] = z[0], z[1]
    rx, ry = robot.base.shoulder_x, robot.base.shoulder_y
    sx, sy = rx * math.cos(angle) - ry * math.sin(angle), rx * math.sin(angle) + ry * math.cos(angle)
    origin[1, 0], origin[1, 1] = z[0] + sx, z[1] + sy
    drift[1, 0], drift[1, 1] = -rate * rate * sx, -rate * rate * sy
    _columns(origin, 0, z[0], z[1], column)
    _add_body(robot.base.mass, robot.base.inertia, 0, column, 0.0, 0.0, h, c)
    for i in range(1, 4):
        link = robot.links[i - 1]
        angle += z[2 + i]
        rate += zd[2 + i]
        near, far = link.to_center, link.to_center + link.to_end
        cx, cy = math.cos(angle), math.sin(angle)
        origin[i + 1, 0], origin[i + 1, 1] = origin[i, 0] + far * cx, origin[i, 1] + far * cy
        drift[i + 1, 0] = drift[i, 0] - rate * rate * far * cx
        drift[i + 1, 1] = drift[i, 1] - rate * rate * far * cy
        _columns(origin, i, origin[i, 0] + near * cx, origin[i, 1] + near * cy, column)
        ax, ay = drift[i, 0] - rate * rate * near * cx, drift[i, 1] - rate * rate * near * cy
        _add_body(link.mass, link.inertia, i, column, ax, ay, h, c)
    je = np.zeros((3, 6))
    _columns(origin, 3, origin[4, 0], origin[4, 1], column)
    for a in range(6):  # element by element: numba takes long to compile assignments of slices
        je[0, a], je[1, a], je[2, a] = column[0, a], column[1, a], 1.0 if a >= 2 else 0.0
    return Dynamics(h, c, je, np.array([drift[4, 0], drift[4, 1], 0.0]), np.array([origin[4, 0], origin[4, 1], angle]))


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
def _add_body(mass: float, inertia: float, last: int, column: Any, ax: float, ay: float, h: Any, c: Any) -> None:
    """Add link `last` to H and c; `column` the Jacobian of its centre of mass, (ax, ay) that one's J' z'."""
    for a in range(3 + last):
        c[a] += mass * (column[0, a] * ax + column[1, a] * ay)
        for b in range(3 + last):
            h[a, b] += mass * (column[0, a] * column[0, b] + column[1, a] * column[1, b])
            if a >= 2 and b >= 2:
                h[a, b] += inertia


def carrying(robot: NDArray[Any], load: NDArray[Any]) -> NDArray[Any]:
    """A robot (`FREE_FLYER`) whose last link has a load (`LOAD`) fixed to its end effector."""
    made = robot.copy()
    last = made["links"][-1]
    mass, inertia, near, end = (float(last[name]) for name in ("mass", "inertia", "to_center", "to_end"))
    load_mass, far = float(load["mass"]), near + end + float(load["ahead"])
    total = mass + load_mass
    center = (mass * near + load_mass * far) / total
    last["mass"] = total
    moved, hung = center - near, far - center
    last["inertia"] = inertia + float(load["inertia"]) + mass * (moved * moved) + load_mass * (hung * hung)
    last["to_center"] = center
    last["to_end"] = near + end - center
    return made


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
def inverse_dynamics(model: Any, rows: Any, demanded: Any, push: Any, tau: Any) -> bool:
    """Torques [4] on base and joints that give four demanded accelerations `rows` z'' = `demanded`, rows [4, 6].

    The base's translation has no motor: its two equations of motion fix the two accelerations that nobody chose. (The original
    eliminates them by a chain of inverses to the same end.) `push` (f_x, f_y, n) is what the end effector exerts on the target.
    """
    h, c = model.mass_matrix, model.bias_force
    a = np.zeros((6, 6))
    x = np.zeros(6)
    for i in range(6):
        x[i] = -c[i] - push[i] if i < 2 else demanded[i - 2]
        for j in range(6):
            a[i, j] = h[i, j] if i < 2 else rows[i - 2, j]
    if not solve(a, x):
        return False
    for i in range(4):
        tau[i] = c[2 + i]
        for j in range(6):
            tau[i] += h[2 + i, j] * x[j]
        for k in range(3):
            tau[i] += model.jacobian[k, 2 + i] * push[k]
    return True
