"""Stick pass-through: the pilot's roll, pitch, yaw and throttle go straight to surfaces and engines.

Set-points roll, pitch and yaw in [-1, 1] (right, up, right) and throttle in [0, 1]. `trim.pitch` and `trim.throttle` are added,
so that sticks at zero fly level where the twin says how.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from didymos.compiled import c_function
from didymos.control.angles import limit
from didymos.control.controller import CompiledController, Gain, Robot
from didymos.control.program import PROGRAM_SIGNATURE
from didymos.control.surfaces import AXES, Surfaces

__all__ = ["Sticks"]


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
    at = 0
    for axis in range(4):
        trim = gains[0] if axis == 1 else (gains[1] if axis == 3 else 0.0)
        value = limit(setpoints[axis] + trim, 0.0 if axis == 3 else -1.0, 1.0)
        for _ in range(int(settings[axis])):
            inputs[at] = value
            at += 1


class Sticks(CompiledController):
    """Manual flight."""

    program: ClassVar = _program
    setpoints = AXES
    trim_pitch = Gain(0.0, low=-1, high=1, path="trim.pitch", doc="added to the pitch stick")
    trim_throttle = Gain(0.0, low=0, high=1, path="trim.throttle", doc="added to the throttle stick")

    def __init__(self, surfaces: Mapping[str, Sequence[str] | str]) -> None:
        self.surfaces = Surfaces(surfaces)

    def start(self, robot: Robot) -> None:
        """Find the inputs."""
        self.surfaces.check(robot)
        self.writes = self.surfaces.writes
        self.settings = np.array(self.surfaces.counts)
