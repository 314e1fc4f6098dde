"""Body drag: the resistance of a bluff body to the air that flows past it.

    F_i = -1/2 rho A_i |V| V_i,   i = x, y, z

V velocity relative to the air in the part's frame, A_i the drag area (coefficient times area) seen along axis i. With equal
areas the force is exactly against V. It acts at the part's origin. Valid for bluff bodies at Reynolds numbers above 1e3.
"""

from __future__ import annotations

import math

from didymos.contract import output, parameter
from didymos.parts.part import Part, law

__all__ = ["BodyDrag"]


class BodyDrag(Part):
    """Drag areas of a body."""

    area_x = parameter(0.0, unit="m^2", low=0, doc="drag area along x")
    area_y = parameter(0.0, unit="m^2", low=0, doc="drag area along y")
    area_z = parameter(0.0, unit="m^2", low=0, doc="drag area along z")
    force = output(columns="xyz", unit="N")

    @law
    def act(body, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        u, v, w = here.air_velocity[0], here.air_velocity[1], here.air_velocity[2]
        pressure = -0.5 * here.density * math.sqrt(u * u + v * v + w * w)
        wrench.force[0] = pressure * body.area_x * u
        wrench.force[1] = pressure * body.area_y * v
        wrench.force[2] = pressure * body.area_z * w
        for axis in range(3):
            output.force[axis] = wrench.force[axis]
