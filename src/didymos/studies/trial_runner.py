"""What a worker of a sweep does: a seed and values in, a trial out, on a simulation that is kept ready (`engine/rerun.py`).

A runner travels to the workers of a cluster (`cluster/`); the simulations that it keeps stay where they are, one for each thread
that calls it. A trial hangs on its seed and values alone, so it is the same to the bit wherever it is run.

Signals that are kept are sampled at t_k = k / rate, k = 0, 1, ...: the last value at or before t_k, NaN where there is none
yet. A run that failed has them until it did.
"""

from __future__ import annotations

import queue
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.rerun import Reruns
from didymos.engine.simulation import Simulation
from didymos.engine.verdict import Verdict
from didymos.engine.world_simulation import simulation_of
from didymos.errors import InputError, RunError
from didymos.record.log import Log
from didymos.studies.trial import Trial

__all__ = ["SAMPLES_PER_SECOND", "TrialRunner"]

SAMPLES_PER_SECOND = 10.0
"""[Hz] of a signal that is kept, unless another rate is asked for."""

_LATE = 1e-9  # [s] by which a stamp may be off


class TrialRunner:
    """Runs of a twin or a world in a scenario for a time [s]; `keep` names the signals of which samples are kept."""

    def __init__(
        self,
        twin: Twin | World,
        *,
        scenario: str | None = None,
        seconds: float | None = None,
        keep: Sequence[str] = (),
        keep_rate: float = SAMPLES_PER_SECOND,
    ) -> None:
        if not 0.0 < keep_rate < np.inf:
            raise InputError(f"found {keep_rate:g}, expected a rate above 0 Hz", option="keep_rate")
        self.twin, self.scenario, self.seconds, self.keep, self.keep_rate = twin, scenario, seconds, tuple(keep), keep_rate
        self._free: queue.SimpleQueue[Reruns] = queue.SimpleQueue()

    def __call__(self, drawn: tuple[int, Mapping[str, float]]) -> Trial:
        """The run of a seed and values by path."""
        seed, values = drawn
        try:
            reruns = self._free.get_nowait()
        except queue.Empty:
            reruns = Reruns(self.twin, self.scenario)
        try:
            return self._run(reruns.begin(seed, values), values)
        finally:
            self._free.put(reruns)

    def expected(self) -> tuple[tuple[Verdict, ...], Simulation]:
        """What runs are judged by, without values, and a simulation of the twin as it is; signals to keep that no run has are
        an `InputError`."""
        simulation = simulation_of(self.twin, scenario=self.scenario)
        log = simulation.new_log()
        self._signals(log)
        return simulation.judge(log), simulation

    def _run(self, simulation: Simulation, values: Mapping[str, float]) -> Trial:
        verdicts: tuple[Verdict, ...] = ()
        error: str | None = None
        log: Log | None = None
        try:
            judged = simulation.judged
            log = simulation.run(self.seconds, only=None if judged is None else (*judged, *self.keep))
            verdicts = simulation.judge(log)
        except RunError as failed:
            log, error = failed.log if log is None else log, str(failed)
        signals = {} if log is None else self._signals(log)
        if not simulation.is_undisturbed:
            simulation.close()  # a program, an FMU: nobody keeps it
        return Trial(simulation.seed, dict(values), verdicts, error, simulation.skipped, signals)

    def _signals(self, log: Log) -> dict[str, tuple[float, ...]]:
        """Samples of the signals that are kept."""
        found = {}
        for name in self.keep:
            signal = log[name]
            last = signal.time[-1] if len(signal.time) else -1.0
            times = np.arange(int(np.floor((last + _LATE) * self.keep_rate)) + 1) / self.keep_rate
            before = np.searchsorted(signal.time, times + _LATE, side="right") - 1
            samples = np.where(before < 0, np.nan, signal.values[np.maximum(before, 0)]) if len(times) else np.empty(0)
            found[name] = tuple(samples.tolist())
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_free"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _free=queue.SimpleQueue())
