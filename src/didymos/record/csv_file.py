"""CSV: logs as tables, ours and those of other programs.

What is read: an optional block of comments (lines that begin with #), one line of names, one line per stamp; separated
by commas, semicolons or tabs. A name may carry its unit in brackets: `gyro_x [rad/s]`. The time is the column called
time, t, stamp or timestamp, with a unit in brackets or as an ending (`time_ms`), or else the first column. An empty
cell means that the signal has no sample there.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.stream import Kind, StreamLayout

__all__ = ["load_csv", "save_csv"]

_Stream = tuple[StreamLayout, NDArray[np.float64], NDArray[np.float64]]
_UNIT = re.compile(r"^(.*?)\s*[\[(]([^\])]*)[\])]$")
_TIME = re.compile(r"^(?:time|t|stamp|timestamp)(?:_(s|sec|ms|us|ns))?$", re.IGNORECASE)
_SCALES = {"": 1.0, "s": 1.0, "sec": 1.0, "ms": 1e3, "us": 1e6, "µs": 1e6, "ns": 1e9}
_EPOCH = 1e8  # [s]; no run lasts three years, so later stamps count from 1970
_MARK = "# didymos "


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
                file.write(_MARK + json.dumps(dict(metadata), ensure_ascii=False) + "\n")
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(zip(*columns, strict=True))
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=path) from error


def load_csv(path: Path) -> tuple[list[_Stream], dict[str, str]]:
    """Streams of a table, as (layout, times [s], values), and its metadata.

    Columns that share their gaps share a stream.

    Raises:
        InputError: with the line, for whatever is not such a table.
    """
    lines, metadata = _lines(path)
    delimiter = max(",;\t", key=lines[0][1].count)
    numbered = [number for number, _ in lines]
    try:
        rows = list(csv.reader((line for _, line in lines), delimiter=delimiter))
    except csv.Error as error:
        raise InputError(f"this is not a table: {error}", file=path) from error
    names = [_UNIT.match(cell.strip()) for cell in rows[0]]
    header = [(match[1], match[2]) if match else (cell.strip(), "") for cell, match in zip(rows[0], names, strict=True)]
    _check_header(path, numbered[0], header)
    table = _numbers(path, rows[1:], numbered[1:], [name for name, _ in header])
    time_column, scale = _time_column(header)
    times = table[:, time_column] / scale
    late = np.flatnonzero(~(times[1:] > times[:-1])) + 1
    if np.isnan(times[0]) or len(late):
        row = 0 if np.isnan(times[0]) else int(late[0])
        name = header[time_column][0]
        cell = rows[1 + row][time_column] or "nothing"
        raise InputError(f"time does not increase, found {cell}", file=path, line=numbered[1 + row], path=name)
    if times[0] > _EPOCH:
        metadata["time_shift"] = repr(float(times[0]))
        times = times - times[0]
    present = np.array([[bool(cell.strip()) for cell in row] for row in rows[1:]])
    shared: dict[bytes, list[int]] = {}
    for column in range(len(header)):
        if column != time_column:
            shared.setdefault(present[:, column].tobytes(), []).append(column)
    streams = []
    for columns in shared.values():
        kept = present[:, columns[0]]
        signals, units = tuple(header[i][0] for i in columns), tuple(header[i][1] for i in columns)
        streams.append((StreamLayout("", Kind.SCALARS, signals, units), times[kept], table[kept][:, columns]))
    return streams, metadata


def _lines(path: Path) -> tuple[list[tuple[int, str]], dict[str, str]]:
    """Lines that are neither empty nor comments, with their numbers, and the metadata from the comments."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error
    except UnicodeDecodeError as error:
        raise InputError(f"this is not text: byte {error.start} is not UTF-8", file=path) from error
    metadata: dict[str, str] = {}
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(_MARK):
            metadata = _metadata(line[len(_MARK) :], path, number)
        elif line.strip() and not line.lstrip().startswith("#"):
            lines.append((number, line))
    if not lines:
        raise InputError("the file is empty, expected a line of names and lines of numbers", file=path)
    return lines, metadata


def _metadata(text: str, path: Path, line: int) -> dict[str, str]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise InputError(f"the metadata is not a JSON object: {error}", file=path, line=line) from error
    except RecursionError:
        raise InputError("the metadata is not a JSON object: it is nested too deeply", file=path, line=line) from None
    if not isinstance(found, dict):
        raise InputError("the metadata is not a JSON object of names and texts", file=path, line=line)
    return {key: str(value) for key, value in found.items()}


def _check_header(path: Path, line: int, header: Sequence[tuple[str, str]]) -> None:
    if any(_is_number(name) for name, _ in header):
        raise InputError("the first line has numbers, expected the names of the columns", file=path, line=line)
    if len(header) < 2:
        raise InputError(f"only the column {header[0][0]!r}, expected time and a signal", file=path, line=line)
    names: set[str] = set()
    for number, (name, _) in enumerate(header, 1):
        if not name:
            raise InputError(f"column {number} has no name", file=path, line=line)
        if name in names:
            raise InputError(f"the column {name!r} occurs twice", file=path, line=line)
        names.add(name)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return cell.strip().lower().lstrip("+-") not in ("nan", "inf", "infinity")


def _numbers(path: Path, rows: list[list[str]], lines: list[int], names: list[str]) -> NDArray[np.float64]:
    """Cells as numbers, NaN where empty; shape [rows, columns]."""
    if not rows:
        raise InputError("there is no line of numbers below the names", file=path)
    table = np.empty((len(rows), len(names)))
    for i, row in enumerate(rows):
        if len(row) != len(names):
            raise InputError(f"found {len(row)} cells, expected {len(names)}", file=path, line=lines[i])
        try:
            table[i] = [float(cell) if cell else np.nan for cell in map(str.strip, row)]
        except ValueError:
            name, cell = next((n, c) for n, c in zip(names, row, strict=True) if c.strip() and not _reads(c))
            raise InputError(f"{cell.strip()!r} is not a number", file=path, line=lines[i], path=name) from None
    return table


def _reads(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _time_column(header: Sequence[tuple[str, str]]) -> tuple[int, float]:
    """Number of the time among the columns, and how many of its units make a second."""
    for column, (name, unit) in enumerate(header):
        match = _TIME.match(name)
        if match:
            return column, _SCALES.get((unit or match[1] or "").lower(), 1.0)
    ending = header[0][0].rpartition("_")[2].lower()
    return 0, _SCALES.get(header[0][1].lower() or ending, 1.0)
