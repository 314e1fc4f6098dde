"""Errors of recordings that make values wrong and intervals narrow: lags that are not free, noisy starts of windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.cluster.executor import Workers
from didymos.fitting.certainty import coordinates_confidence, fitted, reported, unbiased
from didymos.fitting.fitted import FittedParameter
from didymos.fitting.lags import Lag, lags
from didymos.fitting.methods import DIFFERENCE
from didymos.fitting.problem import Problem
from didymos.fitting.start_check import StartDoubt, free_starts, start_doubts

__all__ = ["hidden_lags", "hidden_starts"]

_Array = NDArray[np.float64]


def hidden_lags(problem: Problem, jacobian: _Array, residual: _Array) -> tuple[Lag, ...]:
    """Lags that are not free and that the recordings show; nothing is said of windows."""
    if any(segment.measured for segment in problem.segments):
        return ()
    slopes, names = problem.lag_slopes(problem.best), [item.name for item in problem.recordings]
    return lags(jacobian, residual, problem.blocks(), slopes, names, belief=problem.noise)


def hidden_starts(problem: Problem, found: Sequence[FittedParameter], threads: Workers) -> tuple[StartDoubt, ...]:
    """Values of windows with measured starts that those with estimated ones do not agree with."""
    freed = Problem(
        problem.twin, problem.recordings, problem.segments, problem.parameters, noise=problem.noise, estimate_starts=True,
        threads=threads,
    )  # fmt: skip
    try:
        free_starts(freed, problem.best, DIFFERENCE)
        slopes, residual = freed.jacobian(freed.best, DIFFERENCE, central=True), unbiased(freed)
        known = reported(freed, slopes, residual, coordinates_confidence(freed, slopes, residual))
        return start_doubts(found, fitted(freed, problem.best, known))
    finally:
        freed.close()
