"""A robot that flies behind a wire, in the units of the twin: what its program knows of its motion, its sensors, its gains.

What it says of itself is the program's estimate (`control/navigation.py`) and its sensors' readings, as a real vehicle does,
never the truth of the simulation. What is asked of it goes to its program as interventions between two ticks, each only where
it changes something, so a recording holds them and the run can be repeated. Whoever only reads changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from didymos.control.angles import roll_pitch_yaw
from didymos.control.navigation import NavigatingController
from didymos.errors import InputError
from didymos.sensors.motion import Imu
from didymos.sensors.sensor import Sensor

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun
    from didymos.engine.run import Run

__all__ = ["FlownRobot"]


class FlownRobot:
    """A robot of a run whose program navigates (`NavigatingController`)."""

    def __init__(self, run: Run, robot: RobotRun) -> None:
        self.run, self.robot = run, robot
        self.prefix = f"{robot.name}." if robot.name else ""
        program = robot.program
        assert isinstance(program, NavigatingController)
        memory = robot.data.plugin_state[robot.built.assembly.state.stretch("program")]
        size = program.memory_layout.itemsize // 8
        self.memory: Any = memory[:size].view(program.memory_layout)[0]  # a view: it changes with time
        self._estimate: Any = self.memory["navigation"]["estimate"]
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

    @cached_property
    def gyro(self) -> NDArray[np.float64]:
        """[rad/s] as the IMU says, shape [3], a view that changes with time; the program's own rates where there is none."""
        imu = self.sensor(Imu)
        return self._estimate["rate"] if imu is None else self.robot.reading(imu, "gyro")

    @cached_property
    def accel(self) -> NDArray[np.float64] | None:
        """[m/s^2] of specific force as the IMU says, shape [3], a view; None without an IMU."""
        imu = self.sensor(Imu)
        return None if imu is None else self.robot.reading(imu, "accel")

    def sensor(self, kind: type[Sensor]) -> str | None:
        """The name of its first sensor of a kind, None where it has none."""
        return next((name for name, item in self.robot.twin.file.sensors.items() if item.contract is kind), None)

    @cached_property
    def voltage(self) -> NDArray[np.float64] | None:
        """[V] of the battery, shape [1], a view; None where the twin has none."""
        parts = self.robot.twin.file.parts
        battery = next((name for name, item in parts.items() if item.kind == "battery"), None)
        return None if battery is None else self.robot.readouts(battery)

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
        return self.parameter(f"control.gains.{path}")

    def parameter(self, path: str) -> float:
        """A number of the twin, by its path."""
        value: Any = self.robot.twin.parameters[path].value
        return float(value)

    def set_parameters(self, values: Mapping[str, float]) -> bool:
        """Set numbers of the twin by their paths; whether all of them fit, else none is changed."""
        before = {path: self.parameter(path) for path in values}
        done: list[str] = []
        try:
            for path, value in values.items():
                self.run.intervene("set", self.prefix + path, value)
                done.append(path)
        except InputError:
            for path in done:
                self.run.intervene("set", self.prefix + path, before[path])
            return False
        return True

    def set_gains(self, values: Mapping[str, float]) -> bool:
        """Set gains of its program; whether all of them fit, else none is changed."""
        return self.set_parameters({f"control.gains.{path}": value for path, value in values.items()})
