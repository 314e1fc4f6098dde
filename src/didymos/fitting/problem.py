"""The residual of a twin over recordings: parameters in, weighted errors out, many sets of parameters at once.

    r = sqrt(w) (twin - recording)    at every stamp of every channel;    loss = sum r^2

Parameters are counted from 0 at their lower to 1 at their upper bound. Each thread has a worker of its own (one simulation per
recording, built once); a run sets the parameters, starts anew and depends on nothing else, so the number of threads does not
matter. The compiled loop releases the interpreter, so threads are enough.
"""

from __future__ import annotations

import os
import queue
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.engine.simulation import Simulation
from didymos.errors import InputError, RunError
from didymos.fitting.recording import Recording

__all__ = ["Bound", "Problem"]

_Array = NDArray[np.float64]
_FAILED = 10.0  # a run that fails counts as an error of so many times the recording's own size


@dataclass(frozen=True)
class Bound:
    """A parameter that may move: its path or a pattern, between which values, and the paths that move with it."""

    path: str
    low: float
    high: float
    paths: tuple[str, ...]


class Problem:
    """What is fitted to what. `watch` is given the number of runs so far and the least loss, whenever there is news."""

    def __init__(
        self,
        twin: Twin,
        recordings: Sequence[Recording],
        bounds: Sequence[Bound],
        *,
        threads: int | None = None,
        watch: Callable[[int, float], None] | None = None,
    ) -> None:
        self.twin, self.recordings, self.bounds = twin, tuple(recordings), tuple(bounds)
        self.low = np.array([bound.low for bound in bounds])
        self.high = np.array([bound.high for bound in bounds])
        self.weights = [channel.column.weight for recording in recordings for channel in recording.channels]
        self.runs = 0
        self.best, self.best_loss = self.start(), np.inf
        self._watch = watch
        self._failure = np.concatenate(
            [np.full(len(channel.time), _FAILED * np.sqrt(channel.column.weight) * max(float(np.std(channel.values)), 1e-9))
             for recording in recordings for channel in recording.channels]
        )  # fmt: skip
        count = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(max_workers=count, thread_name_prefix="didymos-fit")
        self._workers: queue.SimpleQueue[list[Simulation]] = queue.SimpleQueue()
        for _ in range(count):
            self._workers.put([Simulation(twin, scenario=recording.scenario) for recording in recordings])

    def start(self) -> _Array:
        """The twin's own values, counted from 0 to 1."""
        return (np.array([self.twin.get(bound.paths[0]) for bound in self.bounds]) - self.low) / (self.high - self.low)

    def values(self, point: _Array) -> dict[str, float]:
        """Values of a point between 0 and 1, by the paths and patterns of the bounds."""
        values = self.low + np.clip(np.ravel(point), 0.0, 1.0) * (self.high - self.low)
        return {bound.path: float(value) for bound, value in zip(self.bounds, values, strict=True)}

    def residuals(self, points: _Array) -> _Array:
        """Residuals of points, shape [parameters, k] -> [samples, k]; one point of shape [parameters] -> [samples]."""
        columns = np.asarray(points, dtype=np.float64).reshape(len(self.bounds), -1)
        residuals = np.column_stack(list(self._pool.map(self._residual, columns.T)))
        losses = np.einsum("ij,ij->j", residuals, residuals)
        self.runs += columns.shape[1]
        least = int(np.argmin(losses))
        if losses[least] < self.best_loss:
            self.best, self.best_loss = np.clip(columns[:, least], 0.0, 1.0), float(losses[least])
        if self._watch is not None:
            self._watch(self.runs, self.best_loss)
        return residuals[:, 0] if np.ndim(points) == 1 else residuals

    def losses(self, points: _Array) -> _Array:
        """Losses of points, shape [parameters, k] -> [k]."""
        residuals = self.residuals(points.reshape(len(self.bounds), -1))
        return np.einsum("ij,ij->j", residuals, residuals)

    def simulate(self, point: _Array) -> list[dict[str, _Array]]:
        """The twin's signals at the stamps of each recording's channels, by signal; a run that fails is a `RunError`."""
        worker = self._workers.get()
        try:
            return [self._run(simulation, recording, self.values(point))
                    for simulation, recording in zip(worker, self.recordings, strict=True)]  # fmt: skip
        finally:
            self._workers.put(worker)

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown(cancel_futures=True)

    def _residual(self, point: _Array) -> _Array:
        try:
            runs = self.simulate(point)
        except RunError:
            return self._failure
        pieces = []
        for recording, signals in zip(self.recordings, runs, strict=True):
            for channel in recording.channels:
                pieces.append(np.sqrt(channel.column.weight) * (signals[channel.column.signal] - channel.values))
        return np.concatenate(pieces)

    def _run(self, simulation: Simulation, recording: Recording, values: Mapping[str, float]) -> dict[str, _Array]:
        spread = {path: values[bound.path] for bound in self.bounds for path in bound.paths}
        simulation.set_all({path: value for path, value in spread.items() if not path.startswith("start.")})
        simulation.begin_at({path: value for path, value in spread.items() if path.startswith("start.")})
        simulation.reset()
        rate = self.twin.file.record.rate
        log = simulation.run(recording.seconds + 1.0 / rate + simulation.period)
        signals = {}
        for channel in recording.channels:
            try:
                signal = log[channel.column.signal]
            except InputError as error:
                raise InputError(error.message, file=self.twin.source, path=f"fit.columns.{channel.column.name}") from None
            signals[channel.column.signal] = np.interp(channel.time, signal.time, signal.values)
        return signals
