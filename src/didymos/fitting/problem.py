"""The residual of a twin over segments of recordings: coordinates in, weighted errors out, many points at once.

    r = sqrt(w) (twin - recording)    at every stamp of every channel of every segment;    loss = sum r^2

then one entry for each prior, (value - mean) / sd times the size of the noise in the same units, so that it weighs as one sample.

A run that fails, or whose values no robot can have (an inertia that belongs to no body), counts as far away: ten times the size
of the recording, or of the first error where that is larger. Such a point is never the best, and no slope is taken across it.

A worker is a predictor (`prediction.py`), which goes through segments one by one. A run depends on nothing that was before it, so
the number of threads does not matter. The compiled loop releases the interpreter, so threads are enough.
"""

from __future__ import annotations

import contextlib
import os
import queue
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.errors import InputError, RunError
from didymos.fitting.blocks import Block
from didymos.fitting.described import DescribedTwins, arguments_of
from didymos.fitting.parameterization import Parameterization
from didymos.fitting.prediction import Predictor, State
from didymos.fitting.recording import Recording
from didymos.fitting.residual_rows import ResidualRows
from didymos.fitting.segments import Segment
from didymos.fitting.signals import channel_error
from didymos.fitting.slopes import one_or_both_ways
from didymos.fitting.start_estimates import StartEstimates
from didymos.fitting.start_states import StartStates

__all__ = ["Problem"]

_Array = NDArray[np.float64]
_OFFSET = "recording.clock_offset"
_BLOCK = 32  # windows that a worker does in one go


class Problem:
    """What is fitted to what. `watch` is given the number of runs so far and the least loss, whenever there is news."""

    def __init__(
        self,
        twin: Twin,
        recordings: Sequence[Recording],
        segments: Sequence[Segment],
        parameters: Parameterization,
        *,
        noise: float = 1.0,
        look_back: float = 0.0,
        estimate_starts: bool = False,
        threads: int | None = None,
        watch: Callable[[int, float], None] | None = None,
    ) -> None:
        self.twin, self.recordings, self.segments, self.parameters = twin, tuple(recordings), tuple(segments), parameters
        self.noise = noise
        self.runs = 0
        self.start = parameters.start
        self.best, self.best_loss = self.start, np.inf
        self.low, self.high = np.zeros(parameters.size), np.ones(parameters.size)
        self.met_impossible = False
        """Whether a run had values that no robot can have."""
        self._watch = watch
        self._rows = ResidualRows(self.recordings, self.segments)
        self._far: _Array | None = None  # the errors of a run that fails, once there was one that did not; shape [samples]
        self._blocks = self._cut()
        count = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(max_workers=count, thread_name_prefix="didymos-fit")
        self._workers: queue.SimpleQueue[Predictor] = queue.SimpleQueue()
        described = DescribedTwins(twin)
        for _ in range(count):
            self._workers.put(Predictor(twin, self.recordings, self.segments, described, look_back))
        self._starts: list[State | None] = []
        self._estimates: StartEstimates | None = None
        self._begin(estimate_starts)

    # where things are

    @property
    def samples(self) -> int:
        """Entries of the residual that are errors, without priors."""
        return self._rows.count

    def rows(self, segment: int) -> tuple[slice, ...]:
        """Where in the residual the errors of a segment's channels lie."""
        return self._rows.channels[segment]

    def blocks(self) -> list[Block]:
        """Rows of each axis of each channel, with what is known of its noise."""
        return self._rows.blocks()

    def _cut(self) -> list[range]:
        """Segments that are done in one go: a whole recording alone, windows by the dozen."""
        blocks, first = [], 0
        while first < len(self.segments):
            here = self.segments[first]
            last = first + 1
            while (
                here.measured and last < len(self.segments) and last - first < _BLOCK
                and self.segments[last].recording == here.recording
            ):  # fmt: skip
                last += 1
            blocks.append(range(first, last))
            first = last
        return blocks

    def _begin(self, estimate: bool) -> None:
        """Find the measured state in which each window begins, and what makes a better one of it."""
        self._starts = [None] * len(self.segments)
        if not any(segment.measured for segment in self.segments):
            return
        worker = self._workers.get()
        try:
            states: dict[int, StartStates] = {}
            for i, segment in enumerate(self.segments):
                if segment.recording not in states:
                    recording = self.recordings[segment.recording]
                    arguments = arguments_of(self.parameters.values(self.start))
                    simulation = worker.sampler(recording, arguments).simulation
                    root = simulation.links.root_body(simulation.model)
                    states[segment.recording] = StartStates(self.twin, simulation.model, root, recording)
                self._starts[i] = states[segment.recording].at(segment.at)
            if estimate:
                spreads = {recording: found.spread() for recording, found in states.items()}
                self._estimates = StartEstimates(
                    simulation.model, [start for start in self._starts if start is not None],
                    [spreads[segment.recording] for segment in self.segments],
                    [self._rows.of(range(i, i + 1)) for i in range(len(self.segments))], self.parameters.size, self.noise,
                )  # fmt: skip
        finally:
            self._workers.put(worker)

    # what is asked of it

    def residuals(self, points: _Array) -> _Array:
        """Residuals of points, shape [n, k] -> [entries, k]; one point of shape [n] -> [entries]."""
        residuals, _ = self._evaluate(points)
        return residuals[:, 0] if np.ndim(points) == 1 else residuals

    def residuals_or_failed(self, points: _Array) -> tuple[_Array, NDArray[np.bool_]]:
        """Residuals of points, shape [n, k] -> [entries, k], and which of them hold a run that failed, shape [k]."""
        residuals, failed = self._evaluate(points)
        return residuals, np.asarray(failed.any(axis=0))

    def _evaluate(self, points: _Array, starts: _Array | None = None) -> tuple[_Array, NDArray[np.bool_]]:
        """Residuals of points, shape [n, k] -> [entries, k], and which errors are those of failed runs, shape [samples, k].

        Windows begin at `starts`, shape [windows, nz], in all of them, or at those that go with each point.
        """
        columns = np.clip(np.asarray(points, dtype=np.float64).reshape(len(self.low), -1).T, self.low, self.high)
        begun = self._starts_at(columns) if starts is None else [starts] * len(columns)
        errors, failed = self._run(columns, begun)
        priors = [self.noise * self.parameters.prior(column) for column in columns]
        if self._estimates is not None:
            priors = [np.concatenate([x, self._estimates.prior(z)]) for x, z in zip(priors, begun, strict=True)]
        residuals = np.vstack([errors, np.column_stack(priors)])
        losses = np.where(failed.any(axis=0), np.inf, np.einsum("ij,ij->j", residuals, residuals))
        least = int(np.argmin(losses))
        if losses[least] < self.best_loss:
            self.best, self.best_loss = columns[least].copy(), float(losses[least])
        if self._watch is not None:
            self._watch(self.runs, self.best_loss)
        return residuals, failed

    def _starts_at(self, columns: _Array) -> list[_Array]:
        nothing = np.empty((len(self.segments), 0))
        return [nothing if self._estimates is None else self._estimates.at(column) for column in columns]

    def _run(self, columns: _Array, starts: Sequence[_Array]) -> tuple[_Array, NDArray[np.bool_]]:
        """Errors of points, shape [k, n] -> [samples, k], with their starts, and which of them are those of failed runs."""
        errors = np.empty((self.samples, len(columns)))
        tasks = [(k, block) for k in range(len(columns)) for block in self._blocks]

        def work(task: tuple[int, range]) -> None:
            k, block = task
            errors[self._rows.of(block), k] = self._errors(columns[k], block, starts[k])

        list(self._pool.map(work, tasks))
        self.runs += len(columns)
        return errors, self._fill_failed(errors)

    def settle(self, point: _Array, *, anew: bool = False) -> None:
        """Let the starts of windows, where they are estimated, be those that are best at a point; `anew` from the measured."""
        if self._estimates is not None:
            if anew:
                self._estimates.begin(point)
            self._estimates.settle(point, self._run_starts)

    def finish(self) -> None:
        """Bring the starts of windows, and the least loss, up to date with the best point."""
        if self._estimates is not None:
            self.settle(self.best)
            self.best_loss = np.inf
            self.residuals(self.best)

    @property
    def estimates_starts(self) -> bool:
        """Whether windows begin at starts that are estimated; their entries of the residual come last."""
        return self._estimates is not None

    @property
    def recording_of(self) -> NDArray[np.int64]:
        """The recording of each error, shape [samples]."""
        return self._rows.recording

    @property
    def lost_degrees(self) -> float:
        """Degrees of freedom that estimated starts took from the errors."""
        return 0.0 if self._estimates is None else self._estimates.lost

    def _run_starts(self, point: _Array, starts: _Array) -> tuple[_Array, NDArray[np.bool_]]:
        """Errors of a point [n] with several starts, shape [k, windows, nz] -> [samples, k]."""
        return self._run(np.repeat(point[None], len(starts), axis=0), list(starts))

    def _fill_failed(self, errors: _Array) -> NDArray[np.bool_]:
        """Put large errors where runs failed, which are no numbers so far; where that was, shape [samples, k]."""
        failed = ~np.isfinite(errors)
        columns = failed.any(axis=0)
        if self._far is None and not columns.all():
            self._far = self._rows.far_from(errors[:, int(np.argmin(columns))])
        if columns.any():
            far = self._far if self._far is not None else self._rows.far_from(np.zeros(self.samples))
            errors[failed] = np.broadcast_to(far[:, None], errors.shape)[failed]
        return failed

    def losses(self, points: _Array) -> _Array:
        """Losses of points, shape [n, k] -> [k]."""
        residuals = self.residuals(points.reshape(len(self.low), -1))
        return np.einsum("ij,ij->j", residuals, residuals)

    def losses_by_recording(self, points: _Array) -> _Array:
        """Sums of squared errors, shape [n, k] -> [recordings, k]."""
        residuals = self.residuals(points.reshape(len(self.low), -1))
        found = np.zeros((len(self.recordings), residuals.shape[1]))
        for i, segment in enumerate(self.segments):
            part = residuals[self._rows.of(range(i, i + 1))]
            found[segment.recording] += np.einsum("ij,ij->j", part, part)
        return found

    def jacobian(self, point: _Array, step: float, *, central: bool = False) -> _Array:
        """Slopes of the residual, shape [entries, n]: differences of `step`, into the bounds; both ways where `central`.

        Coordinates of different recordings are moved at once: each entry knows one of them only. Where the run of one side fails
        the slope is that of the other side; where both fail it is nothing. Estimated starts follow (`start_estimates.py`).
        """
        colours = self.parameters.colours()
        starts = None if self._estimates is None else self._estimates.at(point)
        ahead = np.where(point + step <= self.high, step, -step)
        back = np.where((point - ahead >= self.low) & (point - ahead <= self.high), -ahead, 0.0)
        both = list(range(len(colours))) if central else []
        trials = [point, *self._moved(point, ahead, colours, range(len(colours))), *self._moved(point, back, colours, both)]
        residuals, failed = self._evaluate(np.column_stack(trials), starts)
        if not central:
            both = [c for c in range(len(colours)) if failed[:, 1 + c].any()]
            if both:
                more, lost = self._evaluate(np.column_stack(self._moved(point, back, colours, both)), starts)
                residuals, failed = np.hstack([residuals, more]), np.hstack([failed, lost])
        jacobian = np.zeros((len(residuals), len(self.low)))
        rows = np.arange(self.samples)
        for c, members in enumerate(colours):
            owner = members[self._rows.recording] if len(members) > 1 else np.full(self.samples, members[0])
            second = 1 + len(colours) + both.index(c) if c in both else 0
            slopes = one_or_both_ways(
                residuals[: self.samples, [0, 1 + c, second]], failed[:, [0, 1 + c, second]], ahead[owner],
                back[owner] if second else np.zeros(self.samples), self.recording_of,
            )  # fmt: skip
            jacobian[rows, owner] = slopes
        priors = self.prior_slopes()  # each of one group's own
        jacobian[self.samples : self.samples + len(priors)] = priors
        if self._estimates is not None:
            errors, of_starts = self._estimates.eliminate(point, jacobian[: self.samples], self._run_starts)
            jacobian = np.vstack([errors, priors, of_starts])
        return jacobian

    def _moved(self, point: _Array, widths: _Array, colours: list[NDArray[np.int64]], chosen: Iterable[int]) -> list[_Array]:
        """A point, moved along each of some colours."""
        trials = []
        for c in chosen:
            trials.append(point.copy())
            trials[-1][colours[c]] += widths[colours[c]]
        return trials

    def prior_slopes(self) -> _Array:
        """Slopes of the priors' entries, shape [priors, n]: the same everywhere."""
        step, point = 1e-6, self.parameters.start
        columns = []
        for i in range(len(point)):
            moved = point.copy()
            moved[i] += step
            columns.append(self.noise * (self.parameters.prior(moved) - self.parameters.prior(point)) / step)
        return np.column_stack(columns) if columns else np.empty((0, 0))

    def predictions(self, point: _Array, late: float = 0.0) -> list[list[_Array]]:
        """What the twin says of each segment's channels, shape [n, k] each; a run that fails is a `RunError`.

        With recordings that are `late` [s] beside the clock offsets that they have.
        """
        point = np.clip(point, self.low, self.high)
        (starts,) = self._starts_at(point[None])
        worker = self._workers.get()
        try:
            return [self._predict(worker, point, i, starts[i], late) for i in range(len(self.segments))]
        finally:
            self._workers.put(worker)

    def lag_slopes(self, point: _Array) -> _Array:
        """How errors change with a lag of their channel [1/s], shape [samples]: central differences over a recorded interval."""
        step = 0.5 / self.twin.file.record.rate
        ahead, behind = (
            np.concatenate([part for i, said in enumerate(self.predictions(point, late)) for part in self._weighted(i, said)])
            for late in (-step, step)
        )
        return (behind - ahead) / (2.0 * step)

    def predictions_or_none(self, point: _Array) -> list[list[_Array] | None]:
        """The same on all cores, with None for a run that fails."""
        found: list[list[_Array] | None] = [None] * len(self.segments)
        point = np.clip(point, self.low, self.high)
        (starts,) = self._starts_at(point[None])

        def work(block: range) -> None:
            worker = self._workers.get()
            try:
                for i in block:
                    with contextlib.suppress(RunError):
                        found[i] = self._predict(worker, point, i, starts[i])
            finally:
                self._workers.put(worker)

        list(self._pool.map(work, self._blocks))
        return found

    def close(self) -> None:
        """Let the threads go."""
        self._pool.shutdown(cancel_futures=True)

    # inside

    def _errors(self, point: _Array, block: range, starts: _Array) -> _Array:
        """Weighted errors of some segments, one after the other."""
        worker = self._workers.get()
        try:
            pieces = []
            for i in block:
                try:
                    found = self._predict(worker, point, i, starts[i])
                except RunError:
                    found = None
                except InputError:  # the start's values were fine: these no robot can have
                    found = None
                    self.met_impossible = True
                if found is None:
                    rows = self._rows.of(range(i, i + 1))
                    pieces.append(np.full(rows.stop - rows.start, np.nan))
                else:
                    pieces += self._weighted(i, found)
            return np.concatenate(pieces)
        finally:
            self._workers.put(worker)

    def _weighted(self, index: int, found: Sequence[_Array]) -> list[_Array]:
        """Weighted errors of what the twin says of a segment's channels."""
        segment = self.segments[index]
        channels = self.recordings[segment.recording].channels
        return [
            np.sqrt(channel.column.weight) * channel_error(channel, channel.rows[samples], said).T.ravel()
            for channel, samples, said in zip(channels, segment.samples, found, strict=True)
        ]

    def _predict(self, worker: Predictor, point: _Array, index: int, start: _Array, late: float = 0.0) -> list[_Array]:
        segment = self.segments[index]
        state = self._starts[index] if self._estimates is None else self._estimates.state(index, start)
        values = self.parameters.values(point, segment.recording)
        if late:
            values = values | {_OFFSET: values.get(_OFFSET, 0.0) + late}
        return worker.predict(segment, values, state)
