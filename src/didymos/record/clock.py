"""Stamps of others -> seconds: their unit, their order, and where they begin.

    unit     what the file says; where it says nothing, what the numbers say: 1.7e9, 1.7e12, 1.7e15 and 1.7e18 are seconds,
             milli-, micro- and nanoseconds since 1970, and whole numbers that come 5, 1,000 or 1,000,000 apart count milli-,
             micro- or nanoseconds: no robot logs a sample every five seconds
    order    stamps that stand out of it are left out, the fewest that have to (the longest run that does not decrease stays);
             more than one in fifty is another matter: a clock that was set, or two runs in one file, which is refused
    begin    stamps that count from 1970 begin at zero; others stay, so that files of one clock keep it

What was changed is told: `time_unit`, `time_order` and `time_shift` [s] of a log's metadata.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["EPOCH", "SCALES", "guessed_unit", "in_order", "seconds_text", "too_many_out_of_order"]

EPOCH = 1e8
"""[s]; no run lasts three years, so later stamps count from 1970."""

SCALES = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
"""How many of a unit make a second."""

_LARGEST = 1e10  # [s] since 1970 until the year 2286; larger stamps are of a smaller unit
_COARSEST = {"s": 5.0, "ms": 1e3, "us": 1e6}  # whole numbers further apart than this are of a smaller unit
_FEW = 0.02


def guessed_unit(stamps: NDArray[np.float64]) -> str:
    """The unit of stamps that do not say it: s, ms, us or ns."""
    with np.errstate(invalid="ignore"):
        finite = stamps[np.isfinite(stamps)]
    first = float(finite[0]) if len(finite) else 0.0
    for unit, scale in SCALES.items():
        if EPOCH * scale < first < _LARGEST * scale:
            return unit
    steps = np.diff(finite)
    steps = steps[steps > 0.0]
    if len(steps) and np.all(finite == np.rint(finite)):
        usual = float(np.median(steps))
        return next((unit for unit, coarsest in _COARSEST.items() if usual < coarsest), "ns")
    return "s"


def in_order(stamps: Sequence[float]) -> NDArray[np.int64]:
    """Numbers of the stamps that stay: the longest of all runs through them that does not decrease."""
    array = np.asarray(stamps)
    if np.all(array[1:] >= array[:-1]):
        return np.arange(len(array))
    ends: list[float] = []  # ends[k]: the smallest stamp that ends a run of k + 1
    last: list[int] = []  # the number of that stamp
    before = np.full(len(array), -1)
    for i, value in enumerate(array.tolist()):
        at = bisect.bisect_right(ends, value)
        if at == len(ends):
            ends.append(value)
            last.append(i)
        else:
            ends[at], last[at] = value, i
        before[i] = last[at - 1] if at else -1
    kept = [last[-1]]
    while before[kept[-1]] >= 0:
        kept.append(int(before[kept[-1]]))
    return np.array(kept[::-1])


def too_many_out_of_order(count: int, kept: int) -> bool:
    """Whether more stamps had to go than a few that were garbled."""
    return count - kept > _FEW * count


def seconds_text(nanoseconds: int) -> str:
    """Nanoseconds as seconds, with every digit that is not zero."""
    sign, size = ("-" if nanoseconds < 0 else ""), abs(nanoseconds)
    text = f"{size // 10**9}.{size % 10**9:09d}".rstrip("0")
    return sign + (text + "0" if text.endswith(".") else text)
