"""A leg of any joints: where its foot is, how it moves, what its weight asks for, and the angles that bring it somewhere.

A leg is a row of joints between the trunk and a foot, described at one posture (the reference) in the frame of the trunk: each
joint by its axis a and a point o on it, the foot by its centre. The product of exponentials (Brockett, 1984) gives every other

    R_i = exp([a_i]x (q_i - r_i)),    p = T_1 T_2 ... T_n p_ref,    J_i = a_i x (p - o_i), a_i where it slides

with a_i, o_i carried along. The inverse is Newton's method with damping (Wampler, 1986), dq = J^T (J J^T + d^2)^-1 (p* - p), from
the angles of a call before, so a knee stays bent to the side to which it is; angles stay inside the joints' limits. A point out
of reach is pulled in. Frame: *trunk*, forward-left-up, its origin in the middle of the hips. Nothing here knows the simulator.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel

__all__ = ["SLIDING", "foot_force", "inverse", "pose_leg", "to_level", "to_trunk", "torque_of", "weigh_leg"]

SLIDING = 0.3
"""[rad/s] of a joint over which dry friction changes sign."""

_DAMPING = 0.05  # of the leg's reach, in the inverse: what keeps a leg that is nearly straight from jumping
_STEPS = 3  # of Newton's method per call
_LARGEST = 0.3  # [rad] of one step


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
def _turn(rotation: Any, x: float, y: float, z: float, angle: float) -> None:
    """Turn `rotation` about a unit axis of the trunk's frame (Rodrigues)."""
    s, c = math.sin(angle), math.cos(angle)
    for column in range(3):
        vx, vy, vz = rotation[0, column], rotation[1, column], rotation[2, column]
        along = (1.0 - c) * (x * vx + y * vy + z * vz)
        rotation[0, column] = c * vx + s * (y * vz - z * vy) + along * x
        rotation[1, column] = c * vy + s * (z * vx - x * vz) + along * y
        rotation[2, column] = c * vz + s * (x * vy - y * vx) + along * z


@kernel
def pose_leg(limb: Any, angle: Any, pose: Any) -> None:
    """Axes and points of a leg's joints, its links' centres of mass, its foot [m] and the Jacobian [3, n], at some angles."""
    rotation, shift, count = pose.rotation, pose.shift, int(limb.count)
    for i in range(3):
        shift[i] = 0.0
        for j in range(3):
            rotation[i, j] = 1.0 if i == j else 0.0
    for i in range(count):
        joint = limb.joints[i]
        x, y, z = to_level(rotation, joint.axis[0], joint.axis[1], joint.axis[2])
        px, py, pz = to_level(rotation, joint.point[0], joint.point[1], joint.point[2])
        px, py, pz = px + shift[0], py + shift[1], pz + shift[2]
        moved = angle[i] - joint.reference
        if joint.slides > 0.5:
            shift[0], shift[1], shift[2] = shift[0] + moved * x, shift[1] + moved * y, shift[2] + moved * z
        else:
            _turn(rotation, x, y, z, moved)
            qx, qy, qz = to_level(rotation, joint.point[0], joint.point[1], joint.point[2])
            shift[0], shift[1], shift[2] = px - qx, py - qy, pz - qz
        cx, cy, cz = to_level(rotation, joint.centre[0], joint.centre[1], joint.centre[2])
        pose.axis[i, 0], pose.axis[i, 1], pose.axis[i, 2] = x, y, z
        pose.point[i, 0], pose.point[i, 1], pose.point[i, 2] = px, py, pz
        pose.centre[i, 0], pose.centre[i, 1], pose.centre[i, 2] = cx + shift[0], cy + shift[1], cz + shift[2]
    fx, fy, fz = to_level(rotation, limb.foot[0], limb.foot[1], limb.foot[2])
    fx, fy, fz = fx + shift[0], fy + shift[1], fz + shift[2]
    pose.foot[0], pose.foot[1], pose.foot[2] = fx, fy, fz
    for i in range(count):
        x, y, z = pose.axis[i, 0], pose.axis[i, 1], pose.axis[i, 2]
        if limb.joints[i].slides < 0.5:
            rx, ry, rz = fx - pose.point[i, 0], fy - pose.point[i, 1], fz - pose.point[i, 2]
            x, y, z = y * rz - z * ry, z * rx - x * rz, x * ry - y * rx
        pose.jacobian[0, i], pose.jacobian[1, i], pose.jacobian[2, i] = x, y, z


@kernel
def weigh_leg(limb: Any, gravity: float, up: Any, pose: Any) -> None:
    """The efforts that hold a leg's own weight, and its first moment [kg m]: dV/dq_i = g a_i . (sum m (c - o_i) x up)."""
    mass, mx, my, mz = 0.0, 0.0, 0.0, 0.0
    for i in range(int(limb.count) - 1, -1, -1):
        joint, centre, o = limb.joints[i], pose.centre[i], pose.point[i]
        mass += joint.mass
        mx, my, mz = mx + joint.mass * centre[0], my + joint.mass * centre[1], mz + joint.mass * centre[2]
        if joint.slides > 0.5:
            x, y, z = mass * up[0], mass * up[1], mass * up[2]
        else:
            rx, ry, rz = mx - mass * o[0], my - mass * o[1], mz - mass * o[2]
            x, y, z = ry * up[2] - rz * up[1], rz * up[0] - rx * up[2], rx * up[1] - ry * up[0]
        pose.weight[i] = gravity * (pose.axis[i, 0] * x + pose.axis[i, 1] * y + pose.axis[i, 2] * z)
    pose.moment[0], pose.moment[1], pose.moment[2] = mx, my, mz


@kernel
def _solve(count: int, jacobian: Any, damping: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """(J J^T + d^2)^-1 (x, y, z), of a Jacobian [3, count]."""
    a, b, c = damping * damping, 0.0, 0.0
    d, e, f = a, 0.0, a
    for i in range(count):
        jx, jy, jz = jacobian[0, i], jacobian[1, i], jacobian[2, i]
        a, b, c, d, e, f = a + jx * jx, b + jx * jy, c + jx * jz, d + jy * jy, e + jy * jz, f + jz * jz
    m00, m01, m02 = d * f - e * e, c * e - b * f, b * e - c * d
    m11, m12, m22 = a * f - c * c, b * c - a * e, a * d - b * b
    det = a * m00 + b * m01 + c * m02
    return (m00 * x + m01 * y + m02 * z) / det, (m01 * x + m11 * y + m12 * z) / det, (m02 * x + m12 * y + m22 * z) / det


@kernel
def inverse(limb: Any, x: float, y: float, z: float, angle: Any, pose: Any) -> None:
    """Move `angle` to the angles that bring the foot to a point [m] of the trunk's frame, or as near as the leg reaches."""
    dx, dy, dz = x - limb.hip[0], y - limb.hip[1], z - limb.hip[2]
    size = math.sqrt(dx * dx + dy * dy + dz * dz)
    part = min(1.0, limb.reach / max(size, 1e-9))
    x, y, z = limb.hip[0] + part * dx, limb.hip[1] + part * dy, limb.hip[2] + part * dz
    count = int(limb.count)
    for _ in range(_STEPS):
        pose_leg(limb, angle, pose)
        ex, ey, ez = x - pose.foot[0], y - pose.foot[1], z - pose.foot[2]
        damping = min(_DAMPING * limb.reach, math.sqrt(ex * ex + ey * ey + ez * ez)) + 1e-4 * limb.reach
        vx, vy, vz = _solve(count, pose.jacobian, damping, ex, ey, ez)
        for i in range(count):
            joint = limb.joints[i]
            step = pose.jacobian[0, i] * vx + pose.jacobian[1, i] * vy + pose.jacobian[2, i] * vz
            angle[i] = min(max(angle[i] + min(max(step, -_LARGEST), _LARGEST), joint.lower), joint.upper)


@kernel
def torque_of(pose: Any, i: int, fx: float, fy: float, fz: float) -> float:
    """Effort of joint i that makes the ground push on the foot with a force [N] of the trunk's frame."""
    return -(pose.jacobian[0, i] * fx + pose.jacobian[1, i] * fy + pose.jacobian[2, i] * fz)


@kernel
def foot_force(limb: Any, pose: Any, effort: Any, up: Any) -> float:
    """Force of the ground on the foot along `up` [N], of a leg whose joints carry efforts [n].

    J^T f = -t in the least squares: f . up = -t . J^T (J J^T)^-1 up; exact with three joints, damped near the straight leg.
    """
    count = int(limb.count)
    x, y, z = _solve(count, pose.jacobian, 0.02 * limb.reach, up[0], up[1], up[2])
    load = 0.0
    for i in range(count):
        load -= effort[i] * (pose.jacobian[0, i] * x + pose.jacobian[1, i] * y + pose.jacobian[2, i] * z)
    return load
