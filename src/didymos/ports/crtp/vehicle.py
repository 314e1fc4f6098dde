"""The robot behind the wire of a Crazyflie: what every flying robot has (`ports/flown_robot.py`), and its four rotors."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.multirotor_commander import MultirotorCommander
from didymos.ports.flown_robot import FlownRobot
from didymos.rotations import quaternion_to_matrix

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun

__all__ = ["FULL", "Vehicle", "is_flown_by_commander"]

FULL = 65535.0
"""The firmware's number for a rotor's full input."""

_ROTORS = 4


def is_flown_by_commander(robot: RobotRun) -> bool:
    """Whether a robot can be a Crazyflie: four rotors, flown by `multirotor_commander`."""
    return isinstance(robot.program, MultirotorCommander) and len(robot.robot.rotors) == _ROTORS


class Vehicle(FlownRobot):
    """A robot of a run with four rotors that `multirotor_commander` flies."""

    @property
    def throttle(self) -> NDArray[np.float64]:
        """Inputs of the rotors, 0 to 1, shape [4], with what was added to them from outside."""
        added = [self._steered.get(f"inputs.{rotor.input}", 0.0) for rotor in self.robot.robot.rotors]
        return np.clip(self.memory["throttle"][:_ROTORS] + added, 0.0, 1.0)

    @cached_property
    def deviations(self) -> tuple[float, float]:
        """Standard deviations of position [m] and velocity [m/s], from the error model of the sensor that it navigates by."""
        control = self.robot.twin.file.control
        name = (control.options if control is not None else {}).get("sensor")
        sensor: Any = self.robot.twin.file.sensors.get(name) if isinstance(name, str) else None

        def deviation(quantity: str) -> float:
            error = getattr(sensor, quantity, None)
            return math.hypot(getattr(error, "noise", 0.0), getattr(error, "bias", 0.0))

        return deviation("position"), deviation("velocity")

    @property
    def acceleration(self) -> NDArray[np.float64]:
        """[m/s^2] in the world's axes without gravity, shape [3], of the IMU."""
        if self.accel is None:
            return np.zeros(3)
        return np.asarray(quaternion_to_matrix(self.orientation) @ self.accel) - [0.0, 0.0, 9.80665]
