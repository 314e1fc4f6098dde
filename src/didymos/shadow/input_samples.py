"""Inputs that come together, at their stamps and between them.

An input holds until the next sample, or, where samples come more seldom than the twin ticks, goes smoothly from one to the next:
as a cubic where second differences of neighbours are alike, as a line where it jumps, which may miss half of the jump. A mode
holds. A drive's `beat`, which tells one command from the next, is not known between samples: there a command comes with every
tick for as long as samples do.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["InputSamples"]

_Array = NDArray[np.float64]
_SELDOM = 1.5  # ticks between two samples from where on inputs go smoothly from one to the next
_SILENT = 0.1  # [s] after the last sample until which a drive is thought to get commands
_KEEP = 1.0  # [s] of samples that are remembered beyond those that may still be asked for
_LONGEST = 60.0  # [s] of samples that are remembered where nothing is asked for
_AROUND = 3  # samples on either side of a stretch that are looked at


class InputSamples:
    """Samples of some inputs, by name; `period` [s] is that of a tick."""

    def __init__(self, names: Sequence[str], period: float) -> None:
        self.names, self._period = tuple(names), period
        self._times: list[float] = []
        self._values: list[_Array] = []
        self._asked = -np.inf  # [s], from where on they were asked for last
        self._interval = np.inf  # [s] between samples, as seen lately
        self._beats = np.array([name.endswith("beat") for name in names])
        self._held = np.array([name.endswith("mode") for name in names])

    def add(self, stamp: float, values: _Array) -> None:
        """Samples at a stamp [s]; what comes out of order is left out."""
        times = self._times
        if times and stamp <= times[-1]:
            if stamp == times[-1]:
                self._values[-1] = values
            return
        if times:
            gap = stamp - times[-1]
            self._interval = gap if np.isinf(self._interval) else 0.9 * self._interval + 0.1 * gap
        times.append(stamp)
        self._values.append(values)
        oldest = max(min(self._asked, stamp), stamp - _LONGEST)
        if len(times) > 64 and times[0] < oldest - _KEEP:
            first = max(bisect_right(times, oldest) - _AROUND, 0)
            del times[:first], self._values[:first]

    def at(self, times: _Array, tick: int) -> tuple[_Array, _Array | None]:
        """Inputs at times [s] of ticks from number `tick` on, and by how much they may be off; shape [times, inputs] each.

        None for the second where samples come with every tick. Earlier ones are not asked for any more.
        """
        known, self._asked = self._times, float(times[0])
        low = max(bisect_right(known, times[0] + 1e-6 * self._period) - _AROUND, 0)
        high = bisect_right(known, times[-1] + 1e-6 * self._period) + _AROUND
        t, v = np.array(known[low:high]), np.array(self._values[low:high])
        last = np.clip(np.searchsorted(t, times + 1e-6 * self._period, side="right") - 1, 0, len(t) - 1)
        held = v[last]
        if not (np.isfinite(self._interval) and self._interval > _SELDOM * self._period) or len(t) < 2:
            return held, None
        found, doubt = _between(times, t, v, np.minimum(last, len(t) - 2))
        since = times - t[last]
        beats = np.where(since < max(_SILENT, 2.0 * self._interval), 1.0 + tick + np.arange(len(times)), -1.0)
        found = np.where(self._beats, beats[:, None], np.where(self._held, held, found))
        doubt[self._beats | self._held] = 0.0
        return found, np.repeat(doubt[None], len(times), axis=0)


def _between(times: _Array, t: _Array, v: _Array, k: NDArray[np.int64]) -> tuple[_Array, _Array]:
    """Inputs between samples v [samples, inputs] at t, where sample `k` is the one before; how far off each may be [inputs]."""
    step = (t[k + 1] - t[k])[:, None]
    x = np.clip((times[:, None] - t[k][:, None]) / step, 0.0, 1.0)
    line = v[k] + x * (v[k + 1] - v[k])
    bends = np.diff(v, 2, axis=0)
    if len(bends) == 0:
        return line, np.zeros(v.shape[1])
    largest = np.abs(bends).max(axis=0)
    jumps = np.abs(np.diff(bends, axis=0)).max(axis=0, initial=0.0) > largest
    doubt = np.where(jumps, 0.5 * bends[np.abs(bends).argmax(axis=0), np.arange(v.shape[1])], 0.0)
    slopes = np.gradient(v, t, axis=0)
    cubic = (
        (1.0 + 2.0 * x) * (1.0 - x) ** 2 * v[k] + x**2 * (3.0 - 2.0 * x) * v[k + 1]
        + step * x * (1.0 - x) ** 2 * slopes[k] - step * x**2 * (1.0 - x) * slopes[k + 1]
    )  # fmt: skip
    return np.where(jumps, line, cubic), doubt
