"""The last passes of a fit: from least squares to generalised least squares, with the noise as the residual shows it.

A search minimises the weighted squares that the user asked for. With noise that is slow, or shared between channels, that is not
where the parameters are known best: generalised least squares gives slow errors less say over what is slow, noisy channels less
over all. Each pass whitens residual and Jacobian and takes one Gauss-Newton step, along the directions that the data tell:

    J = U S V^T,      v is told if r / s < 0.1: one standard deviation along it is a tenth of the box    (r: RMS of the residual)

and if s is not lost in the accuracy of differences.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.blocks import Block
from didymos.fitting.confidence import Estimate, confidence

__all__ = ["Refined", "refine"]

_Array = NDArray[np.float64]
_PASSES = 3
_TOLD = 0.1  # of the box
_ACCURACY = 1e-4  # of the largest singular value
_NEAR = 0.1  # of the half widths: a step that is smaller changes nothing that is known

Linearise = Callable[[_Array], tuple[_Array, _Array]]
"""Residual [m] and Jacobian [m, n] at a point [n]."""


@dataclass(frozen=True, eq=False)
class Refined:
    """Where the passes ended, with the residual and Jacobian there; `settled`: the last step was small against the intervals."""

    point: _Array  # [n]
    residual: _Array  # [m]
    jacobian: _Array  # [m, n]
    settled: bool


def refine(linearise: Linearise, point: _Array, blocks: Sequence[Block], *, belief: float = 1.0) -> Refined:
    """From a point [n] of the unit cube; rows of the residual that no block has are beliefs of the standard deviation `belief`.

    A step whose whitened squares are not smaller is halved, and given up after the third time.
    """
    residual, jacobian = linearise(point)
    for _ in range(_PASSES):
        _, values, axes = np.linalg.svd(jacobian, full_matrices=False)
        size = np.sqrt(residual @ residual / max(len(residual) - len(point), 1))
        told = axes[values > max(size / _TOLD, _ACCURACY * values[0])].T  # [n, k]
        if not told.size:
            break
        known = confidence(jacobian @ told, residual, blocks, belief=belief)
        step = np.clip(point + told @ known.shift, 0.0, 1.0) - point
        width = np.sqrt(np.einsum("ik,kl,il->i", told, known.covariance, told))
        if np.all(np.abs(step) <= _NEAR * 2.0 * width):
            return Refined(point, residual, jacobian, settled=True)
        moved = _shorter(linearise, known, point, step, residual, blocks, belief)
        if moved is None:
            break
        point, residual, jacobian = moved
    return Refined(point, residual, jacobian, settled=False)


def _shorter(
    linearise: Linearise, known: Estimate, point: _Array, step: _Array, residual: _Array, blocks: Sequence[Block], belief: float
) -> tuple[_Array, _Array, _Array] | None:
    before = _squares(known, residual, blocks, belief)
    for share in (1.0, 0.5, 0.25):
        there = point + share * step
        errors, slope = linearise(there)
        if _squares(known, errors, blocks, belief) < before:
            return there, errors, slope
    return None


def _squares(known: Estimate, residual: _Array, blocks: Sequence[Block], belief: float) -> float:
    """Whitened squares of all errors and beliefs."""
    assert known.whitening is not None
    white = known.whitening.apply(residual[:, None])
    beliefs = np.delete(residual, np.concatenate([block.rows for block in blocks]))
    return float(np.sum(white**2) + np.sum((beliefs / belief) ** 2))
