"""Plan: which runs a sweep makes, batch after batch, and when it has made enough.

A plan is asked for its next runs (`ask`), told what became of them (`tell`), in turn, until it asks for no more. What it asks
for depends on its own settings and on what it was told, never on who did the runs or when: so a sweep that was interrupted
tells its plan what it has and goes on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from didymos.errors import InputError
from didymos.studies.distribution import Range
from didymos.studies.pass_rate import STOPPED_LEVEL, next_look, pass_rate
from didymos.studies.sampling import sample
from didymos.studies.trial import Trial

__all__ = ["Draw", "FixedPlan", "Plan", "make_plan"]


@dataclass(frozen=True)
class Draw:
    """What a run is given: values by path, and what it counts (`cross_entropy.py`), None where all count the same."""

    values: Mapping[str, float]
    weight: float | None = None


class Plan(Protocol):
    """Runs to make, in batches."""

    most: int
    """No more runs than these."""
    listens: bool
    """Whether what it asks next depends on what it is told."""

    def ask(self) -> Sequence[Draw]:
        """The next runs; none: there are enough."""

    def tell(self, trials: Sequence[Trial]) -> None:
        """What became of the runs that were asked for, in their order."""


class FixedPlan:
    """Runs whose values are drawn ahead (`sampling.py`); with `until`, no more than it takes.

    `until` is half the width of the interval of the pass rate that will do (`pass_rate.py`).
    """

    def __init__(
        self, ranges: Mapping[str, Range], *, runs: int, seed: int = 0, sampling: str = "latin", until: float | None = None
    ) -> None:
        self._drawn = sample(ranges, runs=runs, seed=seed, sampling=sampling)
        self._until = until
        if until is not None and sampling in ("grid", "saltelli"):
            raise InputError(f"goes with random draws; the runs of {sampling!r} belong together", option="until")
        if until is not None and not 0.0 < until < 0.5:
            raise InputError(f"found {until:g}, expected a number between 0 and 0.5", option="until")
        self.most, self.listens = len(self._drawn), until is not None
        self._asked = self._passed = 0

    def ask(self) -> Sequence[Draw]:
        if self._asked == self.most or self._narrow():
            return ()
        first = self._asked
        self._asked = self.most if self._until is None else min(next_look(first), self.most)
        return [Draw(values) for values in self._drawn[first : self._asked]]

    def tell(self, trials: Sequence[Trial]) -> None:
        self._passed += sum(trial.ok for trial in trials)

    def _narrow(self) -> bool:
        if self._until is None or self._asked == 0:
            return False
        return pass_rate(self._passed, self._asked, level=STOPPED_LEVEL).half_width <= self._until


def make_plan(
    ranges: Mapping[str, Range], *, runs: int, seed: int = 0, sampling: str = "latin", until: float | None = None
) -> Plan:
    """The plan of a sweep: `sampling` is one of `sampling.py`, or "rare"."""
    if sampling == "rare":
        from didymos.studies.rare_plan import RarePlan

        return RarePlan(ranges, runs=runs, seed=seed, until=until)
    return FixedPlan(ranges, runs=runs, seed=seed, sampling=sampling, until=until)
