"""Position command: hand the setpoints position and velocity of each drive over to it, once per call.

    drive <- mode position, x* = setpoints.position, v* = setpoints.velocity, feed-forward setpoints.feedforward, both scales 1

One drive is called by plain names (`setpoints.position`), several by their own (`setpoints.LFH_position`). Positions are in motor
revolutions or, with the option `unit: rad`, in radians at the output, for which it needs the option `ratio`. This is what the
laptop of a test bench does over the bus; at 200 Hz the drive holds each command for 5 ms.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from didymos.compiled import c_function
from didymos.control.controller import CompiledController, Robot
from didymos.control.program import PROGRAM_SIGNATURE
from didymos.errors import InputError
from didymos.parts.drive import COMMAND_INPUTS, POSITION

__all__ = ["PositionCommand"]

_WANTED = ("position", "velocity", "feedforward")


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
    memory[0] += 1.0
    for i in range(int(settings[0])):
        inputs[7 * i] = setpoints[3 * i] * settings[1]
        inputs[7 * i + 1] = setpoints[3 * i + 1] * settings[1]
        inputs[7 * i + 2] = setpoints[3 * i + 2]
        inputs[7 * i + 3] = 1.0
        inputs[7 * i + 4] = 1.0
        inputs[7 * i + 5] = POSITION
        inputs[7 * i + 6] = memory[0]


class PositionCommand(CompiledController):
    """Passes set-points on to drives."""

    program: ClassVar = _program
    memory_size = 1

    def __init__(self, drives: list[str] | None = None, unit: str = "rev", ratio: float = 1.0) -> None:
        if unit not in ("rev", "rad"):
            raise InputError(f"found {unit!r}, expected 'rev' or 'rad'", path="control.options.unit")
        self.drives = tuple(drives or ("drive",))
        scale = 1.0 if unit == "rev" else float(ratio) / (2.0 * math.pi)
        self.settings = np.array([float(len(self.drives)), scale])
        single = len(self.drives) == 1
        self.setpoints = tuple(name if single else f"{drive}_{name}" for drive in self.drives for name in _WANTED)

    def start(self, robot: Robot) -> None:
        """Find the inputs of the drives."""
        self.writes = tuple(f"{drive}.{name}" for drive in self.drives for name in COMMAND_INPUTS)
        missing = [name for name in self.writes if name not in robot.inputs]
        if missing:
            drive = missing[0].rpartition(".")[0]
            raise InputError(f"position_command needs a part {drive!r} of kind drive", path="control.options.drives")
