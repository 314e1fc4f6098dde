"""The rows that the loop recorded, taken between two runs of ticks.

The buffer has two halves: while the loop fills one, the recorder thread copies the other. Who takes rows must have done with
those taken before.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from didymos.engine.context import RecordTables

__all__ = ["Rows", "switch_record", "take_rows"]


class Rows:
    """Rows of one half of the buffer: number of a stream, times [s], rows [n, columns], as copies when they are asked for."""

    def __init__(self, record: RecordTables, half: int) -> None:
        self._record, self._half = record, half
        self._counts: list[int] = record.counts[half].tolist()

    def __len__(self) -> int:
        return sum(self._counts)

    def __iter__(self) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.float64]]]:
        cells, stamps, table = self._record.cells[self._half], self._record.stamps[self._half], self._record.streams
        sizes, first_cells, first_stamps = (table[name].tolist() for name in ("columns", "first_cell", "first_stamp"))
        for i, (count, size, cell, stamp) in enumerate(zip(self._counts, sizes, first_cells, first_stamps, strict=True)):
            if count:
                yield i, stamps[stamp : stamp + count].copy(), cells[cell : cell + count * size].copy().reshape(count, size)


def switch_record(record: RecordTables, on: bool) -> None:
    """Let the loop record, or not: ticks outside of a run are recorded by nobody."""
    record.on[0], record.counts[:] = on, 0


def take_rows(record: RecordTables) -> Rows:
    """What the loop recorded since the last time; from now on it fills the other half."""
    half = int(record.half[0])
    rows = Rows(record, half)
    if rows:
        record.half[0], record.counts[1 - half] = 1 - half, 0
    return rows
