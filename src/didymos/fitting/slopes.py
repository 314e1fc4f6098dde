"""Slopes by differences, of runs that may fail on one side or on both, or jump.

Friction that catches a joint here and lets it go a little farther makes the errors of a run jump between two values of a
parameter. A difference across the jump is as steep as the step is small, and an interval made of it narrow and wrong. So where
both sides of a smooth function would agree and do not,

    |f - b| > max(|f|, |b|) / 2,        f, b: slopes ahead and back of all errors of one recording

the slope is that of the flatter side, which has no jump, or the smaller one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["one_or_both_ways"]

_Array = NDArray[np.float64]
_APART = 0.5  # of the larger slope: what the two sides of a smooth function never differ by over a small step


def one_or_both_ways(
    values: _Array, failed: NDArray[np.bool_], ahead: _Array, back: _Array, recording: NDArray[np.int64]
) -> _Array:
    """Slopes from values here, a step ahead and a step back, shape [n, 3], of the widths `ahead` and `back`, shape [n].

    A side that failed, or has no width, is left out; where nothing is left the slope is 0. `recording` [n]: whose value it is.
    """
    here, first, second = values.T
    lost = failed[:, 0]
    one, other = ~failed[:, 1] & (ahead != 0.0), ~failed[:, 2] & (back != 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        forth, back_there = (first - here) / ahead, (second - here) / back
        slopes = np.where(one & other, (first - second) / (ahead - back), np.where(one, forth, back_there))
    for number in np.unique(recording[one & other & ~lost]):
        rows = (recording == number) & one & other & ~lost
        sizes = [float(np.linalg.norm(side[rows])) for side in (forth, back_there)]
        if np.linalg.norm(forth[rows] - back_there[rows]) > _APART * max(sizes):
            slopes[rows] = (forth if sizes[0] <= sizes[1] else back_there)[rows]
    return np.where((one & other) | ((one | other) & ~lost), slopes, 0.0)
