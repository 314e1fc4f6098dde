"""The residual of a twin over segments of recordings: coordinates in, weighted errors out, many points at once.

    r = sqrt(w) (twin - recording)    at every stamp of every channel of every segment;    loss = sum r^2

then one entry for each prior, (value - mean) / sd times the size of the noise in the same units, so that it weighs as one sample.

A run that fails, or whose values no robot can have (an inertia that belongs to no body), counts as far away: ten times the size
of the recording, or of the first error where that is larger. Such a point is never the best, and no slope is taken across it.

What is asked of all errors together (a loss, the triangle of least squares) is summed up stretch by stretch of whole recordings,
so that a search among many recordings holds the residuals of a few (`tall_skinny.py`). The stretches hang on the data alone.

Runs are made by an executor (`cluster/executor.py`), on threads of this machine or on a cluster; `segment_work.py` is what a
worker does. A run depends on nothing that was before it, so neither the number of workers nor their place matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.cluster.executor import Workers, executor
from didymos.describe.twin import Twin
from didymos.fitting.blocks import Block
from didymos.fitting.described import arguments_of
from didymos.fitting.parameterization import Parameterization
from didymos.fitting.prediction import State
from didymos.fitting.recording import Recording
from didymos.fitting.residual_rows import ResidualRows
from didymos.fitting.segment_work import SegmentTask, SegmentWork
from didymos.fitting.segments import Segment
from didymos.fitting.slopes import one_or_both_ways
from didymos.fitting.start_estimates import StartEstimates
from didymos.fitting.start_states import StartStates
from didymos.fitting.tall_skinny import reduced

__all__ = ["Problem"]

_Array = NDArray[np.float64]
_BLOCK = 32  # windows that a worker does in one go

_Mask = NDArray[np.bool_]


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
        threads: Workers = None,
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
        self._far: dict[int, tuple[float, ...]] = {}  # by segment: errors of a run that fails, once there was one that did not
        self._blocks = self._cut()
        self._owns_pool = threads is None or isinstance(threads, int)
        self._pool = executor(workers=threads) if threads is None or isinstance(threads, int) else threads
        self._work = SegmentWork(twin, self.recordings, self.segments, parameters, look_back)
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
        with self._work.predictor() as predictor:
            states: dict[int, StartStates] = {}
            for i, segment in enumerate(self.segments):
                if segment.recording not in states:
                    recording = self.recordings[segment.recording]
                    arguments = arguments_of(self.parameters.values(self.start))
                    simulation = predictor.sampler(recording, arguments).simulation
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

    # what is asked of it

    def residuals(self, points: _Array) -> _Array:
        """Residuals of points, shape [n, k] -> [entries, k]; one point of shape [n] -> [entries]."""
        residuals, _ = self._evaluate(points)
        return residuals[:, 0] if np.ndim(points) == 1 else residuals

    def residuals_or_failed(self, points: _Array) -> tuple[_Array, _Mask]:
        """Residuals of points, shape [n, k] -> [entries, k], and which of them hold a run that failed, shape [k]."""
        residuals, failed = self._evaluate(points)
        return residuals, np.asarray(failed.any(axis=0))

    def _evaluate(self, points: _Array, starts: _Array | None = None) -> tuple[_Array, _Mask]:
        """Residuals of points, shape [n, k] -> [entries, k], and which errors are those of failed runs, shape [samples, k].

        Windows begin at `starts`, shape [windows, nz], in all of them, or at those that go with each point.
        """
        columns = self._columns(points)
        begun = self._starts_at(columns) if starts is None else [starts] * len(columns)
        errors, failed = self._run(columns, begun)
        residuals = np.vstack([errors, self._priors(columns, begun)])
        self._note(columns, _squares(residuals), np.asarray(failed.any(axis=0)))
        return residuals, failed

    def _columns(self, points: _Array) -> _Array:
        """Points [n, k] or [n] within the bounds, one to a row; shape [k, n]."""
        return np.clip(np.asarray(points, dtype=np.float64).reshape(len(self.low), -1).T, self.low, self.high)

    def _priors(self, columns: _Array, begun: Sequence[_Array]) -> _Array:
        """Entries of the residual that are no errors, shape [entries - samples, k]."""
        priors = [self.noise * self.parameters.prior(column) for column in columns]
        if self._estimates is not None:
            priors = [np.concatenate([x, self._estimates.prior(z)]) for x, z in zip(priors, begun, strict=True)]
        return np.column_stack(priors)

    def _note(self, columns: _Array, losses: _Array, failed: _Mask) -> None:
        """Remember the best of some points [k, n] with their losses [k], and tell whoever watches."""
        losses = np.where(failed, np.inf, losses)
        least = int(np.argmin(losses))
        if losses[least] < self.best_loss:
            self.best, self.best_loss = columns[least].copy(), float(losses[least])
        if self._watch is not None:
            self._watch(self.runs, self.best_loss)

    def _starts_at(self, columns: _Array) -> list[_Array]:
        nothing = np.empty((len(self.segments), 0))
        return [nothing if self._estimates is None else self._estimates.at(column) for column in columns]

    def _run(self, columns: _Array, starts: Sequence[_Array]) -> tuple[_Array, _Mask]:
        """Errors of points, shape [k, n] -> [samples, k], with their starts, and which of them are those of failed runs."""
        self.runs += len(columns)
        return self._run_some(columns, starts, range(len(self.segments)))

    def _run_some(self, columns: _Array, starts: Sequence[_Array], segments: range) -> tuple[_Array, _Mask]:
        """The same of some segments in a row."""
        errors = np.empty((self._rows.length(segments), len(columns)))
        first = self._rows.of(segments).start
        blocks = [block for block in self._blocks if block.start in segments]

        tasks = [(k, block) for k in range(len(columns)) for block in blocks]
        for index, answer in self._pool.run(self._work, (self._task(columns[k], block, starts[k]) for k, block in tasks)):
            k, block = tasks[index]
            self.met_impossible |= answer.impossible
            for i, found in zip(block, answer.found, strict=True):
                rows = self._rows.of(range(i, i + 1))
                here = slice(rows.start - first, rows.stop - first)
                errors[here, k] = np.nan if found is None else np.concatenate(found)
        return errors, self._fill_failed(errors, segments)

    def _walk(self, columns: _Array, starts: Sequence[_Array]) -> Iterator[tuple[range, _Array, _Mask]]:
        """Stretches of segments with errors of points [k, n] there, shape [rows, k], and which of them are of failed runs."""
        self.runs += len(columns)
        for stretch in self._rows.stretches(len(columns)):
            yield stretch, *self._run_some(columns, starts, stretch)

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
        return self._rows.recording(range(len(self.segments)))

    @property
    def lost_degrees(self) -> float:
        """Degrees of freedom that estimated starts took from the errors."""
        return 0.0 if self._estimates is None else self._estimates.lost

    def _run_starts(self, point: _Array, starts: _Array) -> tuple[_Array, _Mask]:
        """Errors of a point [n] with several starts, shape [k, windows, nz] -> [samples, k]."""
        return self._run(np.repeat(point[None], len(starts), axis=0), list(starts))

    def _fill_failed(self, errors: _Array, segments: range) -> _Mask:
        """Put large errors where runs of segments failed, which are no numbers so far; where that was, shape [rows, k]."""
        failed, first = ~np.isfinite(errors), self._rows.of(segments).start
        anywhere = bool(failed.any())
        for i in segments if anywhere else [i for i in segments if i not in self._far]:
            rows = self._rows.of(range(i, i + 1))
            here = slice(rows.start - first, rows.stop - first)
            lost = failed[here].any(axis=0)
            if i not in self._far and not lost.all():
                self._far[i] = self._rows.far_from(i, errors[here, int(np.argmin(lost))])
            if lost.any():
                far = self._far.get(i) or self._rows.far_from(i, np.zeros(rows.stop - rows.start))
                filled = np.broadcast_to(self._rows.errors_of(i, far)[:, None], errors[here].shape)
                errors[here][failed[here]] = filled[failed[here]]
        return failed

    def losses(self, points: _Array) -> _Array:
        """Losses of points, shape [n, k] -> [k]."""
        columns = self._columns(points)
        begun = self._starts_at(columns)
        found, lost = np.zeros(len(columns)), np.zeros(len(columns), dtype=bool)
        for _, errors, failed in self._walk(columns, begun):
            found += _squares(errors)
            lost |= failed.any(axis=0)
        found += _squares(self._priors(columns, begun))
        self._note(columns, found, lost)
        return found

    def losses_by_recording(self, points: _Array) -> _Array:
        """Sums of squared errors, shape [n, k] -> [recordings, k]."""
        columns = self._columns(points)
        found = np.zeros((len(self.recordings), len(columns)))
        for stretch, errors, _ in self._walk(columns, self._starts_at(columns)):
            first = self._rows.of(stretch).start
            for i in stretch:
                rows = self._rows.of(range(i, i + 1))
                found[self.segments[i].recording] += _squares(errors[rows.start - first : rows.stop - first])
        return found

    def moves(self, points: _Array) -> tuple[float, _Array, _Mask]:
        """The largest error at the first of points [n, k], by how much others differ from it at most [k], and which fail [k]."""
        columns = self._columns(points)
        size, largest, lost = 0.0, np.zeros(len(columns)), np.zeros(len(columns), dtype=bool)
        for _, errors, failed in self._walk(columns, self._starts_at(columns)):
            size = max(size, float(np.abs(errors[:, 0]).max()))
            largest = np.maximum(largest, np.abs(errors - errors[:, :1]).max(axis=0))
            lost |= failed.any(axis=0)
        return size, largest, lost

    def jacobian(self, point: _Array, step: float, *, central: bool = False) -> _Array:
        """Slopes of the residual, shape [entries, n]: differences of `step`, into the bounds; both ways where `central`.

        Coordinates of different recordings are moved at once: each entry knows one of them only. Where the run of one side fails
        the slope is that of the other side; where both fail it is nothing. Estimated starts follow (`start_estimates.py`).
        """
        errors = np.empty((self.samples, len(self.low)))
        for stretch, _, slopes in self._linearised(point, step, central):
            errors[self._rows.of(stretch)] = slopes
        priors = self.prior_slopes()  # each of one group's own
        if self._estimates is None:
            return np.vstack([errors, priors])
        errors, of_starts = self._estimates.eliminate(point, errors, self._run_starts)
        return np.vstack([errors, priors, of_starts])

    def triangle(self, point: _Array, step: float) -> _Array:
        """T [n + 1, n + 1] of the slopes, as `jacobian` has them, and of the residual (`tall_skinny.py`); starts as measured."""
        columns, found = self._columns(point), None
        for _, errors, slopes in self._linearised(point, step, central=False):
            found = reduced(found, np.column_stack([slopes, errors]))
        priors = self._priors(columns, self._starts_at(columns))
        return reduced(found, np.column_stack([self.prior_slopes(), priors])) if len(priors) else np.asarray(found)

    def _linearised(self, point: _Array, step: float, central: bool) -> Iterator[tuple[range, _Array, _Array]]:
        """Stretches of segments with their errors [rows] and slopes [rows, n] at a point, at fixed starts."""
        colours = self.parameters.colours()
        every = range(len(colours))
        ahead = np.where(point + step <= self.high, step, -step)
        back = np.where((point - ahead >= self.low) & (point - ahead <= self.high), -ahead, 0.0)
        behind = self._moved(point, back, colours, every)
        trials = [point, *self._moved(point, ahead, colours, every), *(behind if central else [])]
        columns = self._columns(np.column_stack(trials))
        starts = self._starts_at(self._columns(point))[0]
        begun = [starts] * len(columns)
        losses, lost = _squares(self._priors(columns, begun)), np.zeros(len(columns), dtype=bool)
        self.runs += len(columns)
        for stretch in self._rows.stretches(len(columns) + len(point) + 1):
            errors, failed = self._run_some(columns, begun, stretch)
            losses += _squares(errors)
            lost |= failed.any(axis=0)
            both = list(every) if central else [c for c in every if failed[:, 1 + c].any()]
            if both and not central:
                others = self._columns(np.column_stack([behind[c] for c in both]))
                more, gone = self._run_some(others, [starts] * len(others), stretch)
                errors, failed = np.hstack([errors, more]), np.hstack([failed, gone])
            recording = self._rows.recording(stretch)
            slopes, rows = np.zeros((len(errors), len(point))), np.arange(len(errors))
            for c, members in enumerate(colours):
                owner = members[recording] if len(members) > 1 else np.full(len(errors), members[0])
                second = 1 + len(colours) + both.index(c) if c in both else 0
                slopes[rows, owner] = one_or_both_ways(
                    errors[:, [0, 1 + c, second]], failed[:, [0, 1 + c, second]], ahead[owner],
                    back[owner] if second else np.zeros(len(errors)), recording,
                )  # fmt: skip
            yield stretch, errors[:, 0], slopes
        self._note(columns, losses, lost)

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
        with self._work.predictor() as predictor:
            return [
                self._work.predict(predictor, point, i, self._state(i, starts[i]), late) for i in range(len(self.segments))
            ]

    def lag_slopes(self, point: _Array) -> _Array:
        """How errors change with a lag of their channel [1/s], shape [samples]: central differences over a recorded interval."""
        step = 0.5 / self.twin.file.record.rate
        ahead, behind = (
            np.concatenate([part for i, said in enumerate(self.predictions(point, late)) for part in self._work.errors(i, said)])
            for late in (-step, step)
        )
        return (behind - ahead) / (2.0 * step)

    def predictions_or_none(self, point: _Array) -> list[list[_Array] | None]:
        """The same on all cores, with None for a run that fails."""
        found: list[list[_Array] | None] = [None] * len(self.segments)
        point = np.clip(point, self.low, self.high)
        (starts,) = self._starts_at(point[None])

        tasks = (self._task(point, block, starts, weighted=False) for block in self._blocks)
        for index, answer in self._pool.run(self._work, tasks):
            block = self._blocks[index]
            found[block.start : block.stop] = answer.found
        return found

    def close(self) -> None:
        """Let the threads go; workers that were given stay."""
        if self._owns_pool:
            self._pool.close()

    # inside

    def _task(self, point: _Array, block: range, starts: _Array, *, weighted: bool = True) -> SegmentTask:
        return SegmentTask(point, block, tuple(self._state(i, starts[i]) for i in block), weighted)

    def _state(self, index: int, start: _Array) -> State | None:
        """Where a segment begins."""
        return self._starts[index] if self._estimates is None else self._estimates.state(index, start)


def _squares(columns: _Array) -> _Array:
    """Sums of squares of columns, [m, k] -> [k]."""
    return np.asarray(np.einsum("ij,ij->j", columns, columns))
