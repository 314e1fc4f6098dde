"""A playback: the log of a run, or of a real robot, as positions of a twin's joints over time; of a world, of all its robots."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.engine.poses import JointPositions, joint_positions
from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.record.log import Log

__all__ = ["Playback"]


class Playback:
    """A log, and what it knows of the joints of a simulation's model; robots that it does not know stay where they begin."""

    def __init__(self, simulation: Simulation, log: Log) -> None:
        self.log = log
        model = simulation.model
        self._rest = np.array(model.qpos0)
        self.tracks: list[tuple[JointPositions, NDArray[np.int64]]] = []
        """Of each robot that the log knows: what moves, and where it lies in `qpos`."""
        known = [robot for name, robot in simulation.robots.items() if not name or name in log.robots]
        if not known:
            raise InputError(f"this log holds no robot of {simulation.twin.name}")
        for robot in known:
            own = log.of_robot(robot.name) if robot.name else log
            found = joint_positions(robot.twin, model, robot.links.root_body(model), own)
            places = np.flatnonzero((found.values != self._rest).any(axis=0))
            self.tracks.append((JointPositions(found.time, found.values[:, places]), places))

    @property
    def begin(self) -> float:
        """When the log begins [s]."""
        return min(float(positions.time[0]) for positions, _ in self.tracks)

    @property
    def end(self) -> float:
        """When the log ends [s]."""
        return max(float(positions.time[-1]) for positions, _ in self.tracks)

    def at(self, time: float) -> NDArray[np.float64]:
        """Positions of all joints of the engine at a time [s], held between rows and beyond the ends, shape [nq]."""
        shown = self._rest.copy()
        for positions, places in self.tracks:
            shown[places] = positions.at(time)
        return shown
