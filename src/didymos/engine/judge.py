"""Judge a run that keeps no log: only the streams that the scenario asks about are held, until its time is over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.engine.relations import signals_of
from didymos.engine.verdict import Verdict
from didymos.record.log import Log

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["Judge"]


class Judge:
    """Listens to the log of a run; `verdicts` are those of the scenario once its time is over."""

    def __init__(self, simulation: Simulation, log: Log) -> None:
        self._simulation, self._log = simulation, simulation.new_log()
        signals = [signal for item in simulation.expected for signal in signals_of(item)]
        self._asked = {
            i for i, layout in enumerate(log.layouts) if any(signal.startswith(f"{layout.name}.") for signal in signals)
        }
        if signals:
            log.listen(self._hear)

    def _hear(self, index: int, times: NDArray[np.float64], rows: NDArray[np.float64]) -> None:
        inside = times < self._simulation.seconds - 0.5 * self._simulation.period  # the rows that a run of its time has
        if index in self._asked and inside.any():
            self._log.append(index, times[inside], rows[inside])

    def verdicts(self) -> tuple[Verdict, ...]:
        """What the scenario expects, measured; nothing while its time is not over."""
        simulation = self._simulation
        over = simulation.time >= simulation.seconds - 0.5 * simulation.period
        return simulation.judge(self._log) if over else ()
