"""The best excitation of an experiment: sums of sines by evolution, chains of pieces by exchange, the better of them longer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.errors import InputError
from didymos.fitting.bursts import Bursts
from didymos.fitting.chain import Chain
from didymos.fitting.design_check import Cases
from didymos.fitting.design_scenario import plain_scenario
from didymos.fitting.design_search import Found, Search
from didymos.fitting.exchange import Exchange
from didymos.fitting.excitation import Family
from didymos.fitting.excited_information import ExcitedInformation
from didymos.fitting.experiment import Experiment
from didymos.fitting.information import reported_slopes, variances
from didymos.fitting.methods import DIFFERENCE
from didymos.fitting.parameterization import Parameterization, Single
from didymos.fitting.sines import Sines

__all__ = ["best_excitation", "cases_of", "coordinates", "plain_of"]

_Array = NDArray[np.float64]
_SINES, _FEWER = 5, 3  # of one target, and of each of many
_PIECES, _STRETCHES = 5, 3  # of a chain, and of a piece
_LEAST = 20  # ticks of a piece
_DRAWN, _FIRST = 0.1, 0.1  # shares of the evaluations that each family gets; the better one gets the rest


def _families(experiment: Experiment, band: float) -> tuple[Sines, Chain]:
    moved, seconds = experiment.moved, experiment.seconds
    sines = Sines(moved, seconds, band, _FEWER if len(moved) > 1 else _SINES)
    return sines, Chain(Bursts(moved, seconds / _PIECES, band, experiment.period, _STRETCHES), _PIECES)


def coordinates(parameters: Parameterization, draws: int, rng: np.random.Generator) -> list[_Array]:
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


def best_excitation(
    experiment: Experiment,
    kind: str,
    cases: Cases,
    points: Sequence[_Array],
    band: float,
    evaluations: int,
    rng: np.random.Generator,
    watch: Callable[[int, float], None] | None,
) -> tuple[list[Found], int, int, bool]:
    """The best of all families, the best first, how many were tried in how many runs, and whether somebody interrupted.

    None where nothing that was tried keeps its limits.
    """
    slopes = [reported_slopes(experiment.parameters, point) for point in points]
    scales = _present_deviations(experiment, slopes[0]) if kind == "worst" else _values(experiment.parameters)
    searches: list[Search | Exchange] = []

    def news() -> None:
        if watch is not None:
            watch(sum(item.evaluations for item in searches), min(item.best.loss for item in searches))

    sines, chain = _families(experiment, band)
    _check_rest(experiment, sines)

    def whole(family: Family) -> Search:
        return Search(family, *_of_family(experiment, family), kind, cases, points, slopes, scales, news)

    searches.append(whole(sines))
    if chain.piece.seconds >= _LEAST * experiment.period:
        short = experiment.shorter(chain.piece.seconds)
        searches.append(Exchange(chain, whole(chain), *_of_family(short, chain.piece), cases_of(short), points))
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
    bests = sorted((found for item in searches for found in item.bests), key=lambda found: found.loss)
    return bests, sum(item.evaluations for item in searches), sum(item.runs for item in searches), interrupted


def _of_family(experiment: Experiment, family: Family) -> tuple[ExcitedInformation, ExcitedInformation]:
    """Information of excitations of a family, of sensors without and with their errors."""
    plain = plain_of(experiment, family.stimuli(np.full(family.size, 0.5)))
    return experiment.information(plain), experiment.information(plain, errors=True)


def _check_rest(experiment: Experiment, family: Family) -> None:
    """Refuse limits that are exceeded although nothing moves."""
    information, _ = _of_family(experiment, family)
    try:
        still = family.stimuli(np.full(family.size, 0.5), 0.0)
        found = information.breaches(information.runs.run([information.trial(still, experiment.parameters.start)])[0])
    finally:
        information.runs.close()
    if found:
        worst = max(found, key=lambda breach: breach.excess)
        raise InputError(f"while nothing is moved yet, {worst.what}: the robot does not come to rest within it", option="limits")


def cases_of(experiment: Experiment) -> Cases:
    """What a proposal is looked at under."""
    present = experiment.information(None, errors=True)
    try:
        return Cases(present, experiment.parameters.start)
    finally:
        present.runs.close()


def plain_of(experiment: Experiment, stimuli: Sequence[StimulusSpec]) -> dict[str, object]:
    return plain_scenario(experiment.twin, experiment.scenario, experiment.seconds, experiment.moved, stimuli)


def _present_deviations(experiment: Experiment, slopes: _Array) -> _Array:
    """Standard deviations that the present scenario leaves, as a fit has them: a design is held against its best."""
    present = experiment.information(None)
    try:
        information = present.of_one((), experiment.parameters.start, DIFFERENCE)
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
