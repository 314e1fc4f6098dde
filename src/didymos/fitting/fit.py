"""Fit a twin to recordings: find the values, how sure they are, and what they do to each recording."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.cluster.executor import Workers
from didymos.describe.schema import FreeSpec
from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting.certainty import coordinates_confidence, directions, fitted, last_passes, reported, unbiased
from didymos.fitting.checkpoint import Checkpoint
from didymos.fitting.evaluation import evaluate
from didymos.fitting.fit_checks import check_effect, columns_of_another_program, estimates_starts, without
from didymos.fitting.fit_warnings import fit_warnings
from didymos.fitting.fitted import Fit, FittedParameter, OtherValley
from didymos.fitting.held_out import judge
from didymos.fitting.hidden_errors import hidden_lags, hidden_starts
from didymos.fitting.intervals import check_intervals, find_intervals
from didymos.fitting.methods import METHODS
from didymos.fitting.misfit import Misfit, misfits
from didymos.fitting.noise import noise_size
from didymos.fitting.parameterization import Parameterization, free_groups
from didymos.fitting.problem import Problem
from didymos.fitting.recording import Recording
from didymos.fitting.search import Outcome, search
from didymos.fitting.segments import Span, cut
from didymos.fitting.unit_check import check_units

__all__ = ["fit"]

_Array = NDArray[np.float64]
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
    threads: Workers = None,
    units: bool = True,
    intervals: str = "sandwich",
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
        seed: of the drawn starts, of the global search and of the samples of the posterior.
        threads: how many, all cores by default; or an executor (`cluster/executor.py`). The result is the same.
        units: whether a column that is off by a factor with a name (2 pi, 1000) is refused.
        intervals: `sandwich`, from the slopes at the optimum; `profile`, by profile likelihood; `posterior`, by sampling.
        checkpoint: a file that keeps the best so far while the search goes on; `resume` begins there.
        watch: told the number of runs so far and the least loss.

    An interrupt (Ctrl-C) ends the search and keeps the best so far. Raises `InputError` for what cannot be fitted.
    """
    began = time.perf_counter()
    if method not in METHODS:
        raise InputError(f"found {method!r}, expected one of {', '.join(METHODS)}", option="method")
    check_intervals(intervals)
    estimate = estimates_starts(start, window, method)
    left_out = columns_of_another_program(twin, (*recordings, *hold_out))
    recordings, hold_out = without(recordings, left_out), without(hold_out, left_out)
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
        check_effect(problem, begin)
        first = kept.load() if resume else begin
        if first_guess:
            first = _guess(twin, recordings, parameters, first, noise, threads, between)
        outcome = search(problem, first, method, starts, seed)
        problem.finish()
        jacobian = last_passes(problem, interrupted=outcome.interrupted)
        residual = unbiased(problem)
        after = problem.predictions(problem.best)
        if units:
            check_units(twin, recordings, segments, before, after)
        evaluations = evaluate(recordings, segments, before, after, held_out=False)
        wrong = misfits(evaluations, whole=window is None)
        known = coordinates_confidence(problem, jacobian, residual)
        certainty = reported(problem, jacobian, residual, known)
        by = "sandwich" if outcome.interrupted or any(item.refuted for item in wrong) else intervals
        plain = fitted(problem, begin, certainty)
        found = find_intervals(by, problem, plain, certainty, jacobian, residual, seed=seed)
        unknown = directions(problem, jacobian, known)
        late = hidden_lags(problem, jacobian, residual)
        doubts = () if estimate or window is None or outcome.interrupted else hidden_starts(problem, plain, threads)
        own: tuple[FittedParameter, ...] = ()
        if hold_out:
            judged, own = judge(
                twin, hold_out, specs, found.parameters, window, between, threads, units=units, estimate=estimate, intervals=by,
                seed=seed,
            )  # fmt: skip
            evaluations += judged
        kept.finish(outcome.interrupted)
        return Fit(
            twin=twin.name, method=method, window=window, loss_before=loss_before, loss_after=problem.best_loss,
            seconds=time.perf_counter() - began, runs=problem.runs, interrupted=outcome.interrupted,
            converged=outcome.valleys[0].ending.converged, iterations=outcome.valleys[0].ending.iterations,
            parameters=(*_withheld(found.parameters, wrong), *own), correlation=found.correlation, evaluations=evaluations,
            valleys=_valleys(problem, outcome), misfits=wrong, lags=late, directions=unknown, intervals=found.by,
            samples=found.samples,
            warnings=(
                *(item.text for item in wrong if item.refuted), *(item.text for item in late), *(item.text for item in doubts),
                *(item.text for item in wrong if not item.refuted),
                *left_out.values(), *(text for recording in (*recordings, *hold_out) for text in recording.findings),
                *(text for group in groups for text in group.findings),
                *found.warnings, *fit_warnings(problem, outcome, found.parameters, unknown),
            ),
        )  # fmt: skip
    finally:
        problem.close()


def _withheld(fitted: Sequence[FittedParameter], wrong: Sequence[Misfit]) -> tuple[FittedParameter, ...]:
    """Without intervals, where the twin does something else than the recording."""
    if not any(item.refuted for item in wrong):
        return tuple(fitted)
    return tuple(replace(item, interval=None) for item in fitted)


def _guess(
    twin: Twin, recordings: Sequence[Recording], parameters: Parameterization, start: _Array, noise: float, threads: Workers,
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


def _valleys(problem: Problem, outcome: Outcome) -> tuple[OtherValley, ...]:
    return tuple(
        OtherValley(valley.loss, {
            name: float(value)
            for group, index in problem.parameters.entries() if index is None
            for name, value in zip(group.names, group.reported(valley.point[problem.parameters.stretch(group)]), strict=True)
        })
        for valley in outcome.valleys[1:]
    )  # fmt: skip
