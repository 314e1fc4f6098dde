"""Many runs of a twin on all cores, each to the same bits as alone.

The compiled loop releases the interpreter, and the callback keeps nothing outside the model and the data it is handed; so
whole runs (sensors, control and record included) go side by side on threads. `mujoco.batch` steps our models as well and
gives the same states, but it steps physics only: readings and programs between its steps would wait for each other.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.program_scope import Skipped
from didymos.engine.saved_state import State
from didymos.engine.verdict import Verdict
from didymos.engine.world_simulation import simulation_of
from didymos.errors import InputError, RunError
from didymos.record.log import Log

__all__ = ["Outcome", "run_many"]


@dataclass(frozen=True)
class Outcome:
    """One run of many: its seed, the values it was given, its log, its last state and its verdicts.

    A run that failed has its `error`, the log and the state until then, and no verdicts; the others go on.
    """

    seed: int
    values: Mapping[str, float]
    log: Log
    state: State
    verdicts: tuple[Verdict, ...]
    error: RunError | None = None
    skipped: tuple[Skipped, ...] = ()
    """What of the scenario does not apply to the program that ran."""


def run_many(
    twin: Twin | World,
    *,
    seeds: Sequence[int],
    values: Sequence[Mapping[str, float]] | None = None,
    scenario: str | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Outcome]:
    """Run a twin or a world once per seed (and set of values by path), on `threads` threads (all cores by default), in order."""
    given = values if values is not None else [{}] * len(seeds)
    if len(given) != len(seeds):
        raise InputError(f"found {len(seeds)} seeds and {len(given)} sets of values, expected as many of one as of the other")
    simulations = []
    for seed, overrides in zip(seeds, given, strict=True):
        changed = twin.copy()
        for path, value in overrides.items():
            changed.set(path, value)
        simulations.append(simulation_of(changed, seed=seed, scenario=scenario))

    def finish(index: int) -> Outcome:
        simulation = simulations[index]
        try:
            log = simulation.run(seconds)
        except RunError as error:
            return Outcome(simulation.seed, given[index], error.log, simulation.save(), (), error, simulation.skipped)
        if progress is not None:
            progress(index)
        return Outcome(simulation.seed, given[index], log, simulation.save(), simulation.judge(log), None, simulation.skipped)

    with ThreadPoolExecutor(max_workers=threads or os.cpu_count() or 1) as pool:
        return list(pool.map(finish, range(len(simulations))))
