"""Residuals and their slopes at several points at once, so that all cores have work.

    dr/dx_j = (r(x + h_j e_j) - r(x)) / h_j,        h into the cube, towards a point whose runs are known to go well

Coordinates that different recordings have for themselves are moved at once: each error knows one of them only. Estimated starts
follow every coordinate by what was last found of them (`start_estimates.py`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.problem import Problem

__all__ = ["linearise"]

_Array = NDArray[np.float64]
_ROOM = 20_000_000  # numbers of all residuals that are held at once


def linearise(problem: Problem, points: _Array, towards: _Array, steps: _Array) -> list[tuple[_Array, _Array]]:
    """Residual [entries] and Jacobian [entries, n] at points [n, k], by steps [n]; no slope across a failed run."""
    colours = _colours(problem)
    entries = problem.samples + len(problem.prior_slopes())
    together = max(1, _ROOM // (max(entries, 1) * (1 + len(colours))))
    found: list[tuple[_Array, _Array]] = []
    for first in range(0, points.shape[1], together):
        chosen = [*points[:, first : first + together].T]
        widths = [_widths(point, towards, steps) for point in chosen]
        trials = []
        for point, width in zip(chosen, widths, strict=True):
            trials.append(point)
            for members in colours:
                trials.append(point.copy())
                trials[-1][members] += width[members]
        residuals, failed = problem.residuals_or_failed(np.column_stack(trials))
        for i, width in enumerate(widths):
            part = slice(i * (1 + len(colours)), (i + 1) * (1 + len(colours)))
            found.append(_slopes(problem, colours, residuals[:, part], failed[part], width))
    return found


def _colours(problem: Problem) -> list[NDArray[np.int64]]:
    if problem.estimates_starts:
        return [np.array([i]) for i in range(problem.parameters.size)]
    return problem.parameters.colours()


def _widths(point: _Array, towards: _Array, steps: _Array) -> _Array:
    """Steps towards another point, or into the cube."""
    inward = np.where(point > 0.5, -steps, steps)
    return np.where(np.abs(towards - point) > steps, np.sign(towards - point) * steps, inward)


def _slopes(
    problem: Problem, colours: list[NDArray[np.int64]], residuals: _Array, failed: NDArray[np.bool_], widths: _Array
) -> tuple[_Array, _Array]:
    """From residuals at a point and a step along each colour, shape [entries, 1 + colours]."""
    jacobian = np.zeros((len(residuals), len(widths)))
    for c, members in enumerate(colours):
        if failed[0] or failed[1 + c]:
            continue
        moved = residuals[:, 1 + c] - residuals[:, 0]
        if len(members) == 1:
            jacobian[:, members[0]] = moved / widths[members[0]]
        else:
            owner = members[problem.recording_of]
            jacobian[np.arange(problem.samples), owner] = moved[: problem.samples] / widths[owner]
    priors = problem.prior_slopes()
    jacobian[problem.samples : problem.samples + len(priors)] = priors
    return residuals[:, 0], jacobian
