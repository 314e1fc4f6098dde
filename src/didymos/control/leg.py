"""A leg of three joints: where its foot is, how it moves, and the angles that bring it somewhere.

    p = t + Rx(s a) (e h_x + l (sin h + sin(h+k)), s h_y, -l (cos h + cos(h+k)))

a trunk joint (positive abducts), h hip, k knee (positive swings forward), e = 1 in front and -1 behind, s = 1 left and -1 right,
t the trunk joint in the trunk. Both limbs have the length l. All in the frame of the trunk, forward-left-up; the knee points
backward (h < 0 < k). The inverse exists for points in reach; a point out of reach is pulled in to where the leg is nearly
straight, or nearly folded. Nothing here knows the simulator.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel

__all__ = ["GEOMETRY", "LEGS", "foot", "foot_force", "inverse", "torques"]

LEGS = ("LF", "RF", "LR", "RR")
GEOMETRY = ("t_x", "t_y", "h_x", "h_y", "limb")
"""The lengths [m] in the order in which the functions read them."""

_NEAREST, _FARTHEST = 0.36, 1.98  # of a limb: 160 deg of the knee, and a knee bent by 16 deg


@kernel
def foot(geometry: Any, end: float, side: float, q: Any, p: Any, jacobian: Any) -> None:
    """Position of the foot [m] into `p` [3] and its derivative by the three angles into `jacobian` [9], row-major."""
    limb = geometry[4]
    sa, ca = math.sin(side * q[0]), math.cos(side * q[0])
    x1, z1 = limb * math.sin(q[1]), -limb * math.cos(q[1])
    x2, z2 = limb * math.sin(q[1] + q[2]), -limb * math.cos(q[1] + q[2])
    uy, uz = side * geometry[3], z1 + z2
    ry, rz = uy * ca - uz * sa, uy * sa + uz * ca
    p[0] = end * (geometry[0] + geometry[2]) + x1 + x2
    p[1] = side * geometry[1] + ry
    p[2] = rz
    jacobian[0], jacobian[3], jacobian[6] = 0.0, -side * rz, side * ry
    jacobian[1], jacobian[4], jacobian[7] = -uz, -(x1 + x2) * sa, (x1 + x2) * ca
    jacobian[2], jacobian[5], jacobian[8] = -z2, -x2 * sa, x2 * ca


@kernel
def inverse(geometry: Any, end: float, side: float, x: float, y: float, z: float, q: Any) -> None:
    """Angles [3] that bring the foot to a point [m] of the trunk's frame, or as near as the leg reaches."""
    limb, across = geometry[4], side * geometry[3]
    y -= side * geometry[1]
    x -= end * (geometry[0] + geometry[2])
    down = math.sqrt(max(y * y + z * z - across * across, 1e-6))
    turn = math.atan2(z, y) - math.atan2(-down, across)
    turn -= 2.0 * math.pi * math.floor((turn + math.pi) / (2.0 * math.pi))
    reach = min(max(math.sqrt(x * x + down * down) / limb, _NEAREST), _FARTHEST)
    bend = 2.0 * math.acos(0.5 * reach)
    q[0] = side * turn
    q[2] = bend
    q[1] = math.atan2(x, down) - 0.5 * bend


@kernel
def torques(jacobian: Any, fx: float, fy: float, fz: float, tau: Any) -> None:
    """Joint torques [3] that make the ground push on the foot with a force [N]."""
    for i in range(3):
        tau[i] = -(jacobian[i] * fx + jacobian[3 + i] * fy + jacobian[6 + i] * fz)


@kernel
def foot_force(jacobian: Any, t0: float, t1: float, t2: float, up: Any) -> float:
    """Force of the ground on the foot along `up` [N], of a leg whose joints carry the torques t [N m]; 0 where it is singular.

    J^T f = -t, so f . up = -t . (J^-1 up): what the joints would do if the foot moved along `up`.
    """
    j = jacobian
    c0, c1, c2 = j[4] * j[8] - j[5] * j[7], j[5] * j[6] - j[3] * j[8], j[3] * j[7] - j[4] * j[6]
    det = j[0] * c0 + j[1] * c1 + j[2] * c2
    if abs(det) < 1e-4:
        return 0.0
    x, y, z = up[0], up[1], up[2]
    w0 = c0 * x + (j[2] * j[7] - j[1] * j[8]) * y + (j[1] * j[5] - j[2] * j[4]) * z
    w1 = c1 * x + (j[0] * j[8] - j[2] * j[6]) * y + (j[2] * j[3] - j[0] * j[5]) * z
    w2 = c2 * x + (j[1] * j[6] - j[0] * j[7]) * y + (j[0] * j[4] - j[1] * j[3]) * z
    return -(t0 * w0 + t1 * w1 + t2 * w2) / det
