"""Mean and standard deviation of all observations so far, found batch by batch.

    n = n_a + n_b,   d = mean_b - mean_a,   mean = mean_a + d n_b / n,   M2 = M2_a + M2_b + d^2 n_a n_b / n     (Chan et al. 1979)

What has never moved has a scale of 1: it says nothing, and is not blown up.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Moments"]

Array = NDArray[np.float64]
_STILL = 1e-6  # times the mean, or 1: a deviation below is none


@dataclass(frozen=True)
class Moments:
    """How many observations there were, their mean and the sum of squares about it, each of shape [observations]."""

    count: float
    mean: Array
    squares: Array

    @classmethod
    def none(cls, size: int) -> Moments:
        """Of no observation."""
        return cls(0.0, np.zeros(size), np.zeros(size))

    @classmethod
    def of(cls, rows: Array) -> Moments:
        """Of observations [n, observations]."""
        if not len(rows):
            return cls.none(rows.shape[1])
        mean = rows.mean(axis=0)
        return cls(float(len(rows)), mean, ((rows - mean) ** 2).sum(axis=0))

    def __add__(self, other: Moments) -> Moments:
        if other.count == 0.0:
            return self
        count = self.count + other.count
        apart = other.mean - self.mean
        squares = self.squares + other.squares + apart**2 * (self.count * other.count / count)
        return Moments(count, self.mean + apart * (other.count / count), squares)

    @property
    def scale(self) -> Array:
        """Standard deviations; 1 of what did not move."""
        deviation = np.sqrt(self.squares / max(self.count, 1.0))
        return np.where(deviation > _STILL * np.maximum(1.0, np.abs(self.mean)), deviation, 1.0)
