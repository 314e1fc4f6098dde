"""CSV: a log as one table over all stamps, with every digit that is needed to read the same numbers back (`csv_load.py`).

A line of comment has the metadata as a JSON object, then comes a line of names with units in brackets, then a line per stamp; a
cell is empty where a signal has no sample.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.stream import StreamLayout

__all__ = ["METADATA_MARK", "save_csv"]

_Stream = tuple[StreamLayout, NDArray[np.float64], NDArray[np.float64]]
METADATA_MARK = "# didymos "
"""Begins the line that holds the metadata."""


def save_csv(path: Path, streams: Sequence[_Stream], metadata: Mapping[str, str]) -> None:
    """Write streams as one table over all their stamps, with every digit that is needed to read the same numbers back.

    Raises:
        InputError: the file cannot be written, or a stream has two samples at one time.
    """
    for layout, times, _ in streams:
        twice = np.flatnonzero(np.diff(times) <= 0)
        if len(twice):
            at = float(times[twice[0]])
            raise InputError(f"two samples at {at!r} s do not fit a table, save as .mcap", path=layout.name)
    stamps = np.unique(np.concatenate([times for layout, times, _ in streams if layout.columns] or [np.empty(0)]))
    header, columns = ["time [s]"], [list(map(repr, stamps.tolist()))]
    for layout, times, values in streams:
        named = zip(layout.signals, layout.units, strict=True)
        header += [f"{name} [{unit}]" if unit else name for name, unit in named]
        rows = np.searchsorted(stamps, times).tolist()
        for column in values.T.tolist():
            cells = [""] * len(stamps)
            for row, value in zip(rows, column, strict=True):
                cells[row] = repr(value)
            columns.append(cells)
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            if metadata:
                file.write(METADATA_MARK + json.dumps(dict(metadata), ensure_ascii=False) + "\n")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(zip(*columns, strict=True))
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from error
