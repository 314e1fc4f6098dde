"""From the certainty of coordinates to that of what is reported: a body has ten coordinates, and is told by other ten numbers.

    cov(y) = G cov(x) G^T,      G = dy / dx at the optimum, by central differences        (the delta method)

A number that hangs on a coordinate of which the data say nothing is not determined either. Of bodies that is too simple: an arm
that turns about one axis tells its inertia about that axis, but none of the coordinates that make it up. So with bodies the
directions of the Jacobian over all coordinates take their place,

    J = U S V^T,      v is told if r / s < 1: one standard deviation along it stays within the box     (r: RMS of the residual)

and a number whose variance, with one box along each direction that is not told, comes from these for the most part, or from
directions whose interval is longer than half of the box, is not determined.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.confidence import Confidence
from didymos.fitting.parameterization import Group, Parameterization

__all__ = ["reported_confidence", "reported_slopes"]

_Array = NDArray[np.float64]
_NORMAL_95 = 1.959963984540054
_STEP = 1e-5  # of the range of a coordinate
_HALF = 0.25  # of the box: half widths beyond it say that the data did not decide
_HANGS = 1e-9  # of the largest slope of a number: below it hangs on nothing of a coordinate


def reported_confidence(
    parameters: Parameterization, point: _Array, jacobian: _Array, size: float, confidence_of: Callable[[_Array], Confidence]
) -> Confidence:
    """Half widths and correlations of all that is reported, in the order of `Parameterization.entries` and `Group.names`.

    `jacobian` [entries, n] is that of the residual at the optimum, `size` the residual's RMS; `confidence_of` gives the
    confidence of coordinates along which the residual has some slopes [entries, k].
    """
    slopes = reported_slopes(parameters, point)
    if all(len(group.start) == 1 for group, _ in parameters.entries()):
        certainty = confidence_of(jacobian)
        blind = ~np.isfinite(certainty.half_width)
        hangs = np.abs(slopes) > _HANGS * np.abs(slopes).max(axis=1, keepdims=True, initial=0.0)
        covariance = _spread(slopes, certainty.correlation, np.where(blind, 0.0, certainty.half_width))
        return _confidence(covariance, np.asarray((hangs & blind).any(axis=1)))
    triangle = np.linalg.qr(jacobian, mode="r")
    _, values, axes = np.linalg.svd(triangle, full_matrices=True)
    told = np.zeros(len(axes), dtype=bool)
    told[: len(values)] = values > size
    certainty = confidence_of(jacobian @ axes[told].T)
    covariance = _spread(slopes @ axes[told].T, certainty.correlation, np.nan_to_num(certainty.half_width, posinf=1.0))
    untold = _NORMAL_95**2 * ((slopes @ axes[~told].T) ** 2).sum(axis=1)
    hardly = np.where(certainty.half_width > _HALF, np.nan_to_num(certainty.half_width, posinf=1.0), 0.0)
    unsure = untold + ((slopes @ axes[told].T * hardly) ** 2).sum(axis=1)
    return _confidence(covariance + np.diag(untold), unsure > np.diag(covariance) + untold - unsure)


def _spread(slopes: _Array, correlation: _Array, half_width: _Array) -> _Array:
    return np.asarray(slopes @ (correlation * np.outer(half_width, half_width)) @ slopes.T)


def _confidence(covariance: _Array, blind: NDArray[np.bool_]) -> Confidence:
    """Of a covariance in squares of half widths, and of what is not determined."""
    width = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        correlation = np.clip(np.nan_to_num(covariance / np.outer(width, width)), -1.0, 1.0)
    np.fill_diagonal(correlation, 1.0)
    return Confidence(np.where(blind, np.inf, width), correlation)


def reported_slopes(parameters: Parameterization, point: _Array) -> _Array:
    """d reported / d coordinates, shape [names of all groups, n]."""
    blocks = [_slopes(group, point[parameters.stretch(group, index)]) for group, index in parameters.entries()]
    whole = np.zeros((sum(len(block) for block in blocks), len(point)))
    row = column = 0
    for block in blocks:
        whole[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return whole


def _slopes(group: Group, point: _Array) -> _Array:
    """d reported / d coordinates of a group, shape [names, coordinates]."""
    steps = _STEP * np.eye(len(point))
    return np.column_stack([(group.reported(point + step) - group.reported(point - step)) / (2.0 * _STEP) for step in steps])
