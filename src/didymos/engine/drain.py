"""Carry what the loop recorded into the log and onto the disk, beside the run.

The compiled loop holds neither the interpreter nor the log, so one thread hashes, keeps and packs a chunk while the next one
is simulated. At most one chunk is on its way: a run never gets ahead of its record by more than two chunks.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.record.log import Log
from didymos.record.mcap_file import McapRecorder

__all__ = ["Drain"]

_Chunk = list[tuple[int, NDArray[np.float64], NDArray[np.float64]]]


class Drain:
    """Takes the loop's record buffers and empties them into a log; leaving the context waits until all is written."""

    def __init__(self, wiring: Any, log: Log, recorder: McapRecorder | None) -> None:
        self._wiring, self._log, self._recorder = wiring, log, recorder
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="didymos-record")
        self._pending: Future[None] | None = None

    def take(self) -> None:
        """Copy what the loop has recorded since the last time, and let it go on; a fault of the last chunk shows here."""
        w = self._wiring
        chunk: _Chunk = []
        for i, (_, size, cell, stamp, _) in enumerate(w.streams):
            rows = int(w.counts[i])
            if rows:
                values = w.cells[cell : cell + rows * size].reshape(rows, size).copy()
                chunk.append((i, w.stamps[stamp : stamp + rows].copy(), values))
        w.counts[:] = 0
        self._wait()
        self._pending = self._worker.submit(self._write, chunk)

    def _write(self, chunk: _Chunk) -> None:
        for i, times, values in chunk:
            self._log.append(i, times, values)
        if self._recorder is not None:
            self._recorder.flush()

    def _wait(self) -> None:
        if self._pending is not None:
            pending, self._pending = self._pending, None
            pending.result()

    def __enter__(self) -> Drain:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        try:
            self.take()
            self._wait()
        finally:
            self._worker.shutdown()
            if self._recorder is not None:
                self._recorder.close()
