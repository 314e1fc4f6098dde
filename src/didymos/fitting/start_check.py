"""Whether values that were fitted to windows hang on where these began.

A window begins at a measured state, which is off by the noise of sensors and by what slopes of positions miss. Errors and their
slopes by the parameters are then both those of a wrong motion, so least squares ends beside the truth, and the spread of the
windows, which the interval is made of, does not show it. Windows with starts of their own (`start_estimates.py`) do not have this
error and cost more. A few Gauss-Newton steps of them from the optimum,

    dx = -(A^T A)^-1 A^T r,        A the Jacobian from which the starts are eliminated,

say what they would find (the idea of Hausman's test: Econometrica 46, 1978). Where the truth, as they see it, is outside the
interval of measured starts with a chance of more than one in five, and not one in twenty, the interval is told to be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from didymos.fitting.fitted import FittedParameter
from didymos.fitting.problem import Problem

__all__ = ["StartDoubt", "free_starts", "start_doubts"]

_Array = NDArray[np.float64]
_PASSES = 4
_NEAR = 1e-3  # of the box: a step that is smaller is the last
_OUTSIDE = 0.2
_NORMAL_95 = 1.959963984540054
_ACCURACY = 1e-6  # of the largest singular value, columns scaled to one


@dataclass(frozen=True)
class StartDoubt:
    """A parameter that windows with estimated starts find elsewhere: its value, and its interval."""

    path: str
    unit: str
    value: float
    interval: tuple[float, float]

    @property
    def text(self) -> str:
        """One sentence."""
        low, high = self.interval
        said = f"{self.value:.4g} {self.unit}, about {low:.4g} to {high:.4g}"
        return f"{self.path} hangs on the noise of measured starts: with estimated ones it is {said}; use `start` estimated"


def free_starts(problem: Problem, point: _Array, step: float) -> None:
    """Lead a new problem whose starts are estimated from a point [n] to its own optimum nearby, by differences of `step`."""
    for _ in range(_PASSES):
        residual = problem.residuals(point)
        jacobian = problem.jacobian(point, step)
        scale = np.maximum(np.linalg.norm(jacobian, axis=0), 1e-300)
        move = -np.linalg.lstsq(jacobian / scale, residual, rcond=_ACCURACY)[0] / scale
        moved = np.clip(point + move, problem.low, problem.high)
        if np.abs(moved - point).max(initial=0.0) < _NEAR:
            break
        point = moved
    problem.finish()


def start_doubts(measured: Sequence[FittedParameter], estimated: Sequence[FittedParameter]) -> tuple[StartDoubt, ...]:
    """Where the intervals of measured starts do not hold what estimated ones say, in the same order."""
    found = []
    for ours, theirs in zip(measured, estimated, strict=True):
        if ours.interval is not None and theirs.interval is not None:
            spread = max(float(np.ptp(theirs.interval)) / (2.0 * _NORMAL_95), 1e-300)
            below, above = (float(ndtr((end - theirs.after) / spread)) for end in ours.interval)
            if below + 1.0 - above > _OUTSIDE:
                found.append(StartDoubt(ours.path, ours.unit, theirs.after, theirs.interval))
    return tuple(found)
