"""Sweep: many runs of a twin while parameters and seeds vary, and which of them met what the scenario expects.

    plan -> executor -> trials as they come -> store

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
from didymos.studies.distribution import Distribution, Range, distributions
from didymos.studies.plan import Plan, make_plan
from didymos.studies.store import SweepStore
from didymos.studies.trial import Trial
from didymos.studies.trial_runner import TrialRunner

__all__ = ["checked_ranges", "run_plan", "run_trials", "sweep", "sweep_into"]


def sweep(
    twin: Twin | World,
    ranges: Mapping[str, Range],
    *,
    runs: int,
    scenario: str | None = None,
    seconds: float | None = None,
    seed: int = 0,
    sampling: str = "latin",
    until: float | None = None,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Trial]:
    """Run a twin `runs` times with the seeds `seed`, `seed + 1`, ...; the same result on any threads and any cluster.

    `sampling` says how values are drawn (`sampling.py`, or "rare"); `until`: no more runs than it takes (`plan.py`).
    `cluster` is where (`cluster/executor.py`), `threads` how many workers. `progress` is called with the number of runs that are
    done.
    """
    plan = make_plan(checked_ranges(twin, ranges, scenario), runs=runs, seed=seed, sampling=sampling, until=until)
    runner = TrialRunner(twin, scenario=scenario, seconds=seconds)
    trials: dict[int, Trial] = {}
    for index, trial, _ in run_plan(plan, runner, seed=seed, threads=threads, cluster=cluster):
        trials[index] = trial
        if progress is not None:
            progress(len(trials))
    return [trials[index] for index in range(len(trials))]


def sweep_into(
    store: SweepStore,
    runner: TrialRunner,
    plan: Plan,
    *,
    seed: int = 0,
    threads: int | None = None,
    cluster: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> None:
    """Make the runs of a plan that a store does not have yet, and put them there as they come."""
    done = len(store)
    with closing(run_plan(plan, runner, seed=seed, threads=threads, cluster=cluster, store=store)) as trials:
        for index, trial, weight in trials:
            store.add(index, trial, weight)
            done += 1
            if progress is not None:
                progress(done)


def run_plan(
    plan: Plan,
    runner: TrialRunner,
    *,
    seed: int = 0,
    threads: int | None = None,
    cluster: str | None = None,
    store: SweepStore | None = None,
) -> Generator[tuple[int, Trial, float | None], None, None]:
    """Number, trial and weight of the runs of a plan, as they come; those that `store` has are not made again.

    Batches of a plan that does not listen are not held.
    """
    kept = dict(store.kept()) if store is not None and plan.listens else {}
    first, batch = 0, plan.ask()
    with closing(_LatePool(cluster, threads)) as pool:
        while batch:
            numbered = list(enumerate(batch, start=first))
            missing = [(index, draw.values) for index, draw in numbered if store is None or index not in store]
            told = {index: kept[index] for index, _ in numbered if index in kept}
            with closing(run_trials(pool.executor(), runner, missing, seed) if missing else _nothing()) as trials:
                for index, trial in trials:
                    yield index, trial, batch[index - first].weight
                    if plan.listens:
                        told[index] = trial
            first += len(batch)
            if plan.listens:
                plan.tell([told[index] for index, _ in numbered])
            batch = plan.ask()


class _LatePool:
    """An executor that is made when it is first asked for: a sweep that is whole needs none."""

    def __init__(self, cluster: str | None, workers: int | None) -> None:
        self._cluster, self._workers = cluster, workers
        self._made: Executor | None = None

    def executor(self) -> Executor:
        if self._made is None:
            self._made = executor(self._cluster, workers=self._workers)
        return self._made

    def close(self) -> None:
        if self._made is not None:
            self._made.close()


def _nothing() -> Generator[tuple[int, Trial], None, None]:
    yield from ()


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


def checked_ranges(twin: Twin | World, ranges: Mapping[str, Range], scenario: str | None) -> dict[str, Distribution]:
    """What parameters are drawn from, cut at their own bounds where it has no ends.

    Ranges that a twin cannot have are refused, and those of parameters that a stimulus of the scenario moves itself.
    """
    fitting = {}
    for path, given in distributions(ranges).items():
        for end in given.ends:
            twin.copy().set(path, end)
        tied = [twin.parameters[name] for name in tied_paths(path, twin.parameters)]
        stimuli = tuple(twin.scenarios[scenario].stimuli) if scenario is not None and scenario in twin.scenarios else ()
        if {stimulus.target for stimulus in stimuli} & {parameter.path for parameter in tied}:
            raise InputError(f"a stimulus of the scenario {scenario!r} moves this parameter itself", path=path)
        lows, highs = [p.low for p in tied if p.low is not None], [p.high for p in tied if p.high is not None]
        fitting[path] = given.within(max(lows, default=None), min(highs, default=None))
    return fitting
