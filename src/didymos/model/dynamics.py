"""Mass matrix, bias forces and gravity of a model that stands somewhere (`place` comes first).

    M(q) v' + h(q, v) = f,    h(q, 0) = gravity

f generalized forces, those of motors among them. The mass matrix comes from composite rigid bodies, the bias from Newton and
Euler (Featherstone, Rigid Body Dynamics Algorithms, 2008, chapters 5 and 6), both about the origin of each body:

    f_i = m (a - g) + e x c + w x (w x c),    n_i = I e + w x (I w) + c x (a - g),    f_k = s . (f, n) of all that joint k carries

c = m times the centre of mass, I about the origin. M holds the armature of the description's joints on its diagonal, as the
engine's does (inertia of rotors, which turn with a joint and are no link): `armature` of the model tells it apart. Not in here:
friction, damping and springs of joints, contacts, joints that are coupled with others, loops, what parts lend to joints.
"""

from __future__ import annotations

from typing import Any

from didymos.compiled import kernel
from didymos.model.vectors import cross

__all__ = ["bias", "gravity", "mass_matrix"]


@kernel
def _times(inertia: Any, x: float, y: float, z: float) -> tuple[float, float, float]:
    """I w of an inertia xx, yy, zz, xy, xz, yz."""
    return (
        inertia[0] * x + inertia[3] * y + inertia[4] * z,
        inertia[3] * x + inertia[1] * y + inertia[5] * z,
        inertia[4] * x + inertia[5] * y + inertia[2] * z,
    )


@kernel
def bias(model: Any, out: Any) -> None:
    """h: the generalized forces that keep v as it is, against gravity and the forces of Coriolis, into `out` [nv]."""
    for i in range(1, model.bodies_count):
        here, mass = model.placed[i], model.bodies[i].mass
        a, e, w, c = here.acceleration, here.rate_change, here.rate, here.moment
        ax, ay, az = a[0], a[1], a[2] + model.gravity
        ex, ey, ez = cross(e[0], e[1], e[2], c[0], c[1], c[2])
        ux, uy, uz = cross(w[0], w[1], w[2], c[0], c[1], c[2])
        cx, cy, cz = cross(w[0], w[1], w[2], ux, uy, uz)
        here.force[0] = mass * ax + ex + cx
        here.force[1] = mass * ay + ey + cy
        here.force[2] = mass * az + ez + cz
        lx, ly, lz = _times(here.inertia, w[0], w[1], w[2])
        gx, gy, gz = cross(w[0], w[1], w[2], lx, ly, lz)
        hx, hy, hz = _times(here.inertia, e[0], e[1], e[2])
        nx, ny, nz = cross(c[0], c[1], c[2], ax, ay, az)
        here.torque[0], here.torque[1], here.torque[2] = hx + gx + nx, hy + gy + ny, hz + gz + nz
    _gather(model, out)


@kernel
def gravity(model: Any, out: Any) -> None:
    """The generalized forces that hold the robot still against gravity, into `out` [nv]."""
    for i in range(1, model.bodies_count):
        here, g = model.placed[i], model.gravity
        here.force[0], here.force[1], here.force[2] = 0.0, 0.0, model.bodies[i].mass * g
        here.torque[0], here.torque[1], here.torque[2] = here.moment[1] * g, -here.moment[0] * g, 0.0
    _gather(model, out)


@kernel
def _gather(model: Any, out: Any) -> None:
    """Generalized forces of the forces on bodies, which are summed up from the tips to the root."""
    for i in range(model.bodies_count - 1, 0, -1):
        body, here = model.bodies[i], model.placed[i]
        f, n, r = here.force, here.torque, here.offset
        for k in range(body.first_dof, body.first_dof + body.dofs):
            s, a = model.motions[k].linear, model.motions[k].angular
            out[k] = s[0] * f[0] + s[1] * f[1] + s[2] * f[2] + a[0] * n[0] + a[1] * n[1] + a[2] * n[2]
        if body.parent > 0:
            above = model.placed[body.parent]
            x, y, z = cross(r[0], r[1], r[2], f[0], f[1], f[2])
            for k, arm in ((0, x), (1, y), (2, z)):
                above.force[k] += f[k]
                above.torque[k] += n[k] + arm


@kernel
def mass_matrix(model: Any, out: Any) -> None:
    """M, with the armature of joints, into `out` [nv, nv]."""
    for i in range(model.nv):
        for k in range(model.nv):
            out[i, k] = 0.0
    _compose(model)
    for i in range(model.bodies_count - 1, 0, -1):
        for k in range(model.bodies[i].first_dof, model.bodies[i].first_dof + model.bodies[i].dofs):
            _fill_row(model, i, k, out)


@kernel
def _compose(model: Any) -> None:
    """Mass, moment and inertia of every body with all that it carries, about its origin."""
    for i in range(1, model.bodies_count):
        here = model.placed[i]
        here.composite_mass = model.bodies[i].mass
        for k in range(3):
            here.composite_moment[k] = here.moment[k]
        for k in range(6):
            here.composite_inertia[k] = here.inertia[k]
    for i in range(model.bodies_count - 1, 0, -1):
        if model.bodies[i].parent > 0:
            here, above = model.placed[i], model.placed[model.bodies[i].parent]
            m, c, r, inertia = here.composite_mass, here.composite_moment, here.offset, above.composite_inertia
            x, y, z = r[0], r[1], r[2]
            cx, cy, cz = c[0], c[1], c[2]
            xx, yy, zz = x * (m * x + 2.0 * cx), y * (m * y + 2.0 * cy), z * (m * z + 2.0 * cz)
            own = here.composite_inertia
            inertia[0] += own[0] + yy + zz
            inertia[1] += own[1] + xx + zz
            inertia[2] += own[2] + xx + yy
            inertia[3] += own[3] - (m * x * y + x * cy + y * cx)
            inertia[4] += own[4] - (m * x * z + x * cz + z * cx)
            inertia[5] += own[5] - (m * y * z + y * cz + z * cy)
            above.composite_mass += m
            for k in range(3):
                above.composite_moment[k] += c[k] + m * r[k]


@kernel
def _fill_row(model: Any, i: int, k: int, out: Any) -> None:
    """What a unit acceleration of freedom k of body i takes, in all freedoms between it and the root."""
    here = model.placed[i]
    s, a, c, m = model.motions[k].linear, model.motions[k].angular, here.composite_moment, here.composite_mass
    ex, ey, ez = cross(a[0], a[1], a[2], c[0], c[1], c[2])
    fx, fy, fz = m * s[0] + ex, m * s[1] + ey, m * s[2] + ez
    hx, hy, hz = _times(here.composite_inertia, a[0], a[1], a[2])
    cx, cy, cz = cross(c[0], c[1], c[2], s[0], s[1], s[2])
    nx, ny, nz = hx + cx, hy + cy, hz + cz
    at, last = i, k + 1
    while at > 0:
        body, r = model.bodies[at], model.placed[at].offset
        if at != i:
            last = body.first_dof + body.dofs
        for j in range(body.first_dof, last):
            t, b = model.motions[j].linear, model.motions[j].angular
            out[k, j] = t[0] * fx + t[1] * fy + t[2] * fz + b[0] * nx + b[1] * ny + b[2] * nz
            out[j, k] = out[k, j]
        rx, ry, rz = cross(r[0], r[1], r[2], fx, fy, fz)
        nx, ny, nz = nx + rx, ny + ry, nz + rz
        at = body.parent
    out[k, k] += model.armature[k]
