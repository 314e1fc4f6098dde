"""The clock of a run that people watch: how the twin's time follows the wall's, and how fast it really went."""

from __future__ import annotations

import time as wall

from didymos.engine.pace import Pace
from didymos.engine.simulation import Simulation

__all__ = ["Clock"]

SLACK = 0.1  # [s] that a run may fall behind the wall clock and still catch up
WINDOW = 1.0  # [s] of wall time over which the real-time factor is measured


class Clock:
    """Holds a run to a speed, in seconds of the twin's time per second of the wall's; infinity lets it run free."""

    def __init__(self, simulation: Simulation, speed: float) -> None:
        self._simulation = simulation
        real_time = speed != float("inf")
        self._pace = Pace(simulation.period / (speed if real_time else 1.0), real_time, slack=SLACK)
        self._samples = [(wall.perf_counter(), simulation.tick)]

    def ticks(self) -> int:
        """How many ticks to let pass before the next look at the wall clock."""
        return self._pace.ticks(self._simulation.chunk)

    def wait(self, ticks: int) -> int:
        """After `ticks` ticks, wait for the wall clock; 1 where they came too late."""
        return self._pace.wait(ticks)

    def factor(self) -> float:
        """The real-time factor, over the last second of the wall's."""
        now = wall.perf_counter()
        self._samples = [sample for sample in self._samples if sample[0] > now - WINDOW] or self._samples[-1:]
        if len(self._samples) < 2 or now - self._samples[-1][0] > WINDOW / 20:
            self._samples.append((now, self._simulation.tick))
        then, tick = self._samples[0]
        return (self._simulation.tick - tick) * self._simulation.period / max(now - then, 1e-3)
