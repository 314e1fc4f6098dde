"""Sweep: many runs of a twin while parameters and seeds vary, and which of them met what the scenario expects."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.batch import run_many
from didymos.studies.ranges import check_ranges
from didymos.studies.sampling import sample
from didymos.studies.trial import Trial

__all__ = ["sweep"]

_AT_ONCE = 4  # runs per thread whose logs are held at the same time


def sweep(
    twin: Twin | World,
    ranges: Mapping[str, tuple[float, float]],
    *,
    runs: int,
    scenario: str | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Trial]:
    """Run a twin `runs` times with the seeds `seed`, `seed + 1`, ...; the same result at any number of threads.

    `progress` is called with the number of runs that are done. Logs are judged and dropped, so memory does not grow with
    the number of runs.
    """
    check_ranges(twin, ranges, scenario)
    drawn = sample(ranges, runs=runs, seed=seed)
    together = _AT_ONCE * (threads or os.cpu_count() or 1)
    trials: list[Trial] = []
    for first in range(0, runs, together):
        values = drawn[first : first + together]
        seeds = range(seed + first, seed + first + len(values))
        done = run_many(twin, seeds=seeds, values=values, scenario=scenario, seconds=seconds, threads=threads)
        for outcome in done:
            error = None if outcome.error is None else str(outcome.error)
            trials.append(Trial(outcome.seed, outcome.values, outcome.verdicts, error, outcome.skipped))
        if progress is not None:
            progress(len(trials))
    return trials
