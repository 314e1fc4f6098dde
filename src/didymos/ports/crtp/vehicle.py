"""The robot behind the wire, in the units of the twin: what its program knows of its motion, its sensors and rotors, its gains.

What is asked of it goes to its program (`multirotor_commander`) as interventions between two ticks, each only where it changes
something, so a recording holds them and the run can be repeated. Whoever only reads changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.angles import roll_pitch_yaw
from didymos.control.multirotor_commander import MultirotorCommander
from didymos.errors import InputError
from didymos.rotations import quaternion_to_matrix
from didymos.sensors.motion import Imu

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun
    from didymos.engine.run import Run

__all__ = ["FULL", "Vehicle", "is_flown_by_commander"]

FULL = 65535.0
"""The firmware's number for a rotor's full input."""

_ROTORS = 4


def is_flown_by_commander(robot: RobotRun) -> bool:
    """Whether a robot can be a Crazyflie: four rotors, flown by `multirotor_commander`."""
    return isinstance(robot.program, MultirotorCommander) and len(robot.robot.rotors) == _ROTORS


class Vehicle:
    """A robot of a run that `multirotor_commander` flies."""

    def __init__(self, run: Run, robot: RobotRun) -> None:
        self.run, self.robot = run, robot
        self.prefix = f"{robot.name}." if robot.name else ""
        program = robot.program
        assert isinstance(program, MultirotorCommander)
        memory = robot.data.plugin_state[robot.built.assembly.state.stretch("program")]
        size = program.memory_layout.itemsize // 8
        self._memory: Any = memory[:size].view(program.memory_layout)[0]  # a view: it changes with time
        self._estimate: Any = self._memory["navigation"]["estimate"]
        self._steered: dict[str, float] = {}

    @property
    def time(self) -> float:
        """The twin's clock [s]."""
        return self.run.simulation.time

    # what it knows

    @property
    def position(self) -> NDArray[np.float64]:
        """[m] in the world, shape [3], as its program knows it."""
        return np.array(self._estimate["position"])

    @property
    def velocity(self) -> NDArray[np.float64]:
        """[m/s] in the world's axes, shape [3]."""
        return np.array(self._estimate["velocity"])

    @property
    def orientation(self) -> NDArray[np.float64]:
        """Body to world, a quaternion, w first, shape [4]; before the first tick level."""
        found = np.array(self._estimate["orientation"])
        return found if found.any() else np.array([1.0, 0.0, 0.0, 0.0])

    @property
    def rate(self) -> NDArray[np.float64]:
        """[rad/s] in the body's frame, shape [3]."""
        return np.array(self._estimate["rate"])

    @property
    def angles(self) -> tuple[float, float, float]:
        """Roll, pitch and yaw [rad], positive pitch nose down."""
        roll, pitch, yaw = roll_pitch_yaw(self.orientation)
        return float(roll), float(pitch), float(yaw)

    @property
    def throttle(self) -> NDArray[np.float64]:
        """Inputs of the rotors, 0 to 1, shape [4], with what was added to them from outside."""
        added = [self._steered.get(f"inputs.{rotor.input}", 0.0) for rotor in self.robot.robot.rotors]
        return np.clip(self._memory["throttle"][:_ROTORS] + added, 0.0, 1.0)

    @cached_property
    def gyro(self) -> NDArray[np.float64]:
        """[rad/s] as the IMU says, shape [3], a view that changes with time; the program's own rates where there is none."""
        return self._estimate["rate"] if self._imu is None else self.robot.reading(self._imu, "gyro")

    @cached_property
    def accel(self) -> NDArray[np.float64] | None:
        """[m/s^2] of specific force as the IMU says, shape [3], a view; None without an IMU."""
        return None if self._imu is None else self.robot.reading(self._imu, "accel")

    @cached_property
    def _imu(self) -> str | None:
        sensors = self.robot.twin.file.sensors
        return next((name for name, item in sensors.items() if item.contract is Imu), None)

    @cached_property
    def voltage(self) -> NDArray[np.float64] | None:
        """[V] of the battery, shape [1], a view; None where the twin has none."""
        parts = self.robot.twin.file.parts
        battery = next((name for name, item in parts.items() if item.kind == "battery"), None)
        return None if battery is None else self.robot.readouts(battery)

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

    def setpoint(self, name: str) -> float:
        """What its program is asked for now."""
        return float(self.robot.setpoints[name])

    # what it is asked for

    def steer(self, values: Mapping[str, float]) -> None:
        """Set-points (`setpoints.x`) and inputs (`inputs.motor1`) that hold from the next tick on."""
        for handle, value in values.items():
            if self._steered.get(handle, 0.0) != value:
                self.run.intervene("steer", self.prefix + handle, value)
                self._steered[handle] = value

    def gain(self, path: str) -> float:
        """A gain of its program, by its path below `control.gains`."""
        value: Any = self.robot.twin.parameters[f"control.gains.{path}"].value
        return float(value)

    def set_gains(self, values: Mapping[str, float]) -> bool:
        """Set gains of its program; whether all of them fit, else none is changed."""
        before = {path: self.gain(path) for path in values}
        done: list[str] = []
        try:
            for path, value in values.items():
                self.run.intervene("set", f"{self.prefix}control.gains.{path}", value)
                done.append(path)
        except InputError:
            for path in done:
                self.run.intervene("set", f"{self.prefix}control.gains.{path}", before[path])
            return False
        return True
