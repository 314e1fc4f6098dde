"""Parachute: the drag of a canopy that opens over a time.

    F = -1/2 rho C_D A s |V| V,   ds/dt = (released - s) / T

V velocity of the canopy relative to the air, in the part's frame; A flat area of the canopy and C_D its drag coefficient (0.75
to 0.9 for a round one: Knacke, Parachute Recovery Systems Design Manual, 1991, table 5-1); s the share of it that is open;
T time constant of the opening. The force acts at the part's origin. Valid for a canopy that is light beside its load and fills
without overshoot: the air inside it has no mass, and its lines are stiff.
"""

from __future__ import annotations

import math

from didymos.contract import input, output, parameter, state
from didymos.parts.part import Part, law


class Parachute(Part):
    """A round canopy that opens when it is released, and stays open as long as it is."""

    area = parameter(unit="m^2", low=0, doc="of the canopy, laid flat")
    drag_coefficient = parameter(0.8, unit="1", low=0, high=3)
    opening_time = parameter(1.0, unit="s", above=0, doc="time constant: 63 % are open after it")
    released = input(range=(0, 1))
    opened = state(unit="1")
    shown = output("opened", unit="1")
    drag = output(unit="N", doc="pull on the lines")

    @law
    def act(part, here, inputs, memory, state, rate, wrench, output):
        rate.opened = (inputs.released - state.opened) / part.opening_time
        u, v, w = here.air_velocity[0], here.air_velocity[1], here.air_velocity[2]
        speed = math.sqrt(u * u + v * v + w * w)
        resistance = 0.5 * here.density * part.drag_coefficient * part.area * state.opened * speed
        for axis in range(3):
            wrench.force[axis] = -resistance * here.air_velocity[axis]
        output.opened = state.opened
        output.drag = resistance * speed
