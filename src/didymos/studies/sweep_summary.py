"""What a sweep found in a few numbers, summed up as its runs come, in whatever order."""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from didymos.engine.program_scope import Skipped
from didymos.engine.verdict import Verdict
from didymos.studies.trial import Trial

__all__ = ["Found", "SweepSummary"]


@dataclass
class Found:
    """What was measured of an expectation; sums are exact, so that the order of runs does not matter."""

    unit: str
    least: float
    most: float
    total: Fraction
    count: int = 0
    missed: int = 0

    @property
    def mean(self) -> float:
        """Mean of the values that were measured."""
        return float(self.total / self.count)


class SweepSummary:
    """Runs, how many met all, what was found of each expectation, and the first `named` runs that fell short."""

    def __init__(self, named: int = 8) -> None:
        self.runs = self.met = 0
        self.found: dict[str, Found] = {}
        self.fell_short: list[tuple[int, Trial]] = []
        self.skipped: tuple[Skipped, ...] = ()
        self._named = named

    def add(self, index: int, trial: Trial) -> None:
        """Take a run into account."""
        self.runs += 1
        self.met += trial.ok
        self.skipped = trial.skipped or self.skipped
        if not trial.ok:
            bisect.insort(self.fell_short, (index, trial), key=lambda item: item[0])
            del self.fell_short[self._named :]
        for verdict in trial.verdicts:
            self._measure(verdict)

    def add_all(self, trials: Iterable[tuple[int, Trial]]) -> None:
        """Take many into account."""
        for index, trial in trials:
            self.add(index, trial)

    def _measure(self, verdict: Verdict) -> None:
        if verdict.value is None:
            return
        item = self.found.get(verdict.name)
        if item is None:
            item = self.found[verdict.name] = Found(verdict.unit, verdict.value, verdict.value, Fraction(0))
        item.least, item.most = min(item.least, verdict.value), max(item.most, verdict.value)
        item.total += Fraction(verdict.value)
        item.count += 1
        item.missed += verdict.ok is False
