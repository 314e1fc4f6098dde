"""Fit a twin to recordings: find the values, how sure they are, and what they do to each recording."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.describe.schema import FreeSpec
from didymos.describe.twin import Twin
from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.fitting.blocks import Block
from didymos.fitting.checkpoint import Checkpoint
from didymos.fitting.confidence import Confidence, confidence
from didymos.fitting.directions import Direction, Known, unknown_directions
from didymos.fitting.evaluation import Evaluation, evaluate
from didymos.fitting.fitted import Fit, FittedParameter, OtherValley, shared_values
from didymos.fitting.generalised import refine
from didymos.fitting.lags import Lag, lags
from didymos.fitting.methods import DIFFERENCE, METHODS
from didymos.fitting.misfit import Misfit, misfits
from didymos.fitting.noise import noise_size
from didymos.fitting.parameterization import Parameterization, free_groups
from didymos.fitting.problem import Problem
from didymos.fitting.recording import Recording
from didymos.fitting.reported import reported_confidence
from didymos.fitting.search import Outcome, search
from didymos.fitting.segments import Segment, Span, whole, windows
from didymos.fitting.start_check import StartDoubt, free_starts, start_doubts
from didymos.fitting.unit_check import check_units

__all__ = ["fit"]

_Array = NDArray[np.float64]
_WIDE = 0.5  # an interval wider than this part of the bounds says that the data did not decide
_NORMAL_95 = 1.959963984540054
_AT_BOUND = 1e-6
_NO_EFFECT = 1e-9  # of the residual's size
_GUESS = 5  # samples of the windows that a first guess is made with


def fit(
    twin: Twin,
    recordings: Sequence[Recording],
    bounds: Mapping[str, FreeSpec | tuple[float, float]],
    *,
    hold_out: Sequence[Recording] = (),
    window: float | None = None,
    start: str = "measured",
    between: Span | None = None,
    first_guess: bool = False,
    method: str = "least-squares",
    starts: int = 1,
    seed: int = 0,
    threads: int | None = None,
    units: bool = True,
    checkpoint: Path | None = None,
    resume: bool = False,
    watch: Callable[[int, float], None] | None = None,
) -> Fit:
    """Move parameters within bounds until the twin does what the recordings say.

    Args:
        twin: whose values are the start.
        recordings: as `read_recordings` gives them.
        bounds: what may move, by path: (low, high), or a `FreeSpec` with a prior, ties, or a value for each recording.
        hold_out: recordings that are only judged; parameters of their own are fitted to them all the same.
        window: length [s] of windows that begin at the measured state (multiple shooting); whole recordings without.
        start: of windows: as measured, or `estimated` beside the parameters, with what was measured as prior.
        between: times [s] of each recording between which it is compared.
        first_guess: begin with windows of a few samples, which is a regression of accelerations.
        method: `least-squares`, `pattern` or `global`.
        starts: the first from the twin's own values, the others drawn within the bounds; other valleys are told.
        seed: of the drawn starts and of the global search.
        threads: all cores by default.
        units: whether a column that is off by a factor with a name (2 pi, 1000) is refused.
        checkpoint: a file that keeps the best so far while the search goes on; `resume` begins there.
        watch: told the number of runs so far and the least loss.

    An interrupt (Ctrl-C) ends the search and keeps the best so far. Raises `InputError` for what cannot be fitted.
    """
    began = time.perf_counter()
    if method not in METHODS:
        raise InputError(f"found {method!r}, expected one of {', '.join(METHODS)}", option="method")
    estimate = _estimates_starts(start, window, method)
    left_out = _columns_of_another_program(twin, (*recordings, *hold_out))
    recordings, hold_out = _without(recordings, left_out), _without(hold_out, left_out)
    if not any(channel.column.weight > 0.0 for recording in recordings for channel in recording.channels):
        raise InputError("every column has the weight 0, so there is nothing to fit", path="recordings.columns")
    specs = {path: item if isinstance(item, FreeSpec) else FreeSpec(bounds=item) for path, item in bounds.items()}
    groups = free_groups(twin, specs, recordings)
    parameters = Parameterization(groups, len(recordings))
    kept = Checkpoint(checkpoint, parameters, [recording.name for recording in recordings])

    def news(runs: int, loss: float) -> None:
        kept.update(problem.best, loss)
        if watch is not None:
            watch(runs, loss)

    segments = cut(twin, recordings, window, between=between)
    noise = noise_size(recordings)
    problem = Problem(
        twin, recordings, segments, parameters, noise=noise, estimate_starts=estimate, threads=threads, watch=news
    )  # fmt: skip
    try:
        begin = parameters.start
        before = problem.predictions(begin)
        if units:
            check_units(twin, recordings, segments, before)
        if estimate:
            problem.settle(begin)
            before = problem.predictions(begin)
        loss_before = float(problem.losses(begin)[0])
        _check_effect(problem, begin)
        first = kept.load() if resume else begin
        if first_guess:
            first = _guess(twin, recordings, parameters, first, noise, threads, between)
        outcome = search(problem, first, method, starts, seed)
        problem.finish()
        jacobian = _last_passes(problem, outcome)
        residual = _unbiased(problem)
        known = _confidence(problem, jacobian, residual)
        certainty = _reported(problem, jacobian, residual, known)
        fitted = _fitted(problem, begin, certainty)
        directions = _directions(problem, jacobian, known)
        evaluations = evaluate(recordings, segments, before, problem.predictions(problem.best), held_out=False)
        wrong = misfits(evaluations, whole=window is None)
        late = _lags(problem, jacobian, residual)
        doubts = () if estimate or window is None or outcome.interrupted else _start_doubts(problem, fitted, threads)
        own: tuple[FittedParameter, ...] = ()
        if hold_out:
            judged, own = _judge(twin, hold_out, specs, fitted, window, between, threads, units=units, estimate=estimate)
            evaluations += judged
        kept.finish(outcome.interrupted)
        return Fit(
            twin=twin.name, method=method, window=window, loss_before=loss_before, loss_after=problem.best_loss,
            seconds=time.perf_counter() - began, runs=problem.runs, interrupted=outcome.interrupted,
            converged=outcome.valleys[0].ending.converged, iterations=outcome.valleys[0].ending.iterations,
            parameters=(*_withheld(fitted, wrong), *own), correlation=certainty.correlation, evaluations=evaluations,
            valleys=_valleys(problem, outcome), misfits=wrong, lags=late, directions=directions,
            warnings=(
                *(item.text for item in wrong if item.refuted), *(item.text for item in late), *(item.text for item in doubts),
                *(item.text for item in wrong if not item.refuted),
                *left_out.values(), *(text for recording in (*recordings, *hold_out) for text in recording.findings),
                *(text for group in groups for text in group.findings),
                *_warnings(problem, outcome, fitted, directions),
            ),
        )  # fmt: skip
    finally:
        problem.close()


def _withheld(fitted: Sequence[FittedParameter], wrong: Sequence[Misfit]) -> tuple[FittedParameter, ...]:
    """Without intervals, where the twin does something else than the recording."""
    if not any(item.refuted for item in wrong):
        return tuple(fitted)
    return tuple(replace(item, interval=None) for item in fitted)


def _estimates_starts(start: str, window: float | None, method: str) -> bool:
    """Whether starts of windows are estimated; what they cannot go with is an `InputError`."""
    if start not in ("measured", "estimated"):
        raise InputError(f"found {start!r}, expected measured or estimated", option="start")
    if start == "estimated" and window is None:
        raise InputError("starts are estimated of windows; say how long they are with `window`", option="start")
    if start == "estimated" and method != "least-squares":
        raise InputError(f"starts are estimated by least squares; {method} does not know them", option="start")
    return start == "estimated"


def cut(
    twin: Twin,
    recordings: Sequence[Recording],
    window: float | None,
    every: int | None = None,
    between: Span | None = None,
) -> list[Segment]:
    """Whole recordings, or their windows, one after the other by default; a recording without any is an `InputError`."""
    if window is None:
        return [whole(i, recording, between) for i, recording in enumerate(recordings)]
    where, found = twin.file.recordings.windows_where, []
    for i, recording in enumerate(recordings):
        cut_here = windows(i, recording, window, every, where, between)
        if not cut_here:
            text = f"has no window of {window:g} s that may be used: too short, masked, or never where windows may begin"
            raise InputError(text, file=recording.file)
        found += cut_here
    return found


def _guess(
    twin: Twin, recordings: Sequence[Recording], parameters: Parameterization, start: _Array, noise: float, threads: int | None,
    between: Span | None,
) -> _Array:
    """Where the search begins after windows of a few samples: what is fitted there are accelerations, not motions."""
    interval = min(float(np.median(np.diff(recording.channels[0].time))) for recording in recordings)
    segments = cut(twin, recordings, _GUESS * interval, between=between)
    problem = Problem(twin, recordings, segments, parameters, noise=noise, threads=threads)
    try:
        search(problem, start, "least-squares", 1, 0)
        return problem.best
    finally:
        problem.close()


def _columns_of_another_program(twin: Twin, recordings: Sequence[Recording]) -> dict[str, str]:
    """Signals that only the file's program tells where another one runs, and a sentence for each: they cannot be compared."""
    found: dict[str, str] = {}
    if twin.program_by_hand is not None:
        for scenario in dict.fromkeys(recording.scenario for recording in recordings):
            simulation = Simulation(twin, scenario=scenario)
            known = simulation.new_log()
            for channel in (channel for recording in recordings for channel in recording.channels):
                signal = channel.column.signal
                if signal not in known and simulation.scope.lacks(signal):
                    found[signal] = f"{channel.column.name} is skipped: the program that runs does not tell {signal}"
    return found


def _without(recordings: Sequence[Recording], signals: Collection[str]) -> list[Recording]:
    """The recordings without the channels of some signals; one of which nothing is left is left out itself."""
    kept = [
        replace(recording, channels=tuple(item for item in recording.channels if item.column.signal not in signals))
        for recording in recordings
    ]
    return [recording for recording in kept if recording.channels]


def _check_effect(problem: Problem, start: _Array) -> None:
    """A parameter that moves nothing, neither a little nor half its range away nor beside other values, is an error.

    So is a body that moves nothing by any of its coordinates; that some of them move nothing is usual.
    """
    colours = problem.parameters.colours()
    idle = np.ones(len(colours), dtype=bool)
    for point, step in ((start, DIFFERENCE), (start, 0.5), (0.5 * start + 0.25, 0.4)):
        if idle.any():
            away = np.where(point + step <= 1.0, step, -step)
            trials = np.tile(point[:, None], (1, 1 + len(colours)))
            for c, members in enumerate(colours):
                trials[members, 1 + c] += away[members]
            residuals, failed = problem.residuals_or_failed(trials)
            moved = residuals[: problem.samples]
            size = _NO_EFFECT * float(np.abs(moved[:, 0]).max())
            idle &= np.all(np.abs(moved[:, 1:] - moved[:, :1]) <= size, axis=0) | failed[1:] | failed[0]
    effective = {int(member) for c, members in enumerate(colours) if not idle[c] for member in members}
    for group, index in problem.parameters.entries():
        part = problem.parameters.stretch(group, index)
        if not effective & set(range(part.start, part.stop)):
            text = "has no effect on these recordings; leave it out, or record a motion that shows it"
            raise InputError(text, path=group.path)


def _unbiased(problem: Problem) -> _Array:
    """The residual at the best point; errors from which estimated starts took degrees of freedom, in the size of their noise."""
    residual = problem.residuals(problem.best)
    residual[: problem.samples] *= np.sqrt(problem.samples / max(problem.samples - problem.lost_degrees, 1.0))
    return residual


def _blocks(problem: Problem) -> list[Block]:
    """Where in the residual each axis of each channel lies."""
    blocks: list[Block] = []
    for i, segment in enumerate(problem.segments):
        channels = problem.recordings[segment.recording].channels
        for channel, part, samples in zip(channels, problem.rows(i), segment.samples, strict=True):
            time = channel.time[samples]
            sd = None if channel.column.sd is None else float(np.sqrt(channel.column.weight)) * channel.column.sd
            for axis, first in enumerate(range(part.start, part.stop, len(time))):
                blocks.append(Block(segment.recording, f"{channel.column.name} {axis}", time, first, i, sd))
    return blocks


def _last_passes(problem: Problem, outcome: Outcome) -> _Array:
    """Move the best point to where it is known best, with the noise as the residual shows it; the Jacobian there.

    Windows stay at the point of least squares: what they leave is not the noise of sensors, but what grows from their starts.
    """

    def linearise(point: _Array) -> tuple[_Array, _Array]:
        return problem.residuals(point), problem.jacobian(point, DIFFERENCE, central=True)

    if outcome.interrupted or not len(problem.best) or any(segment.measured for segment in problem.segments):
        return problem.jacobian(problem.best, DIFFERENCE, central=True)
    found = refine(linearise, problem.best, _blocks(problem), belief=problem.noise)
    problem.best, problem.best_loss = found.point, float(found.residual @ found.residual)
    return found.jacobian


def _lags(problem: Problem, jacobian: _Array, residual: _Array) -> tuple[Lag, ...]:
    """Lags that are not free and that the recordings show; nothing is said of windows."""
    if any(segment.measured for segment in problem.segments):
        return ()
    slopes = problem.lag_slopes(problem.best)
    return lags(jacobian, residual, _blocks(problem), slopes, [item.name for item in problem.recordings], belief=problem.noise)


def _start_doubts(problem: Problem, fitted: Sequence[FittedParameter], threads: int | None) -> tuple[StartDoubt, ...]:
    """Values that windows with estimated starts do not agree with."""
    freed = Problem(
        problem.twin, problem.recordings, problem.segments, problem.parameters, noise=problem.noise, estimate_starts=True,
        threads=threads,
    )  # fmt: skip
    try:
        free_starts(freed, problem.best, DIFFERENCE)
        slopes, residual = freed.jacobian(freed.best, DIFFERENCE, central=True), _unbiased(freed)
        known = _confidence(freed, slopes, residual)
        return start_doubts(fitted, _fitted(freed, problem.best, _reported(freed, slopes, residual, known)))
    finally:
        freed.close()


def _confidence(problem: Problem, jacobian: _Array, residual: _Array) -> Confidence:
    """Confidence of coordinates along which the residual has these slopes, at the best point."""
    return confidence(jacobian, residual, _blocks(problem), belief=problem.noise)


def _reported(problem: Problem, jacobian: _Array, residual: _Array, known: Confidence) -> Confidence:
    """Confidence of all that is reported, at the best point, where that of the coordinates is known."""
    size = float(np.sqrt(residual @ residual / max(problem.samples - len(problem.best), 1)))
    return reported_confidence(
        problem.parameters, problem.best, jacobian, size,
        lambda slopes: known if slopes is jacobian else _confidence(problem, slopes, residual),
    )  # fmt: skip


def _directions(problem: Problem, jacobian: _Array, certainty: Confidence) -> tuple[Direction, ...]:
    """Combinations of single parameters that the recordings do not tell apart; bodies speak for themselves by their intervals."""
    places, known = [], []
    for group, index in problem.parameters.entries():
        part = problem.parameters.stretch(group, index)
        if part.stop - part.start == 1:
            (low, high), value = group.bounds[0], float(group.reported(problem.best[part])[0])
            name = group.path if index is None else f"{group.path} of {Path(problem.recordings[index].name).name}"
            places.append(part.start)
            known.append(Known(name, group.units[0], value, low, high))
    half = np.where(np.isfinite(certainty.half_width), certainty.half_width, 0.0)[places]
    covariance = certainty.correlation[np.ix_(places, places)] * np.outer(half, half) / _NORMAL_95**2
    return unknown_directions(known, jacobian[: problem.samples, places], covariance)


def _fitted(problem: Problem, start: _Array, certainty: Confidence) -> tuple[FittedParameter, ...]:
    """All that is reported, with intervals from its own certainty."""
    fitted: list[FittedParameter] = []
    for group, index in problem.parameters.entries():
        part = problem.parameters.stretch(group, index)
        before, after = group.reported(start[part]), group.reported(problem.best[part])
        recording = None if index is None else problem.recordings[index].name
        for k, (name, unit, limits) in enumerate(zip(group.names, group.units, group.bounds, strict=True)):
            half = float(certainty.half_width[len(fitted)])
            interval = (float(after[k]) - half, float(after[k]) + half) if np.isfinite(half) else None
            fitted.append(
                FittedParameter(
                    name, unit, float(before[k]), float(after[k]), interval, limits, group.followers(name), recording
                )
            )  # fmt: skip
    return tuple(fitted)


def _judge(
    twin: Twin,
    hold_out: Sequence[Recording],
    specs: Mapping[str, FreeSpec],
    fitted: Sequence[FittedParameter],
    window: float | None,
    between: Span | None,
    threads: int | None,
    *,
    units: bool,
    estimate: bool,
) -> tuple[tuple[Evaluation, ...], tuple[FittedParameter, ...]]:
    """Held-out recordings before and after, and the parameters that each of them has for itself."""
    own = {path: spec for path, spec in specs.items() if spec.per_recording}
    segments = cut(twin, hold_out, window, between=between)
    nothing = Parameterization([], len(hold_out))
    noise = noise_size(hold_out)
    first = Problem(twin, hold_out, segments, nothing, noise=noise, estimate_starts=estimate, threads=threads)
    moved = twin.copy()
    moved.set_all(shared_values(fitted))
    parameters = Parameterization(free_groups(moved, own, hold_out), len(hold_out)) if own else nothing
    second = Problem(moved, hold_out, segments, parameters, noise=noise, estimate_starts=estimate, threads=threads)
    try:
        before = first.predictions(nothing.start)
        if units:
            check_units(twin, hold_out, segments, before)
        if estimate:
            first.settle(nothing.start)
            before = first.predictions(nothing.start)
        found: tuple[FittedParameter, ...] = ()
        if own:
            search(second, parameters.start, "least-squares", 1, 0)
            second.finish()
            slopes, residual = second.jacobian(second.best, DIFFERENCE, central=True), _unbiased(second)
            known = _confidence(second, slopes, residual)
            found = _fitted(second, parameters.start, _reported(second, slopes, residual, known))
        else:
            second.settle(second.best)
        after = second.predictions(second.best)
        return evaluate(hold_out, segments, before, after, held_out=True), found
    finally:
        first.close()
        second.close()


def _valleys(problem: Problem, outcome: Outcome) -> tuple[OtherValley, ...]:
    return tuple(
        OtherValley(valley.loss, {
            name: float(value)
            for group, index in problem.parameters.entries() if index is None
            for name, value in zip(group.names, group.reported(valley.point[problem.parameters.stretch(group)]), strict=True)
        })
        for valley in outcome.valleys[1:]
    )  # fmt: skip


def _warnings(
    problem: Problem, outcome: Outcome, parameters: Sequence[FittedParameter], directions: Sequence[Direction]
) -> list[str]:
    warnings = []
    ending = outcome.valleys[0].ending
    if not ending.converged and not outcome.interrupted:
        warnings.append(f"the search did not come to an end after {ending.iterations} iterations: {ending.why}")
    if problem.met_impossible:
        warnings.append("the search met values that no robot can have, and kept off; a link as a whole, links.NAME, meets none")
    for group, index in problem.parameters.entries():
        point = problem.best[problem.parameters.stretch(group, index)]
        if len(point) > 1 and np.minimum(point, 1.0 - point).min() < _AT_BOUND:
            warnings.append(f"{group.path} ended at the edge of its box; give it a wider `spread`, or fix what is known of it")
    for parameter in parameters:
        low, high = parameter.bounds
        name = parameter.path if parameter.recording is None else f"{parameter.path} of {Path(parameter.recording).name}"
        if min(parameter.after - low, high - parameter.after) < _AT_BOUND * (high - low):
            warnings.append(f"{name} ended at its bound, {parameter.after:g} {parameter.unit}")
        if parameter.interval is None:
            warnings.append(f"{name} is not determined by these recordings")
        elif parameter.interval[1] - parameter.interval[0] > _WIDE * (high - low):
            warnings.append(f"{name} is hardly determined: its interval spans more than half of its bounds")
    warnings += [direction.text for direction in directions if direction.text not in warnings]
    for valley in outcome.valleys[1:]:
        if valley.loss < 1.5 * outcome.valleys[0].loss:
            warnings.append(f"another valley has nearly the same loss, {valley.loss:.6g}; see the valleys")
    return warnings
