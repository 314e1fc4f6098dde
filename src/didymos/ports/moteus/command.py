"""A command to a drive in the firmware's own terms, and the drive that takes it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Command", "Drive"]

NAN = math.nan


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
