"""A search for the point of the unit cube at which runs are worst, in batches, with few runs.

It begins with points that cover the cube. Then a `Surrogate` is fitted to all values until now, and each point of the next batch
is the one with the least `mean - k * sd` among candidates: uniform ones, ones near the worst points until now, and ones that have
some coordinates of one of these and the others of another. `k` differs within a batch, so that some points look where values are
low and some where little is known; a point that was chosen counts as known for the next. One point of each batch is uniform,
whatever the surrogate says, so that no part of the cube is left out for good.

Batches have the same size however many threads run them: same seed, same points.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.studies.surrogate import Surrogate, squeezed

__all__ = ["BATCH", "Search"]

Array = NDArray[np.float64]

BATCH = 8
"""Points that are asked for at once."""
_CURIOSITY = (0.3, 1.0, 2.0, 0.6, 3.0, 1.5, 0.1)  # k of the points of a batch
_UNIFORM, _NEAR, _WORST = 600, 240, 6  # candidates: all over the cube, near each of the worst, and how many of these
_SPREADS = (0.01, 0.05, 0.15)  # standard deviations of the nearby ones


class Search:
    """Asked for points [n, d], told the values [n] found there; the least value is looked for."""

    def __init__(self, points: Array, values: Array, seed: int) -> None:
        """Begins with points [n, d] and the values [n] found there."""
        self._points, self._values = points, values
        self._draw = np.random.default_rng([seed, *b"falsify"])

    def ask(self) -> Array:
        """The next `BATCH` points."""
        chosen = [self._draw.random(self._points.shape[1])]
        process = Surrogate.fitted(self._points, squeezed(self._values))
        candidates = self._candidates()
        for curiosity in _CURIOSITY[: BATCH - 1]:
            mean, sd = process.at(candidates)
            best = candidates[int(np.argmin(mean - curiosity * sd))]
            chosen.append(best)
            process = process.with_point(best)
        return np.array(chosen)

    def tell(self, points: Array, values: Array) -> None:
        """What runs at points showed; all values are finite."""
        self._points = np.vstack([self._points, points])
        self._values = np.append(self._values, values)

    def _candidates(self) -> Array:
        """Points among which the next are chosen."""
        dimension = self._points.shape[1]
        worst = self._points[np.argsort(self._values, kind="stable")[:_WORST]]
        near = [
            point + spread * self._draw.standard_normal((_NEAR // len(_SPREADS), dimension))
            for point in worst
            for spread in _SPREADS
        ]
        one, other = (worst[self._draw.integers(len(worst), size=_NEAR)] for _ in range(2))
        mixed = np.where(self._draw.random((_NEAR, dimension)) < 0.5, one, other)
        return np.clip(np.vstack([self._draw.random((_UNIFORM, dimension)), *near, mixed]), 0.0, 1.0)
