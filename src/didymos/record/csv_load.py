"""A table -> streams: which column is the time, in which unit, and which columns share their samples.

The time is the column called time, t, stamp, timestamp or the like (`TimeUS`, `elapsed_time`, `rosbagTimestamp`), with its
unit in brackets or as an ending (`time [ms]`, `time_ms`); without a unit, the stamps themselves say it (`clock.py`). Where no
column is called so, it is the first, if it increases from row to row. An empty cell means that the signal has no sample there,
so columns that share their gaps share a stream.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.clock import EPOCH, SCALES, guessed_unit, in_order, seconds_text, too_many_out_of_order
from didymos.record.csv_table import Column, Table, read_table
from didymos.record.stream import Kind, StreamLayout

__all__ = ["load_csv"]

_Stream = tuple[StreamLayout, NDArray[np.float64], NDArray[np.float64]]
_TIME = re.compile(
    r"(?:elapsed_?|rosbag_?|log_?|host_?|sample_?)?(?:timestamp|time|stamp|t)"
    r"(?:_?(?P<unit>s|secs?|seconds|ms|msec|millis|us|usec|micros|ns|nsec|nanos))?"
    r"|(?P<alone>secs?|seconds|millis|micros|nanos)",
    re.IGNORECASE,
)
_UNITS = {
    "s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "ms": "ms", "msec": "ms", "millis": "ms",
    "us": "us", "µs": "us", "μs": "us", "usec": "us", "micros": "us", "ns": "ns", "nsec": "ns", "nanos": "ns",
}  # fmt: skip
_MANY = 0.5  # of all stamps; more that repeat the one before are no clock
_DECIMAL = re.compile(r"[+]?(\d+)(?:\.(\d*))?")


def load_csv(path: Path) -> tuple[list[_Stream], dict[str, str]]:
    """Streams of a table, as (layout, times [s], values), and its metadata.

    The metadata tells under `damage`, `unread`, `time_column`, `time_unit`, `time_order` and `time_shift` [s] what was lost,
    guessed or changed.

    Raises:
        InputError: with the line, for whatever is not such a table.
    """
    table = read_table(path, _time_column)
    time = _time_column(table.columns)
    rows, unit = _checked(path, table, time)
    metadata = dict(table.metadata)
    if len(rows) < len(table.lines):
        left_out = len(table.lines) - len(rows)
        line = table.lines[int(np.setdiff1d(np.arange(len(table.lines)), rows)[0])]
        metadata["time_order"] = f"{left_out} rows left out whose stamps are out of order, the first in line {line}"
    if _TIME.fullmatch(table.columns[time].name) is None:
        metadata["time_column"] = f"{table.columns[time].name}, the first, as [{unit}]"
    elif not _named_unit(table.columns[time]) and unit != "s":
        metadata["time_unit"] = f"{table.columns[time].name} taken as [{unit}]"
    times = table.numbers[rows, time] / SCALES[unit]
    if times[0] > EPOCH:
        times, shift = _from_start(table, rows, unit, times)
        metadata["time_shift"] = shift
    numbers, present = table.numbers[rows], table.present[rows]
    shared: dict[bytes, list[int]] = {}
    for column in range(len(table.columns)):
        if column != time:
            shared.setdefault(present[:, column].tobytes(), []).append(column)
    streams = []
    for columns in shared.values():
        kept = present[:, columns[0]]
        names, units = tuple(table.columns[i].name for i in columns), tuple(table.columns[i].unit for i in columns)
        streams.append((StreamLayout("", Kind.SCALARS, names, units), times[kept], numbers[kept][:, columns]))
    return streams, metadata


def _time_column(columns: Sequence[Column]) -> int:
    """Number of the time among the columns: the first that is called so, else the first."""
    return next((i for i, column in enumerate(columns) if _TIME.fullmatch(column.name)), 0)


def _named_unit(column: Column) -> str:
    """The unit that a column of time says it has; empty where it says none."""
    match = _TIME.fullmatch(column.name)
    ending = (match["unit"] or match["alone"] or "") if match and column.name.lower() != "ts" else ""
    if match is None:
        ending = column.name.rpartition("_")[2]
    return _UNITS.get(column.unit.lower() or ending.lower(), "")


def _checked(path: Path, table: Table, time: int) -> tuple[NDArray[np.int64], str]:
    """The rows whose stamps are in order, and the unit of the stamps."""
    stamps, column = table.numbers[:, time], table.columns[time]
    known = _TIME.fullmatch(column.name) is not None
    unit = _named_unit(column) or (guessed_unit(stamps) if known or not table.named else "s")
    with np.errstate(invalid="ignore"):
        later = np.concatenate(([np.isfinite(stamps[0])], stamps[1:] > stamps[:-1]))
        rows = np.flatnonzero(np.isfinite(stamps))
        rows = rows[in_order(stamps[rows])] if len(rows) else rows  # type: ignore[arg-type]
    again = int(np.sum(np.diff(stamps[rows]) == 0.0))
    wrong = too_many_out_of_order(len(stamps), len(rows)) or again >= _MANY * len(stamps)
    if wrong or (not known and not later.all()):
        row = int(np.argmin(later))
        cell = table.texts[row] or "nothing"
        what = "" if known else ": no column is called time, so it is the first"
        raise InputError(f"time does not increase, found {cell}{what}", file=path, line=table.lines[row], path=column.name)
    return rows, unit


def _from_start(
    table: Table, rows: NDArray[np.int64], unit: str, times: NDArray[np.float64]
) -> tuple[NDArray[np.float64], str]:
    """Stamps since 1970 from the first of them on [s], exact where they are plain digits, and what was taken off [s]."""
    digits = [_DECIMAL.fullmatch(table.texts[row]) for row in rows]
    per_unit = SCALES["ns"] // SCALES[unit]
    if any(match is None for match in digits):
        return times - times[0], repr(float(times[0]))
    parts = [(int(match[1]), int(f"{match[2] or '':0<9.9}")) for match in digits if match is not None]  # and billionths
    exact = [whole * per_unit + part * per_unit // SCALES["ns"] for whole, part in parts]
    return np.array([stamp - exact[0] for stamp in exact]) / 1e9, seconds_text(exact[0])
