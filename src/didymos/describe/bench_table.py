"""Read the table of a propeller bench: a CSV with the columns speed, thrust and power (or torque), units in brackets.

`speed` is in rad/s, or in rpm where its head says `speed [rpm]` or `rpm`; `thrust` in N or `[g]`; `power` in W (shaft power), or
`torque` in N m instead.
"""

from __future__ import annotations

import csv
import math
import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest

__all__ = ["BenchTable", "read_bench_table"]

BenchTable = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
"""Speeds [rad/s], thrusts [N], shaft powers [W]."""

_RPM, _GRAM = math.pi / 30.0, 9.80665e-3
_FACTORS = {
    ("speed", ""): 1.0, ("speed", "rad/s"): 1.0, ("speed", "rpm"): _RPM, ("rpm", ""): _RPM, ("thrust", ""): 1.0,
    ("thrust", "n"): 1.0, ("thrust", "g"): _GRAM, ("power", ""): 1.0, ("power", "w"): 1.0, ("torque", ""): 1.0,
    ("torque", "n m"): 1.0, ("torque", "nm"): 1.0,
}  # fmt: skip
_NAMES = {"speed": "speed", "rpm": "speed", "thrust": "thrust", "power": "power", "torque": "torque"}


def read_bench_table(path: Path) -> BenchTable:
    """The columns of a table; a missing one, a hole or a speed that is not positive is an `InputError`."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file) if any(cell.strip() for cell in row)]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"is no CSV: {error}", file=path) from None
    except OSError as error:
        raise InputError(str(error.strerror).lower(), file=path) from None
    if len(rows) < 2:
        raise InputError("found no rows, expected a head and at least one row", file=path)
    columns = _columns(rows[0], path)
    found = {name: np.array([_number(row, place, factor, line, path) for line, row in enumerate(rows[1:], start=2)])
             for name, (place, factor) in columns.items()}  # fmt: skip
    speed, thrust = found["speed"], found["thrust"]
    if (speed <= 0.0).any():
        raise InputError("expected speeds above zero", file=path, line=int(np.argmax(speed <= 0.0)) + 2)
    return speed, thrust, found["power"] if "power" in found else found["torque"] * speed


def _columns(head: list[str], path: Path) -> dict[str, tuple[int, float]]:
    found: dict[str, tuple[int, float]] = {}
    for place, cell in enumerate(head):
        match = re.fullmatch(r"\s*(\w+)\s*(?:\[(.*)\])?\s*", cell.lower())
        name, unit = (match[1], (match[2] or "").strip()) if match else ("", "")
        if name in _NAMES:
            if (name, unit) not in _FACTORS:
                known = [u for n, u in _FACTORS if n == name and u]
                raise InputError(f"{name} has the unit {unit!r}, expected {' or '.join(known)}", file=path, line=1)
            found[_NAMES[name]] = place, _FACTORS[name, unit]
    for needed in ("speed", "thrust"):
        if needed not in found:
            raise InputError(f"there is no column {needed!r}{nearest(needed, head)}", file=path, line=1)
    if "power" not in found and "torque" not in found:
        raise InputError("there is neither a column 'power' nor 'torque'", file=path, line=1)
    return found


def _number(row: list[str], place: int, factor: float, line: int, path: Path) -> float:
    text = row[place].strip() if place < len(row) else ""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"found {text!r}, expected a number", file=path, line=line)
    return factor * value
