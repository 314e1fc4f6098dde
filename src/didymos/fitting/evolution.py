"""CMA-ES: the least loss in the unit cube, from a cloud of points that takes the shape of the valley.

Hansen, The CMA Evolution Strategy: A Tutorial (2016), with its standard constants. Points outside are drawn back to the cube.
The loss need not be smooth, nor finite: only the order of a generation counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["evolve", "population"]

_Array = NDArray[np.float64]


def population(n: int) -> int:
    """Points of a generation in n dimensions."""
    return 4 + int(3 * math.log(n + 1))


def evolve(
    losses: Callable[[_Array], _Array],
    start: _Array,
    *,
    rng: np.random.Generator,
    generations: int,
    spread: float = 0.25,
    enough: float = 1e-3,
) -> None:
    """Let a cloud go down from a start, shape [n], until its widest axis is `enough` or the generations are over.

    `losses` is given points, shape [n, k], and says theirs, shape [k]; it keeps the best that it has seen.
    """
    n, count = len(start), population(len(start))
    weights = np.log(count / 2 + 0.5) - np.log(np.arange(1, count // 2 + 1))
    weights /= weights.sum()
    mass = 1.0 / float(weights @ weights)
    c_path = (4 + mass / n) / (n + 4 + 2 * mass / n)
    c_sigma = (mass + 2) / (n + mass + 5)
    c_one = 2 / ((n + 1.3) ** 2 + mass)
    c_mass = min(1 - c_one, 2 * (mass - 2 + 1 / mass) / ((n + 2) ** 2 + mass))
    damping = 1 + 2 * max(0.0, math.sqrt((mass - 1) / (n + 1)) - 1) + c_sigma
    length = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
    mean, sigma, covariance = np.clip(start, 0.0, 1.0), spread, np.eye(n)
    path, path_sigma = np.zeros(n), np.zeros(n)
    for generation in range(1, generations + 1):
        scales, axes = np.linalg.eigh(covariance)
        scales = np.sqrt(np.maximum(scales, 1e-20))
        steps = (axes * scales) @ rng.standard_normal((n, count))
        inside = np.clip(mean[:, None] + sigma * steps, 0.0, 1.0)
        order = np.argsort(losses(inside), kind="stable")[: len(weights)]
        move = ((inside - mean[:, None]) / sigma)[:, order]
        step = move @ weights
        mean = mean + sigma * step
        path_sigma = (1 - c_sigma) * path_sigma + math.sqrt(c_sigma * (2 - c_sigma) * mass) * (axes @ ((axes.T @ step) / scales))
        size = float(np.linalg.norm(path_sigma))
        goes = size / math.sqrt(1 - (1 - c_sigma) ** (2 * generation)) < (1.4 + 2 / (n + 1)) * length
        path = (1 - c_path) * path + (math.sqrt(c_path * (2 - c_path) * mass) * step if goes else 0.0)
        covariance = (1 - c_one - c_mass) * covariance + c_one * np.outer(path, path) + c_mass * (move * weights) @ move.T
        sigma *= math.exp((c_sigma / damping) * (size / length - 1))
        if sigma * float(scales.max()) < enough:
            return
