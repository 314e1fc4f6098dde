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

__all__ = ["JOINTS", "LEGS", "SLIDING", "foot", "foot_force", "inverse", "signs", "to_level", "to_trunk", "torques"]

LEGS = ("LF", "RF", "LR", "RR")
JOINTS = ("T", "H", "K")
SLIDING = 0.3
"""[rad/s] of a joint over which dry friction changes sign."""

_NEAREST, _FARTHEST = 0.36, 1.98  # of a limb: 160 deg of the knee, and a knee bent by 16 deg


@kernel
def signs(leg: int) -> tuple[float, float]:
    """e and s of a leg by its number."""
    return 1.0 - 2.0 * (leg // 2), 1.0 - 2.0 * (leg % 2)


@kernel
def to_level(rotation: Any, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector of the trunk's frame in the level frame; `rotation` [3, 3] is trunk to level."""
    return (
        rotation[0, 0] * x + rotation[0, 1] * y + rotation[0, 2] * z,
        rotation[1, 0] * x + rotation[1, 1] * y + rotation[1, 2] * z,
        rotation[2, 0] * x + rotation[2, 1] * y + rotation[2, 2] * z,
    )


@kernel
def to_trunk(rotation: Any, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A vector of the level frame in the trunk's; `rotation` [3, 3] is trunk to level."""
    return (
        rotation[0, 0] * x + rotation[1, 0] * y + rotation[2, 0] * z,
        rotation[0, 1] * x + rotation[1, 1] * y + rotation[2, 1] * z,
        rotation[0, 2] * x + rotation[1, 2] * y + rotation[2, 2] * z,
    )


@kernel
def foot(robot: Any, leg: int, angle: Any, p: Any, jacobian: Any) -> None:
    """Position of a leg's foot [m] into `p` [3] and its derivative by the three angles into `jacobian` [3, 3]."""
    end, side = signs(leg)
    limb = robot.limb
    sa, ca = math.sin(side * angle[0]), math.cos(side * angle[0])
    x1, z1 = limb * math.sin(angle[1]), -limb * math.cos(angle[1])
    x2, z2 = limb * math.sin(angle[1] + angle[2]), -limb * math.cos(angle[1] + angle[2])
    uy, uz = side * robot.h_y, z1 + z2
    ry, rz = uy * ca - uz * sa, uy * sa + uz * ca
    p[0] = end * (robot.t_x + robot.h_x) + x1 + x2
    p[1] = side * robot.t_y + ry
    p[2] = rz
    jacobian[0, 0], jacobian[1, 0], jacobian[2, 0] = 0.0, -side * rz, side * ry
    jacobian[0, 1], jacobian[1, 1], jacobian[2, 1] = -uz, -(x1 + x2) * sa, (x1 + x2) * ca
    jacobian[0, 2], jacobian[1, 2], jacobian[2, 2] = -z2, -x2 * sa, x2 * ca


@kernel
def inverse(robot: Any, leg: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Angles of the joints that bring a leg's foot to a point [m] of the trunk's frame, or as near as the leg reaches."""
    end, side = signs(leg)
    across = side * robot.h_y
    y -= side * robot.t_y
    x -= end * (robot.t_x + robot.h_x)
    down = math.sqrt(max(y * y + z * z - across * across, 1e-6))
    turn = math.atan2(z, y) - math.atan2(-down, across)
    turn -= 2.0 * math.pi * math.floor((turn + math.pi) / (2.0 * math.pi))
    reach = min(max(math.sqrt(x * x + down * down) / robot.limb, _NEAREST), _FARTHEST)
    bend = 2.0 * math.acos(0.5 * reach)
    return side * turn, math.atan2(x, down) - 0.5 * bend, bend


@kernel
def torques(jacobian: Any, fx: float, fy: float, fz: float) -> tuple[float, float, float]:
    """Joint torques that make the ground push on the foot with a force [N] of the trunk's frame."""
    return (
        -(jacobian[0, 0] * fx + jacobian[1, 0] * fy + jacobian[2, 0] * fz),
        -(jacobian[0, 1] * fx + jacobian[1, 1] * fy + jacobian[2, 1] * fz),
        -(jacobian[0, 2] * fx + jacobian[1, 2] * fy + jacobian[2, 2] * fz),
    )


@kernel
def foot_force(jacobian: Any, torque: Any, up: Any) -> float:
    """Force of the ground on the foot along `up` [N], of a leg whose joints carry torques [N m], [3]; 0 where it is singular.

    J^T f = -t, so f . up = -t . (J^-1 up): what the joints would do if the foot moved along `up`.
    """
    j = jacobian
    c0, c1 = j[1, 1] * j[2, 2] - j[1, 2] * j[2, 1], j[1, 2] * j[2, 0] - j[1, 0] * j[2, 2]
    c2 = j[1, 0] * j[2, 1] - j[1, 1] * j[2, 0]
    det = j[0, 0] * c0 + j[0, 1] * c1 + j[0, 2] * c2
    if abs(det) < 1e-4:
        return 0.0
    x, y, z = up[0], up[1], up[2]
    w0 = c0 * x + (j[0, 2] * j[2, 1] - j[0, 1] * j[2, 2]) * y + (j[0, 1] * j[1, 2] - j[0, 2] * j[1, 1]) * z
    w1 = c1 * x + (j[0, 0] * j[2, 2] - j[0, 2] * j[2, 0]) * y + (j[0, 2] * j[1, 0] - j[0, 0] * j[1, 2]) * z
    w2 = c2 * x + (j[0, 1] * j[2, 0] - j[0, 0] * j[2, 1]) * y + (j[0, 0] * j[1, 1] - j[0, 1] * j[1, 0]) * z
    return -(torque[0] * w0 + torque[1] * w1 + torque[2] * w2) / det
