"""A playback: the log of a run, or of a real robot, as positions of a twin's joints over time."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.engine.poses import joint_positions
from didymos.engine.simulation import Simulation
from didymos.record.log import Log

__all__ = ["Playback"]


class Playback:
    """A log, and what it knows of the joints of a simulation's model."""

    def __init__(self, simulation: Simulation, log: Log) -> None:
        self.log = log
        self._positions = joint_positions(simulation.twin, simulation.model, simulation.links.root_body(simulation.model), log)

    @property
    def end(self) -> float:
        """When the log ends [s]."""
        return float(self._positions.time[-1])

    def at(self, time: float) -> NDArray[np.float64]:
        """Positions of all joints of the engine at a time [s], held between rows and beyond the ends, shape [nq]."""
        return self._positions.at(time)
