"""Parameters that a stimulus moves while a run goes on and that the compiled loop cannot reach: masses, joints, floors, gains.

Numbers of parts and air lie in the part table and are moved by the loop itself (`kernel_writable`). All others are set before
the tick at which they change, by the same way as `Simulation.set`; between two changes the loop runs undisturbed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from didymos.control.stimulus import STIMULUS, StimulusSpec, evaluate
from didymos.engine.build import Built
from didymos.engine.build_context import kernel_writable
from didymos.engine.schedule import stimulus_table

__all__ = ["Changes"]

_NEVER = 1 << 60


def _is_ours(built: Built, target: str) -> bool:
    """Whether a target is a parameter that the compiled loop cannot write."""
    if target.startswith(("setpoints.", "inputs.", "push.")):
        return False
    return not kernel_writable(built.twin, built.assembly, target)


class Changes:
    """The stimuli of a run that Python has to carry out; `period` is the time of a tick [s]."""

    def __init__(self, built: Built, stimuli: Sequence[StimulusSpec], period: float) -> None:
        self._stimuli = [stimulus for stimulus in stimuli if _is_ours(built, stimulus.target)]
        self._rows = np.array([stimulus.record() for stimulus in self._stimuli], dtype=STIMULUS)
        self._tables = [stimulus_table(built.twin, stimulus) for stimulus in self._stimuli]
        self._period = period
        self._last: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._stimuli)

    def forget(self) -> None:
        """Begin anew: what was set before is no longer known to be so."""
        self._last.clear()

    def due(self, tick: int) -> Iterator[tuple[str, float]]:
        """Path and value of every parameter that changes at a tick."""
        values: dict[str, float] = {}
        for stimulus, row, table in zip(self._stimuli, self._rows, self._tables, strict=True):
            values[stimulus.target] = float(evaluate(row, table, tick * self._period))
        for path, value in values.items():
            if self._last.get(path) != value:
                self._last[path] = value
                yield path, value

    def until(self, tick: int) -> int:
        """Ticks from this one to the next at which something may change."""
        return min((self._next(stimulus, tick) - tick for stimulus in self._stimuli), default=_NEVER)

    def _next(self, stimulus: StimulusSpec, tick: int) -> int:
        breaks = {
            "constant": (),
            "step": (stimulus.at,),
            "pulse": (stimulus.start, stimulus.end),
            "ramp": (stimulus.start, stimulus.end),
        }.get(stimulus.kind)
        if breaks is None:
            return tick + 1
        ticks = [int(np.ceil(time / self._period - 1e-9)) for time in breaks]
        if stimulus.kind == "ramp" and ticks[0] <= tick <= ticks[1]:
            return tick + 1
        return min((later for later in ticks if later > tick), default=_NEVER)
