"""Slopes by differences, of runs that may fail on one side or on both."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["one_or_both_ways"]

_Array = NDArray[np.float64]


def one_or_both_ways(values: _Array, failed: NDArray[np.bool_], ahead: _Array, back: _Array) -> _Array:
    """Slopes from values here, a step ahead and a step back, shape [n, 3], of the widths `ahead` and `back`, shape [n].

    A side that failed, or has no width, is left out; where nothing is left the slope is 0.
    """
    here, first, second = values.T
    lost = failed[:, 0]
    one, other = ~failed[:, 1] & (ahead != 0.0), ~failed[:, 2] & (back != 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        single = np.where(one, (first - here) / ahead, (second - here) / back)
        slopes = np.where(one & other, (first - second) / (ahead - back), single)
    return np.where((one & other) | ((one | other) & ~lost), slopes, 0.0)
