"""Fit a twin to recordings: find the values, their confidence, and what they do to each recording."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from didymos.describe.path_patterns import tied_paths, unknown_path
from didymos.describe.twin import Twin
from didymos.engine.simulation import Simulation
from didymos.errors import InputError
from didymos.fitting.confidence import Confidence, confidence
from didymos.fitting.evaluation import Evaluation, evaluate
from didymos.fitting.methods import DIFFERENCE, METHODS
from didymos.fitting.problem import Bound, Problem
from didymos.fitting.recording import Recording, check_units

__all__ = ["Fit", "FittedParameter", "fit"]

_Array = NDArray[np.float64]
_WIDE = 0.5  # an interval wider than this part of the bounds says that the data did not decide
_TIED = 0.98  # correlation from which on two parameters are known together, not each by itself
_AT_BOUND = 1e-6


@dataclass(frozen=True)
class FittedParameter:
    """A parameter before and after, and its 95 % interval, which is None where the data say nothing about it.

    `paths` are those that moved together: more than one where `path` is a pattern.
    """

    path: str
    paths: tuple[str, ...]
    unit: str
    before: float
    after: float
    interval: tuple[float, float] | None
    bounds: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Fit:
    """What a fit found."""

    twin: str
    method: str
    loss_before: float
    loss_after: float
    seconds: float
    runs: int
    interrupted: bool
    parameters: tuple[FittedParameter, ...]
    correlation: _Array
    evaluations: tuple[Evaluation, ...]
    warnings: tuple[str, ...]

    def values(self) -> dict[str, float]:
        """Fitted values by path."""
        return {path: parameter.after for parameter in self.parameters for path in parameter.paths}


def fit(
    twin: Twin,
    recordings: Sequence[Recording],
    bounds: Mapping[str, tuple[float, float]],
    *,
    hold_out: Sequence[Recording] = (),
    method: str = "least-squares",
    starts: int = 1,
    seed: int = 0,
    threads: int | None = None,
    watch: Callable[[int, float], None] | None = None,
) -> Fit:
    """Move parameters within bounds until the twin does what the recordings say.

    Several starts: the first from the twin's own values, the others drawn within the bounds. An interrupt (Ctrl-C) ends the
    search and keeps the best so far. Raises `InputError` for what cannot be fitted: see `_checked` and `recording.py`.
    """
    began = time.perf_counter()
    if method not in METHODS:
        raise InputError(f"found {method!r}, expected one of {', '.join(METHODS)}", option="method")
    left_out = _columns_of_another_program(twin, (*recordings, *hold_out))
    recordings, hold_out = _without(recordings, left_out), _without(hold_out, left_out)
    problem = Problem(twin, recordings, _checked(twin, recordings, bounds), threads=threads, watch=watch)
    try:
        start = problem.start()
        before = problem.simulate(start)
        for recording, signals in zip(recordings, before, strict=True):
            check_units(twin, recording, signals)
        loss_before = float(problem.losses(start)[0])
        _check_effect(problem, start)
        interrupted = _search(problem, start, method, starts, seed)
        certainty = _confidence(problem)
        parameters = _parameters(problem, start, certainty.half_width)
        evaluations = evaluate(recordings, before, problem.simulate(problem.best), held_out=False)
        if hold_out:
            evaluations += _evaluate_held_out(twin, hold_out, problem)
        return Fit(
            twin.name, method, loss_before, problem.best_loss, time.perf_counter() - began, problem.runs, interrupted,
            parameters, certainty.correlation, evaluations,
            (*left_out.values(), *_warnings(problem, parameters, certainty.correlation)),
        )  # fmt: skip
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


def _checked(twin: Twin, recordings: Sequence[Recording], bounds: Mapping[str, tuple[float, float]]) -> list[Bound]:
    if not bounds:
        raise InputError("no parameter may move; say which with `bounds` PATH=LOW:HIGH", option="bounds")
    if not any(channel.column.weight > 0.0 for recording in recordings for channel in recording.channels):
        raise InputError("every column has the weight 0, so there is nothing to fit", path="fit.columns")
    checked, known = [], twin.every_parameter()
    for path, (low, high) in bounds.items():
        tied = tied_paths(path, known)
        if not tied:
            raise InputError(unknown_path(path, known), path=path)
        parameter = known[tied[0]]
        for one in tied:
            if not (known[one].live or one.startswith("start.")):
                raise InputError("is fixed for a run and cannot be fitted", path=one)
            if known[one].value != parameter.value:
                raise InputError(f"{one} and {tied[0]} have different values, so they cannot move together", path=path)
        if not low < high:
            raise InputError(f"found bounds {low:g}:{high:g}, expected the lower one first", path=path)
        if not low <= parameter.value <= high:
            raise InputError(f"the bounds {low:g}:{high:g} exclude the start, {parameter.value:g} {parameter.unit}", path=path)
        if (parameter.low is not None and low < parameter.low) or (parameter.high is not None and high > parameter.high):
            limits = f"{'-inf' if parameter.low is None else parameter.low}:{'inf' if parameter.high is None else parameter.high}"
            raise InputError(f"the bounds {low:g}:{high:g} leave what the parameter may be, {limits}", path=path)
        for recording in recordings:
            if recording.scenario is not None and _set_by_scenario(twin, recording.scenario) & set(tied):
                raise InputError(f"the scenario {recording.scenario!r} sets this parameter itself", path=path)
        checked.append(Bound(path, low, high, tied))
    return checked


def _set_by_scenario(twin: Twin, scenario: str) -> set[str]:
    return set(twin.with_program_of(scenario).set_by_scenario(scenario))


def _check_effect(problem: Problem, start: _Array) -> None:
    """A parameter that moves nothing, neither a little nor half its range away nor beside other values, is an error."""
    idle = np.ones(len(start), dtype=bool)
    for point, step in ((start, DIFFERENCE), (start, 0.5), (0.5 * start + 0.25, 0.4)):
        if idle.any():
            away = np.where(point + step <= 1.0, step, -step)
            moved = problem.residuals(np.column_stack([point, point[:, None] + np.diag(away)]))
            idle &= np.all(moved[:, 1:] == moved[:, :1], axis=0)
    if idle.any():
        path = problem.bounds[int(np.argmax(idle))].path
        raise InputError("has no effect on these recordings; leave it out, or record a motion that shows it", path=path)


def _search(problem: Problem, start: _Array, method: str, starts: int, seed: int) -> bool:
    """Search from every start; True where the user interrupted."""
    rng = np.random.default_rng([seed, 0])
    points = [start, *(rng.uniform(0.05, 0.95, len(start)) for _ in range(starts - 1))]
    try:
        for point in points:
            METHODS[method](problem, point, seed)
    except KeyboardInterrupt:
        return True
    return False


def _confidence(problem: Problem) -> Confidence:
    """Confidence at the best point, by central differences where the bounds leave room."""
    best = problem.best
    residual = problem.residuals(best)
    up, down = np.minimum(best + DIFFERENCE, 1.0), np.maximum(best - DIFFERENCE, 0.0)
    count = len(best)
    points = np.tile(best[:, None], (1, 2 * count))
    for i in range(count):
        points[i, i], points[i, count + i] = up[i], down[i]
    residuals = problem.residuals(points)
    jacobian = (residuals[:, :count] - residuals[:, count:]) / (up - down)
    lengths = [len(channel.time) for recording in problem.recordings for channel in recording.channels]
    return confidence(jacobian, residual, lengths)


def _parameters(problem: Problem, start: _Array, half_width: _Array) -> tuple[FittedParameter, ...]:
    fitted = []
    before, after = problem.values(start), problem.values(problem.best)
    for bound, half in zip(problem.bounds, half_width, strict=True):
        width = float(half) * (bound.high - bound.low)
        interval = (after[bound.path] - width, after[bound.path] + width) if np.isfinite(width) else None
        unit = problem.twin.every_parameter()[bound.paths[0]].unit
        ends = (bound.low, bound.high)
        fitted.append(FittedParameter(bound.path, bound.paths, unit, before[bound.path], after[bound.path], interval, ends))
    return tuple(fitted)


def _evaluate_held_out(twin: Twin, hold_out: Sequence[Recording], fitted: Problem) -> tuple[Evaluation, ...]:
    others = Problem(twin, hold_out, fitted.bounds, threads=1)
    try:
        before = others.simulate(others.start())
        for recording, signals in zip(hold_out, before, strict=True):
            check_units(twin, recording, signals)
        return evaluate(hold_out, before, others.simulate(fitted.best), held_out=True)
    finally:
        others.close()


def _warnings(problem: Problem, parameters: Sequence[FittedParameter], correlation: _Array) -> list[str]:
    warnings = []
    for parameter, point in zip(parameters, problem.best, strict=True):
        low, high = parameter.bounds
        if point < _AT_BOUND or point > 1.0 - _AT_BOUND:
            warnings.append(f"{parameter.path} ended at its bound, {parameter.after:g} {parameter.unit}")
        if parameter.interval is None:
            warnings.append(f"{parameter.path} is not determined by these recordings")
        elif parameter.interval[1] - parameter.interval[0] > _WIDE * (high - low):
            warnings.append(f"{parameter.path} is hardly determined: its interval spans more than half of its bounds")
    for i in range(len(parameters)):
        for j in range(i):
            if abs(correlation[i, j]) > _TIED:
                one, other = parameters[j].path, parameters[i].path
                warnings.append(f"{one} and {other} are known only together (correlation {correlation[i, j]:+.3f})")
    return warnings
