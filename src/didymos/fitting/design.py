"""Design an experiment: the excitation that tells most about parameters, within limits, before anything is recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.describe.schema import FreeSpec
from didymos.describe.twin import Twin
from didymos.errors import InputError, RunError
from didymos.fitting.bursts import Bursts
from didymos.fitting.design_check import Cases, check_proposal
from didymos.fitting.design_scenario import plain_scenario
from didymos.fitting.design_search import STEP, Found, Search
from didymos.fitting.designed import Design, KeptLimit, PredictedParameter
from didymos.fitting.excitation import Family
from didymos.fitting.excited_information import ExcitedInformation
from didymos.fitting.experiment import Experiment, plan_experiment
from didymos.fitting.information import CRITERIA, predict, reported_slopes, variances
from didymos.fitting.methods import DIFFERENCE
from didymos.fitting.parameterization import Parameterization, Single
from didymos.fitting.read_recording import columns_of
from didymos.fitting.recording import Column
from didymos.fitting.sines import Sines

__all__ = ["design"]

_Array = NDArray[np.float64]
_SINES, _STRETCHES = 5, 6  # of one target
_FEWER = 3  # of each of many targets
_DRAWN, _FIRST = 0.1, 0.1  # shares of the evaluations that each family gets; the better one gets the rest


def design(
    twin: Twin,
    parameters: Mapping[str, FreeSpec | tuple[float, float]],
    *,
    seconds: float,
    scenario: str | None = None,
    move: Sequence[str] = (),
    columns: Mapping[str, Column] | None = None,
    noise: Mapping[str, float] | None = None,
    limits: Mapping[str, tuple[float, float]] | None = None,
    criterion: str = "D",
    band: float = 10.0,
    draws: int = 1,
    evaluations: int = 600,
    seed: int = 0,
    threads: int | None = None,
    watch: Callable[[int, float], None] | None = None,
) -> Design:
    """Find the excitation whose recording will tell most about parameters, and predict how much.

    Args:
        twin: whose values are believed for now.
        parameters: of which something is to be known, as for `fit`; those of one recording alone only have to be allowed for.
        seconds: length of the experiment.
        scenario: in whose place it comes: start, program, other stimuli and expectations are its; the twin's first by default.
        move: set-points and inputs that are moved, or patterns of them; those that the scenario moves by default.
        columns: what will be recorded; those of the twin file by default, or all readings that have noise.
        noise: standard deviations by signal or column, where neither a column's `sd` nor its sensor says it.
        limits: (low, high) by signal, instead of what the description and the scenario say of it.
        criterion: `D`, `A` or `each`, see `information.py`.
        band: highest frequency [Hz] of sines and bursts.
        draws: points of the parameters over which the criterion is averaged: the twin's own, others drawn from priors or bounds.
        evaluations: excitations that are tried, of all families together.
        seed: of all that is drawn.
        threads: all cores by default; the result is the same.
        watch: told the number of evaluations so far and the least criterion.

    An interrupt (Ctrl-C) ends the search and keeps the best so far. Raises `InputError` for what cannot be designed, `RunError`
    where no excitation keeps the limits.
    """
    if criterion not in CRITERIA:
        raise InputError(f"found {criterion!r}, expected one of {', '.join(CRITERIA)}", option="criterion")
    for option, number in (("band", band), ("draws", draws), ("evaluations", evaluations)):
        if not number > 0:
            raise InputError(f"found {number:g}, expected a number above 0", option=option)
    specs = {path: item if isinstance(item, FreeSpec) else FreeSpec(bounds=item) for path, item in parameters.items()}
    experiment = plan_experiment(
        twin, specs, seconds=seconds, scenario=scenario, move=move, columns=columns_of(twin) if columns is None else columns,
        noise=noise or {}, limits=limits or {}, threads=threads,
    )  # fmt: skip
    rng = np.random.default_rng([seed, 2])
    points, cases = _points(experiment.parameters, draws, rng), _cases(experiment)
    best, done, runs, interrupted = _search(experiment, criterion, cases, points, band, evaluations, rng, watch)
    if not best.feasible:
        raise RunError("no excitation that was tried keeps all limits; give it more `evaluations`, or widen a limit")
    return _designed(experiment, criterion, cases, best, done, runs, interrupted)


def _families(experiment: Experiment, band: float) -> tuple[Family, ...]:
    moved, seconds = experiment.moved, experiment.seconds
    fewer = len(moved) > 1
    sines, stretches = (_FEWER, _FEWER) if fewer else (_SINES, _STRETCHES)
    return Sines(moved, seconds, band, sines), Bursts(moved, seconds, band, experiment.period, stretches)


def _points(parameters: Parameterization, draws: int, rng: np.random.Generator) -> list[_Array]:
    """Coordinates of the twin's own values, then some that are drawn from priors, or evenly between the bounds."""
    points = [parameters.start]
    for _ in range(draws - 1):
        point = parameters.start
        for group in parameters.shared:
            part = parameters.stretch(group)
            point[part] = rng.uniform(size=part.stop - part.start)
            if isinstance(group, Single) and group.mean_sd is not None:
                mean, sd = group.mean_sd
                point[part] = np.clip((rng.normal(mean, sd) - group.low) / (group.high - group.low), 0.0, 1.0)
        points.append(point)
    return points


def _search(
    experiment: Experiment,
    kind: str,
    cases: Cases,
    points: Sequence[_Array],
    band: float,
    evaluations: int,
    rng: np.random.Generator,
    watch: Callable[[int, float], None] | None,
) -> tuple[Found, int, int, bool]:
    """The best of all families, how many were tried in how many runs, and whether somebody interrupted."""
    slopes = [reported_slopes(experiment.parameters, point) for point in points]
    scales = _present_deviations(experiment, slopes[0]) if kind == "each" else _values(experiment.parameters)
    searches: list[Search] = []

    def news() -> None:
        if watch is not None:
            watch(sum(item.evaluations for item in searches), min(item.best.loss for item in searches))

    for family in _families(experiment, band):
        information = experiment.information(_plain(experiment, family.stimuli(np.full(family.size, 0.5))))
        searches.append(Search(family, information, kind, cases, points, slopes, scales, news))
    interrupted = False
    try:
        for search in searches:
            search.draw(max(1, round(_DRAWN * evaluations)), rng)
            search.improve(round(_FIRST * evaluations), rng)
        best = min(searches, key=lambda item: item.best.loss)
        best.improve(evaluations - sum(item.evaluations for item in searches), rng)
    except KeyboardInterrupt:
        interrupted = True
    finally:
        for search in searches:
            search.close()
    best = min(searches, key=lambda item: item.best.loss)
    return best.best, sum(item.evaluations for item in searches), sum(item.runs for item in searches), interrupted


def _cases(experiment: Experiment) -> Cases:
    """What a proposal is looked at under."""
    present = experiment.information(None, errors=True)
    try:
        return Cases(present, experiment.parameters.start)
    finally:
        present.runs.close()


def _plain(experiment: Experiment, stimuli: Sequence[StimulusSpec]) -> dict[str, object]:
    return plain_scenario(experiment.twin, experiment.scenario, experiment.seconds, experiment.moved, stimuli)


def _present_deviations(experiment: Experiment, slopes: _Array) -> _Array:
    """Standard deviations that the present scenario leaves, as a search counts them."""
    present = experiment.information(None)
    try:
        information = present.agreed((), experiment.parameters.start, STEP)
    finally:
        present.runs.close()
    return np.sqrt(variances(information, slopes))


def _values(parameters: Parameterization) -> _Array:
    """What a relative change of what is told is relative to: its value, or its bounds where it is nothing."""
    found = []
    for group in parameters.shared:
        for value, (low, high) in zip(group.reported(group.start), group.bounds, strict=True):
            found.append(abs(float(value)) or high - low)
    return np.array(found)


def _designed(
    experiment: Experiment, kind: str, cases: Cases, best: Found, done: int, runs: int, interrupted: bool
) -> Design:
    """Make sure that the best keeps its limits, and say what it will tell."""
    plain = _plain(experiment, best.family.stimuli(best.point))
    quiet, present = experiment.information(plain), experiment.information(None)
    noisy = experiment.information(plain, errors=True)
    point = experiment.parameters.start
    try:
        factor = check_proposal(noisy, cases, lambda factor: best.family.stimuli(best.point, factor))
        stimuli = best.family.stimuli(best.point, factor)
        widths, correlation = _widths(quiet, stimuli, point)
        present_widths, _ = _widths(present, (), point)
        run = quiet.runs.run([quiet.trial(stimuli, point)])[0]
    finally:
        for item in (quiet, present, noisy):
            item.runs.close()
    assert run.samples is not None
    assert experiment.present.samples is not None
    kept = tuple(KeptLimit(limit, *limit.reached(run.samples[limit.signal][1])) for limit in experiment.limits)
    told = [
        (name, unit, float(value))
        for group in experiment.parameters.shared
        for name, unit, value in zip(group.names, group.units, group.reported(group.start), strict=True)
    ]
    shown = tuple(item for item in stimuli if not _is_nothing(item))
    title = f"Tells most of {len(told)} parameters within {experiment.seconds:g} s: {best.family.name}, {kind}-optimal"
    return Design(
        twin=experiment.twin.name, scenario=experiment.scenario, seconds=experiment.seconds, criterion=kind,
        family=best.family.name, factor=factor, moved=experiment.moved, stimuli=shown,
        plain=plain_scenario(
            experiment.twin, experiment.scenario, experiment.seconds, experiment.moved, shown, experiment.limits, title
        ),
        parameters=tuple(
            PredictedParameter(*item, float(width), float(present_width))
            for item, width, present_width in zip(told, widths, present_widths, strict=True)
        ),
        correlation=correlation, limits=kept, verified=len(cases.cases), evaluations=done,
        runs=runs + sum(item.runs.count for item in (quiet, present, noisy)), interrupted=interrupted,
        samples=run.samples, present=experiment.present.samples, units=experiment.units,
    )  # fmt: skip


def _widths(information: ExcitedInformation, stimuli: tuple[StimulusSpec, ...], point: _Array) -> tuple[_Array, _Array]:
    """Half widths of the intervals, and the correlation."""
    predicted = predict(information.of_one(stimuli, point, DIFFERENCE), reported_slopes(information.parameters, point))
    return predicted.half_width, predicted.correlation


def _is_nothing(stimulus: StimulusSpec) -> bool:
    """Whether a stimulus adds nothing at any time."""
    if stimulus.kind == "sine":
        return stimulus.amplitude == 0.0 and stimulus.offset == 0.0
    return stimulus.before == 0.0 and stimulus.to == 0.0
