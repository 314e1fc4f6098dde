"""Falsification: look for values of parameters at which a twin falls short of what its scenario expects.

The least margin over all expectations (`margin.py`) is a function of the parameters that vary; a search (`search.py`) makes it as
small as it can. A run whose margin is below zero is a counter-example, and so is one that fails. All runs have the same seed: the
function is one of the parameters alone, and a counter-example is repeated by its values and this seed. That none was found in
some runs proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.cluster.executor import Executor, executor
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.verdict import Verdict
from didymos.errors import InputError
from didymos.studies.least_margin import least_margin, scales
from didymos.studies.nominal import nominal_values
from didymos.studies.sampling import sample
from didymos.studies.search import BATCH, Search
from didymos.studies.shrink import Shrunk, shrink
from didymos.studies.sweep import checked_ranges
from didymos.studies.trial import Trial
from didymos.studies.trial_runner import TrialRunner

__all__ = ["Falsification", "falsify"]

_FIRST = 4  # points to begin with, for each parameter
_LEAST, _MOST = 2 * BATCH, 6 * BATCH  # of these points


@dataclass(frozen=True)
class Falsification:
    """What a search found."""

    trials: tuple[Trial, ...]
    """All runs of the search, in their order."""
    worst: Trial
    """The run with the least margin, or the first one that failed."""
    found: bool
    """Whether it is a counter-example."""
    nominal: Mapping[str, float]
    """The values of what was varied, where nobody varies it."""
    scale: Mapping[str, float]
    """By which the margin of each expectation was divided to compare it with the others."""
    shrunk: Shrunk | None
    """The counter-example made smaller, where that was asked for."""

    @property
    def smallest(self) -> Trial:
        """The smaller counter-example, or the worst run."""
        return self.worst if self.shrunk is None else self.shrunk.trial

    def decisive(self, trial: Trial) -> Verdict | None:
        """The verdict with the least margin of a run; None of one that failed."""
        return least_margin(trial, self.scale)[1]


def falsify(
    twin: Twin | World,
    ranges: Mapping[str, tuple[float, float]],
    *,
    scenario: str | None = None,
    runs: int = 200,
    seconds: float | None = None,
    seed: int = 0,
    worst: bool = False,
    smaller: bool = True,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int, Trial, Verdict | None], None] | None = None,
) -> Falsification:
    """Look for a counter-example in at most so many runs; the same result on any threads and any cluster.

    Ranges are (low, high) by path; `cluster` is where runs are made (`cluster/executor.py`), `threads` how many at once. The
    first counter-example ends the search, unless the `worst` within the runs is asked for. What was found is made `smaller` by
    further runs. `progress` is told the runs that are done, the worst of them until then and the verdict that makes it so.
    """
    if not ranges:
        raise InputError("nothing varies, so there is nothing to look for", option="vary")
    checked_ranges(twin, ranges, scenario)
    nominal = nominal_values(twin, ranges, scenario)

    runner = TrialRunner(twin, scenario=scenario, seconds=seconds)
    with closing(executor(cluster, workers=threads)) as pool:

        def run_all(values: Sequence[Mapping[str, float]]) -> list[Trial]:
            return _in_order(pool, runner, seed, values)

        points = _first_points(ranges, nominal, seed)[:runs]
        trials: list[Trial] = []
        scale: dict[str, float] = {}
        search: Search | None = None
        while True:
            batch = points[len(trials) : len(trials) + BATCH]
            trials += run_all([_values(point, ranges) for point in batch])
            _check_expected(trials[0])
            scale = scales(trials) if search is None else scale
            margins = np.array([least_margin(trial, scale)[0] for trial in trials])
            least = trials[int(np.argmin(margins))]
            if progress is not None:
                progress(len(trials), least, least_margin(least, scale)[1])
            failed, missed = bool(margins.min() == -math.inf), bool(margins.min() < 0.0)
            if failed or (missed and not worst) or len(trials) >= runs:
                break
            if search is not None:
                search.tell(batch, margins[-len(batch) :])
            elif len(trials) == len(points):
                search = Search(points, margins, seed)
            if search is not None:
                points = np.vstack([points, search.ask()[: runs - len(trials)]])
        smallest = shrink(least, ranges, nominal, scale, run_all) if missed and smaller else None
    return Falsification(tuple(trials), least, missed, nominal, scale, smallest)


def _in_order(pool: Executor, runner: TrialRunner, seed: int, values: Sequence[Mapping[str, float]]) -> list[Trial]:
    """The runs at some values, all with the same seed."""
    with closing(pool.run(runner, [(seed, item) for item in values])) as results:
        done = dict(results)
    return [done[index] for index in range(len(values))]


def _first_points(ranges: Mapping[str, tuple[float, float]], nominal: Mapping[str, float], seed: int) -> NDArray[np.float64]:
    """The nominal point, or the one nearest to it, and a Latin hypercube, in the unit cube; shape [n, d]."""
    count = min(max(_FIRST * len(ranges), _LEAST), _MOST)
    drawn = sample(dict.fromkeys(ranges, (0.0, 1.0)), runs=count - 1, seed=seed)
    middle = [min(max((nominal[path] - low) / (high - low or 1.0), 0.0), 1.0) for path, (low, high) in ranges.items()]
    return np.array([middle, *([values[path] for path in ranges] for values in drawn)])


def _values(point: NDArray[np.float64], ranges: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    return {path: float(low + (high - low) * x) for x, (path, (low, high)) in zip(point, ranges.items(), strict=True)}


def _check_expected(trial: Trial) -> None:
    """Refuse a scenario in which nothing can be missed."""
    if trial.error is None and all(verdict.value is None for verdict in trial.verdicts):
        what = "the run ends before anything that is expected of it" if trial.verdicts else "nothing is expected in this scenario"
        raise InputError(f"{what}, so nothing can fall short", option="scenario")
