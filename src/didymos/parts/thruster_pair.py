"""Thruster pair: two opposed cold-gas nozzles behind on/off valves, along +x and -x of the part's frame.

    F = s T while gas is left,    dm/dt = -T / v_e

s = -1, 0 or 1 is the valve. The duty, latched at the start of each PWM period, opens it for |duty| of the period; an opening
shorter than the minimum pulse does not happen. T thrust of an open nozzle, v_e exhaust speed.
"""

from __future__ import annotations

from didymos.contract import input, memory, output, parameter, state
from didymos.parts.part import Motion, Part, law, tick

__all__ = ["ThrusterPair"]


class ThrusterPair(Part):
    """Parameters of a pair of thrusters."""

    motion = Motion.FRAME

    thrust = parameter(unit="N", above=0, doc="T, of an open nozzle")
    exhaust_speed = parameter(unit="m/s", above=0, doc="v_e, thrust per mass flow")
    gas = parameter(unit="kg", low=0, doc="gas at the start")
    period = parameter(unit="s", above=0, doc="of the PWM")
    minimum_pulse = parameter(0.0, unit="s", low=0, doc="shortest opening of a valve")
    duty = input(range=(-1.0, 1.0), doc="share of a period for which a valve opens; its sign says which")
    valve = memory(doc="s, the open valve: -1, 0 or 1")
    awake = memory(doc="1 from the first tick on")
    since = memory(unit="s", doc="start of the period")
    latched_duty = memory(doc="duty of the period")
    used = state(unit="kg", doc="gas that has been used, which begins at zero")
    force = output(unit="N", doc="F, along +x")
    gas_left = output("gas", unit="kg", doc="that is left")

    @tick
    def switch(pair, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        if memory.awake == 0.0 or clock.time >= memory.since + pair.period - 0.5 * clock.period:
            memory.awake = 1.0
            memory.since = clock.time
            memory.latched_duty = min(max(inputs.duty, -1.0), 1.0)
            if abs(memory.latched_duty) * pair.period < pair.minimum_pulse:
                memory.latched_duty = 0.0
        is_open = clock.time - memory.since < abs(memory.latched_duty) * pair.period - 1e-9
        memory.valve = (1.0 if memory.latched_duty > 0.0 else -1.0) if is_open else 0.0

    @law
    def act(pair, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        left = pair.gas - state.used
        force = memory.valve * pair.thrust if left > 0.0 else 0.0
        wrench.force[0] = force
        rate.used = abs(force) / pair.exhaust_speed
        output.force = force
        output.gas = max(left, 0.0)
