"""Sampling: which values the runs of a sweep get.

Latin hypercube: the range of each varied parameter is cut into as many equal slices as there are runs, every slice is used
once, at a random place in it, in random order (McKay, Beckman & Conover 1979). So a range is covered evenly however many
parameters vary, and the mean over runs errs less than that of independent draws. Each parameter draws from a stream of its own,
keyed by its path: varying one more changes no other.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

__all__ = ["sample"]


def sample(ranges: Mapping[str, tuple[float, float]], *, runs: int, seed: int = 0) -> list[dict[str, float]]:
    """Values by path for each run, drawn by Latin hypercube within `ranges` (low, high by path)."""
    columns = {}
    for path, (low, high) in ranges.items():
        stream = np.random.default_rng([seed, *path.encode()])
        slices = (stream.permutation(runs) + stream.random(runs)) / runs
        columns[path] = low + (high - low) * slices
    return [{path: float(column[index]) for path, column in columns.items()} for index in range(runs)]
