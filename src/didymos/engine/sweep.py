"""Sweep: many runs of a twin while parameters and seeds vary, and which of them met what the scenario expects.

Each varied parameter is drawn by Latin hypercube: its range is cut into as many equal slices as there are runs, every slice
is used once, at a random place in it, in random order (McKay, Beckman & Conover 1979). So a range is covered evenly however
many parameters vary, and the mean over runs errs less than that of independent draws. Each parameter draws from a stream of
its own, keyed by its path: varying one more changes no other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from didymos.describe.path_patterns import tied_paths
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.batch import run_many
from didymos.engine.program_scope import Skipped
from didymos.engine.verdict import Verdict
from didymos.errors import InputError

__all__ = ["Trial", "sample", "sweep"]

_AT_ONCE = 4  # runs per thread whose logs are held at the same time


@dataclass(frozen=True)
class Trial:
    """One run of a sweep: its seed, the values that were varied, its verdicts, what ended it if it failed, what was skipped."""

    seed: int
    values: Mapping[str, float]
    verdicts: tuple[Verdict, ...]
    error: str | None
    skipped: tuple[Skipped, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the run came to its end and fell short of nothing."""
        return self.error is None and all(verdict.ok is not False for verdict in self.verdicts)


def sample(ranges: Mapping[str, tuple[float, float]], *, runs: int, seed: int = 0) -> list[dict[str, float]]:
    """Values by path for each run, drawn by Latin hypercube within `ranges` (low, high by path)."""
    columns = {}
    for path, (low, high) in ranges.items():
        stream = np.random.default_rng([seed, *path.encode()])
        slices = (stream.permutation(runs) + stream.random(runs)) / runs
        columns[path] = low + (high - low) * slices
    return [{path: float(column[index]) for path, column in columns.items()} for index in range(runs)]


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
    for path, (low, high) in ranges.items():
        if not low <= high:
            raise InputError(f"found a range from {low:g} to {high:g}, expected the smaller number first", path=path)
        for end in (low, high):
            twin.copy().set(path, end)
        stimuli = tuple(twin.scenarios[scenario].stimuli) if scenario is not None and scenario in twin.scenarios else ()
        if {stimulus.target for stimulus in stimuli} & set(tied_paths(path, twin.parameters)):
            raise InputError(f"a stimulus of the scenario {scenario!r} moves this parameter itself", path=path)
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
