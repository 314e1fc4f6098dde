"""Air bearing: what is left of friction on an air table, the pull of a table that is not level, and air that runs out.

    F = -b v - mu N v / sqrt(v^2 + v_s^2) + N (g_x, g_y),     N = m g

v velocity in the plane of the table, m the mass that the bearing carries, b film drag, mu residual dry friction (smoothed below
v_s), g_x, g_y slope of the table along the world's axes. When the air is used up the bearing sits down and mu becomes mu_dry.
Acts at the part's origin; all terms are zero unless given.
"""

from __future__ import annotations

import math
from typing import Literal

from numba import carray

from didymos.compiled import c_function
from didymos.parts.law import Law, Output, PartSpec, Told, law_signature
from didymos.spec import number

__all__ = ["AIR_BEARING", "AirBearingSpec"]


class AirBearingSpec(PartSpec):
    """Parameters of an air bearing."""

    kind: Literal["air_bearing"] = "air_bearing"
    load: float = number(unit="kg", low=0, doc="m, carried mass")
    gravity: float = number(9.80665, unit="m/s^2", low=0, doc="g, across the table")
    drag: float = number(0.0, unit="N s/m", low=0, doc="b, of the film of air")
    friction: float = number(0.0, unit="1", low=0, doc="mu, residual dry friction")
    slip_speed: float = number(0.0005, unit="m/s", above=0, doc="v_s, below which dry friction fades")
    slope_x: float = number(0.0, unit="rad", low=-0.1, high=0.1, doc="table falls toward +x of the world")
    slope_y: float = number(0.0, unit="rad", low=-0.1, high=0.1, doc="table falls toward +y of the world")
    flight_time: float = number(0.0, unit="s", low=0, doc="air for so long; 0 for endless")
    dry_friction: float = number(0.2, unit="1", low=0, doc="mu_dry, without air")


@c_function(law_signature(AirBearingSpec))
def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    bearing = carray(parameters, 1)[0]
    here = carray(motion, 1)[0]
    answer = carray(wrench, 1)[0]
    weight = bearing.load * bearing.gravity
    landed = bearing.flight_time > 0.0 and here.time >= bearing.flight_time
    friction = bearing.dry_friction if landed else bearing.friction
    u, v = here.velocity[0], here.velocity[1]
    resistance = bearing.drag + friction * weight / math.sqrt(u * u + v * v + bearing.slip_speed * bearing.slip_speed)
    x, y = weight * bearing.slope_x, weight * bearing.slope_y
    turn = here.rotation
    answer.force[0] = -resistance * u + turn[0] * x + turn[3] * y
    answer.force[1] = -resistance * v + turn[1] * x + turn[4] * y
    outputs[0] = math.sqrt(answer.force[0] * answer.force[0] + answer.force[1] * answer.force[1])
    outputs[1] = 1.0 if landed else 0.0


AIR_BEARING = Law(spec=AirBearingSpec, function=_law, outputs=(Output("force", "N"), Output("landed", "1")), told=Told.MOTION)
