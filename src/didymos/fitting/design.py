"""Design an experiment: the excitation that tells most about parameters, within limits, before anything is recorded."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.describe.schema import FreeSpec
from didymos.describe.twin import Twin
from didymos.errors import InputError, RunError
from didymos.fitting.best_excitation import best_excitation, cases_of, coordinates, plain_of
from didymos.fitting.design_check import Cases, check_proposal
from didymos.fitting.design_scenario import plain_scenario
from didymos.fitting.design_search import Found
from didymos.fitting.designed import Design, KeptLimit, PredictedParameter
from didymos.fitting.excited_information import ExcitedInformation
from didymos.fitting.experiment import Experiment, plan_experiment
from didymos.fitting.information import CRITERIA, predict, reported_slopes
from didymos.fitting.methods import DIFFERENCE
from didymos.fitting.read_recording import columns_of
from didymos.fitting.recording import Column
from didymos.fitting.trial_fit import finds_its_way

__all__ = ["design"]

_Array = NDArray[np.float64]
_TRIED = 12  # of those that were the best once, at most about so many are fitted for a trial


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
    criterion: str = "worst",
    band: float = 10.0,
    draws: int = 1,
    evaluations: int = 500,
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
        criterion: `worst`, `D` or `A`, see `information.py`.
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
    points, cases = coordinates(experiment.parameters, draws, rng), cases_of(experiment)
    bests, done, runs, interrupted = best_excitation(experiment, criterion, cases, points, band, evaluations, rng, watch)
    if not bests:
        raise RunError("no excitation that was tried keeps all limits; give it more `evaluations`, or widen a limit")
    best = bests[0] if interrupted else _findable(experiment, bests)
    return _designed(experiment, criterion, cases, best, done, runs, interrupted)


def _findable(experiment: Experiment, bests: Sequence[Found]) -> Found:
    """The best from which a fit that begins off learns what it tells."""
    for found in bests[:: max(1, len(bests) // _TRIED)]:
        if finds_its_way(experiment, found.family.stimuli(found.point)):
            return found
    text = "no fit that begins a tenth off finds its way to what the motions that were tried tell"
    raise RunError(f"{text}; give it more `evaluations`")


def _designed(
    experiment: Experiment, kind: str, cases: Cases, best: Found, done: int, runs: int, interrupted: bool
) -> Design:
    """Make sure that the best keeps its limits, and say what it will tell."""
    plain = plain_of(experiment, best.family.stimuli(best.point))
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
    if np.all(np.isinf(widths)):
        paths = ", ".join(group.path for group in experiment.parameters.shared)
        raise InputError(f"no excitation that was tried tells anything of {paths}; move or record something else", option="move")
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
    if stimulus.kind != "ramp":
        return stimulus.amplitude == 0.0 and stimulus.offset == 0.0
    return stimulus.before == 0.0 and stimulus.to == 0.0
