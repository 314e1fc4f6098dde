"""Equation error: the force that physics leaves over, from windows of a few samples that begin at the measured state.

Over a window so short that the force F on the part hardly changes, the errors r of all signals at all of its samples are linear
in it:

    r(F) = r(0) + J F,      J the response to a constant force on the part, by differences of two runs

so each window says of F: loss = r(0)^2 + 2 (J^T r(0)) . F + F . (J^T J) F. The response is the twin's own: it holds the mass
matrix, gears, friction, contacts and whatever the sensors see of them, and a force that moves nothing (J = 0) says nothing. J
is taken at the size of force that would explain the error, since dry friction answers small and large forces differently.

The features of a window are the mean over its samples. With white noise on the measured state, that mean and the error of a
window that begins at a noisy sample are uncorrelated, so that noise in a velocity does not look like damping (which the first
sample alone would).

Reference: Klein & Morelli, Aircraft System Identification (2006), ch. 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.quadratic import Quadratic
from didymos.fitting.residual_runs import ResidualRuns
from didymos.fitting.segments import Segment

__all__ = ["EquationError", "equation_error", "force_sizes"]

_Array = NDArray[np.float64]
_FIRST = 1e-2  # of the robot's weight: the force of the first look
_ARM = 0.1  # [m] at which that force is a torque
_FAR = 1e6  # times the force: a bound that is not felt


@dataclass(frozen=True, eq=False)
class EquationError:
    """Windows and what each says of the force on the part.

    features: shape [n, k]; curvature J^T J: [n, o, o]; slope J^T r: [n, o]; loss r^2: [n]; over n windows, k features, o outputs.
    """

    features: _Array
    curvature: _Array
    slope: _Array
    loss: _Array

    def __getitem__(self, chosen: NDArray[np.int64] | NDArray[np.bool_] | slice) -> EquationError:
        return EquationError(self.features[chosen], self.curvature[chosen], self.slope[chosen], self.loss[chosen])

    def quadratic(self) -> Quadratic:
        """The loss of a linear correction by its weights, flat from shape [o, 1 + k]."""
        inputs = np.column_stack([np.ones(len(self.features)), self.features])
        outputs, count = self.slope.shape[1], inputs.shape[1]
        hessian = np.einsum("nab,ni,nj->aibj", self.curvature, inputs, inputs, optimize=True)
        gradient = self.slope.T @ inputs
        size = outputs * count
        return Quadratic(hessian.reshape(size, size), gradient.ravel(), float(self.loss.sum()))


def _explaining(residual: _Array, jacobian: _Array) -> _Array:
    """How far each coordinate would have to move to make as much of a difference as the error; 0 where it moves nothing."""
    response = np.sqrt(np.einsum("ij,ij->j", jacobian, jacobian))
    size = float(np.sqrt(residual @ residual))
    return np.where(response > 0.0, size / np.where(response > 0.0, response, 1.0), 0.0)


def force_sizes(runs: ResidualRuns, segments: Sequence[Segment]) -> _Array:
    """The constant force [N or N m] of each output that would make as much of a difference as the error that there is."""
    weight = 9.81 * sum(link.mass for link in runs.twin.description.links.values())
    first = {path: _FIRST * weight * (1.0 if "force" in path else _ARM) for path in runs.part.constants}
    with runs.moving(segments, {path: _FAR * max(first.values()) for path in runs.part.limits}, first) as problem:
        start = problem.start
        found = _explaining(problem.residuals(start), problem.jacobian(start, 0.5, central=True))
    return 2.0 * found * np.array(list(first.values()))  # a coordinate of 1 is twice the size


def equation_error(
    runs: ResidualRuns, segments: Sequence[Segment], sizes: _Array, features: Sequence[_Array]
) -> EquationError:
    """What windows say of the force; `sizes` of it as `force_sizes` gives them, `features` of each recording at its samples."""
    forces = {path: float(size) if size > 0.0 else 1.0 for path, size in zip(runs.part.constants, sizes, strict=True)}
    with runs.moving(segments, {path: _FAR * max(forces.values()) for path in runs.part.limits}, forces) as problem:
        residual, jacobian = problem.residuals(problem.start), problem.jacobian(problem.start, 0.5, central=True)
        jacobian /= 2.0 * np.array(list(forces.values()))
        parts = [slice(rows[0].start, rows[-1].stop) for rows in map(problem.rows, range(len(segments)))]
    windows = [(residual[part], jacobian[part]) for part in parts]
    return EquationError(
        np.array([_mean(runs, segment, features) for segment in segments]),
        np.array([j.T @ j for _, j in windows]),
        np.array([j.T @ r for r, j in windows]),
        np.array([float(r @ r) for r, _ in windows]),
    )


def _mean(runs: ResidualRuns, segment: Segment, features: Sequence[_Array]) -> _Array:
    """The mean of features over the samples of a window, the one that it begins at among them."""
    part = segment.samples[0]
    return np.asarray(features[segment.recording][max(part.start - 1, 0) : part.stop].mean(axis=0))
