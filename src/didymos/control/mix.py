"""Apply a mixer: shares of thrust, roll, pitch and yaw become the inputs of the rotors, each within what a rotor can do.

    u_i = a_i T + s c_i + y d_i,    c_i = b_i roll + e_i pitch,    d_i = (yaw column)_i yaw,    low <= u_i <= high

Where the plain mix (s = y = 1, T as asked) fits, with its yaw and without, it is the answer, bit for bit. Where it does not,
the commands give way in the order of what a multirotor can spare least, as in PX4's sequential desaturation with air mode for
roll and pitch; nothing jumps in between:

    tilt     s is the largest part, 1 wherever there is any thrust at which roll and pitch fit
    thrust   then T is the nearest to the one that was asked for at which that tilt fits: it rises, or falls, to make room
    yaw      y is the largest part for which there is room left; yaw takes neither tilt nor thrust away

so roll and pitch keep their direction where they must shrink, and the moment of tilt is exact whenever it is possible at all. The
three steps are exact, not iterated: each rotor bounds T from below and from above by a straight line in s, the largest s is where
the first two of these lines cross, and yaw is a plain ratio.

What it cannot do: with air mode a robot on the ground whose thrust is zero still answers a tilt; at full thrust there is no
yaw left. A rotor with a row of zeros (a failed one) gets `low` and bounds nothing. What is not a number stays so.
Reference: PX4, ControlAllocationSequentialDesaturation (mixAirmodeRP).
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import limit
from didymos.control.controller import Robot
from didymos.errors import InputError

__all__ = ["MOST_ROTORS", "mix", "rotor_inputs"]

MOST_ROTORS = 16
"""Rotors that a program can drive."""


def rotor_inputs(robot: Robot) -> list[str]:
    """The inputs of a robot's rotors, in their order; more rotors than a program can drive are an `InputError`."""
    if len(robot.rotors) > MOST_ROTORS:
        raise InputError(f"found {len(robot.rotors)} rotors, expected at most {MOST_ROTORS}", path="control.program")
    return [rotor.input for rotor in robot.rotors]


@kernel
def mix(
    mixer: Any, rotors: int, thrust: float, roll: float, pitch: float, yaw: float, low: float, high: float, outputs: Any
) -> None:
    """Write what so many rotors shall do, each in [low, high]; `mixer` has a row (thrust, roll, pitch, yaw) for each, [n, 4]."""
    over = False
    for i in range(rotors):
        without_yaw = mixer[i, 0] * thrust + mixer[i, 1] * roll + mixer[i, 2] * pitch
        outputs[i] = without_yaw + mixer[i, 3] * yaw
        over = over or outputs[i] < low or outputs[i] > high or without_yaw < low or without_yaw > high
        if math.isnan(outputs[i]):
            return  # the loop says so: nothing here may hide it
    if not over:
        return
    part = _tilt_that_fits(mixer, rotors, roll, pitch, low, high)
    roll, pitch = part * roll, part * pitch
    thrust = _thrust_that_fits(mixer, rotors, thrust, roll, pitch, low, high)
    part = 1.0
    for i in range(rotors):
        outputs[i] = limit(mixer[i, 0] * thrust + mixer[i, 1] * roll + mixer[i, 2] * pitch, low, high)
        turn = mixer[i, 3] * yaw
        if turn != 0.0:
            part = min(part, (high - outputs[i]) / turn if turn > 0.0 else (low - outputs[i]) / turn)
    for i in range(rotors):
        outputs[i] = limit(outputs[i] + part * mixer[i, 3] * yaw, low, high)


@kernel
def _ends(share: float, low: float, high: float) -> tuple[float, float]:
    """Outputs of a rotor at which the thrust is least and most: the other way round where it pushes down."""
    return (low, high) if share > 0.0 else (high, low)


@kernel
def _tilt_that_fits(mixer: Any, rotors: int, roll: float, pitch: float, low: float, high: float) -> float:
    """The largest part of roll and pitch, up to 1, for which there is a thrust that keeps every rotor in [low, high].

    Rotor i asks for a thrust of at least (low - s c_i) / a_i, rotor j for at most (high - s c_j) / a_j.
    """
    part = 1.0
    for i in range(rotors):
        a, c = mixer[i, 0], mixer[i, 1] * roll + mixer[i, 2] * pitch
        if a == 0.0:
            if c != 0.0:
                part = min(part, max((high if c > 0.0 else low) / c, 0.0))
            continue
        least, _ = _ends(a, low, high)
        for j in range(rotors):
            other = mixer[j, 0]
            if other != 0.0:
                _, most = _ends(other, low, high)
                closing = (mixer[j, 1] * roll + mixer[j, 2] * pitch) / other - c / a
                if closing > 0.0:
                    part = min(part, max((most / other - least / a) / closing, 0.0))
    return part


@kernel
def _thrust_that_fits(
    mixer: Any, rotors: int, thrust: float, roll: float, pitch: float, low: float, high: float
) -> float:
    """The thrust nearest to the one that was asked for at which a tilt that can be had keeps every rotor in [low, high]."""
    least, most = -math.inf, math.inf
    for i in range(rotors):
        a, c = mixer[i, 0], mixer[i, 1] * roll + mixer[i, 2] * pitch
        if a != 0.0:
            bottom, top = _ends(a, low, high)
            least, most = max(least, (bottom - c) / a), min(most, (top - c) / a)
    if least > most:  # by a rounding, where the largest tilt leaves one thrust only
        return 0.5 * (least + most)
    return limit(thrust, least, most)
