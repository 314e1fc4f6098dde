"""Stick pass-through: the pilot's roll, pitch, yaw and throttle go straight to surfaces and engines.

Set-points roll, pitch and yaw in [-1, 1] (right, up, right) and throttle in [0, 1]. `trim.pitch` and `trim.throttle` are added,
so that sticks at zero fly level where the twin says how.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from didymos.contract import command, setpoint
from didymos.control.angles import limit
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.surfaces import MOST_SURFACES, Surfaces

__all__ = ["Sticks"]


class Sticks(CompiledController):
    """Manual flight."""

    trim_pitch = Gain(0.0, low=-1, high=1, path="trim.pitch", doc="added to the pitch stick")
    trim_throttle = Gain(0.0, low=0, high=1, path="trim.throttle", doc="added to the throttle stick")
    roll = setpoint(doc="to the right, -1 to 1")
    pitch = setpoint(doc="up, -1 to 1")
    yaw = setpoint(doc="to the right, -1 to 1")
    throttle = setpoint(doc="0 to 1")
    roll_inputs = command("roll", count=MOST_SURFACES)
    pitch_inputs = command("pitch", count=MOST_SURFACES)
    yaw_inputs = command("yaw", count=MOST_SURFACES)
    throttle_inputs = command("throttle", count=MOST_SURFACES)

    @program
    def step(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        inputs.roll[:] = limit(setpoints.roll, -1.0, 1.0)
        inputs.pitch[:] = limit(setpoints.pitch + gains.trim_pitch, -1.0, 1.0)
        inputs.yaw[:] = limit(setpoints.yaw, -1.0, 1.0)
        inputs.throttle[:] = limit(setpoints.throttle + gains.trim_throttle, 0.0, 1.0)

    def __init__(self, surfaces: Mapping[str, Sequence[str] | str]) -> None:
        self.surfaces = Surfaces(surfaces)

    def start(self, robot: Robot) -> None:
        """Find the inputs."""
        self.surfaces.check(robot)
        self.writes = self.surfaces.writes
