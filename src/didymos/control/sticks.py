"""Stick pass-through: the pilot's roll, pitch, yaw and throttle go through the allocation to surfaces and engines.

Set-points roll, pitch and yaw in [-1, 1] (right, up, right) and throttle in [0, 1]. `trim.pitch` and `trim.throttle` are added,
so that sticks at zero fly level where the twin says how.
"""

from __future__ import annotations

from collections.abc import Mapping

from didymos.contract import command, setpoint, setting
from didymos.control.allocate import allocate
from didymos.control.allocation import ALLOCATION, MOST_INPUTS, Command
from didymos.control.angles import limit
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.flight_model import FlightModel

__all__ = ["Sticks"]


class Sticks(CompiledController):
    """Manual flight."""

    designs, designed = "flight", ("trim.pitch", "trim.throttle")
    trim_pitch = Gain(0.0, low=-1, high=1, path="trim.pitch", doc="added to the pitch stick")
    trim_throttle = Gain(0.0, low=0, high=1, path="trim.throttle", doc="added to the throttle stick")
    roll = setpoint(doc="to the right, -1 to 1")
    pitch = setpoint(doc="up, -1 to 1")
    yaw = setpoint(doc="to the right, -1 to 1")
    throttle = setpoint(doc="0 to 1")
    allocation = setting(layout=ALLOCATION)
    effectors = command(count=MOST_INPUTS)

    @program
    def step(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        command = Command(
            roll=limit(setpoints.roll, -1.0, 1.0),
            pitch=limit(setpoints.pitch + gains.trim_pitch, -1.0, 1.0),
            yaw=limit(setpoints.yaw, -1.0, 1.0),
            thrust=limit(setpoints.throttle + gains.trim_throttle, 0.0, 1.0),
            flaps=0.0, tilt=0.0, brake=0.0,
        )  # fmt: skip
        allocate(settings.allocation, command, inputs.effectors)

    @classmethod
    def design(cls, model: FlightModel) -> Mapping[str, float]:
        """The trim of level flight."""
        return {"trim.pitch": model.commands.get("pitch", 0.0), "trim.throttle": model.commands.get("thrust", 0.0)}

    def start(self, robot: Robot) -> None:
        """Find the inputs."""
        allocation = robot.allocation.flight
        self.settings["allocation"], self.writes = allocation.record(), {"effectors": allocation.inputs}
