"""Sweep: many runs of a twin while parameters and seeds vary, and which of them met what the scenario expects.

    draws -> executor -> trials as they come -> store

Run i has the seed `seed + i`. Where a store is given (`store.py`), trials go there and are not held in memory; runs that it has
already are not made again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing

from didymos.cluster.executor import Executor, executor
from didymos.cluster.remote import ItemLost
from didymos.describe.path_patterns import tied_paths
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.errors import InputError, RunError
from didymos.studies.sampling import sample
from didymos.studies.store import SweepStore
from didymos.studies.trial import Trial
from didymos.studies.trial_runner import TrialRunner

__all__ = ["check_ranges", "run_trials", "sweep", "sweep_into"]


def sweep(
    twin: Twin | World,
    ranges: Mapping[str, tuple[float, float]],
    *,
    runs: int,
    scenario: str | None = None,
    seconds: float | None = None,
    seed: int = 0,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Trial]:
    """Run a twin `runs` times with the seeds `seed`, `seed + 1`, ...; the same result on any threads and any cluster.

    `cluster` is where (`cluster/executor.py`), `threads` how many workers. `progress` is called with the number of runs that are
    done.
    """
    check_ranges(twin, ranges, scenario)
    drawn = sample(ranges, runs=runs, seed=seed)
    trials: dict[int, Trial] = {}
    with closing(executor(cluster, workers=threads)) as pool:
        runner = TrialRunner(twin, scenario=scenario, seconds=seconds)
        for index, trial in run_trials(pool, runner, list(enumerate(drawn)), seed):
            trials[index] = trial
            if progress is not None:
                progress(len(trials))
    return [trials[index] for index in range(runs)]


def sweep_into(
    store: SweepStore,
    runner: TrialRunner,
    drawn: Sequence[Mapping[str, float]],
    *,
    seed: int = 0,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Make the runs that a store does not have yet, and put them there as they come."""
    missing = [(index, values) for index, values in enumerate(drawn) if index not in store]
    done = len(drawn) - len(missing)
    if not missing:
        return
    with closing(executor(cluster, workers=threads)) as pool, closing(run_trials(pool, runner, missing, seed)) as trials:
        for index, trial in trials:
            store.add(index, trial)
            done += 1
            if progress is not None:
                progress(done)


def run_trials(
    pool: Executor, runner: TrialRunner, drawn: Sequence[tuple[int, Mapping[str, float]]], seed: int
) -> Generator[tuple[int, Trial], None, None]:
    """The trials of numbered draws, as they come; number i has the seed `seed + i`."""
    items = ((seed + index, values) for index, values in drawn)
    try:
        with closing(pool.run(runner, items)) as results:
            for place, trial in results:
                yield drawn[place][0], trial
    except ItemLost as lost:
        index, values = drawn[lost.index]
        given = "".join(f" {path}={value!r}" for path, value in values.items())
        raise RunError(f"the run of seed {seed + index}{given} ends the process that runs it: {lost}") from lost


def check_ranges(twin: Twin | World, ranges: Mapping[str, tuple[float, float]], scenario: str | None) -> None:
    """Refuse ranges that a twin cannot have, or that a stimulus of the scenario moves through itself."""
    for path, (low, high) in ranges.items():
        if not low <= high:
            raise InputError(f"found a range from {low:g} to {high:g}, expected the smaller number first", path=path)
        for end in (low, high):
            twin.copy().set(path, end)
        stimuli = tuple(twin.scenarios[scenario].stimuli) if scenario is not None and scenario in twin.scenarios else ()
        if {stimulus.target for stimulus in stimuli} & set(tied_paths(path, twin.parameters)):
            raise InputError(f"a stimulus of the scenario {scenario!r} moves this parameter itself", path=path)
