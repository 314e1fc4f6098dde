"""The rows that the loop recorded, taken between two runs of ticks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.engine.context import RecordTables

__all__ = ["Rows", "switch_record", "take_rows"]

Rows = list[tuple[int, NDArray[np.float64], NDArray[np.float64]]]
"""Number of a stream, times [s], rows [n, columns]."""


def switch_record(record: RecordTables, on: bool) -> None:
    """Let the loop record, or not: ticks outside of a run are recorded by nobody."""
    record.on[0], record.counts[:] = on, 0


def take_rows(record: RecordTables) -> Rows:
    """What the loop recorded since the last time, as copies."""
    counts = record.counts.tolist()
    if not any(counts):
        return []
    table = record.streams
    sizes, cells, stamps = (table[name].tolist() for name in ("columns", "first_cell", "first_stamp"))
    rows = []
    for i, (count, size, cell, stamp) in enumerate(zip(counts, sizes, cells, stamps, strict=True)):
        if count:
            values = record.cells[cell : cell + count * size].copy()
            rows.append((i, record.stamps[stamp : stamp + count].copy(), values.reshape(count, size)))
    record.counts[:] = 0
    return rows
