"""Carry what the loop recorded into the log and onto the disk, beside the run.

The compiled loop holds neither the interpreter nor the log, so one thread hashes, keeps and packs a chunk while the next one
is simulated. At most one chunk is on its way: a run never gets ahead of its record by more than two chunks.

A run that no file records and no clock holds back fills its log itself, not `beside`: that takes no longer than to hand chunks
over, and where many run at once no core is left for a second thread of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from didymos.record.image import Picture
from didymos.record.log import Log
from didymos.record.recorder import Recorder

__all__ = ["RecorderThread"]

_Chunk = Iterable[tuple[int, NDArray[np.float64], NDArray[np.float64]]]


class RecorderThread:
    """Empties chunks of rows into a log, on a thread of its own where that is `beside` the run.

    `settle` waits until all of them are there.
    """

    def __init__(self, log: Log, *, beside: bool = True) -> None:
        self._log = log
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="didymos-record") if beside else None
        self._pending: Future[None] | None = None

    def put(self, chunk: _Chunk, flush: Recorder | None = None, pictures: Sequence[tuple[str, Picture]] = ()) -> None:
        """Hand over rows, and the recording that takes the pictures and is then flushed; a fault of the last chunk shows."""
        self.settle()
        if self._worker is None:
            self._write(chunk, flush, pictures)
        else:
            self._pending = self._worker.submit(self._write, chunk, flush, pictures)

    def _write(self, chunk: _Chunk, flush: Recorder | None, pictures: Sequence[tuple[str, Picture]]) -> None:
        for i, times, values in chunk:
            self._log.append(i, times, values)
        if flush is not None:
            for camera, picture in pictures:
                flush.write_picture(camera, picture)
            flush.flush()

    def settle(self) -> None:
        """Wait until everything handed over is in the log."""
        if self._pending is not None:
            pending, self._pending = self._pending, None
            pending.result()

    def close(self) -> None:
        """Settle, and end the thread."""
        try:
            self.settle()
        finally:
            if self._worker is not None:
                self._worker.shutdown()
