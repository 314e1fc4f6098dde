"""Faults in which a command ends, by the firmware's numbers; only a stop leads out of one.

    34, 40   the supply is above `servo.max_voltage` or below 10 V
    36       the motor has not the numbers that the mode needs, or `motor.poles` is 0
    39, 48   the position is outside of `servopos`, in modes that control it; its bounds are beyond 32768 turns
    45       a stop position with a limit of velocity or acceleration
"""

from __future__ import annotations

import math
from typing import Protocol

from didymos.parts.drive_modes import (
    BRAKE,
    CURRENT,
    INDUCTANCE,
    POSITION,
    PWM,
    STAY_WITHIN,
    TIMED_OUT,
    VOLTAGE,
    VOLTAGE_DQ,
    VOLTAGE_FOC,
    ZERO_VELOCITY,
)  # fmt: skip
from didymos.ports.moteus.command import Command, Drive

__all__ = ["Limits", "fault_of"]

_OVER_VOLTAGE, _NOT_CONFIGURED, _OUTSIDE_BOUNDS, _UNDER_VOLTAGE, _STOP_POSITION, _INVALID_LIMITS = 34, 36, 39, 40, 45, 48
_LOWEST_VOLTAGE = 10.0  # [V] of an r4.11
_FARTHEST = 32768.0  # [rev] of a bound
_OF_POLES = (POSITION, CURRENT, VOLTAGE_DQ, STAY_WITHIN, ZERO_VELOCITY, TIMED_OUT)
_NEEDED = {
    **dict.fromkeys((PWM, VOLTAGE, VOLTAGE_FOC, VOLTAGE_DQ, BRAKE), ("torque_constant", "phase_resistance")),
    CURRENT: ("torque_constant",),
    INDUCTANCE: ("phase_inductance",),
}


class Limits(Protocol):
    """What a controller allows."""

    drive: Drive
    offset: float
    lowest: float
    highest: float
    highest_voltage: float
    poles: int

    def limits(self, command: Command) -> tuple[float, float]:
        """Velocity [rev/s] and acceleration [rev/s^2] of a set-point."""
        ...


def fault_of(controller: Limits, command: Command) -> tuple[int, str]:
    """The fault that a command ends in, or 0, and the number that the motor lacks for it."""
    voltage, mode = controller.drive.parameter("voltage"), float(command.mode)
    if voltage < _LOWEST_VOLTAGE:
        return _UNDER_VOLTAGE, ""
    if voltage > controller.highest_voltage:
        return _OVER_VOLTAGE, ""
    if mode in (POSITION, STAY_WITHIN) and not command.ignore_bounds:
        here = controller.drive.readouts["position"] + controller.offset
        if here < controller.lowest or here > controller.highest:
            return _OUTSIDE_BOUNDS, ""
        if abs(controller.lowest) > _FARTHEST or abs(controller.highest) > _FARTHEST:
            return _INVALID_LIMITS, ""
    if mode == POSITION and math.isfinite(command.stop_position) and any(map(math.isfinite, controller.limits(command))):
        return _STOP_POSITION, ""
    if mode in _OF_POLES and controller.poles == 0:
        return _NOT_CONFIGURED, ""
    missing = [name for name in _NEEDED.get(mode, ()) if controller.drive.parameter(name) == 0.0]
    return (_NOT_CONFIGURED, missing[0]) if missing else (0, "")
