"""From the end of a search to what is known: the last passes, what is reported with its confidence, unknown directions.

    search -> x_0;   passes -> x, where the noise is as the residual shows it (`generalised.py`);   r(x), J(x) -> intervals
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.confidence import Confidence, confidence
from didymos.fitting.directions import Direction, Known, unknown_directions
from didymos.fitting.fitted import FittedParameter
from didymos.fitting.generalised import refine
from didymos.fitting.methods import DIFFERENCE
from didymos.fitting.problem import Problem
from didymos.fitting.reported import reported_confidence

__all__ = ["coordinates_confidence", "directions", "fitted", "last_passes", "reported", "unbiased"]

_Array = NDArray[np.float64]
_NORMAL_95 = 1.959963984540054


def last_passes(problem: Problem, *, interrupted: bool) -> _Array:
    """Move the best point to where it is known best, with the noise as the residual shows it; the Jacobian there.

    Windows stay at the point of least squares: what they leave is not the noise of sensors, but what grows from their starts.
    """

    def linearise(point: _Array) -> tuple[_Array, _Array]:
        return problem.residuals(point), problem.jacobian(point, DIFFERENCE, central=True)

    if interrupted or not len(problem.best) or any(segment.measured for segment in problem.segments):
        return problem.jacobian(problem.best, DIFFERENCE, central=True)
    found = refine(linearise, problem.best, problem.blocks(), belief=problem.noise)
    problem.best, problem.best_loss = found.point, float(found.residual @ found.residual)
    return found.jacobian


def unbiased(problem: Problem) -> _Array:
    """The residual at the best point; errors from which estimated starts took degrees of freedom, in the size of their noise."""
    residual = problem.residuals(problem.best)
    residual[: problem.samples] *= np.sqrt(problem.samples / max(problem.samples - problem.lost_degrees, 1.0))
    return residual


def coordinates_confidence(problem: Problem, jacobian: _Array, residual: _Array) -> Confidence:
    """Confidence of coordinates along which the residual has these slopes, at the best point."""
    return confidence(jacobian, residual, problem.blocks(), belief=problem.noise)


def reported(problem: Problem, jacobian: _Array, residual: _Array, known: Confidence) -> Confidence:
    """Confidence of all that is reported, at the best point, where that of the coordinates is known."""
    size = float(np.sqrt(residual @ residual / max(problem.samples - len(problem.best), 1)))
    return reported_confidence(
        problem.parameters, problem.best, jacobian, size,
        lambda slopes: known if slopes is jacobian else coordinates_confidence(problem, slopes, residual),
    )  # fmt: skip


def directions(problem: Problem, jacobian: _Array, certainty: Confidence) -> tuple[Direction, ...]:
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


def fitted(problem: Problem, start: _Array, certainty: Confidence) -> tuple[FittedParameter, ...]:
    """All that is reported, with intervals from its own certainty."""
    found: list[FittedParameter] = []
    for group, index in problem.parameters.entries():
        part = problem.parameters.stretch(group, index)
        before, after = group.reported(start[part]), group.reported(problem.best[part])
        recording = None if index is None else problem.recordings[index].name
        for k, (name, unit, limits) in enumerate(zip(group.names, group.units, group.bounds, strict=True)):
            half = float(certainty.half_width[len(found)])
            interval = (float(after[k]) - half, float(after[k]) + half) if np.isfinite(half) else None
            found.append(
                FittedParameter(
                    name, unit, float(before[k]), float(after[k]), interval, limits, group.followers(name), recording
                )
            )  # fmt: skip
    return tuple(found)
