"""What an experiment would tell about parameters: Fisher information of white noise, before anything is recorded.

    F = sum over channels c of  J_c^T J_c / s_c^2,      J = dy/du,      cov = F^-1

y the signals that are recorded, s_c their noise, u the coordinates of a fit (0 and 1 at the bounds). Numbers that a recording has
for itself, and are of no interest, are taken out (Schur's complement). Criteria, all to be made small:

    worst  (sum (sd / sd_present)^4)^1/4     ratios to today's intervals, the largest counts most
    D      -log det F                        the volume of the ellipsoid of confidence; the units of the parameters do not matter
    A      sum (sd / value)^2                the sum of relative variances

While the search goes on, F has the information of the bounds beside it (a uniform distribution between them: 12 per unit), so
that an excitation which tells nothing of a parameter is bad and not impossible. Priors count in both.

Reference: Goodwin & Payne, Dynamic System Identification (1977); Ljung, System Identification (1999), ch. 13.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.parameterization import Parameterization

__all__ = [
    "CRITERIA", "Predicted", "criterion", "predict", "prior_information", "reported_slopes", "shared_information", "variances",
]  # fmt: skip

_Array = NDArray[np.float64]
CRITERIA = ("worst", "D", "A")
_SHARP = 2  # power of variances: the largest counts most, and one that cannot be told better does not decide alone
_NORMAL_95 = 1.959963984540054
_UNIFORM = 12.0  # information of a uniform distribution over a unit length
_STEP = 1e-6  # of differences of functions that are known exactly
_SINGULAR = 1e-12  # of the largest eigenvalue, diagonal scaled to one


@dataclass(frozen=True, eq=False)
class Predicted:
    """Half widths of the 95 % intervals of what is told of parameters, shape [n], infinite where nothing is known of one."""

    half_width: _Array
    correlation: _Array


def shared_information(information: _Array, shared: int) -> _Array:
    """Of the first `shared` coordinates, whatever the others are."""
    if shared == len(information):
        return information
    own = information[shared:, shared:]
    return np.asarray(
        information[:shared, :shared] - information[:shared, shared:] @ np.linalg.pinv(own) @ information[shared:, :shared]
    )


def prior_information(parameters: Parameterization, point: _Array) -> _Array:
    """Information of priors at coordinates, shape [n, n]."""
    slopes = []
    for i in range(len(point)):
        moved = point.copy()
        moved[i] += _STEP
        slopes.append((parameters.prior(moved) - parameters.prior(point)) / _STEP)
    jacobian = np.column_stack(slopes)
    return np.asarray(jacobian.T @ jacobian)


def reported_slopes(parameters: Parameterization, point: _Array) -> _Array:
    """How what is told of shared parameters changes with their coordinates, shape [told, shared]."""
    rows, shared = [], sum(len(group.start) for group in parameters.shared)
    for group in parameters.shared:
        part = parameters.stretch(group)
        block = np.zeros((len(group.names), shared))
        for i in range(part.start, part.stop):
            step = -_STEP if point[i] > 0.5 else _STEP
            moved = point.copy()
            moved[i] += step
            block[:, i] = (group.reported(moved[part]) - group.reported(point[part])) / step
        rows.append(block)
    return np.vstack(rows)


def criterion(kind: str, information: _Array, slopes: _Array, scales: _Array) -> float:
    """The less the better, of the information of shared coordinates with that of the bounds beside it.

    `slopes` as `reported_slopes` has them; `scales`, shape [told], is what a standard deviation is relative to.
    """
    whole = information + _UNIFORM * np.eye(len(information))
    if kind == "D":
        return float(-np.linalg.slogdet(whole)[1])
    relative = variances(information, slopes) / scales**2
    return float(relative.sum() if kind == "A" else np.sum(relative**_SHARP) ** (0.5 / _SHARP))


def variances(information: _Array, slopes: _Array) -> _Array:
    """Of what is told, shape [told], with the information of the bounds."""
    whole = information + _UNIFORM * np.eye(len(information))
    return np.asarray(np.einsum("ij,ji->i", slopes, np.linalg.solve(whole, slopes.T)))


def predict(information: _Array, slopes: _Array) -> Predicted:
    """Intervals of what is told, from the information of shared coordinates."""
    size = np.sqrt(np.maximum(np.diag(information), 0.0))
    scale = np.where(size > 0.0, size, 1.0)
    values, axes = np.linalg.eigh(information / np.outer(scale, scale))
    known = values > _SINGULAR * max(float(values.max()), 1e-300)
    inverse = (axes[:, known] / values[known]) @ axes[:, known].T / np.outer(scale, scale)
    covariance = slopes @ inverse @ slopes.T
    unknown = (axes[:, ~known] ** 2).sum(axis=1) > 1e-6
    blind = (np.abs(slopes) > 0.0) @ (unknown | (size == 0.0))
    deviation = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.clip(np.nan_to_num(covariance / np.outer(deviation, deviation)), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return Predicted(np.where(blind, np.inf, _NORMAL_95 * deviation), correlation)
