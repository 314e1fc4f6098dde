"""The rows that the loop recorded, taken between two runs of ticks.

The buffer has two halves: while the loop fills one, the recorder thread copies the other. Who takes rows must have done with
those taken before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.engine.context import RecordTables

__all__ = ["Rows", "switch_record", "take_rows"]


Row = tuple[int, NDArray[np.float64], NDArray[np.float64]]
"""Number of a stream, times [s], shape [n], and values, shape [n, columns]."""


class _Half:
    """Rows of one half of a robot's buffer, whose streams count from `first`."""

    def __init__(self, record: RecordTables, half: int, first: int) -> None:
        self._record, self._half, self._first = record, half, first
        self._counts: list[int] = record.counts[half].tolist()

    def __len__(self) -> int:
        return sum(self._counts)

    def __iter__(self) -> Iterator[Row]:
        cells, stamps, table = self._record.cells[self._half], self._record.stamps[self._half], self._record.streams
        sizes, first_cells, first_stamps = (table[name].tolist() for name in ("columns", "first_cell", "first_stamp"))
        rows = zip(self._counts, sizes, first_cells, first_stamps, strict=True)
        for i, (count, size, cell, stamp) in enumerate(rows, start=self._first):
            if count:
                yield i, stamps[stamp : stamp + count].copy(), cells[cell : cell + count * size].copy().reshape(count, size)


class Rows:
    """Rows of the streams of all robots, as copies when they are asked for."""

    def __init__(self, halves: Sequence[_Half]) -> None:
        self._halves = halves

    def __len__(self) -> int:
        return sum(map(len, self._halves))

    def __iter__(self) -> Iterator[Row]:
        for half in self._halves:
            yield from half


def switch_record(record: RecordTables, on: bool) -> None:
    """Let the loop record, or not: ticks outside of a run are recorded by nobody."""
    record.on[0], record.counts[:] = on, 0


def take_rows(records: Sequence[RecordTables]) -> Rows:
    """What the loop recorded of each robot since the last time; from now on it fills the other halves."""
    halves, first = [], 0
    for record in records:
        half = int(record.half[0])
        rows = _Half(record, half, first)
        first += len(record.streams)
        if rows:
            record.half[0], record.counts[1 - half] = 1 - half, 0
        halves.append(rows)
    return Rows(halves)
