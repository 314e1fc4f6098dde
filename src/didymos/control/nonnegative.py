"""The least squares of A x - b over x that are not negative, by Lawson and Hanson (1974)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["nonnegative_least_squares"]


def nonnegative_least_squares(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """x >= 0 with the least |A x - b|; A of shape [m, n], b of shape [m]."""
    count = a.shape[1]
    x, free = np.zeros(count), np.zeros(count, dtype=bool)
    small = 10.0 * np.finfo(float).eps * float(np.abs(a).sum(axis=0).max(initial=0.0)) * max(a.shape)
    for _ in range(3 * count):
        pull = a.T @ (b - a @ x)
        if free.all() or pull[~free].max() <= small:
            break
        free[np.flatnonzero(~free)[np.argmax(pull[~free])]] = True
        while True:
            best = np.zeros(count)
            best[free] = np.linalg.lstsq(a[:, free], b, rcond=None)[0]
            if best[free].min(initial=1.0) > 0.0:
                break
            back = free & (best <= 0.0)
            x += np.min(x[back] / (x[back] - best[back])) * (best - x)
            free &= x > small
            x[~free] = 0.0
        x = best
    return x
