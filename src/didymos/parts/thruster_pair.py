"""Thruster pair: two opposed cold-gas nozzles behind on/off valves, along +x and -x of the part's frame.

    F = T/h integral of s(t) over the physics step h, while gas is left,      dm/dt = -|F| / v_e
    s(t) = 1/r integral of c over (t - r, t)                                   c = -1, 0 or 1: the valve's command

A free-running timer starts a period every `period` seconds, from the first tick on. The duty that is commanded at that moment
opens one valve for |duty| of the period; its sign says which. Thrust rises and falls linearly within the rise time r behind the
valve's command; the impulse of a pulse is T |duty| period for any r. A pulse whose impulse would be less than the minimum
impulse bit does not happen. T thrust of an open nozzle, v_e exhaust speed.

Edges of pulses lie where they lie, between ticks and between physics steps: the law gives the *mean* force of the step that it
acts in, the same in all stages of RK4, so that the impulse is exact after every step. The last gas leaves with all its
momentum, as fast as a step allows. Valid for pulses that are short beside the motion; a step sees a pulse's impulse, not its
shape within the step. Pressure does not fall as the tank empties.

Reference: Wertz & Larson, Space Mission Analysis and Design (1999), ch. 17 (impulse bits, pulse-width modulation).
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.contract import input, memory, output, parameter, state
from didymos.parts.part import Motion, Part, law, tick

__all__ = ["ThrusterPair"]

_SAME = 1e-6  # of a period: what a tick may be off the start of a period and still be at it


@kernel
def _ramp(since: float, rise: float) -> float:
    """Integral [s] of a rise from 0 to 1 within `rise` seconds, so long after it began."""
    if since <= 0.0:
        return 0.0
    return 0.5 * since * since / rise if since < rise else since - 0.5 * rise


@kernel
def _open_time(start: float, width: float, rise: float, begin: float, end: float) -> float:
    """Integral [s] of s from begin to end for one pulse."""
    opened = _ramp(end - start, rise) - _ramp(begin - start, rise)
    return opened - (_ramp(end - start - width, rise) - _ramp(begin - start - width, rise))


@kernel
def _possible(pair: Any, duty: float) -> float:
    """A duty within its range, 0 where its pulse is below the minimum impulse bit."""
    duty = min(max(duty, -1.0), 1.0)
    return 0.0 if abs(duty) * pair.period * pair.thrust < pair.minimum_impulse_bit * (1.0 - 1e-9) else duty


class ThrusterPair(Part):
    """Parameters of a pair of thrusters."""

    motion = Motion.FRAME

    thrust = parameter(unit="N", above=0, doc="T, of an open nozzle")
    exhaust_speed = parameter(unit="m/s", above=0, doc="v_e, thrust per mass flow")
    gas = parameter(unit="kg", low=0, doc="gas at the start")
    period = parameter(unit="s", above=0, doc="of the PWM")
    rise_time = parameter(0.0, unit="s", low=0, doc="r, of the thrust behind the valve's command, and its fall; up to a period")
    minimum_impulse_bit = parameter(0.0, unit="N s", low=0, doc="a pulse of less does not happen")
    duty = input(range=(-1.0, 1.0), doc="share of a period for which a valve opens; its sign says which")
    awake = memory(doc="1 from the first tick on")
    first = memory(unit="s", doc="start of the first period")
    number = memory(doc="of the period in which the last tick was")
    last_duty = memory(doc="of the period before it")
    duty_now = memory(doc="of that period")
    next_duty = memory(doc="of periods that begin before the next tick")
    used = state(unit="kg", doc="gas that has been used, which begins at zero")
    force = output(unit="N", doc="F, along +x: its mean over a physics step")
    gas_left = output("gas", unit="kg", doc="that is left")

    @classmethod
    def check(cls, spec: Any) -> None:
        """Thrust has risen and fallen within a period."""
        if spec.rise_time > spec.period:
            raise ValueError(f"found rise_time {spec.rise_time:g}, expected at most the period, {spec.period:g} s")

    @tick
    def latch(pair, clock, inputs, memory, output):  # type: ignore[no-untyped-def]
        duty = _possible(pair, inputs.duty)
        if memory.awake == 0.0:
            memory.awake = 1.0
            memory.first = clock.time
            memory.duty_now = duty
        number = math.floor((clock.time - memory.first) / pair.period + _SAME)
        if number != memory.number:
            begins_now = memory.first + number * pair.period >= clock.time - _SAME * pair.period
            memory.last_duty = memory.duty_now if number == memory.number + 1.0 else memory.next_duty
            memory.duty_now = duty if begins_now else memory.next_duty
            memory.number = number
        memory.next_duty = duty

    @law
    def act(pair, here, inputs, memory, state, rate, wrench, output):  # type: ignore[no-untyped-def]
        begin, end = here.step_time - memory.first, here.step_time - memory.first + here.step
        opened = 0.0
        first = max(memory.number, math.floor(begin / pair.period)) - 1.0  # thrust of the period before may still fall
        for number in range(int(first), math.floor(end / pair.period) + 1):
            duty = memory.next_duty
            if number <= memory.number:
                duty = memory.duty_now if number == memory.number else memory.last_duty
            if duty != 0.0:
                pulse = _open_time(number * pair.period, abs(duty) * pair.period, pair.rise_time, begin, end)
                opened += math.copysign(pulse, duty)
        left = max(pair.gas - state.used, 0.0)
        most = left * pair.exhaust_speed / here.step
        force = min(max(pair.thrust * opened / here.step, -most), most)
        wrench.force[0] = force
        rate.used = abs(force) / pair.exhaust_speed
        output.force = force
        output.gas = left
