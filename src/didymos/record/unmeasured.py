"""Samples that no sensor made: drawn on a line over missing ones, or held by a sensor that hangs.

A measured signal has noise, so it bends at nearly every sample (`spikes.bends`). Where it does not bend at all for 20 times as
long as usual, while it goes somewhere, someone drew a line: interpolation over a dropout, or extrapolation beyond the last
sample, which leads anywhere (460 rad/s of a gyroscope). Signals without noise (a simulation, a ramp of a set-point) have no such
lines: their bends are alike from one sample to the next, those of noise are not.

A value that stays the same for 20 times as long as usual, and 5 times as long as nearly ever, is that of a sensor that hangs,
unless it is zero, the smallest or the largest of the signal (at rest, at a limit), or the signal has no noise at all. A signal
whose steps follow each other, as those of a position do, tells a robot at rest from a sensor that hangs by the end of the
stretch: a robot sets off with a step that is no longer than usual, a sensor that hung leaps to where things are by then. Where
there is nothing after it, the last step before tells: a robot slows down before it stands.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.record.spikes import bends

__all__ = ["GAP", "drawn", "held"]

_Array = NDArray[np.float64]
_Mask = NDArray[np.bool_]

GAP = 20.0
"""Times the usual interval beyond which samples are missing; a busy computer is late by five."""

_QUIET = 0.02  # of the large bends; less is none
_STRAIGHT = 1e-5  # of its own length: how far samples may lie off a line, for rounded stamps
_SINGLE = 2.5e-7  # of a value: two roundings of single precision
_DIGITS = 9  # after the point, at most, that a rounded number was written with
_EVER = 5.0  # times all but the longest runs of equal samples
_SLOWED = 0.5  # of the usual step: the last one with which a robot comes to rest
_SMOOTH = 0.7  # correlation of neighbouring bends from which on a signal has no noise


def drawn(time: _Array, values: _Array) -> _Mask:
    """Samples of one signal that lie on a line drawn between two others, or beyond the last; stamps [s] increase, shape [n]."""
    mask = np.zeros(len(values), bool)
    if len(values) < 2 * GAP:
        return mask
    bent = bends(time, values[:, None])[:, 0]
    corners = _corners(bent)
    if len(corners) < GAP:
        return mask
    ends = np.concatenate(([0], corners, [len(values) - 1]))  # a corner is neither the first nor the last
    shortest = GAP * max(float(np.median(np.diff(ends))), 1.0)
    long = np.flatnonzero(np.diff(ends) > shortest)
    if not len(long) or _is_smooth(bent[corners - 1]):
        return mask
    for first, last in zip(ends[long], ends[long + 1], strict=True):
        low, high = _straight(time[first : last + 1], values[first : last + 1])
        if high - low > shortest:
            low, high = first + low, first + high
            mask[low + 1 : high] = True  # its ends were measured
            mask[-1] |= high == len(values) - 1  # but for one beyond which nothing was
    return mask


def held(rows: _Array, time: _Array) -> _Mask:
    """Samples of a signal or vector, shape [n, columns], that a sensor which hangs repeats."""
    mask = np.zeros(len(rows), bool)
    starts = np.flatnonzero(np.concatenate((np.ones(min(len(rows), 1), bool), np.any(rows[1:] != rows[:-1], axis=1))))
    if len(starts) < GAP:
        return mask
    runs = np.diff(np.append(starts, len(rows)))
    usual = max(float(np.median(runs)), *(_usual_corner(time, column) for column in rows.T))
    longest = max(GAP * usual, _EVER * float(np.quantile(np.sort(runs)[:-1], 0.99)))
    found = np.flatnonzero(runs > longest)
    if not len(found) or all(_has_no_noise(time, column) for column in rows.T):
        return mask
    limits = (rows.min(axis=0), rows.max(axis=0))
    for k in found:
        value = rows[starts[k]]
        at_rest = _is_at_rest(rows, starts[k], starts[k] + runs[k])
        if value.any() and not at_rest and not any((value == limit).any() for limit in limits):
            mask[starts[k] + 1 : starts[k] + runs[k]] = True  # the first was measured
    return mask


def _is_at_rest(rows: _Array, first: int, end: int) -> bool:
    """Whether samples `first` to `end` - 1, all the same, are those of a robot that stands still, by the steps either side."""
    for column in rows.T:
        steps = np.diff(column)
        moving = steps[steps != 0.0]
        if len(moving):
            usual = float(np.median(np.abs(moving)))
            beside, allowed = (steps[end - 1], usual) if end < len(column) else (steps[max(first - 1, 0)], _SLOWED * usual)
            if not _is_smooth(moving) or abs(float(beside)) > allowed:
                return False
    return True


def _corners(bent: _Array) -> NDArray[np.int64]:
    """The samples at which a signal bends."""
    sizes = np.abs(bent)
    large = float(np.quantile(sizes, 0.95))
    return np.flatnonzero(sizes > _QUIET * large) + 1 if large > 0.0 else np.empty(0, np.int64)


def _usual_corner(time: _Array, values: _Array) -> float:
    """Samples from one bend to the next: those of a slow signal that was interpolated to a fast clock are many."""
    corners = _corners(bends(time, values[:, None])[:, 0])
    return float(np.quantile(np.diff(corners), 0.75)) if len(corners) > 1 else 1.0


def _has_no_noise(time: _Array, values: _Array) -> bool:
    bent = bends(time, values[:, None])[:, 0]
    corners = _corners(bent)
    return len(corners) < GAP or _is_smooth(bent[corners - 1])


def _is_smooth(bent: _Array) -> bool:
    """Whether bends follow each other, as those of a signal without noise do."""
    limit = 5.0 * float(np.median(np.abs(bent)))
    clipped = np.clip(bent, -limit, limit)
    return float(np.sum(clipped[1:] * clipped[:-1])) > _SMOOTH * float(np.sum(clipped**2))


def _straight(time: _Array, values: _Array) -> tuple[int, int]:
    """First and last sample of the line that the middle half of some samples lies on; the same twice where it lies on none."""
    a, b = len(values) // 4, len(values) - 1 - len(values) // 4
    way = float(values[b] - values[a])
    off = np.abs(values - values[a] - way * (time - time[a]) / (time[b] - time[a]))
    allowed = min(max(_STRAIGHT * abs(way), _resolution(values)), 0.01 * abs(way))
    outside = np.flatnonzero(off > allowed)
    if way == 0.0 or np.any((outside > a) & (outside < b)):
        return a, a
    low, high = outside[outside <= a], outside[outside >= b]
    return (int(low[-1]) + 1 if len(low) else 0), (int(high[0]) - 1 if len(high) else len(values) - 1)


def _resolution(values: _Array) -> float:
    """How far rounding may have moved a number: as it was written in decimals, or held in single precision."""
    largest = float(np.abs(values).max())
    for digits in range(_DIGITS + 1):
        scaled = values * 10.0**digits
        if np.all(np.abs(scaled - np.rint(scaled)) <= 1e-6 + 1e-15 * largest * 10.0**digits):
            return float(10.0**-digits)
    return _SINGLE * largest if np.all(values == values.astype(np.float32)) else 1e-12 * largest
