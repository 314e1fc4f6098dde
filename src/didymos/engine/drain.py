"""Carry what the loop recorded into the log and onto the disk, beside the run.

The compiled loop holds neither the interpreter nor the log, so one thread hashes, keeps and packs a chunk while the next one
is simulated. At most one chunk is on its way: a run never gets ahead of its record by more than two chunks.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.record.log import Log

__all__ = ["Drain"]

_Chunk = list[tuple[int, NDArray[np.float64], NDArray[np.float64]]]


class Drain:
    """Takes the loop's record buffers and empties them into a log."""

    def __init__(self, wiring: Any, log: Log) -> None:
        self._wiring, self._log = wiring, log
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="didymos-record")
        self._pending: Future[None] | None = None

    def take(self, afterwards: Callable[[], None] | None = None) -> None:
        """Copy what the loop has recorded since the last time, and let it go on; a fault of the last chunk shows here.

        `afterwards` is called by the worker when the chunk is in the log.
        """
        w = self._wiring
        chunk: _Chunk = []
        for i, (_, size, cell, stamp, _) in enumerate(w.streams):
            rows = int(w.counts[i])
            if rows:
                values = w.cells[cell : cell + rows * size].reshape(rows, size).copy()
                chunk.append((i, w.stamps[stamp : stamp + rows].copy(), values))
        w.counts[:] = 0
        self._wait()
        self._pending = self._worker.submit(self._write, chunk, afterwards)

    def settle(self) -> None:
        """Return when all that was recorded until now is in the log."""
        self.take()
        self._wait()

    def close(self) -> None:
        """Settle and end the worker."""
        try:
            self.settle()
        finally:
            self._worker.shutdown()

    def _write(self, chunk: _Chunk, afterwards: Callable[[], None] | None) -> None:
        for i, times, values in chunk:
            self._log.append(i, times, values)
        if afterwards is not None:
            afterwards()

    def _wait(self) -> None:
        if self._pending is not None:
            pending, self._pending = self._pending, None
            pending.result()
