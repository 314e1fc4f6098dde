"""Boundary: where in the plane of two parameters runs begin to fail.

Logistic regression with squares and product, on parameters scaled to their mean and spread,

    P(fail) = 1 / (1 + exp(-g)),   g = b_0 + b_1 u + b_2 v + b_3 u^2 + b_4 u v + b_5 v^2

by Newton's method on the likelihood with a small ridge, which keeps it finite where passed and failed runs separate
wholly; without the squares and the product, where the Bayesian information criterion finds them not worth it. The boundary,
P = 1/2, is a conic: straight, bent or closed. All other parameters and the seeds blur it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

__all__ = ["Boundary", "fit_boundary"]

_Array = NDArray[np.float64]

_FEWEST = 8  # runs of either kind
_RIDGE = 0.05
_ROUNDS = 50
_STRAIGHT = 3  # terms of a straight boundary


@dataclass(frozen=True)
class Boundary:
    """A fitted boundary over x and y."""

    centre: _Array  # (2,)
    spread: _Array  # (2,)
    coefficients: _Array  # (6,)

    def chance(self, x: _Array, y: _Array) -> _Array:
        """Probability of failure, elementwise."""
        u, v = (x - self.centre[0]) / self.spread[0], (y - self.centre[1]) / self.spread[1]
        return np.asarray(expit(np.tensordot(self.coefficients, _terms(u, v), axes=1)), dtype=np.float64)

    def segments(self, x: _Array, y: _Array) -> list[tuple[tuple[float, float], tuple[float, float]]]:
        """The line P = 1/2 as short pieces, one or two in each cell of the grid of `x` and `y`."""
        height = self.chance(*np.meshgrid(x, y, indexing="ij")) - 0.5
        found = []
        for i in range(len(x) - 1):
            for j in range(len(y) - 1):
                corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
                cuts = []
                for first, last in zip(corners, corners[1:] + corners[:1], strict=True):
                    a, b = height[first], height[last]
                    if (a < 0.0) != (b < 0.0):
                        part = a / (a - b)
                        cuts.append(
                            (
                                float(x[first[0]] + part * (x[last[0]] - x[first[0]])),
                                float(y[first[1]] + part * (y[last[1]] - y[first[1]])),
                            )
                        )
                found += [(cuts[k], cuts[k + 1]) for k in range(0, len(cuts) - 1, 2)]
        return found


def fit_boundary(x: _Array, y: _Array, failed: NDArray[np.bool_]) -> Boundary | None:
    """The boundary between passed and failed runs; None where there are too few of either, or nothing varies."""
    if min(failed.sum(), (~failed).sum()) < _FEWEST:
        return None
    centre, spread = np.array([x.mean(), y.mean()]), np.array([x.std(), y.std()])
    if not (spread > 0.0).all():
        return None
    terms = _terms((x - centre[0]) / spread[0], (y - centre[1]) / spread[1]).T
    straight, bent = (_fit(terms[:, :count], failed) for count in (_STRAIGHT, terms.shape[1]))
    worth = 0.5 * (len(bent[0]) - len(straight[0])) * np.log(len(x))
    found = bent[0] if bent[1] - straight[1] > worth else np.pad(straight[0], (0, len(bent[0]) - len(straight[0])))
    return Boundary(centre, spread, found)


def _fit(terms: _Array, failed: NDArray[np.bool_]) -> tuple[_Array, float]:
    """Coefficients of largest likelihood, and its logarithm."""
    ridge = _RIDGE * np.eye(terms.shape[1])
    ridge[0, 0] = 1e-6
    found = np.zeros(terms.shape[1])
    for _ in range(_ROUNDS):
        chance = expit(terms @ found)
        slope = terms.T @ (failed - chance) - ridge @ found
        bend = (terms * (chance * (1.0 - chance))[:, None]).T @ terms + ridge
        step = np.linalg.solve(bend, slope)
        found = found + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-12))
        if np.abs(step).max() < 1e-8:
            break
    return found, float(-np.logaddexp(0.0, np.where(failed, -1.0, 1.0) * (terms @ found)).sum())


def _terms(u: _Array, v: _Array) -> _Array:
    return np.array([np.ones_like(u), u, v, u * u, u * v, v * v])
