"""How well data determine parameters: intervals and correlations from the residual's Jacobian at the optimum.

    cov = (J^T J)^-1 M (J^T J)^-1,      M = sum over channels c of s_c^2 sum_l rho_cl J_c^T L^l J_c

The middle M takes the errors as they are: of another size s_c in each channel, and alike from one sample to the next (rho_cl is
their correlation over l samples, counted until it is lost in the noise), which a model that is not quite true always leaves.
With white noise of one size it is the textbook's s^2 (J^T J)^-1. Reference: White, Econometrica 48 (1980); Newey & West,
Econometrica 55 (1987).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Confidence", "confidence"]

_Array = NDArray[np.float64]
_NORMAL_95 = 1.959963984540054
_NOTICED = 2.5  # standard deviations of a correlation from which on it is no accident
_SINGULAR = 1e-7  # of the largest singular value, columns scaled to one


@dataclass(frozen=True, eq=False)
class Confidence:
    """Half widths of the 95 % intervals, shape [n], infinite where the data say nothing, and correlations, shape [n, n]."""

    half_width: _Array
    correlation: _Array


def confidence(jacobian: _Array, residual: _Array, lengths: Sequence[int]) -> Confidence:
    """From a Jacobian [samples, n] and residual [samples] that are made of channels of these lengths."""
    size = np.linalg.norm(jacobian, axis=0)
    scale = np.where(size > 0.0, size, 1.0)
    scaled = jacobian / scale
    _, values, axes = np.linalg.svd(scaled, full_matrices=False)
    determined = values > _SINGULAR * max(float(values.max()), 1e-300)
    inverse = (axes[determined].T / values[determined] ** 2) @ axes[determined]
    covariance = inverse @ _middle(scaled, residual, lengths) @ inverse
    blind = (axes[~determined] ** 2).sum(axis=0) > 1e-6
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = covariance / np.outer(deviation, deviation)
    correlation = np.clip(np.nan_to_num(correlation), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return Confidence(np.where(blind | (size == 0.0), np.inf, _NORMAL_95 * deviation / scale), correlation)


def _middle(jacobian: _Array, residual: _Array, lengths: Sequence[int]) -> _Array:
    samples, n = jacobian.shape
    total = np.zeros((n, n))
    first = 0
    for length in lengths:
        part = slice(first, first + length)
        j, r = jacobian[part], residual[part]
        power = float(r @ r)
        middle = j.T @ j
        for lag in range(1, length // 4):
            correlation = float(r[lag:] @ r[:-lag]) / power if power > 0.0 else 0.0
            if correlation < _NOTICED / np.sqrt(length):
                break
            product = j[lag:].T @ j[:-lag]
            middle += correlation * (product + product.T)
        total += power / (length * max(1.0 - n / samples, 0.1)) * middle
        first += length
    return total
