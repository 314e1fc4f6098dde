"""Where the bodies of a robot are and how they move: forward kinematics, the first thing to ask of a model.

    p = p_parent + R_parent t,      R = R_parent R_0                     a body as its parent carries it, then joint by joint:
    hinge, ball     R <- R Rot,     p = A - R b,     w <- w + s,         A the anchor in the world, b in the body
    slide           p <- p + n d,                    u <- u + n d'
    free            p, R, u from q and v

s = n q' (ball: R w, in the axes of the body after it has turned), n = R axis. Beside velocities u of origins and rates w come
their changes while v stays as it is, a and e: what Newton and Euler need for the forces of Coriolis (`dynamics.py`), and what
J' v is.

    e <- e + w x s,     a <- a + e x r + w x (w x r)  over an arm r,     slide: a <- a + 2 w x n d'

Everything is along the axes of the world, about the origin of each body, whose place is reckoned from its parent's: sums over a
tree need no rotation, and a robot far from the origin of the world loses no digits.
"""

from __future__ import annotations

from typing import Any

from didymos.compiled import kernel
from didymos.model.layout import FREE, HINGE, SLIDE
from didymos.model.vectors import cross, turn, turn_axis, turn_quaternion, turn_together, turned_inertia, unit_quaternion

__all__ = ["place"]


@kernel
def place(model: Any, q: Any, v: Any) -> None:
    """Put a robot at positions q [nq] moving with v [nv]: everything else that is asked of the model is about this state."""
    for i in range(1, model.bodies_count):
        body, here = model.bodies[i], model.placed[i]
        above = model.placed[body.parent]
        _carry(body, above, here)
        for k in range(body.first_joint, body.first_joint + body.joints):
            _move(model.joints[k], q, v, model.motions, here)
        for k in range(body.first_joint, body.first_joint + body.joints):
            _take_arms(model.joints[k], model.motions, here)
        for k in range(3):
            here.position[k] = above.position[k] + here.offset[k]
        r, c = here.rotation, body.moment
        here.moment[0], here.moment[1], here.moment[2] = turn(r, c[0], c[1], c[2])
        turned_inertia(r, body.inertia, here.inertia)


@kernel
def _carry(body: Any, above: Any, here: Any) -> None:
    """A body as a part of its parent."""
    t = body.position
    x, y, z = turn(above.rotation, t[0], t[1], t[2])
    turn_together(above.rotation, body.rotation, here.rotation)
    for k in range(3):
        here.offset[k] = 0.0
        here.velocity[k], here.rate[k] = above.velocity[k], above.rate[k]
        here.acceleration[k], here.rate_change[k] = above.acceleration[k], above.rate_change[k]
    _go(here, x, y, z)


@kernel
def _go(here: Any, x: float, y: float, z: float) -> None:
    """Move the origin by an arm that turns with the body."""
    w, e = here.rate, here.rate_change
    ux, uy, uz = cross(w[0], w[1], w[2], x, y, z)
    ax, ay, az = cross(e[0], e[1], e[2], x, y, z)
    cx, cy, cz = cross(w[0], w[1], w[2], ux, uy, uz)
    here.offset[0] += x
    here.offset[1] += y
    here.offset[2] += z
    here.velocity[0] += ux
    here.velocity[1] += uy
    here.velocity[2] += uz
    here.acceleration[0] += ax + cx
    here.acceleration[1] += ay + cy
    here.acceleration[2] += az + cz


@kernel
def _spin(here: Any, x: float, y: float, z: float) -> None:
    """Add a rate that is steady in the frame of the body."""
    w = here.rate
    ex, ey, ez = cross(w[0], w[1], w[2], x, y, z)
    here.rate_change[0] += ex
    here.rate_change[1] += ey
    here.rate_change[2] += ez
    w[0] += x
    w[1] += y
    w[2] += z


@kernel
def _move(joint: Any, q: Any, v: Any, motions: Any, here: Any) -> None:
    """Let a joint move its body; the motions of its freedoms keep the anchor until `_take_arms`."""
    at, dof = joint.position, joint.dof
    if joint.kind == FREE:
        _set_free(q, v, at, dof, motions, here)
        return
    n, r = joint.axis, here.rotation
    if joint.kind == SLIDE:
        x, y, z = turn(r, n[0], n[1], n[2])
        far, speed, w = q[at] - joint.reference, v[dof], here.rate
        _go(here, x * far, y * far, z * far)
        cx, cy, cz = cross(w[0], w[1], w[2], x * speed, y * speed, z * speed)
        for k, along, turning in ((0, x, cx), (1, y, cy), (2, z, cz)):
            here.velocity[k] += along * speed
            here.acceleration[k] += 2.0 * turning
            motions[dof].linear[k], motions[dof].angular[k] = along, 0.0
        return
    b = joint.anchor
    if joint.at_origin == 0:
        x, y, z = turn(r, b[0], b[1], b[2])
        _go(here, x, y, z)
    if joint.kind == HINGE:
        x, y, z = turn(r, n[0], n[1], n[2])
        motion, speed = motions[dof], v[dof]
        motion.angular[0], motion.angular[1], motion.angular[2] = x, y, z
        turn_axis(r, n, q[at] - joint.reference)
        _spin(here, x * speed, y * speed, z * speed)
    else:
        w0, w1, w2, w3 = unit_quaternion(q[at], q[at + 1], q[at + 2], q[at + 3])
        turn_quaternion(r, w0, w1, w2, w3)
        for k in range(3):
            for i in range(3):
                motions[dof + k].angular[i] = r[i, k]
        x, y, z = turn(r, v[dof], v[dof + 1], v[dof + 2])
        _spin(here, x, y, z)
    for k in range(1 if joint.kind == HINGE else 3):
        for i in range(3):
            motions[dof + k].linear[i] = here.offset[i]
    if joint.at_origin == 0:
        x, y, z = turn(r, b[0], b[1], b[2])
        _go(here, -x, -y, -z)


@kernel
def _set_free(q: Any, v: Any, at: int, dof: int, motions: Any, here: Any) -> None:
    """A body that q and v place in the world: linear velocity along its axes, rates along those of the body."""
    r = here.rotation
    for i in range(3):
        for k in range(3):
            r[i, k] = 1.0 if i == k else 0.0
    w0, w1, w2, w3 = unit_quaternion(q[at + 3], q[at + 4], q[at + 5], q[at + 6])
    turn_quaternion(r, w0, w1, w2, w3)
    for k in range(3):
        here.offset[k], here.velocity[k] = q[at + k], v[dof + k]
        here.acceleration[k], here.rate_change[k] = 0.0, 0.0
        for i in range(3):
            motions[dof + k].linear[i], motions[dof + k].angular[i] = (1.0 if i == k else 0.0), 0.0
            motions[dof + 3 + k].linear[i], motions[dof + 3 + k].angular[i] = 0.0, r[i, k]
    here.rate[0], here.rate[1], here.rate[2] = turn(r, v[dof + 3], v[dof + 4], v[dof + 5])


@kernel
def _take_arms(joint: Any, motions: Any, here: Any) -> None:
    """What turning about an anchor does to the origin, which later joints of the body may have moved."""
    if joint.kind == FREE or joint.kind == SLIDE:
        return
    for k in range(1 if joint.kind == HINGE else 3):
        motion = motions[joint.dof + k]
        s, a, p = motion.angular, motion.linear, here.offset
        a[0], a[1], a[2] = cross(s[0], s[1], s[2], p[0] - a[0], p[1] - a[1], p[2] - a[2])
