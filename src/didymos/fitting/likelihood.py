"""The likelihood of parameters away from the optimum, as unsure at it as the ordinary intervals are.

Whitened squares |W r(x)|^2 (`confidence.py`) are a log-likelihood, times -1/2, for noise that is what W takes it for. Near the
optimum they say that the covariance of x is (J^T W^T W J)^-1. The ordinary intervals say V, which is wider: the noise is not
known, and errors may be something else than W takes them for (`noise_mixture.py`, `sandwich.py`). So what the errors do along the
tangent of the twin, W J = Q R, is weighed anew:

    F(x) = u^T A u + k |(1 - Q Q^T) W r(x)|^2 + |priors(x)|^2,      u = Q^T W r(x),   A = (R V R^T)^-1,   k = q / trace A^-1

For a twin that is linear in x this is the normal distribution of covariance V, with all priors; for one that is not, the shape is
that of the twin. It is the adjusted likelihood of Stafford (Annals of Statistics 24, 1996) and of Chandler & Bate (Biometrika 94,
2007), in the directions of errors, not of parameters, so that it does not hang on what the parameters are.

Directions that the errors do not tell at all are no part of the tangent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.blocks import Block
from didymos.fitting.confidence import Whitening, confidence

__all__ = ["Likelihood", "adjusted_likelihood"]

_Array = NDArray[np.float64]
_NORMAL_95 = 1.959963984540054
_ACCURACY = 1e-5  # of the largest singular value: what differences can tell
_SHORTEST = 1e-6  # half width, and step of differences
_LEAST = 1e-6  # of the largest variance along the tangent: none is less

Evaluate = Callable[[_Array], tuple[_Array, NDArray[np.bool_]]]
"""Residuals [entries, k] of points [n, k], and which of them hold a run that failed."""
Linearise = Callable[[_Array, _Array], Sequence[tuple[_Array, _Array]]]
"""Residual [entries] and Jacobian [entries, n] at each of some points, shape [n, k], by differences of steps [n]."""


@dataclass(frozen=True, eq=False)
class Likelihood:
    """F as a function of points of the unit cube."""

    evaluate: Evaluate
    linearise: Linearise
    priors: slice  # rows of the residual
    belief: float  # their standard deviation
    blocks: Sequence[Block]
    whitening: Whitening | None
    tangent: _Array  # Q, shape [rows, q]
    root: _Array  # of A, shape [q, q]
    across: float  # root of k
    jacobian: _Array  # of the residual at the optimum, shape [entries, n]
    widths: _Array  # of ordinary intervals, half of them, no more than the cube's, shape [n]
    steps: _Array  # of differences elsewhere, shape [n]

    def squares(self, points: _Array) -> _Array:
        """F at points, shape [n, k] -> [k]; infinite where a run fails."""
        residuals, failed = self.evaluate(points)
        errors = self._errors(residuals)
        return np.where(failed, np.inf, np.einsum("ij,ij->j", errors, errors))

    def triangles(self, points: _Array) -> list[_Array]:
        """T, shape [n + 1, n + 1], at points [n, k], with F(x + d) = |T (d, 1)|^2 as far as the twin is linear there."""
        return [self._triangle(residual, jacobian) for residual, jacobian in self.linearise(points, self.steps)]

    def at_optimum(self, point: _Array) -> tuple[float, _Array]:
        """F and T at the optimum [n], whose Jacobian is known."""
        triangle = self._triangle(self.evaluate(point[:, None])[0][:, 0], self.jacobian)
        return float(triangle[:, -1] @ triangle[:, -1]), triangle

    def _triangle(self, residual: _Array, jacobian: _Array) -> _Array:
        columns = self._errors(np.column_stack([jacobian, residual]))
        missing = max(0, columns.shape[1] - len(columns))
        return np.asarray(np.linalg.qr(np.vstack([columns, np.zeros((missing, columns.shape[1]))]), mode="r"))

    def _errors(self, residuals: _Array) -> _Array:
        """Columns of residuals [entries, k] -> errors whose squares add up to F."""
        white = _whitened(np.delete(residuals, self.priors, axis=0), self.blocks, self.whitening, self.belief)
        along = self.tangent.T @ white
        white -= self.tangent @ along
        return np.vstack([self.root @ along, self.across * white, residuals[self.priors] / self.belief])


def adjusted_likelihood(
    evaluate: Evaluate,
    linearise: Linearise,
    jacobian: _Array,
    residual: _Array,
    blocks: Sequence[Block],
    *,
    priors: slice,
    belief: float,
    longest: float,
) -> Likelihood | None:
    """From the Jacobian [entries, n] and residual [entries] at the optimum; None where they tell nothing.

    `priors` are the rows of priors. Rows of no block and no prior are measured starts, of the standard deviation `belief`.
    Differences away from the optimum are over a half width, or `longest` of the box.
    """
    slopes, errors = np.delete(jacobian, priors, axis=0), np.delete(residual, priors)
    _, values, axes = np.linalg.svd(slopes, full_matrices=False)
    told = values > _ACCURACY * float(values.max(initial=0.0))
    if not told.any():
        return None
    basis = np.eye(slopes.shape[1]) if told.all() and len(told) == slopes.shape[1] else axes[told].T
    known = confidence(slopes @ basis, errors, blocks, belief=belief)
    half = np.nan_to_num(known.half_width, posinf=1.0) / _NORMAL_95
    tangent, triangle = np.linalg.qr(_whitened(slopes @ basis, blocks, known.whitening, belief))
    spread = triangle @ (known.correlation * np.outer(half, half)) @ triangle.T
    variances, turn = np.linalg.eigh(spread)
    variances = np.maximum(variances, _LEAST * float(variances.max()))
    root = (turn / np.sqrt(variances)) @ turn.T
    across = float(np.sqrt(len(variances) / variances.sum()))
    covariance = basis @ (known.correlation * np.outer(half, half)) @ basis.T
    untold = 1.0 - np.linalg.norm(basis, axis=1) ** 2 > _ACCURACY
    widths = np.where(untold, 1.0, np.clip(_NORMAL_95 * np.sqrt(np.diag(covariance)), _SHORTEST, 1.0))
    return Likelihood(
        evaluate, linearise, priors, belief, blocks, known.whitening, tangent, root, across, jacobian, widths,
        np.minimum(widths, longest),
    )  # fmt: skip


def _whitened(columns: _Array, blocks: Sequence[Block], whitening: Whitening | None, belief: float) -> _Array:
    """Columns without priors, whitened, measured starts last; those of windows that are observations each stay as they are."""
    if whitening is None:
        return columns.copy()
    starts = np.delete(columns, np.concatenate([block.rows for block in blocks]), axis=0)
    return np.vstack([whitening.apply(columns), starts / belief])
