"""The residual of a twin over segments of recordings: coordinates in, weighted errors out, many points at once.

    r = sqrt(w) (twin - recording)    at every stamp of every channel of every segment;    loss = sum r^2

then one entry for each prior, (value - mean) / sd times the size of the noise in the same units, so that it weighs as one sample.

A run that fails, or whose values no robot can have (an inertia that belongs to no body), counts as far away: ten times the size
of the recording, or of the first error where that is larger. Such a point is never the best, and no slope is taken across it.

A worker has one sampler per kind of recording (scenario, what is fed, how long), whatever their number, and, where arguments of
the description move, one for each of the last values of these. It goes through segments one by one; a run depends on nothing that
was before it, so the number of threads does not matter. The compiled loop releases the interpreter, so threads are enough.
"""

from __future__ import annotations

import contextlib
import os
import queue
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.engine.sampler import Sampler, Samples
from didymos.engine.sampling import Sampling
from didymos.errors import InputError, RunError
from didymos.fitting.described import Arguments, DescribedTwins, arguments_of
from didymos.fitting.parameterization import Parameterization, is_set_in_a_run
from didymos.fitting.recording import Channel, Recording
from didymos.fitting.segments import Segment
from didymos.fitting.signals import channel_error, predicted, sources
from didymos.fitting.slopes import one_or_both_ways
from didymos.fitting.start_estimates import StartEstimates
from didymos.fitting.start_states import StartStates
from didymos.rotations import quaternion_product, rotation_vector_to_quaternion

__all__ = ["Problem"]

_Array = NDArray[np.float64]
_FAILED = 10.0  # a run that fails counts as an error of so many times the recording's own size, or the first error's
_BLOCK = 32  # windows that a worker does in one go
_MARGIN = 2.0  # ticks that a run lasts longer than what it is compared with
_BUILDS = 6  # samplers of other arguments of the description that a worker keeps
_Kind = tuple[str | None, tuple[str, ...], Arguments]


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
        self.noise, self.look_back = noise, look_back
        self.runs = 0
        self.start = parameters.start
        self.best, self.best_loss = self.start, np.inf
        self.low, self.high = np.zeros(parameters.size), np.ones(parameters.size)
        self.met_impossible = False
        """Whether a run had values that no robot can have."""
        self._watch = watch
        self._rows = self._count_rows()
        owners = [np.full(rows[-1].stop - rows[0].start, x.recording) for x, rows in zip(self.segments, self._rows, strict=True)]
        self._recording_of = np.concatenate(owners) if owners else np.empty(0, dtype=np.int64)  # of each error, shape [samples]
        self._far: _Array | None = None  # the errors of a run that fails, once there was one that did not; shape [samples]
        self._blocks = self._cut()
        count = threads or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(max_workers=count, thread_name_prefix="didymos-fit")
        self._workers: queue.SimpleQueue[dict[_Kind, Sampler]] = queue.SimpleQueue()
        for _ in range(count):
            self._workers.put({})
        self._described = DescribedTwins(twin)
        self._starts: list[tuple[_Array, _Array] | None] = []
        self._estimates: StartEstimates | None = None
        self._begin(estimate_starts)

    # where things are

    @property
    def samples(self) -> int:
        """Entries of the residual that are errors, without priors."""
        return self._rows[-1][-1].stop if self._rows else 0

    def rows(self, segment: int) -> tuple[slice, ...]:
        """Where in the residual the errors of a segment's channels lie."""
        return self._rows[segment]

    def _count_rows(self) -> list[tuple[slice, ...]]:
        rows, first = [], 0
        for segment in self.segments:
            parts = []
            for channel, samples in zip(self.recordings[segment.recording].channels, segment.samples, strict=True):
                width = 3 if channel.is_orientation else channel.rows.shape[1]
                parts.append(slice(first, first + width * (samples.stop - samples.start)))
                first = parts[-1].stop
            rows.append(tuple(parts))
        return rows

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

    def _sampler(self, worker: dict[_Kind, Sampler], recording: Recording, arguments: Arguments = ()) -> Sampler:
        kind = recording.scenario, tuple(recording.fed), arguments
        if kind not in worker:
            alike = [i for i, item in enumerate(self.recordings) if (item.scenario, tuple(item.fed)) == kind[:2]]
            rows = max((len(table) for i in alike for table in self.recordings[i].fed.values()), default=0)
            longest = max(segment.seconds for segment in self.segments if segment.recording in alike)
            rate = self.twin.file.record.rate
            names = tuple(dict.fromkeys(name for i in alike for c in self.recordings[i].channels for name in c.signals))
            sampling = Sampling(tuple(recording.fed), rows, sources(names), longest + 1.0 / rate)
            try:
                made = Sampler(self._described.get(arguments), recording.scenario, sampling)
            except InputError as error:
                column = next((c.column.name for c in recording.channels if repr(c.column.signal) in error.message), None)
                if column is None:
                    raise
                raise InputError(error.message, file=self.twin.source, path=f"recordings.columns.{column}") from None
            others = [key for key in worker if key[2]]
            if len(others) >= _BUILDS and arguments:
                del worker[others[0]]
            worker[kind] = made
        worker[kind] = worker.pop(kind)  # the last used one comes last
        return worker[kind]

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
                    simulation = self._sampler(worker, recording, arguments).simulation
                    root = simulation.links.root_body(simulation.model)
                    states[segment.recording] = StartStates(self.twin, simulation.model, root, recording)
                self._starts[i] = states[segment.recording].at(segment.at)
            if estimate:
                spreads = {recording: found.spread() for recording, found in states.items()}
                self._estimates = StartEstimates(
                    simulation.model, [start for start in self._starts if start is not None],
                    [spreads[segment.recording] for segment in self.segments],
                    [slice(rows[0].start, rows[-1].stop) for rows in self._rows], self.parameters.size, self.noise,
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
            part = slice(self._rows[block.start][0].start, self._rows[block.stop - 1][-1].stop)
            errors[part, k] = self._errors(columns[k], block, starts[k])

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
            self._far = self._far_from(errors[:, int(np.argmin(columns))])
        if columns.any():
            far = self._far if self._far is not None else self._far_from(np.zeros(self.samples))
            errors[failed] = np.broadcast_to(far[:, None], errors.shape)[failed]
        return failed

    def _far_from(self, first: _Array) -> _Array:
        """Errors of a run that fails, from those of one that did not; shape [samples]."""
        far = np.empty(self.samples)
        for segment, parts in zip(self.segments, self._rows, strict=True):
            for channel, part in zip(self.recordings[segment.recording].channels, parts, strict=True):
                size = np.sqrt(channel.column.weight) * max(float(np.std(channel.rows, axis=0).max()), 1e-9)
                far[part] = _FAILED * max(size, float(np.sqrt(np.mean(first[part] ** 2))))
        return far

    def losses(self, points: _Array) -> _Array:
        """Losses of points, shape [n, k] -> [k]."""
        residuals = self.residuals(points.reshape(len(self.low), -1))
        return np.einsum("ij,ij->j", residuals, residuals)

    def losses_by_recording(self, points: _Array) -> _Array:
        """Sums of squared errors, shape [n, k] -> [recordings, k]."""
        residuals = self.residuals(points.reshape(len(self.low), -1))
        found = np.zeros((len(self.recordings), residuals.shape[1]))
        for segment, rows in zip(self.segments, self._rows, strict=True):
            part = residuals[rows[0].start : rows[-1].stop]
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
            owner = members[self._recording_of] if len(members) > 1 else np.full(self.samples, members[0])
            second = 1 + len(colours) + both.index(c) if c in both else 0
            slopes = one_or_both_ways(
                residuals[: self.samples, [0, 1 + c, second]], failed[:, [0, 1 + c, second]], ahead[owner],
                back[owner] if second else np.zeros(self.samples), self._recording_of,
            )  # fmt: skip
            jacobian[rows, owner] = slopes
        priors = self._prior_slopes()  # each of one group's own
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

    def _prior_slopes(self) -> _Array:
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
        ahead, behind = (self._weighted(self.predictions(point, late)) for late in (-step, step))
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
                    pieces.append(np.full(self._rows[i][-1].stop - self._rows[i][0].start, np.nan))
                else:
                    pieces += self._weighted_of(i, found)
            return np.concatenate(pieces)
        finally:
            self._workers.put(worker)

    def _weighted(self, found: Sequence[Sequence[_Array]]) -> _Array:
        """Weighted errors of what the twin says of all segments, shape [samples]."""
        return np.concatenate([part for i, said in enumerate(found) for part in self._weighted_of(i, said)])

    def _weighted_of(self, index: int, found: Sequence[_Array]) -> list[_Array]:
        """Weighted errors of what the twin says of a segment's channels."""
        segment = self.segments[index]
        return [
            np.sqrt(channel.column.weight) * channel_error(channel, channel.rows[samples], said).T.ravel()
            for channel, samples, said in zip(
                self.recordings[segment.recording].channels, segment.samples, found, strict=True
            )
        ]  # fmt: skip

    def _predict(
        self, worker: dict[_Kind, Sampler], point: _Array, index: int, start: _Array, late: float = 0.0
    ) -> list[_Array]:
        segment = self.segments[index]
        recording = self.recordings[segment.recording]
        values = self.parameters.values(point, segment.recording)
        sampler = self._sampler(worker, recording, arguments_of(values))
        samples = self._simulate(sampler, recording, index, values, start)
        offset = values.get("recording.clock_offset", 0.0) + late
        return [
            self._channel(samples, channel, channel.time[part] - segment.at - offset, values)
            for channel, part in zip(recording.channels, segment.samples, strict=True)
        ]

    def _simulate(
        self, sampler: Sampler, recording: Recording, index: int, values: Mapping[str, float], away: _Array
    ) -> Samples:
        segment = self.segments[index]
        start = self._starts[index] if self._estimates is None else self._estimates.state(index, away)
        sampler.set_values({path: value for path, value in values.items() if is_set_in_a_run(path)})
        at = segment.at - values.get("recording.input_delay", 0.0)
        sampler.feed(recording.fed)
        seconds = segment.seconds + 1.0 / self.twin.file.record.rate + _MARGIN * sampler.simulation.period
        if start is None:
            return sampler.run_from_start(seconds, at=at)
        qpos, qvel = self._aligned(sampler, recording, start, values)
        return sampler.run_from(qpos, qvel, seconds, at=at, tables=recording.fed, look_back=self.look_back)

    def _aligned(
        self, sampler: Sampler, recording: Recording, start: tuple[_Array, _Array], values: Mapping[str, float]
    ) -> tuple[_Array, _Array]:
        """Where a window begins, with the measured attitude turned into the robot's own."""
        channels = (*recording.channels, *recording.states)
        turned = next((q for c in channels if (q := _alignment(c, values)) is not None), None)
        if turned is None or not self.twin.description.floating:
            return start
        model = sampler.simulation.built.assembly.model
        first = int(model.jnt_qposadr[model.body_jntadr[sampler.simulation.links.root_body(model)]]) + 3
        qpos = start[0].copy()
        qpos[first : first + 4] = quaternion_product(qpos[None, first : first + 4], turned)[0]
        return qpos, start[1]

    def _channel(self, samples: Samples, channel: Channel, times: _Array, values: Mapping[str, float]) -> _Array:
        name = channel.column.name
        found = predicted(samples, channel, times - values.get(f"recording.delay.{name}", 0.0))
        for k, signal in enumerate(channel.signals):
            axis = signal.removeprefix(channel.column.signal)
            found[:, k] += values.get(f"recording.bias.{name}{axis}", 0.0)
        turned = _alignment(channel, values)
        return found if turned is None else quaternion_product(found, turned * [1.0, -1.0, -1.0, -1.0])


def _alignment(channel: Channel, values: Mapping[str, float]) -> _Array | None:
    """The unit quaternion, shape [1, 4], from an attitude's own frame to the robot's; None where it has none."""
    if not channel.is_orientation:
        return None
    names = [f"recording.alignment.{channel.column.name}.{axis}" for axis in "xyz"]
    if not any(name in values for name in names):
        return None
    return rotation_vector_to_quaternion(np.array([[values.get(name, 0.0) for name in names]]))
