"""Centre of mass and momentum of a whole model that stands somewhere (`place` comes first).

    x_c = sum m_i x_i / m,    p = sum m_i u_i,    L = sum (I_i w_i + (x_i - x_c) x m_i u_i)

of all links, those that do not move included; L about the centre of mass, without the spin of rotors (armature).
"""

from __future__ import annotations

from typing import Any

from didymos.compiled import kernel
from didymos.model.vectors import cross

__all__ = ["center_of_mass", "momentum"]


@kernel
def center_of_mass(model: Any) -> tuple[float, float, float]:
    """Centre of mass of the robot in the world [m]; the origin where it has no mass."""
    mass, x, y, z = 0.0, 0.0, 0.0, 0.0
    for i in range(model.bodies_count):
        m, p, c = model.bodies[i].mass, model.placed[i].position, model.placed[i].moment
        mass += m
        x += m * p[0] + c[0]
        y += m * p[1] + c[1]
        z += m * p[2] + c[2]
    if not mass > 0.0:
        return 0.0, 0.0, 0.0
    return x / mass, y / mass, z / mass


@kernel
def momentum(model: Any, out: Any) -> None:
    """Linear momentum [kg m/s] over angular momentum about the centre of mass [kg m^2/s], in the world, into `out` [6]."""
    x, y, z = center_of_mass(model)
    for k in range(6):
        out[k] = 0.0
    for i in range(1, model.bodies_count):
        here, m = model.placed[i], model.bodies[i].mass
        u, w, c, inertia, p = here.velocity, here.rate, here.moment, here.inertia, here.position
        ex, ey, ez = cross(w[0], w[1], w[2], c[0], c[1], c[2])
        px, py, pz = m * u[0] + ex, m * u[1] + ey, m * u[2] + ez
        cx, cy, cz = cross(c[0], c[1], c[2], u[0], u[1], u[2])
        ax, ay, az = cross(p[0] - x, p[1] - y, p[2] - z, px, py, pz)
        out[0] += px
        out[1] += py
        out[2] += pz
        out[3] += inertia[0] * w[0] + inertia[3] * w[1] + inertia[4] * w[2] + cx + ax
        out[4] += inertia[3] * w[0] + inertia[1] * w[1] + inertia[5] * w[2] + cy + ay
        out[5] += inertia[4] * w[0] + inertia[5] * w[1] + inertia[2] * w[2] + cz + az
