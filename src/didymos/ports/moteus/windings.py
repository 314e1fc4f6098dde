"""The d current of a drive's motor: what its controller reports beside the q current, which is the torque's.

    i_d = (v_d + w L i_q) / R        by `parts/motor_windings.py`; in the modes that control currents, the commanded one
"""

from __future__ import annotations

import math
from collections.abc import Callable

from didymos.parts.drive_modes import BRAKE, CURRENT, INDUCTANCE, PWM, VOLTAGE, VOLTAGE_DQ, VOLTAGE_FOC

__all__ = ["d_current", "phase_currents"]

_OF_WINDINGS = (PWM, VOLTAGE, VOLTAGE_FOC, VOLTAGE_DQ, BRAKE)


def d_current(
    mode: float,
    numbers: tuple[float, float, float],
    since: float,
    turns: float,
    speed: float,
    q: float,
    parameter: Callable[[str], float],
) -> float:
    """The d current [A] of a mode with the three `numbers` of its command, `since` [s] it arrived.

    The motor is at `turns` [rev] and `speed` [rev/s], its q current is `q` [A]; `parameter` says the drive's numbers.
    """
    if mode == CURRENT:
        limit = parameter("current_limit") or math.inf
        return min(max(numbers[0], -limit), limit)
    resistance = parameter("phase_resistance")
    if mode not in _OF_WINDINGS or resistance <= 0.0 or mode == INDUCTANCE:
        return 0.0
    pairs = parameter("pole_pairs")
    reactance = pairs * 2.0 * math.pi * speed * parameter("phase_inductance")
    return (_d_voltage(mode, numbers, since, pairs * 2.0 * math.pi * turns) + reactance * q) / resistance


def _d_voltage(mode: float, numbers: tuple[float, float, float], since: float, theta: float) -> float:
    """v_d [V] with the magnets at an electrical angle [rad]."""
    first, second, third = numbers
    if mode == BRAKE:
        return 0.0
    if mode == VOLTAGE_DQ:
        return first
    if mode == VOLTAGE_FOC:
        return third * math.cos(first + second * since - theta)
    alpha, beta = (2.0 * first - second - third) / 3.0, (second - third) / math.sqrt(3.0)
    return alpha * math.cos(theta) + beta * math.sin(theta)


def phase_currents(d: float, q: float, theta: float) -> tuple[float, float, float]:
    """Currents of the three phases [A], with the magnets at an electrical angle [rad]."""
    angles = theta, theta - 2.0 * math.pi / 3.0, theta + 2.0 * math.pi / 3.0
    a, b, c = (d * math.cos(angle) - q * math.sin(angle) for angle in angles)
    return a, b, c
