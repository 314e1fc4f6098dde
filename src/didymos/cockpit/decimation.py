"""Fewer samples that draw the same curve: of each stretch of time the lowest and the highest, all where there are two or less.

Stretches lie on a grid that begins at t = 0, so a curve that comes in pieces has the samples of the whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["last_stretch", "thinned"]

Array = NDArray[np.float64]


def thinned(times: Array, values: Array, period: float) -> tuple[Array, Array]:
    """Times [s] and values, shape [n]: of each `period` [s] the lowest and the highest, and the first that is unknown (NaN).

    The very last sample is kept as well.
    """
    stretch = np.floor(times / period)
    if not (stretch[2:] == stretch[:-2]).any():
        return times, values
    kept = np.zeros(len(times), dtype=bool)
    kept[-1] = True
    known = np.flatnonzero(np.isfinite(values))
    order = known[np.lexsort((values[known], stretch[known]))]  # by stretch, then by value: its ends are lowest and highest
    kept[order[_firsts(stretch[order])]] = True
    kept[order[_lasts(stretch[order])]] = True
    unknown = np.flatnonzero(~np.isfinite(values))
    kept[unknown[_firsts(stretch[unknown])]] = True
    return times[kept], values[kept]


def last_stretch(times: Array, period: float) -> float:
    """Time [s] of the first sample in the last stretch, which may get more samples: what comes next begins there."""
    stretch = np.floor(times / period)
    return float(times[int(np.searchsorted(stretch, stretch[-1]))])


def _firsts(groups: Array) -> NDArray[np.bool_]:
    """Where another group begins."""
    return np.concatenate([np.ones(min(1, len(groups)), dtype=bool), groups[1:] != groups[:-1]])


def _lasts(groups: Array) -> NDArray[np.bool_]:
    """Where a group ends."""
    return np.concatenate([groups[1:] != groups[:-1], np.ones(min(1, len(groups)), dtype=bool)])
