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
from didymos.control.leg import to_level

__all__ = ["HEADING_LIMIT", "balance_trunk", "distribute", "solve_symmetric"]

HEADING_LIMIT = 0.3
"""[rad]: a heading further off than this pulls no harder."""

_LEAST = 0.02  # [m g] that a foot which stands always presses with
_S_INVERSE = (0.02, 0.02, 0.004, 0.0057, 0.0057, 0.0227)  # softness of F [1] and T [l^2], beside shares of 1


@kernel
def _off_centre(robot: Any, memory: Any) -> tuple[float, float]:
    """How far the centre of mass [m] is short of the middle of the feet, level frame."""
    x, y = -memory.body.centre[0], -memory.body.centre[1]
    for number in range(int(robot.legs)):
        x += memory.legs[number].foot_level[0] / robot.legs
        y += memory.legs[number].foot_level[1] / robot.legs
    return x, y


@kernel
def balance_trunk(robot: Any, gains: Any, walking: bool, turn: float, memory: Any) -> None:
    """The wrench that the ground shall exert on the trunk, into `memory.balance`; a robot that stands stays over its feet."""
    goal, velocity, slope, rate = memory.goal, memory.body.velocity, memory.slope, memory.body.rate
    per_time = 1.0 / robot.time
    stiff = per_time * per_time
    push_x, push_y = goal.acceleration[0], goal.acceleration[1]
    if not walking:
        x, y = _off_centre(robot, memory)
        push_x, push_y = gains.place_kp * stiff * x, gains.place_kp * stiff * y
    wrench = memory.balance.wrench
    wrench[0] = robot.mass * (gains.speed_kp * per_time * (goal.velocity[0] - velocity[0]) + push_x)
    wrench[1] = robot.mass * (gains.speed_kp * per_time * (goal.velocity[1] - velocity[1]) + push_y)
    climb = slope[0] * velocity[0] + slope[1] * velocity[1]
    spring = gains.height_kp * stiff * (goal.height - memory.height)
    wrench[2] = robot.mass * (robot.gravity + spring - gains.height_kd * per_time * (velocity[2] - climb))
    roll, pitch = gains.slope_share * math.atan(slope[1]), -gains.slope_share * math.atan(slope[0])
    rate_x, rate_y, rate_z = to_level(memory.body.rotation, rate[0], rate[1], rate[2])
    kp, kd = gains.tilt_kp * stiff, gains.tilt_kd * per_time
    wrench[3] = robot.inertia[0] * (kp * (roll - memory.roll) - kd * rate_x)
    wrench[4] = robot.inertia[1] * (kp * (pitch - memory.pitch) - kd * rate_y)
    heading = min(max(goal.yaw - memory.yaw, -HEADING_LIMIT), HEADING_LIMIT)
    wrench[5] = robot.inertia[2] * (gains.yaw_kp * stiff * heading + gains.yaw_kd * per_time * (turn - rate_z))


@kernel
def solve_symmetric(a: Any, x: Any) -> None:
    """Solve a x = b, a [6, 6] positive definite (its factor replaces its lower half), `x` holds b and becomes the answer."""
    for i in range(6):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            a[i, j] = math.sqrt(max(total, 1e-12)) if i == j else total / a[j, j]
    for i in range(6):
        for k in range(i):
            x[i] -= a[i, k] * x[k]
        x[i] /= a[i, i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            x[i] -= a[k, i] * x[k]
        x[i] /= a[i, i]


@kernel
def _levers(body: Any, leg: Any) -> tuple[float, float, float]:
    """r, from the centre of mass to a foot [m], level frame."""
    centre, foot = body.centre, leg.foot_level
    return foot[0] - centre[0], foot[1] - centre[1], foot[2] - centre[2]


@kernel
def _add_foot(a: Any, w: float, rx: float, ry: float, rz: float) -> None:
    """Add a foot of share w to the lower half of A W A^T: blocks w I, w [r]x below it, w [r]x [r]x^T to the right."""
    for i in range(3):
        a[i, i] += w
    a[3, 1] -= w * rz
    a[3, 2] += w * ry
    a[4, 0] += w * rz
    a[4, 2] -= w * rx
    a[5, 0] -= w * ry
    a[5, 1] += w * rx
    a[3, 3] += w * (ry * ry + rz * rz)
    a[4, 3] -= w * rx * ry
    a[4, 4] += w * (rx * rx + rz * rz)
    a[5, 3] -= w * rx * rz
    a[5, 4] -= w * ry * rz
    a[5, 5] += w * (rx * rx + ry * ry)


@kernel
def _inside_cone(
    gains: Any, weight: float, stands: bool, slope: Any, fx: float, fy: float, fz: float
) -> tuple[float, float, float]:
    """A foot's force [N] held inside its cone of friction about the normal of the slope."""
    nz = 1.0 / math.sqrt(1.0 + slope[0] ** 2 + slope[1] ** 2)
    nx, ny = -nz * slope[0], -nz * slope[1]
    normal = (fx * nx + fy * ny + fz * nz) if stands else 0.0
    fx, fy, fz = fx - normal * nx, fy - normal * ny, fz - normal * nz
    if stands:
        normal = min(max(normal, _LEAST * weight), gains.most_force * weight)
    along = math.sqrt(fx * fx + fy * fy + fz * fz)
    part = gains.friction * normal / along if along > gains.friction * normal else 1.0
    return part * fx + normal * nx, part * fy + normal * ny, part * fz + normal * nz


@kernel
def distribute(robot: Any, gains: Any, memory: Any) -> None:
    """Forces of the ground on the feet [N], level frame, that give the wrench in `memory.balance`."""
    a, x = memory.balance.matrix, memory.balance.multiplier
    for i in range(6):
        for j in range(6):
            a[i, j] = 0.0
        a[i, i] = _S_INVERSE[i] * (1.0 if i < 3 else robot.length * robot.length)
        x[i] = memory.balance.wrench[i]
    for number in range(int(robot.legs)):
        leg = memory.legs[number]
        if leg.share > 0.0:
            rx, ry, rz = _levers(memory.body, leg)
            _add_foot(a, leg.share, rx, ry, rz)
    solve_symmetric(a, x)
    weight = robot.mass * robot.gravity
    for number in range(int(robot.legs)):
        leg = memory.legs[number]
        w = leg.share
        rx, ry, rz = _levers(memory.body, leg)
        fx = w * (x[0] + x[4] * rz - x[5] * ry)
        fy = w * (x[1] + x[5] * rx - x[3] * rz)
        fz = w * (x[2] + x[3] * ry - x[4] * rx)
        force = _inside_cone(gains, weight, w > 0.0, memory.slope, fx, fy, fz)
        for i in range(3):
            leg.force[i] = force[i]
