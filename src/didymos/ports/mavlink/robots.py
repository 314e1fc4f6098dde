"""The kinds of robots behind MAVLink, each by what its program keeps in memory: rotors that stand or turn, stages of a plane."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from didymos.control import flight_stages as st
from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.knowledge import MavlinkRobot
from didymos.ports.mavlink.place import Place

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun
    from didymos.engine.run import Run

__all__ = ["MultirotorRobot", "PlaneRobot"]

_TYPES = {3: mavlink.MAV_TYPE_TRICOPTER, 6: mavlink.MAV_TYPE_HEXAROTOR, 8: mavlink.MAV_TYPE_OCTOROTOR}
_STILL = 2.0  # [m/s] over ground, below which a plane that touches the ground stands, as its program has it
_TAKE_OFF = (st.GROUND_ROLL, st.THROWN, st.CLIMB_OUT)
_LANDING = (st.DOWNWIND, st.BASE, st.APPROACH, st.FLARE, st.ROLL_OUT, st.GO_AROUND)


class MultirotorRobot(MavlinkRobot):
    """A robot that `multirotor_commander` flies."""

    @property
    def kind(self) -> int:
        """By the number of its rotors."""
        return int(_TYPES.get(len(self.robot.robot.rotors), mavlink.MAV_TYPE_QUADROTOR))

    @property
    def feels_ground(self) -> bool:
        """Whether its program has found that it stands."""
        return bool(self.memory["landed"] > 0.0)

    @property
    def outputs(self) -> NDArray[np.float64]:
        """The inputs of its rotors, 0 to 1."""
        return np.asarray(self.memory["throttle"][: len(self.robot.robot.rotors)])

    @property
    def throttle(self) -> float:
        """The mean of its rotors."""
        return float(self.outputs.mean()) if self.outputs.size else 0.0


class PlaneRobot(MavlinkRobot):
    """A robot that `fixed_wing` flies."""

    def __init__(self, run: Run, robot: RobotRun) -> None:
        super().__init__(run, robot)
        self._of_scenario: dict[str, float] = {}

    def ask(self, values: Mapping[str, float]) -> None:
        """Set-points by their names, instead of those of the scenario, to which what is steered is added."""
        for name in values:
            self._of_scenario.setdefault(name, self.setpoint(name))
        self.steer({f"setpoints.{name}": value - self._of_scenario[name] for name, value in values.items()})

    @property
    def kind(self) -> int:
        """A plane."""
        return int(mavlink.MAV_TYPE_FIXED_WING)

    @cached_property
    def _allocation(self) -> tuple[list[str], dict[str, NDArray[np.float64]]]:
        """The inputs that its program commands, their bounds and what of the thrust each has."""
        program: Any = self.robot.program
        names, record = list(program.writes["effectors"]), program.settings["allocation"]
        return names, {key: np.array(record[key])[..., : len(names)].reshape(-1) for key in ("low", "high", "thrust")}

    @property
    def outputs(self) -> NDArray[np.float64]:
        """The inputs of engines and surfaces between their bounds, 0 to 1."""
        names, about = self._allocation
        values = np.array([float(self.robot.commands[name]) for name in names])
        return (values - about["low"]) / np.maximum(about["high"] - about["low"], 1e-9)

    @property
    def throttle(self) -> float:
        """The mean of its engines."""
        engines = self._allocation[1]["thrust"] != 0.0
        return float(self.outputs[engines].mean()) if engines.any() else 0.0

    @property
    def stage(self) -> int:
        """Of its flight: `control/flight_stages.py`."""
        return int(self.memory["stage"])

    @property
    def program_mode(self) -> int:
        """The mode that its program flies by: `control/flight_plan.py`."""
        return int(self.memory["mode"])

    @property
    def item(self) -> int:
        """The item of its program's mission that is flown, from 1."""
        return int(self.memory["item"])

    @property
    def call_period(self) -> float:
        """[s] between two calls of its program."""
        return float(self.robot.context.robot.control_every * self.robot.period)

    @property
    def knows_runway(self) -> bool:
        """Whether its program has begun: it knows where it is, its home and its runway."""
        return bool(self.memory["runway"]["known"] > 0.0) and self.navigates

    @property
    def has_runway(self) -> bool:
        """Whether the twin names a runway; its program else takes where the run began for one."""
        program: Any = self.robot.program
        return bool(np.all(program.settings["runway"]["known"] > 0.0))

    @property
    def run_start(self) -> Place:
        """Where the run began along the ground, at the height of the runway [m]: where its program returns to."""
        x, y = self.memory["home"]
        return float(x), float(y), float(self.memory["runway"]["z"])

    @property
    def touch_down(self) -> tuple[float, float]:
        """Where it lands [m]."""
        return float(self.memory["runway"]["x"]), float(self.memory["runway"]["y"])

    @property
    def task_place(self) -> Place:
        """Where its task is [m]."""
        place = self.memory["place"]
        return float(place["x"]), float(place["y"]), float(place["z"])

    @property
    def is_slow(self) -> bool:
        """Whether it moves too slowly to fly."""
        return bool(self.memory["watch"]["speed"] < _STILL)

    @property
    def stands(self) -> bool:
        """Whether it stands: slow, and in a stage in which its engine is off."""
        return self.is_slow and self.stage in (st.HOLDS, st.PARKS, st.STOPPED)

    @property
    def has_stopped(self) -> bool:
        """Whether a landing has come to its end."""
        return self.stage == st.STOPPED

    @property
    def takes_off(self) -> bool:
        """Whether it rolls, is thrown, or climbs out."""
        return self.stage in _TAKE_OFF

    @property
    def lands(self) -> bool:
        """Whether it is anywhere between the circuit and standstill."""
        return self.stage in _LANDING
