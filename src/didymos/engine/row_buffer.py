"""The rows that the loop recorded, taken between two runs of ticks.

The buffer has two halves: while the loop fills one, the recorder thread copies the other. Who takes rows must have done with
those taken before. Who only wants to see them as they come looks at the half that is being filled (`FreshRows`), which changes
nothing about what is taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.engine.context import RecordTables

__all__ = ["FreshRows", "Row", "Rows", "switch_record", "take_rows"]


Row = tuple[int, NDArray[np.float64], NDArray[np.float64]]
"""Number of a stream, times [s], shape [n], and values, shape [n, columns]."""


class _Half:
    """Rows of one half of a robot's buffer, whose streams count from `first`."""

    def __init__(self, record: RecordTables, half: int, first: int, taken: frozenset[int] | None = None) -> None:
        self._record, self._half, self._first, self._taken = record, half, first, taken
        self._counts: list[int] = record.counts[half].tolist()

    @property
    def counts(self) -> list[int]:
        return self._counts

    def __len__(self) -> int:
        return sum(self._counts)

    def __iter__(self) -> Iterator[Row]:
        ends = self._counts
        if self._taken is not None:
            ends = [count if self._first + i in self._taken else 0 for i, count in enumerate(ends)]
        return _copies(self._record, self._half, self._first, [0] * len(ends), ends)


def _copies(record: RecordTables, half: int, first: int, begins: Sequence[int], ends: Sequence[int]) -> Iterator[Row]:
    """Copies of the rows of each stream from one number to another; the streams count from `first`."""
    cells, stamps, table = record.cells[half], record.stamps[half], record.streams
    sizes, first_cells, first_stamps = (table[name].tolist() for name in ("columns", "first_cell", "first_stamp"))
    for i, (begin, end, size, cell, stamp) in enumerate(zip(begins, ends, sizes, first_cells, first_stamps, strict=True)):
        if end > begin:
            values = cells[cell + begin * size : cell + end * size].copy().reshape(end - begin, size)
            yield first + i, stamps[stamp + begin : stamp + end].copy(), values


class Rows:
    """Rows of the streams of all robots, as copies when they are asked for."""

    def __init__(self, halves: Sequence[_Half]) -> None:
        self._halves = halves

    @property
    def counts(self) -> list[int]:
        """How many there are of each stream."""
        return [count for half in self._halves for count in half.counts]

    def __len__(self) -> int:
        return sum(map(len, self._halves))

    def __iter__(self) -> Iterator[Row]:
        for half in self._halves:
            yield from half


class FreshRows:
    """What the loop has recorded of each robot since the last look, without taking it. Look before rows are taken, too."""

    def __init__(self, records: Sequence[RecordTables]) -> None:
        self._records = records
        self._seen = [[0] * len(record.streams) for record in records]

    def look(self) -> list[Row]:
        """Copies of the rows since the last look."""
        found: list[Row] = []
        first = 0
        for robot, record in enumerate(self._records):
            half = int(record.half[0])
            counts: list[int] = record.counts[half].tolist()
            if counts != self._seen[robot]:
                found += _copies(record, half, first, self._seen[robot], counts)
                self._seen[robot] = counts
            first += len(record.streams)
        return found

    def restart(self) -> None:
        """Begin anew with the halves that the loop fills from now on: rows were taken."""
        self._seen = [[0] * len(seen) for seen in self._seen]


def switch_record(record: RecordTables, on: bool) -> None:
    """Let the loop record, or not: ticks outside of a run are recorded by nobody."""
    record.on[0], record.counts[:] = on, 0


def take_rows(records: Sequence[RecordTables], taken: frozenset[int] | None = None) -> Rows:
    """What the loop recorded of each robot since the last time; from now on it fills the other halves.

    `taken` are the numbers of the streams that are wanted, None for all.
    """
    halves, first = [], 0
    for record in records:
        half = int(record.half[0])
        rows = _Half(record, half, first, taken)
        first += len(record.streams)
        if rows:
            record.half[0], record.counts[1 - half] = 1 - half, 0
        halves.append(rows)
    return Rows(halves)
