"""What a vehicle knows of itself beyond its motion: its other sensors, its health, what it commands.

A sensor that has not spoken for two seconds is not healthy. The estimate is good once it is aligned
(`control.estimator.status`), or once the pose sensor has spoken.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.estimator import STATUS
from didymos.errors import InputError
from didymos.ports.aviation import Vector, attitude_ned
from didymos.ports.firmware.autopilots.outputs import MOST_OUTPUTS, Drive, find_outputs, named_outputs
from didymos.ports.flown_robot import FlownRobot
from didymos.sensors.environment import Airspeed, Barometer, Magnetometer
from didymos.sensors.motion import Gps, Imu
from didymos.sensors.sensor import Sensor

__all__ = ["MavlinkRobot"]

_OLD = 2.0  # [s] of a reading
_UPRIGHT = 0.7  # [rad] of tilt, beyond which it does not arm


class MavlinkRobot(FlownRobot, ABC):
    """A robot of a run behind MAVLink; `robots` has the kinds."""

    @property
    def place(self) -> Vector:
        """Where it is in the world [m], as its program knows it."""
        return _vector(self.position)

    @property
    def motion(self) -> Vector:
        """How it moves [m/s], in the world's axes."""
        return _vector(self.velocity)

    @property
    def turning(self) -> Vector:
        """How it turns [rad/s], in the body's frame."""
        return _vector(self.rate)

    @property
    def attitude(self) -> list[float]:
        """Its orientation as MAVLink has it: forward-right-down to north-east-down, w first."""
        return list(attitude_ned(self.orientation.tolist()))

    def is_fresh(self, kind: type[Sensor]) -> bool:
        """Whether its sensor of a kind speaks."""
        name = self.sensor(kind)
        return name is not None and self._is_fresh(name)

    def _is_fresh(self, name: str) -> bool:
        stamp = float(self.robot.measured[f"{name}.stamp"])
        return stamp >= 0.0 and self.time - stamp < _OLD

    def reading(self, kind: type[Sensor], quantity: str) -> list[float] | None:
        """What its sensor of a kind says now; None without one, or before it has spoken."""
        name = self.sensor(kind)
        return None if name is None or not self._is_fresh(name) else self.robot.reading(name, quantity).tolist()

    @cached_property
    def present(self) -> dict[type[Sensor], str]:
        """Its sensors that MAVLink has words for, by their kinds."""
        named = {kind: self.sensor(kind) for kind in (Imu, Magnetometer, Barometer, Gps, Airspeed)}
        return {kind: name for kind, name in named.items() if name is not None}

    @property
    def estimates(self) -> bool:
        """Whether it knows where it is by an estimator, instead of by a sensor of pose."""
        program: Any = self.robot.program
        return bool(program.navigation.estimates)

    @property
    def navigates(self) -> bool:
        """Whether it knows where it is."""
        if self.estimates:
            return STATUS[int(self.memory["estimator_status"])] != "aligning"
        return bool(np.any(self._estimate["orientation"]))

    @property
    def is_upright(self) -> bool:
        """Whether it stands or flies on its feet."""
        roll, pitch, _ = self.angles
        return float(np.cos(roll) * np.cos(pitch)) > float(np.cos(_UPRIGHT))

    @property
    @abstractmethod
    def kind(self) -> int:
        """MAVLink's number for what it is."""

    @property
    def program_time(self) -> float:
        """The twin's clock [s] when its program was called last: of its estimate, and of what it commands."""
        every, tick = self.robot.context.robot.control_every, round(self.time / self.robot.period)
        return float(max(tick - 1, 0) // every * every * self.robot.period)

    def stamp(self, kind: type[Sensor]) -> float:
        """The twin's clock [s] at the last reading of its sensor of a kind; now, where it has none."""
        name = self.sensor(kind)
        return self.time if name is None else max(float(self.robot.measured[f"{name}.stamp"]), 0.0)

    @cached_property
    def drives(self) -> tuple[Drive, ...]:
        """Which numbered output drives which input: as an autopilot has it, or in their order where that is not known."""
        robot = self.robot.robot
        try:
            return find_outputs(robot, named_outputs(self.robot.twin), "outputs")
        except InputError:
            bounded = [name for name in robot.inputs if np.isfinite(robot.input_ranges.get(name, (-np.inf, np.inf))).all()]
            return find_outputs(robot, bounded[:MOST_OUTPUTS], "outputs") if bounded else ()

    @property
    def pulses(self) -> dict[int, int]:
        """What it commands, by the number of an output: pulses [us]."""
        commands = self.robot.commands
        return {drive.output: drive.pulse(float(commands[drive.input])) for drive in self.drives}

    @property
    @abstractmethod
    def outputs(self) -> NDArray[np.float64]:
        """The inputs of its rotors and surfaces as its program commands them, 0 to 1, a surface's middle 0.5."""

    @property
    @abstractmethod
    def throttle(self) -> float:
        """The share of its thrust that its program commands."""

    @property
    def accuracy(self) -> float:
        """Standard deviation of the position [m] that it claims, 0 where it claims none."""
        return float(self.memory["estimator_position"]) if self.estimates else 0.0


def _vector(values: NDArray[np.float64]) -> Vector:
    return float(values[0]), float(values[1]), float(values[2])
