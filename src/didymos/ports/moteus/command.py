"""A command to a controller in the firmware's own terms, and what it is to the drive that takes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from didymos.parts.drive_modes import CURRENT, INDUCTANCE, PWM, STAY_WITHIN, VOLTAGE, VOLTAGE_DQ, VOLTAGE_FOC

__all__ = ["Command", "Drive", "drive_numbers", "finite"]

NAN = math.nan
_FAR = 1e9  # [rev] of a bound that is none
_LEAST_DUTY = 0.6e-6 * 2.0 * 30000.0  # that a low side conducts, for its current to be measured


class Drive(Protocol):
    """The drive behind a controller."""

    @property
    def time(self) -> float:
        """The twin's clock [s]."""
        ...

    @property
    def readouts(self) -> Mapping[str, float]:
        """position [rev], velocity [rev/s], torque [N m], mode, heat."""
        ...

    def parameter(self, name: str) -> float:
        """A number of the drive."""
        ...

    def set_parameter(self, name: str, value: float) -> None:
        """Change a number of the drive; `InputError` where it does not fit."""
        ...

    def command(self, values: tuple[float, ...]) -> None:
        """Position, velocity, feed-forward, scales, mode; torque limit, watchdog."""
        ...


@dataclass(slots=True)
class Command:
    """What a client commands; as the firmware has it where a register is not written."""

    mode: int = 0
    pwm_a: float = 0.0
    pwm_b: float = 0.0
    pwm_c: float = 0.0
    voltage_a: float = 0.0
    voltage_b: float = 0.0
    voltage_c: float = 0.0
    theta: float = 0.0  # [pi rad], electrical
    voltage: float = 0.0
    theta_rate: float = 0.0  # [pi rad/s]
    voltage_d: float = 0.0
    voltage_q: float = 0.0
    current_q: float = 0.0
    current_d: float = 0.0
    position: float = 0.0
    velocity: float = 0.0
    feedforward: float = 0.0
    kp_scale: float = 1.0
    kd_scale: float = 1.0
    torque_limit: float = NAN
    stop_position: float = NAN
    watchdog: float = 0.0
    velocity_limit: float = NAN
    acceleration_limit: float = NAN
    fixed_voltage: float = NAN
    integral_scale: float = 1.0
    fixed_current: float = NAN
    ignore_bounds: float = 0.0
    lower: float = 0.0
    upper: float = 0.0
    period: int = 4  # of the square wave that measures an inductance, in turns of the loop
    axis: int = 0  # d or q


def finite(value: float, otherwise: float = 0.0) -> float:
    """A number, or another one where it is none."""
    return value if math.isfinite(value) else otherwise


def drive_numbers(command: Command, set_point: tuple[float, float], offset: float, supply: float) -> tuple[float, float, float]:
    """The three numbers that a command of its mode is to the drive (`parts/drive_modes.py`).

    `set_point` [rev], [rev/s] of the position law, `offset` [rev] from the drive's position to the wire's, `supply` [V].
    """
    mode = float(command.mode)
    if mode == PWM:
        duties = (command.pwm_a, command.pwm_b, command.pwm_c)
        a, b, c = (supply * min(max(finite(duty), _LEAST_DUTY), 1.0 - _LEAST_DUTY) for duty in duties)
        return a, b, c
    if mode == VOLTAGE:
        return finite(command.voltage_a), finite(command.voltage_b), finite(command.voltage_c)
    if mode == VOLTAGE_FOC:
        return math.pi * finite(command.theta), math.pi * finite(command.theta_rate), finite(command.voltage)
    if mode == VOLTAGE_DQ:
        return finite(command.voltage_d), finite(command.voltage_q), 0.0
    if mode == CURRENT:
        return finite(command.current_d), finite(command.current_q), 0.0
    if mode == INDUCTANCE:
        return finite(command.voltage_d), 0.0, 0.0
    if mode == STAY_WITHIN:
        low, high = finite(command.lower, -_FAR) - offset, finite(command.upper, _FAR) - offset
        return low, high, finite(command.feedforward)
    return *set_point, finite(command.feedforward)
