"""Thrust from a table: a jet engine, or any other whose thrust is known over throttle, Mach number or airspeed, and height.

    T = s T(u, M or V, h) rho / rho_h        linear between the points of the table, held at its ends;    du/dt = (u* - u) / T_u

along +x of the part's frame. u is the throttle with its lag, V the airspeed along +x, h the height above z = 0 of the world. With
`by_density` = 1 the table was made for 1.225 kg/m^3 and thrust goes with density; else height has to be an axis, or thrust does
not change with it. Valid where the table is; no gyroscopic moments, no torque, no drag of a stopped engine but what it says.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from didymos.air.atmosphere import GAS_CONSTANT
from didymos.contract import input, option, output, parameter, state
from didymos.parts.coefficient_program import MOST_SLOTS, PROGRAM, run_program
from didymos.parts.part import Part, law
from didymos.parts.program_builder import ProgramBuilder
from didymos.spec import Spec

__all__ = ["AXES", "THRUST_READER", "ThrustGrid", "ThrustTable"]

THRUST_READER = "read_thrust"
"""Key of the validation context under which `describe/` gives what reads a file into a `ThrustGrid`."""

AXES = ("throttle", "mach", "airspeed", "height")
"""What a table may be over."""

_QUANTITIES = ("one", *AXES)
_ONE, _THROTTLE, _MACH, _AIRSPEED, _HEIGHT = range(len(_QUANTITIES))
_DENSITY = 1.225  # [kg/m^3], of tables made at sea level
_GAMMA = 1.4


class ThrustGrid(Spec):
    """A CSV file with axes out of throttle, mach, airspeed [m/s], height [m] and a column thrust [N]."""

    file: str = Field(description="of the twin's folder")
    _record: Any = PrivateAttr(None)

    @model_validator(mode="after")
    def _read(self, info: ValidationInfo) -> ThrustGrid:
        read: Callable[[str], Any] | None = (info.context or {}).get(THRUST_READER)
        if read is None:
            raise ValueError("files of tables are read for a twin's folder only")
        grid = read(self.file)
        builder = ProgramBuilder(_QUANTITIES)
        table = builder.table([builder.slot(name) for name in grid.names], grid.axes, grid.values["thrust"])
        builder.accumulate(builder.new_slot(), 1.0, [table], anew=True)  # the last step, whose target the law reads
        self._record = builder.record()
        return self

    def record(self) -> Any:
        """The program, a numpy scalar of `PROGRAM`."""
        return self._record


class ThrustTable(Part):
    """Table and lag of an engine."""

    scale = parameter(1.0, low=0, high=100, doc="s, factor on the table's thrust")
    time_constant = parameter(0.0, unit="s", low=0, doc="T_u, of the throttle; 0 for none")
    by_density = parameter(0.0, low=0, high=1, live=False, doc="1: the table holds for 1.225 kg/m^3, thrust goes with density")
    health = parameter(1.0, low=0, high=1, doc="share of the thrust that is left; 0 is an engine that failed")
    table = option(ThrustGrid, layout=PROGRAM, doc="a record with the key `file`")
    throttle = input(range=(0.0, 1.0), doc="u*")
    power = state(settles=True, doc="u, what the engine has come to of the throttle")
    thrust = output(unit="N", doc="T, along +x")
    slots = output(count=MOST_SLOTS, recorded=False, doc="of the program")

    @law
    def act(engine, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        throttle = min(max(inputs.throttle, 0.0), 1.0)
        u, v, w = here.air_velocity[0], here.air_velocity[1], here.air_velocity[2]
        rate.power = 0.0
        if engine.time_constant > 0.0:
            rate.power = (throttle - state.power) / engine.time_constant
            throttle = state.power
        s = output.slots
        s[_ONE], s[_THROTTLE], s[_AIRSPEED], s[_HEIGHT] = 1.0, throttle, u, here.position_world[2]
        s[_MACH] = math.sqrt((u * u + v * v + w * w) / (_GAMMA * GAS_CONSTANT * max(here.temperature, 1.0)))
        run_program(engine.table, s)
        thrust = engine.scale * engine.health * s[engine.table.step[engine.table.steps - 1].target]
        if engine.by_density > 0.0:
            thrust *= here.density / _DENSITY
        wrench.force[0] = thrust
        output.thrust = thrust
