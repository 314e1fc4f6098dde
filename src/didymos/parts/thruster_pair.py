"""Thruster pair: two opposed cold-gas nozzles behind on/off valves, along +x and -x of the part's frame.

    F = s T while gas is left,    dm/dt = -T / v_e

s = -1, 0 or 1 is the valve. The duty, latched at the start of each PWM period, opens it for |duty| of the period; an opening
shorter than the minimum pulse does not happen. T thrust of an open nozzle, v_e exhaust speed.
"""

from __future__ import annotations

from typing import Literal

from numba import carray

from didymos.compiled import c_function
from didymos.parts.law import Law, Output, PartSpec, Told, law_signature, tick_signature
from didymos.spec import number

__all__ = ["THRUSTER_PAIR", "ThrusterPairSpec"]


class ThrusterPairSpec(PartSpec):
    """Parameters of a pair of thrusters."""

    kind: Literal["thruster_pair"] = "thruster_pair"
    thrust: float = number(unit="N", above=0, doc="T, of an open nozzle")
    exhaust_speed: float = number(unit="m/s", above=0, doc="v_e, thrust per mass flow")
    gas: float = number(unit="kg", low=0, doc="gas at the start")
    period: float = number(unit="s", above=0, doc="of the PWM")
    minimum_pulse: float = number(0.0, unit="s", low=0, doc="shortest opening of a valve")


@c_function(tick_signature(ThrusterPairSpec))
def _tick(parameters, tables, clock, inputs, outputs, memory):  # type: ignore[no-untyped-def]
    pair = carray(parameters, 1)[0]
    time, tick = clock[0], clock[1]
    if memory[1] == 0.0 or time >= memory[2] + pair.period - 0.5 * tick:
        memory[1] = 1.0
        memory[2] = time
        memory[3] = min(max(inputs[0], -1.0), 1.0)
        if abs(memory[3]) * pair.period < pair.minimum_pulse:
            memory[3] = 0.0
    is_open = time - memory[2] < abs(memory[3]) * pair.period - 1e-9
    memory[0] = (1.0 if memory[3] > 0.0 else -1.0) if is_open else 0.0


@c_function(law_signature(ThrusterPairSpec))
def _law(parameters, tables, motion, input_from, inputs, memory, states, rates, wrench, outputs):  # type: ignore[no-untyped-def]
    pair = carray(parameters, 1)[0]
    answer = carray(wrench, 1)[0]
    left = pair.gas - states[0]  # the state is what has been used, which begins at zero
    force = memory[0] * pair.thrust if left > 0.0 else 0.0
    answer.force[0] = force
    rates[0] = abs(force) / pair.exhaust_speed
    outputs[0] = force
    outputs[1] = max(left, 0.0)


THRUSTER_PAIR = Law(
    spec=ThrusterPairSpec,
    function=_law,
    tick=_tick,
    inputs=("duty",),
    memory=("valve", "awake", "since", "duty"),
    states=("used",),
    outputs=(Output("force", "N"), Output("gas", "kg")),
    input_range=(-1.0, 1.0),
    told=Told.MOTION,
)
