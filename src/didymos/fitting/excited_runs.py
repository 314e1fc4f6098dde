"""Runs of a twin under excitations, many at once: what they recorded, and which links met that should not.

A worker has one simulation, and goes from one excitation and one set of values to the next; a run depends on nothing that was
before it, so the number of threads does not matter. The compiled loop releases the interpreter, so threads are enough.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from didymos.control.stimulus import StimulusSpec
from didymos.describe.twin import Twin
from didymos.engine.sampler import Sampler, Samples
from didymos.engine.sampling import Sampling
from didymos.errors import RunError

__all__ = ["Excited", "ExcitedRuns", "Trial"]

Pair = tuple[str, str]


@dataclass(frozen=True)
class Trial:
    """A run that is wanted: under these stimuli, with these values by path, and of this seed."""

    stimuli: tuple[StimulusSpec, ...]
    values: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Excited:
    """What a run gave: its samples, None where it failed and `why`; the pairs of bodies that touched."""

    samples: Samples | None
    touched: frozenset[Pair]
    why: str = ""


class ExcitedRuns:
    """Runs of a twin in a scenario whose last stimuli are an excitation's; all of `seconds` [s], taking these signals."""

    def __init__(
        self, twin: Twin, scenario: str | None, signals: Sequence[str], seconds: float, *, threads: int | None = None
    ) -> None:
        self._twin, self._scenario, self._seconds = twin, scenario, seconds
        self._sampling = Sampling((), 0, tuple(signals), seconds + 2.0 / twin.file.record.rate)
        self.count = 0
        threads = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="didymos-design")
        self._workers: queue.SimpleQueue[Sampler | None] = queue.SimpleQueue()
        for _ in range(threads):
            self._workers.put(None)

    def run(self, trials: Sequence[Trial]) -> list[Excited]:
        """All of them, in their order."""
        self.count += len(trials)
        return list(self._pool.map(self._run, trials))

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown(cancel_futures=True)

    def _run(self, trial: Trial) -> Excited:
        sampler = self._workers.get()
        try:
            if sampler is None:
                sampler = Sampler(self._twin, self._scenario, self._sampling)
            return _excited(sampler, trial, self._seconds)
        finally:
            self._workers.put(sampler)


def _excited(sampler: Sampler, trial: Trial, seconds: float) -> Excited:
    simulation = sampler.simulation
    names = [simulation.built.assembly.model.body(i).name for i in range(simulation.built.assembly.model.nbody)]
    bodies, data = simulation.built.assembly.model.geom_bodyid, simulation.data
    touched: set[Pair] = set()

    def look() -> None:
        for geoms in data.contact.geom if data.ncon else ():
            one, other = sorted(names[bodies[geom]] for geom in geoms)
            touched.add((one, other))

    sampler.stimulate(trial.stimuli)
    sampler.set_values(trial.values)
    simulation.seed = trial.seed
    try:
        return Excited(sampler.run_from_start(seconds, look=look), frozenset(touched))
    except RunError as error:
        return Excited(None, frozenset(touched), str(error))
