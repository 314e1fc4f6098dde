"""Sums of squared errors that are quadratic in weights, and weights that a ridge keeps small.

    loss(w) = c + 2 g . w + w . H w,            w(s) = -(H + s diag H)^-1 g

The ridge s is a share of each weight's own curvature, so that units do not matter. It is chosen by cross-validation: cells of
the data (whole recordings, or long stretches of them, never single samples: neighbours know each other) are left out one after
the other, and the s wins whose weights fit the cells that they have not seen best. No weight at all (s infinite) is among the
choices.

Reference: Hoerl & Kennard, Technometrics 12 (1970); Stone, J. Royal Stat. Soc. B 36 (1974).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Quadratic", "choose_ridge", "ridge_weights"]

_Array = NDArray[np.float64]
_RIDGES = (np.inf, *np.logspace(1.0, -8.0, 28))


@dataclass(frozen=True, eq=False)
class Quadratic:
    """A sum of squares: H, shape [n, n], g, shape [n], and c."""

    hessian: _Array
    gradient: _Array
    constant: float

    def __add__(self, other: Quadratic) -> Quadratic:
        return Quadratic(self.hessian + other.hessian, self.gradient + other.gradient, self.constant + other.constant)

    def __call__(self, weights: _Array) -> float:
        return float(self.constant + 2.0 * self.gradient @ weights + weights @ self.hessian @ weights)

    @classmethod
    def of_residual(cls, residual: _Array, jacobian: _Array, at: _Array) -> Quadratic:
        """What a residual [m] and its slopes [m, n] at some weights [n] say of all weights, if it is linear in them."""
        offset = residual - jacobian @ at
        return cls(jacobian.T @ jacobian, jacobian.T @ offset, float(offset @ offset))


def total(cells: Sequence[Quadratic]) -> Quadratic:
    """The sum of some."""
    found = cells[0]
    for cell in cells[1:]:
        found = found + cell
    return found


def ridge_weights(loss: Quadratic, ridge: float) -> _Array:
    """The weights of a ridge; one that moves nothing is 0."""
    size = np.sqrt(np.diag(loss.hessian))
    if not np.isfinite(ridge):
        return np.zeros(len(size))
    scale = np.where(size > 0.0, size, 1.0)
    scaled = loss.hessian / np.outer(scale, scale) + ridge * np.eye(len(size))
    return np.where(size > 0.0, -np.linalg.lstsq(scaled, loss.gradient / scale, rcond=1e-12)[0] / scale, 0.0)


def choose_ridge(cells: Sequence[Quadratic]) -> float:
    """The ridge whose weights fit cells best that they were not found from; infinite where no weights do."""
    everything = total(cells)
    scores = np.zeros(len(_RIDGES))
    for cell in cells:
        rest = Quadratic(everything.hessian - cell.hessian, everything.gradient - cell.gradient, 0.0)
        scores += [cell(ridge_weights(rest, ridge)) for ridge in _RIDGES]
    return float(_RIDGES[int(np.argmin(scores))])
