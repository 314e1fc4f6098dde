"""Rows of one stream in memory, and the hash of all that were ever added."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["StreamRows"]


class StreamRows:
    """Rows in arrays that double when full, so that appending costs the same however long the log is."""

    def __init__(self, columns: int) -> None:
        self.end = -np.inf
        self.times_hash, self.values_hash = hashlib.sha256(), hashlib.sha256()
        self._count = 0
        self._times, self._values = np.empty(0), np.empty((0, columns))

    def add(self, times: NDArray[np.float64], values: NDArray[np.float64], keep: bool) -> None:
        """Add times [s], shape [n], and values, shape [n, columns]; hold them only where `keep`."""
        self.end = times[-1]
        self.times_hash.update(np.ascontiguousarray(times, "<f8").data)
        self.values_hash.update(np.ascontiguousarray(values, "<f8").data)
        if not keep:
            return
        count = self._count + len(times)
        if count > len(self._times):
            room = max(256, 2 * len(self._times), count)
            grown_times, grown_values = np.empty(room), np.empty((room, self._values.shape[1]))
            grown_times[: self._count], grown_values[: self._count] = self.view()
            self._times, self._values = grown_times, grown_values
        self._times[self._count : count], self._values[self._count : count] = times, values
        self._count = count

    def newest_half(self) -> StreamRows:
        """The same stream without the older half of its rows; the hashes stay those of all that were ever added."""
        made = StreamRows(self._values.shape[1])
        made.end, made.times_hash, made.values_hash = self.end, self.times_hash, self.values_hash
        first = self._count // 2
        made._count = self._count - first
        made._times, made._values = self._times[first : self._count].copy(), self._values[first : self._count].copy()
        return made

    @property
    def nbytes(self) -> int:
        """Memory that the rows take [B]."""
        return self._times.nbytes + self._values.nbytes

    def view(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """All times and values, read-only."""
        times, values = self._times[: self._count], self._values[: self._count]
        times.flags.writeable = values.flags.writeable = False
        return times, values
