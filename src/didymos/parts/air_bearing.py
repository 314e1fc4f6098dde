"""Air bearing: what is left of friction on an air table, the pull of a table that is not level, and air that runs out.

    F = -b v - mu N v / sqrt(v^2 + v_s^2) + N (g_x, g_y),     N = m g

v velocity in the plane of the table, m the mass that the bearing carries, b film drag, mu residual dry friction (smoothed below
v_s), g_x, g_y slope of the table along the world's axes. When the air is used up the bearing sits down and mu becomes mu_dry.
Acts at the part's origin; all terms are zero unless given.
"""

from __future__ import annotations

import math

from didymos.contract import output, parameter
from didymos.parts.part import Motion, Part, law

__all__ = ["AirBearing"]


class AirBearing(Part):
    """Parameters of an air bearing."""

    motion = Motion.FRAME

    load = parameter(unit="kg", low=0, doc="m, carried mass")
    gravity = parameter(9.80665, unit="m/s^2", low=0, doc="g, across the table")
    drag = parameter(0.0, unit="N s/m", low=0, doc="b, of the film of air")
    friction = parameter(0.0, unit="1", low=0, doc="mu, residual dry friction")
    slip_speed = parameter(0.0005, unit="m/s", above=0, doc="v_s, below which dry friction fades")
    slope_x = parameter(0.0, unit="rad", low=-0.1, high=0.1, doc="table falls toward +x of the world")
    slope_y = parameter(0.0, unit="rad", low=-0.1, high=0.1, doc="table falls toward +y of the world")
    flight_time = parameter(0.0, unit="s", low=0, doc="air for so long; 0 for endless")
    dry_friction = parameter(0.2, unit="1", low=0, doc="mu_dry, without air")
    force = output(unit="N", doc="magnitude in the plane of the table")
    landed = output(unit="1", doc="1 once the air is used up")

    @law
    def act(bearing, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        weight = bearing.load * bearing.gravity
        landed = bearing.flight_time > 0.0 and here.time >= bearing.flight_time
        friction = bearing.dry_friction if landed else bearing.friction
        u, v = here.velocity[0], here.velocity[1]
        resistance = bearing.drag + friction * weight / math.sqrt(u * u + v * v + bearing.slip_speed * bearing.slip_speed)
        x, y = weight * bearing.slope_x, weight * bearing.slope_y
        turn = here.rotation
        wrench.force[0] = -resistance * u + turn[0] * x + turn[3] * y
        wrench.force[1] = -resistance * v + turn[1] * x + turn[4] * y
        output.force = math.sqrt(wrench.force[0] * wrench.force[0] + wrench.force[1] * wrench.force[1])
        output.landed = 1.0 if landed else 0.0
