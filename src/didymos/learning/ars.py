"""Augmented random search: finite differences along random directions, the better half of them.

    r+-_k = return of (M +- nu d_k),  d_k ~ N(0, 1)                                       k = 1 .. N
    M    <- M + alpha / (b sigma_R) sum over the b best k of (r+_k - r-_k) d_k

The best are those with the largest max(r+, r-), b = N / 2; sigma_R is the standard deviation of the 2 b returns that are used.
Mania, Guy and Recht, "Simple random search provides a competitive approach to reinforcement learning", NeurIPS 2018: with the
normalisation of observations (`normalizer.py`) this is their V2-t.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["AugmentedRandomSearch"]

Array = NDArray[np.float64]


class AugmentedRandomSearch:
    """ARS V2-t; see the module."""

    def __init__(self, start: Array, *, seed: int, directions: int, noise: float, step: float) -> None:
        self.centre = np.array(start, dtype=np.float64)
        self._random = np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, 1])))
        self._directions, self._noise, self._step = directions, noise, step
        self._asked = np.zeros((directions, len(start)))

    def ask(self) -> Array:
        """All M + nu d, then all M - nu d, shape [2 N, numbers]."""
        self._asked = self._random.standard_normal(self._asked.shape)
        return np.concatenate([self.centre + self._noise * self._asked, self.centre - self._noise * self._asked])

    def tell(self, returns: Array) -> None:
        """Go a step along the directions that were worth most."""
        up, down = returns[: self._directions], returns[self._directions :]
        count = max(1, self._directions // 2)
        best = np.argsort(-np.maximum(up, down), kind="stable")[:count]
        spread = float(np.std(np.concatenate([up[best], down[best]])))
        if spread > 0.0:
            moved = ((up[best] - down[best])[:, None] * self._asked[best]).sum(axis=0)
            self.centre = self.centre + self._step / (count * spread) * moved
