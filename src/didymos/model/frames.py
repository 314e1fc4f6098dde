"""Poses, velocities and Jacobians of frames of a model that stands somewhere (`place` comes first).

    x = p + R t,    u = u_body + w x (x - p),    J = [ s_linear + s_angular x (x - p) ; s_angular ]

The Jacobian has a column per number of v, linear over angular along the axes of the world, about the frame's origin:
(u, w) = J v, J^T (force, torque) the generalized forces that hold against it, and (u', w') = J v' + J' v.
"""

from __future__ import annotations

from typing import Any

from didymos.compiled import kernel
from didymos.model.vectors import cross, turn, turn_together

__all__ = ["frame_drift", "frame_position", "frame_rotation", "frame_velocity", "jacobian"]


@kernel
def _arm(model: Any, frame: int) -> tuple[float, float, float]:
    """From the origin of its body to a frame [m], along the axes of the world."""
    row = model.frames[frame]
    t = row.position
    return turn(model.placed[row.body].rotation, t[0], t[1], t[2])


@kernel
def frame_position(model: Any, frame: int) -> tuple[float, float, float]:
    """Origin of a frame in the world [m]."""
    x, y, z = _arm(model, frame)
    p = model.placed[model.frames[frame].body].position
    return p[0] + x, p[1] + y, p[2] + z


@kernel
def frame_rotation(model: Any, frame: int, out: Any) -> None:
    """Rotation from a frame to the world into `out` [3, 3]."""
    row = model.frames[frame]
    turn_together(model.placed[row.body].rotation, row.rotation, out)


@kernel
def frame_velocity(model: Any, frame: int, out: Any) -> None:
    """Velocity of a frame's origin [m/s] and its rate [rad/s], along the axes of the world, into `out` [6]."""
    x, y, z = _arm(model, frame)
    here = model.placed[model.frames[frame].body]
    u, w = here.velocity, here.rate
    cx, cy, cz = cross(w[0], w[1], w[2], x, y, z)
    out[0], out[1], out[2] = u[0] + cx, u[1] + cy, u[2] + cz
    out[3], out[4], out[5] = w[0], w[1], w[2]


@kernel
def frame_drift(model: Any, frame: int, out: Any) -> None:
    """J' v: acceleration of a frame's origin [m/s^2] and its rate's change [rad/s^2] while v stays as it is, into `out` [6]."""
    x, y, z = _arm(model, frame)
    here = model.placed[model.frames[frame].body]
    a, w, e = here.acceleration, here.rate, here.rate_change
    ux, uy, uz = cross(w[0], w[1], w[2], x, y, z)
    cx, cy, cz = cross(w[0], w[1], w[2], ux, uy, uz)
    ex, ey, ez = cross(e[0], e[1], e[2], x, y, z)
    out[0], out[1], out[2] = a[0] + ex + cx, a[1] + ey + cy, a[2] + ez + cz
    out[3], out[4], out[5] = e[0], e[1], e[2]


@kernel
def jacobian(model: Any, frame: int, out: Any) -> None:
    """The Jacobian of a frame into `out` [6, nv]; columns of joints that do not carry it are zero."""
    for i in range(6):
        for k in range(model.nv):
            out[i, k] = 0.0
    x, y, z = _arm(model, frame)
    at = model.frames[frame].body
    while at > 0:
        body, r = model.bodies[at], model.placed[at].offset
        for k in range(body.first_dof, body.first_dof + body.dofs):
            s, a = model.motions[k].linear, model.motions[k].angular
            cx, cy, cz = cross(a[0], a[1], a[2], x, y, z)
            out[0, k], out[1, k], out[2, k] = s[0] + cx, s[1] + cy, s[2] + cz
            out[3, k], out[4, k], out[5, k] = a[0], a[1], a[2]
        x, y, z = x + r[0], y + r[1], z + r[2]
        at = body.parent
