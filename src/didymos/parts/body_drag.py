"""Body drag: the resistance of a bluff body to the air that flows past it, and to turning in that air.

    F_i = -1/2 rho A_i |V| V_i,        i = x, y, z
    M_i = -1/4 rho D_i |V| w_i

V velocity and w rate relative to the air in the part's frame, A_i the drag area (coefficient times area) seen along axis i, D_i
what damps turning about it: with a reference area S, length l and damping derivative C (of roll C_lp, per p l / (2 V)) it is -C
S l^2. With equal areas the force is exactly against V. It acts at the part's origin. Valid for bluff bodies at Reynolds numbers
above 1e3; the damping while w l is small beside V, so not of a body that spins where it is.
"""

from __future__ import annotations

import math

from didymos.contract import output, parameter
from didymos.parts.part import Part, law

__all__ = ["BodyDrag"]


class BodyDrag(Part):
    """Drag areas of a body, and what damps its turning."""

    area_x = parameter(0.0, unit="m^2", low=0, doc="drag area along x")
    area_y = parameter(0.0, unit="m^2", low=0, doc="drag area along y")
    area_z = parameter(0.0, unit="m^2", low=0, doc="drag area along z")
    damping_x = parameter(0.0, unit="m^4", low=0, doc="of turning about x: area times length squared times coefficient, -C S l^2")
    damping_y = parameter(0.0, unit="m^4", low=0, doc="of turning about y")
    damping_z = parameter(0.0, unit="m^4", low=0, doc="of turning about z")
    force = output(columns="xyz", unit="N")

    @law
    def act(body, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        u, v, w = here.air_velocity[0], here.air_velocity[1], here.air_velocity[2]
        pressure = -0.5 * here.density * math.sqrt(u * u + v * v + w * w)
        wrench.force[0] = pressure * body.area_x * u
        wrench.force[1] = pressure * body.area_y * v
        wrench.force[2] = pressure * body.area_z * w
        wrench.torque[0] = 0.5 * pressure * body.damping_x * here.air_rate[0]
        wrench.torque[1] = 0.5 * pressure * body.damping_y * here.air_rate[1]
        wrench.torque[2] = 0.5 * pressure * body.damping_z * here.air_rate[2]
        for axis in range(3):
            output.force[axis] = wrench.force[axis]
