"""The history of a run: where everything was at any time of it, for a page that looks back while the run goes on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.engine.simulation import Simulation
from didymos.record.disk_rows import DiskRows
from didymos.record.rows import GrowingRows

__all__ = ["PERIOD", "History"]

PERIOD = 0.02  # [s] of the twin's clock between two rows: as often as a pilot looks, and more often than pictures are drawn
MOST_BYTES = 2**22  # in memory; more goes to the disk


class History:
    """Positions of all joints of the engine over time, exactly as they were. One thread adds, others may look meanwhile."""

    def __init__(self, simulation: Simulation) -> None:
        self._rows = GrowingRows(len(simulation.data.qpos))
        self._most = MOST_BYTES
        self.every = max(1, round(PERIOD / simulation.period))
        """Ticks between two rows."""

    def add(self, simulation: Simulation) -> None:
        """Keep where everything is now; of a run that was put back, nothing twice."""
        time = simulation.time
        if len(self._rows) and time <= self.end:
            return
        try:
            self._rows.hold(np.array([time]), simulation.data.qpos[None])
            if self._rows.nbytes > self._most:
                self._rows.move(DiskRows(2), 0)
        except (OSError, ValueError, OverflowError):  # no room on the disk: the older half is forgotten, as in the log
            self._rows = self._rows.newest(min(0.5, 0.5 * self._most / self._rows.nbytes_used))

    @property
    def begin(self) -> float:
        """When the first row was taken [s]."""
        times, _ = self._rows.view()
        return float(times[0]) if len(times) else 0.0

    @property
    def end(self) -> float:
        """When the last row was taken [s]."""
        times, _ = self._rows.view()
        return float(times[-1]) if len(times) else 0.0

    def at(self, time: float) -> NDArray[np.float64]:
        """Positions of all joints at a time [s], held between rows and beyond the ends, shape [nq]."""
        times, values = self._rows.view()
        return values[max(int(np.searchsorted(times, time + 1e-9, side="right")) - 1, 0)]

    def take_over(self, other: History, until: float) -> None:
        """Begin with what another history has before a time [s]."""
        times, values = other._rows.view()
        count = int(np.searchsorted(times, until - 1e-9))
        for first in range(0, count, 2**15):
            last = min(first + 2**15, count)
            self._rows.hold(times[first:last], values[first:last])
            if self._rows.nbytes > self._most:
                self._rows.move(DiskRows(2), 0)
