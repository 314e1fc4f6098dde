"""Rows that grow, in memory or on the disk; and those of one stream of a log, with the hash of all that were ever added."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from didymos.record.disk_rows import DiskRows

__all__ = ["GrowingRows", "StreamRows"]

Array = NDArray[np.float64]


class GrowingRows:
    """Times [s], shape [n], and values, shape [n, columns]. Adding costs the same however many there are.

    One thread adds, others may look meanwhile: what they see stays as it is.
    """

    def __init__(self, columns: int) -> None:
        self._count = 0
        self._times, self._values = np.empty(0), np.empty((0, columns))
        self._disk: DiskRows | None = None
        self._slot = 0

    def hold(self, times: Array, values: Array) -> None:
        """Add rows; an `OSError` where they lie on the disk and it has no room."""
        count = self._count + len(times)
        if self._disk is not None:
            self._reserve(self._disk, count)
        elif count > len(self._times):
            room = max(256, 2 * len(self._times), count)
            grown_times, grown_values = np.empty(room), np.empty((room, self._values.shape[1]))
            grown_times[: self._count], grown_values[: self._count] = self.view()
            self._times, self._values = grown_times, grown_values
        self._times[self._count : count], self._values[self._count : count] = times, values
        self._count = count

    def move(self, disk: DiskRows, slot: int) -> None:
        """Go on in two slots of a file, this one and the next; an `OSError` where it has no room."""
        count, columns = self._count, self._values.shape[1]
        times, values = disk.array(slot, 1)[:, 0], disk.array(slot + 1, columns)
        self._slot = slot
        self._reserve(disk, count)
        times[:count], values[:count] = self.view()
        self._times, self._values, self._disk = times, values, disk

    def _reserve(self, disk: DiskRows, count: int) -> None:
        disk.reserve(self._slot, 8 * count)
        disk.reserve(self._slot + 1, 8 * count * self._values.shape[1])

    def newest(self, share: float) -> GrowingRows:
        """The newest rows in memory, a share of them from 0 to 1."""
        made = GrowingRows(self._values.shape[1])
        times, values = self.view()
        first = self._count - int(share * self._count)
        made.hold(times[first:], values[first:])
        return made

    @property
    def nbytes(self) -> int:
        """Memory that the rows take [B]; on the disk they take none."""
        return 0 if self._disk is not None else self._times.nbytes + self._values.nbytes

    @property
    def nbytes_used(self) -> int:
        """How much there is in the rows [B], wherever they lie."""
        return 8 * self._count * (1 + self._values.shape[1])

    def __len__(self) -> int:
        return self._count

    def view(self) -> tuple[Array, Array]:
        """All times and values, read-only."""
        count = self._count
        times, values = self._times[:count], self._values[:count]
        times.flags.writeable = values.flags.writeable = False
        return times, values


class StreamRows:
    """The rows of a stream, as far as they are held, and the hash of all."""

    def __init__(self, columns: int) -> None:
        self.end = -np.inf
        self.times_hash, self.values_hash = hashlib.sha256(), hashlib.sha256()
        self.forgotten = 0  # rows that were held once
        self.held = GrowingRows(columns)

    def count(self, times: Array, values: Array) -> None:
        """Let rows be part of the hash."""
        self.end = times[-1]
        self.times_hash.update(np.ascontiguousarray(times, "<f8").data)
        self.values_hash.update(np.ascontiguousarray(values, "<f8").data)

    def newest(self, share: float) -> StreamRows:
        """The same stream with a share of its rows in memory, the newest; the hashes stay those of all."""
        made = StreamRows(0)
        made.end, made.times_hash, made.values_hash = self.end, self.times_hash, self.values_hash
        made.held = self.held.newest(share)
        made.forgotten = self.forgotten + len(self.held) - len(made.held)
        return made

    def view(self) -> tuple[Array, Array]:
        """All times and values that are held, read-only."""
        return self.held.view()
