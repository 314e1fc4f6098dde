"""Spikes and leaps: samples that leave a signal and come back, and places after which it stays away.

The bend of a sample is what it is away from the line between its neighbours, at their own stamps:

    e_i = x_i - [(t_{i+1} - t_i) x_{i-1} + (t_i - t_{i-1}) x_{i+1}] / (t_{i+1} - t_{i-1})        (of a vector, its length)

in units of 1.4826 median |e|, which is one standard deviation of white noise. A sample is out of line where |e_i| is

    over 8 of these deviations                                                              of the whole signal (Hampel 1974)
    over 20 times nine tenths of the bends around it (15 samples each side, not the nearest 3)     a crash rings, and is none
    over twice nine tenths of the steps around it                      no stamp that is off, and no filter that corrects itself

and where the bends next to it cancel it: sum e = 0, as for anything short. (A corner, where the signal only turns, has one sign.)
What is left decides: the moment sum (j - i) e_j is zero where the signal came back, and the height where it stayed away.
Reference for the windowed test: Pearson 2002, "Outliers in process modeling and identification".
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["bends", "spikes_and_leaps"]

_Array = NDArray[np.float64]
_Mask = NDArray[np.bool_]

_DEVIATIONS = 8.0
_ALONE = 20.0  # times the ninth decile of the bends around
_FURTHER = 2.0  # times the ninth decile of the steps around
_AROUND, _NEAR = 15, 3  # samples each side that are looked at, and those of them that may belong to the same spike
_CANCEL = 0.3  # of the bends of a spike or a leap: what may be left of their sum, for noise
_LEFT = 0.25  # of the height of a spike: a sample that is further away belongs to it
_BLOCK = 10_000
_STAYS = 0.5  # of the height: a moment beyond which it stays away


def bends(time: _Array, rows: _Array) -> _Array:
    """e of every sample but the first and the last, shape [n - 2, columns], of rows, shape [n, columns], at times [s]."""
    share = ((time[1:-1] - time[:-2]) / (time[2:] - time[:-2]))[:, None]
    return rows[1:-1] - (rows[:-2] * (1.0 - share) + rows[2:] * share)


def spikes_and_leaps(time: _Array, rows: _Array) -> tuple[_Mask, _Mask]:
    """Samples that left and came back, and those either side of a leap, shape [n] each.

    Args:
        time: stamps [s], increasing, shape [n].
        rows: finite, shape [n, columns]; a signal that mostly holds its value is given without the samples that repeat it.
    """
    spikes, leaps = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    if len(rows) < 2 * _AROUND:
        return spikes, leaps
    bent = bends(time, rows)
    deviation = 1.4826 * np.median(np.abs(bent), axis=0)
    deviation = np.where(deviation > 0.0, deviation, 1.0)
    bent = bent / deviation
    sizes = np.linalg.norm(bent, axis=1)  # sizes[i] belongs to the sample i + 1
    steps = np.linalg.norm(np.diff(rows, axis=0) / deviation, axis=1)  # steps[i] leads from the sample i to i + 1
    for block in _blocks(np.flatnonzero(sizes > _DEVIATIONS)):
        out = block[_stands_out(block, sizes, steps)]
        near = _padded(bent, out[:, None] + np.arange(-_NEAR, _NEAR + 1))  # [samples, 7, columns]
        total = np.linalg.norm(near, axis=2).sum(axis=1)
        alone = np.linalg.norm(near.sum(axis=1), axis=1) <= _CANCEL * total
        moments = np.linalg.norm(np.tensordot(near, np.arange(-_NEAR, _NEAR + 1), axes=([1], [0])), axis=1)
        stays = moments > _STAYS * sizes[out]
        spikes[out[alone & ~stays] + 1] = True
        leaps[out[alone & stays] + 1] = True
    return _those_that_left(time, rows / deviation, spikes), leaps


def _those_that_left(time: _Array, rows: _Array, spikes: _Mask) -> _Mask:
    """Of the samples that a spike bends, those that are away from the line between the first and last that it does not bend."""
    left = np.zeros_like(spikes)
    bent = np.flatnonzero(spikes)
    for members in np.split(bent, np.flatnonzero(np.diff(bent) > _NEAR) + 1) if len(bent) else ():
        low, high = max(members[0] - 1, 0), min(members[-1] + 1, len(rows) - 1)
        share = (time[low : high + 1] - time[low]) / (time[high] - time[low])
        line = rows[low] + share[:, None] * (rows[high] - rows[low])
        away = np.linalg.norm(rows[low : high + 1] - line, axis=1)
        left[low : high + 1] |= away > _LEFT * away.max()
    return left


def _blocks(numbers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """So many at once that memory stays small."""
    for first in range(0, len(numbers), _BLOCK):
        yield numbers[first : first + _BLOCK]


def _padded(rows: _Array, numbers: NDArray[np.int64]) -> _Array:
    """Rows of some numbers, zero where there is none."""
    inside = (numbers >= 0) & (numbers < len(rows))
    return rows[np.clip(numbers, 0, len(rows) - 1)] * inside[..., None]


def _stands_out(block: NDArray[np.int64], sizes: _Array, steps: _Array) -> _Mask:
    """Which bends are larger than those around them, and than the steps around them; at the ends, the same side counts twice."""
    offsets = np.concatenate((np.arange(-_AROUND, -_NEAR), np.arange(_NEAR + 1, _AROUND + 1)))
    around = _reflected(block[:, None] + offsets, len(sizes))
    moves = _reflected(block[:, None] + np.where(offsets < 0, offsets, offsets + 1), len(steps))
    bent = sizes[block] > _ALONE * np.quantile(sizes[around], 0.9, axis=1)
    return bent & (sizes[block] > _FURTHER * np.quantile(steps[moves], 0.9, axis=1))


def _reflected(numbers: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    numbers = np.abs(numbers)
    return np.where(numbers >= count, 2 * (count - 1) - numbers, numbers)
