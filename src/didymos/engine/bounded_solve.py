"""A few equations with a few bounded unknowns, by Levenberg and Marquardt, without scipy's half second of import.

    (J^T J + mu D) dx = -J^T r        over the unknowns that no bound holds;  D = diag(J^T J)

J by forward differences. An unknown at its bound whose step would leave it is held there for that step. Fewer equations than
unknowns are allowed: the step is then the shortest. Deterministic.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["solve_bounded"]

_NUDGE = 1e-6
_ROUNDS = 80
_DONE = 1e-11


def solve_bounded(
    residual: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    start: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    size: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Unknowns and what is left of the residual; `size` is how large each unknown typically is."""
    here = np.clip(start, low, high)
    left = residual(here)
    damping = 1e-3
    for _ in range(_ROUNDS):
        if not np.isfinite(left).all() or np.abs(left).max() < _DONE:
            break
        slope = _slopes(residual, here, left, low, high, size)
        moved = False
        for _ in range(12):
            step = _step(slope, left, here, low, high, damping)
            there = np.clip(here + step, low, high)
            after = residual(there)
            if np.isfinite(after).all() and after @ after < left @ left:
                moved = bool(np.abs((there - here) / size).max() > 1e-14)
                here, left, damping = there, after, max(damping / 8.0, 1e-12)
                break
            damping *= 6.0
        if not moved:
            break
    return here, left


def _slopes(
    residual: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    here: NDArray[np.float64],
    left: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    size: NDArray[np.float64],
) -> NDArray[np.float64]:
    slope = np.empty((len(left), len(here)))
    for i in range(len(here)):
        nudge = _NUDGE * size[i]
        if here[i] + nudge > high[i]:
            nudge = -nudge
        there = here.copy()
        there[i] += nudge
        slope[:, i] = (residual(there) - left) / nudge
    return slope


def _step(
    slope: NDArray[np.float64],
    left: NDArray[np.float64],
    here: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    damping: float,
) -> NDArray[np.float64]:
    step = np.zeros(len(here))
    free = np.ones(len(here), dtype=bool)
    for _ in range(len(here)):
        part = slope[:, free]
        weight = np.sqrt(damping) * np.maximum(np.linalg.norm(part, axis=0), 1e-12)
        both = np.vstack([part, np.diag(weight)])
        found, *_ = np.linalg.lstsq(both, np.concatenate([-left, np.zeros(part.shape[1])]), rcond=None)
        step[:] = 0.0
        step[free] = found
        stuck = free & (((here <= low) & (step < 0.0)) | ((here >= high) & (step > 0.0)))
        if not stuck.any():
            break
        free &= ~stuck
        if not free.any():
            return np.zeros(len(here))
    return step
