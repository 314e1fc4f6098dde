"""Propeller files: C_T and C_P over the advance ratio J = V / (n D), as UIUC and APC publish them, or a CSV of one's own.

    uiuc   one file per speed of rotation:    J  CT  CP  eta     then rows; the speed is the last number of the file's name
           (apcsf_8x3.8_kt0822_4014.txt), or no matter where there is one file. Static files (RPM CT CP) are not over J.
    apc    PERFILES_WEB .dat: blocks "PROP RPM = 4000", a line of names (V J Pe Ct Cp ...), a line of units, rows
    csv    columns J, CT, CP and perhaps rpm; every J at every rpm once

A row of APC that breaks off at the end of a block (its writer does that where thrust vanishes) is passed over; anything else that
is no number is an error. A propeller whose C_T J is above C_P in a row would give more than it takes: an error too.

References: Brandt & Selig, UIUC Propeller Data Site (vol. 1 to 4); APC Propellers, PERFILES_WEB (2014 on).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from didymos.describe.tables.grid_csv import read_grid
from didymos.describe.tables.read_aero import table_file
from didymos.describe.tables.text_file import number_in, read_lines
from didymos.errors import InputError
from didymos.parts.propeller_data import PropellerFile, PropellerRow

__all__ = ["propeller_reader", "read_apc", "read_uiuc"]

_BY_ENDING = {".dat": "apc", ".txt": "uiuc", ".csv": "csv"}
_MOST_EFFICIENCY = 1.02  # printed numbers have three digits or four
Point = tuple[int, float, float, float]
"""Line, J, C_T, C_P."""


def propeller_reader(folder: Path) -> Callable[[PropellerFile], list[PropellerRow]]:
    """What reads the files that a twin file in a folder names."""

    def read(spec: PropellerFile) -> list[PropellerRow]:
        names = (spec.file,) if isinstance(spec.file, str) else spec.file
        files = [table_file(name, folder) for name in names]
        form = spec.format or (_BY_ENDING.get(files[0].suffix.lower()) if files else None)
        if form is None:
            raise ValueError(f"what {spec.file!r} holds is not known by its ending, say it by the key 'format'")
        if len(files) > 1 and form != "uiuc":
            raise ValueError(f"found {len(files)} files of format {form}, expected one")
        rows = [read_uiuc(file) for file in files] if form == "uiuc" else (_read_csv if form == "csv" else read_apc)(files[0])
        if len({row.turns for row in rows}) < len(rows):
            raise ValueError("two files of a propeller have the same speed of rotation at the end of their name")
        return rows

    return read


def read_uiuc(file: Path) -> PropellerRow:
    """A file of UIUC's."""
    lines = read_lines(file)
    head = next((i for i, text in enumerate(lines) if text.split()[:3] == ["J", "CT", "CP"]), None)
    if head is None:
        is_static = any(text.split()[:3] == ["RPM", "CT", "CP"] for text in lines)
        why = "is a static file, over RPM" if is_static else "has no line J CT CP"
        raise InputError(f"{why}, expected a file of UIUC's over the advance ratio", file=file)
    points: list[Point] = []
    for line, text in enumerate(lines[head + 1 :], start=head + 2):
        words = text.split()
        if words:
            if len(words) < 3:
                raise InputError(f"found {len(words)} numbers, expected J, CT, CP", file=file, line=line)
            points.append(_point(words[:3], file, line))
    rpm = re.search(r"_(\d{3,6})$", file.stem)
    return _checked(file, float(rpm[1]) / 60.0 if rpm else 0.0, points)


def read_apc(file: Path) -> list[PropellerRow]:
    """A file of APC's."""
    rows: list[PropellerRow] = []
    points: list[Point] = []
    rpm, places = 0.0, None
    for line, text in enumerate([*read_lines(file), "PROP RPM = 0"], start=1):
        begun = re.match(r"\s*PROP RPM\s*=\s*(\S+)", text)
        words = text.split()
        if begun:
            if rpm > 0.0:
                rows.append(_checked(file, rpm / 60.0, points))
            rpm, places, points = number_in(begun[1], file, line), None, []
        elif rpm > 0.0 and places is None:
            if {"J", "Ct", "Cp"} <= set(words):
                places = [words.index(name) for name in ("J", "Ct", "Cp")]
        elif places is not None and words and not words[0].startswith("("):
            if len(words) > max(places):
                points.append(_point([words[place] for place in places], file, line))
            elif len(words) < 2 or not points:
                raise InputError(f"found {len(words)} numbers, expected V, J, Pe, Ct, Cp, ...", file=file, line=line)
    if not rows:
        raise InputError("has no line 'PROP RPM = ...', expected a performance file of APC's", file=file)
    return rows


def _point(words: list[str], file: Path, line: int) -> Point:
    advance, thrust, power = (number_in(word, file, line) for word in words)
    return line, advance, thrust, power


def _read_csv(file: Path) -> list[PropellerRow]:
    grid = read_grid(file, ("J", "rpm"), "CT|CP")
    for name, known in (("J", grid.names), ("CT", grid.values), ("CP", grid.values)):
        if name not in known:
            raise InputError(f"has no column {name}", file=file)
    order = [grid.names.index(name) for name in ("rpm", "J") if name in grid.names]
    speeds = grid.axes[order[0]] / 60.0 if len(order) > 1 else np.zeros(1)
    advance = grid.axes[order[-1]]
    thrust, power = (grid.values[name].transpose(order).reshape(len(speeds), -1) for name in ("CT", "CP"))
    return [
        _checked(file, float(turns), [(0, *point) for point in zip(advance, thrust[i], power[i], strict=True)])
        for i, turns in enumerate(speeds)
    ]


def _checked(file: Path, turns: float, points: list[Point]) -> PropellerRow:
    """A row in the order of J, each once, that gives no more than it takes."""
    if len(points) < 2:
        at = f" at {60.0 * turns:g} rpm" if turns else ""
        raise InputError(f"found {len(points)} rows{at}, expected two or more", file=file)
    for line, advance, thrust, power in points:
        if thrust * advance > _MOST_EFFICIENCY * max(power, 0.0) + 1e-4:
            text = f"has C_T J = {thrust * advance:.4g} above C_P = {power:.4g}, which no propeller has"
            raise InputError(text, file=file, line=line or None)
    kept = {advance: (advance, thrust, power) for _, advance, thrust, power in points}
    table = np.array([kept[advance] for advance in sorted(kept)])
    if len(table) < 2:
        raise InputError("has one advance ratio, expected two or more", file=file)
    return PropellerRow(turns, table[:, 0], table[:, 1], table[:, 2])
