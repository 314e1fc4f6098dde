"""CSV with values over a grid: columns of axes with units, columns of values, one row per point of the grid, in any order.

    # a comment
    alpha [deg], beta [deg], CL, CD, Cm
    -4, -10, -0.21, 0.031, 0.02
    ...

Every combination of the axes' values stands in the file exactly once. A file without axes has one row: constants.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.describe.tables.text_file import number_in, read_lines
from didymos.errors import InputError, nearest

__all__ = ["Grid", "read_grid"]

_UNITS = {"": 1.0, "1": 1.0, "rad": 1.0, "deg": math.pi / 180.0, "m": 1.0, "ft": 0.3048, "m/s": 1.0}


@dataclass(frozen=True, eq=False)
class Grid:
    """Names of axes and their breakpoints, ascending; values by name, of shape [axes[0], axes[1], ...]."""

    names: tuple[str, ...]
    axes: tuple[NDArray[np.float64], ...]
    values: dict[str, NDArray[np.float64]]


def read_grid(file: Path, axes: Collection[str], is_value: str) -> Grid:
    """The grid of a CSV file; `axes` are the names that an axis may have, `is_value` the pattern of names that values have."""
    lines = enumerate(read_lines(file), start=1)
    numbered = [(i, line) for i, line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not numbered:
        raise InputError("is empty, expected a head and rows", file=file)
    head_line, head = numbered[0][0], next(csv.reader([numbered[0][1]]))
    columns = [_column(cell, axes, is_value, file, head_line) for cell in head]
    names = [name for name, _, _ in columns]
    if len(set(names)) < len(names):
        raise InputError("has two columns of the same name", file=file, line=head_line)
    rows = []
    for line, text in numbered[1:]:
        cells = next(csv.reader([text]))
        if len(cells) != len(head):
            raise InputError(f"found {len(cells)} cells, the head has {len(head)}", file=file, line=line)
        rows.append([unit * number_in(cell, file, line) for cell, (_, unit, _) in zip(cells, columns, strict=True)])
    if not rows:
        raise InputError("has a head and no rows", file=file, line=head_line)
    return _gridded(file, columns, np.array(rows), [line for line, _ in numbered[1:]])


def _column(cell: str, axes: Collection[str], is_value: str, file: Path, line: int) -> tuple[str, float, bool]:
    """Name, factor to SI and whether it is an axis, of a column's head."""
    match = re.fullmatch(r"\s*(\w+)\s*(?:\[([^\]]*)\])?\s*", cell)
    name, unit = (match[1], (match[2] or "").strip()) if match else (cell.strip(), "")
    if unit not in _UNITS:
        raise InputError(f"{name} has the unit {unit!r}, expected one of {', '.join(filter(None, _UNITS))}", file=file, line=line)
    if name in axes:
        return name, _UNITS[unit], True
    if not re.fullmatch(is_value, name):
        raise InputError(f"found the column {name!r}{nearest(name, axes)}, expected an axis ({', '.join(axes)}) or a coefficient",
                         file=file, line=line)  # fmt: skip
    return name, _UNITS[unit], False


def _gridded(file: Path, columns: list[tuple[str, float, bool]], rows: NDArray[np.float64], lines: list[int]) -> Grid:
    places = [i for i, (_, _, is_axis) in enumerate(columns) if is_axis]
    found = [np.unique(rows[:, i], return_inverse=True) for i in places]
    shape = tuple(len(values) for values, _ in found)
    if math.prod(shape) > 4 * len(rows) + 16:
        sizes = " x ".join(map(str, shape))
        raise InputError(f"its axes have {sizes} values, but there are {len(rows)} rows: no grid", file=file)
    where = np.zeros(len(rows), dtype=np.int64)
    for axis, index in found:
        where = where * len(axis) + index
    seen: dict[int, int] = {}
    for line, at in zip(lines, where.tolist(), strict=True):
        if at in seen:
            raise InputError(f"is the same point of the grid as line {seen[at]}", file=file, line=line)
        seen[at] = line
    if len(seen) < math.prod(shape):
        gap = np.unravel_index(next(i for i in range(math.prod(shape)) if i not in seen), shape or (1,))
        point = ", ".join(f"{columns[i][0]} = {axis[k] / columns[i][1]:g}"
                          for i, (axis, _), k in zip(places, found, gap, strict=True))  # fmt: skip
        raise InputError(f"has no row for {point}", file=file)
    order = np.argsort(where)
    values = {name: rows[order, i].reshape(shape) for i, (name, _, is_axis) in enumerate(columns) if not is_axis}
    if not values:
        raise InputError("has no column with a coefficient", file=file)
    return Grid(tuple(columns[i][0] for i in places), tuple(axis for axis, _ in found), values)
