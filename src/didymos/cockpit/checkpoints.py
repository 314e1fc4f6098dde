"""Checkpoints: whole states of a run that are kept while it goes on, so that another run can leave it at any moment.

One each second of the twin's clock. Where they fill the room that they have, every second one of the older half goes: what is
longer ago is kept more coarsely, and a branch from there has more ticks to repeat.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

from didymos.engine.run import Run
from didymos.engine.saved_state import State

__all__ = ["Checkpoint", "Checkpoints"]

PERIOD = 1.0  # [s] of the twin's clock
MOST_BYTES = 2**23


@dataclass(frozen=True)
class Checkpoint:
    """A state, how much was done until then, and how many rows of each stream the log had."""

    state: State
    done: int
    rows: tuple[int, ...]


class Checkpoints:
    """Those of a run. Pictures of cameras on their way are no part of a state: a run with cameras is repeated from its start."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self.every = max(1, round(PERIOD / run.simulation.period))
        """Ticks between two checkpoints."""
        self._kept: list[Checkpoint] = []
        self._most = 0
        self.keep()

    def keep(self) -> None:
        """Keep the run as it is now."""
        run = self._run
        if self._kept and (run.simulation.cameras or run.simulation.tick <= self._kept[-1].state.tick):
            return
        state = run.simulation.save()
        self._kept.append(Checkpoint(state, len(run.interventions), run.log.counts))
        self._most = self._most or max(8, MOST_BYTES // (state.vector.nbytes + 8 * len(self._kept[0].rows)))
        if len(self._kept) > self._most:
            half = len(self._kept) // 2
            self._kept = self._kept[:half:2] + self._kept[half:]

    def before(self, tick: int) -> Checkpoint:
        """The last one that is not after a tick."""
        return self._kept[max(bisect_right([item.state.tick for item in self._kept], tick) - 1, 0)]

    def take_over(self, other: Checkpoints, last: Checkpoint) -> None:
        """Begin with those of another run up to one, which both have in common."""
        tick = last.state.tick
        self._kept = [item for item in other._kept if item.state.tick < tick] + self._kept

    def __len__(self) -> int:
        return len(self._kept)
