"""Rare plan: runs that look for rare failures, and then count them (`cross_entropy.py`).

Values come from standard normal coordinates through each parameter's own distribution, x = F^-1(Phi(z)), so its probability is
that of the runs as the user described them. Scores are the worst margins of the expectations (`margin.py`), each over its
spread in the first stage. What the seed of a run does besides (noise, gusts) belongs to the run: the probability is over both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import ndtr

from didymos.errors import InputError
from didymos.studies.cross_entropy import CrossEntropy, least_runs
from didymos.studies.distribution import Range, distributions
from didymos.studies.failure_chance import FailureChance, failure_chance
from didymos.studies.margin import margins, spreads, worst
from didymos.studies.pass_rate import LEVEL, STOPPED_LEVEL, next_look
from didymos.studies.plan import Draw
from didymos.studies.trial import Trial

__all__ = ["RarePlan"]

_FIRST_LOOK = 200  # runs that count, before the interval is looked at


class RarePlan:
    """A third to a half of the runs search, the others count; with `until`, no more than it takes.

    `until` is half the width of the interval of the probability of failure, over the probability.
    """

    def __init__(self, ranges: Mapping[str, Range], *, runs: int, seed: int = 0, until: float | None = None) -> None:
        if not ranges:
            raise InputError("goes with parameters that vary: there is nothing to search in", option="sampling")
        if runs < least_runs():
            raise InputError(f"found {runs}, expected at least {least_runs()} to search for rare failures", option="runs")
        if until is not None and not 0.0 < until < 1.0:
            raise InputError(f"found {until:g}, expected a number between 0 and 1: a share of the probability", option="until")
        self.most, self.listens = runs, True
        self._drawn_from, self._until = distributions(ranges), until
        self._search = CrossEntropy(len(self._drawn_from), runs=runs, seed=seed)
        self._points = np.empty((0, len(self._drawn_from)))
        self._weights = np.empty(0)
        self._failed = np.empty(0, dtype=bool)
        self._names: tuple[str, ...] = ()
        self._spreads = np.empty(0)

    def ask(self) -> Sequence[Draw]:
        done, left = len(self._weights), self.most - len(self._weights)
        counted = done - self._search.searching
        if left == 0 or self._narrow(counted):
            return ()
        if self._until is not None and counted >= 0:
            left = min(left, max(next_look(counted), _FIRST_LOOK) - counted)
        self._points, weights = self._search.ask(left)
        chances = ndtr(self._points)
        columns = [given.quantile(chances[:, index]) for index, given in enumerate(self._drawn_from.values())]
        self._weights = np.append(self._weights, weights)
        rows = zip(np.column_stack(columns), weights, strict=True)
        paths = list(self._drawn_from)
        return [Draw(dict(zip(paths, map(float, row), strict=True)), None if np.isnan(w) else float(w)) for row, w in rows]

    def tell(self, trials: Sequence[Trial]) -> None:
        failed = np.array([not trial.ok for trial in trials])
        if not self._names:
            self._names = tuple(dict.fromkeys(verdict.name for trial in trials for verdict in trial.verdicts))
            self._spreads = spreads(margins(trials, self._names))
        scores = worst(margins(trials, self._names), self._spreads, failed)
        self._failed = np.append(self._failed, failed)
        self._search.tell(self._points, scores)

    @property
    def found(self) -> FailureChance:
        """What the runs so far say."""
        level = LEVEL if self._until is None else STOPPED_LEVEL
        return failure_chance(self._weights[: len(self._failed)], self._failed, level=level)

    def _narrow(self, counted: int) -> bool:
        return self._until is not None and counted > 0 and self.found.certain and self.found.relative <= self._until
