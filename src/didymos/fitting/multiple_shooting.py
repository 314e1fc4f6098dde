"""Refine a learned function on the errors of the segments that are judged: windows from the measured state, or whole recordings.

Gauss and Newton's method with a ridge: in each round the errors are taken for linear in the weights,

    r(w) = r(w_0) + J (w - w_0),      J by differences, one run of all segments for each weight

the ridge is chosen by cross-validation over the cells (`quadratic.py`), and of the way to its weights that part is gone (all of
it, a half, ...) which makes the sum of squares and the ridge's penalty least. Where the errors turn out to be as linear as they
were taken for, one round is enough. That of a linear function begins at no weights at all, so that all folds share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.learned_function import LearnedFunction
from didymos.fitting.problem import Problem
from didymos.fitting.quadratic import Quadratic, choose_ridge, ridge_weights, total
from didymos.fitting.residual_cells import Cell
from didymos.fitting.residual_runs import ResidualRuns

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["linearize", "refine"]

_Array = NDArray[np.float64]
_ROOM = 1e3  # times its size that a weight may move, both ways
_STEP = 0.02  # of its size: the difference by which slopes are taken
_PARTS = (1.0, 0.5, 0.25, 0.1)  # of the way
_ROUNDS = 4
_LINEAR = 0.1  # share of what is gained by which a round may be wrong about it


class _Shooting:
    """Weights of a function, and the errors of all segments of some cells."""

    def __init__(self, problem: Problem, cells: Sequence[Cell], sizes: _Array) -> None:
        self.problem, self.cells = problem, cells
        self.moving = np.flatnonzero(sizes > 0.0)
        self._count, self._width = len(sizes), 2.0 * _ROOM * sizes[self.moving]

    def losses(self, weights: _Array) -> _Array:
        """Sums of squares, [weights, k] -> [k]."""
        return self.problem.losses(0.5 + weights[self.moving] / self._width[:, None])

    def quadratics(self, weights: _Array) -> list[Quadratic]:
        """What each cell says of all weights, from the slopes at some; those that do not move say nothing."""
        point = 0.5 + weights[self.moving] / self._width
        residual = self.problem.residuals(point)
        jacobian = np.zeros((len(residual), self._count))
        jacobian[:, self.moving] = self.problem.jacobian(point, _STEP / (2.0 * _ROOM)) / self._width
        found, first = [], 0
        for cell in self.cells:
            last = first + len(cell.segments)
            rows = slice(self.problem.rows(first)[0].start, self.problem.rows(last - 1)[-1].stop)
            found.append(Quadratic.of_residual(residual[rows], jacobian[rows], weights))
            first = last
        return found


@contextmanager
def _shooting(
    runs: ResidualRuns, cells: Sequence[Cell], function: LearnedFunction, limits: Mapping[str, float], forces: _Array
) -> Iterator[_Shooting]:
    sizes = function.weight_sizes(forces)
    paths = function.weight_paths(runs.part)
    room = {path: _ROOM * float(size) for path, size in zip(paths, sizes, strict=True) if size > 0.0}
    segments = [segment for cell in cells for segment in cell.segments]
    with runs.moving(segments, function.settings(runs.part, limits), room) as problem:
        yield _Shooting(problem, cells, sizes)


def linearize(
    runs: ResidualRuns, cells: Sequence[Cell], function: LearnedFunction, limits: Mapping[str, float], forces: _Array
) -> list[Quadratic]:
    """What each cell says of the weights of a function, from the slopes at those that it has."""
    with _shooting(runs, cells, function, limits, forces) as shooting:
        return shooting.quadratics(function.weights)


def refine(
    runs: ResidualRuns,
    cells: Sequence[Cell],
    function: LearnedFunction,
    limits: Mapping[str, float],
    forces: _Array,
    known: Sequence[Quadratic] = (),
) -> LearnedFunction:
    """A function with better weights for the segments of some cells.

    Args:
        runs: the twin and its recordings.
        cells: whose segments are looked at.
        function: where it begins, unless no weights at all are better.
        limits: bounds by path while it is refined.
        forces: sizes of what is left over, shape [o].
        known: what the cells say of the weights, where slopes were taken already.
    """
    with _shooting(runs, cells, function, limits, forces) as shooting:
        weights, nothing = function.weights, function.without_output().weights
        for _ in range(_ROUNDS):
            said = known or shooting.quadratics(weights)
            known = ()
            ridge, linearized = choose_ridge(said), total(said)
            pull = ridge * np.diag(linearized.hessian) if np.isfinite(ridge) else np.zeros(len(weights))
            aim = ridge_weights(linearized, ridge) if np.isfinite(ridge) else nothing
            tried = np.column_stack([nothing, weights, *(weights + part * (aim - weights) for part in _PARTS)])
            losses = shooting.losses(tried)
            best = int(np.argmin(losses + pull @ tried**2))
            gained, surprise = losses[0] - losses[best], abs(losses[best] - linearized(tried[:, best]))
            stays = best <= 1
            weights = tried[:, best]
            if stays or surprise <= _LINEAR * gained:
                break
    return function.with_weights(weights)
