"""What a program tells a drive (`parts/drive.py`), once per call: one command, its numbers by name."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.parts.drive import COMMAND_INPUTS, POSITION

__all__ = ["DRIVE_COMMAND", "MOST_DRIVES", "REVOLUTION", "command_position", "drive_inputs"]

MOST_DRIVES = 64
"""Drives that a program of joints can command."""
REVOLUTION = 2.0 * math.pi
"""[rad]; a drive counts in revolutions of its motor."""

DRIVE_COMMAND = np.dtype([(name, np.float64) for name in COMMAND_INPUTS])
"""Memory layout of a command: the inputs that a drive declares for it."""


def drive_inputs(drives: Iterable[str]) -> list[str]:
    """Inputs of the robot that commands for some drives are, one after another."""
    return [f"{drive}.{name}" for drive in drives for name in COMMAND_INPUTS]


@kernel
def command_position(
    command: Any, position: float, velocity: float, feedforward: float, kp_scale: float, kd_scale: float, beat: float
) -> None:
    """Write a command of position mode: [rev], [rev/s], [N m] at the motor."""
    command.position = position
    command.velocity = velocity
    command.feedforward = feedforward
    command.kp_scale = kp_scale
    command.kd_scale = kd_scale
    command.mode = POSITION
    command.beat = beat
