"""Polars of XFOIL and XFLR5: lift, drag and moment of an airfoil over the angle of attack, one file per Reynolds number.

     Calculated polar for: NACA 2412
     Mach =   0.000     Re =     0.500 e 6     Ncrit =   9.000
      alpha    CL        CD       CDp       CM     Top_Xtr  Bot_Xtr
     ------ -------- --------- --------- -------- -------- --------
      0.000   0.2442   0.00702   0.00175  -0.0533   0.6693   0.9969

XFLR5 writes the same words, with commas where it is told to; polars of its planes (alpha, Beta, CL, ..., CD, CY, Cl, Cm, Cn) are
read by the names of their columns. Of several files the Reynolds number becomes a second axis; angles of attack are those that
all have in common, values between points are linear. With an aspect ratio A a polar of a section becomes that of an elliptic
wing by lifting-line theory: at the same C_L, alpha grows by C_L / (pi e A) and drag by C_L^2 / (pi e A).

Reference: Drela, XFOIL 6.9 User Guide (2001), PACC; Anderson, Fundamentals of Aerodynamics (2011), sec. 5.3 (lifting line).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.describe.tables.text_file import number_in, read_lines
from didymos.errors import InputError
from didymos.parts.aero_data import AeroBuilder

__all__ = ["Polar", "add_polars", "read_polar"]

_COLUMNS = {"cl": "CL", "cd": "CD", "cm": "Cm", "cy": "CY", "cn": "Cn"}
_DEGREE = math.pi / 180.0


@dataclass(frozen=True, eq=False)
class Polar:
    """Angles of attack [rad], ascending, coefficients at each by name, and the Reynolds number (0 where the file has none)."""

    reynolds: float
    alpha: NDArray[np.float64]
    values: dict[str, NDArray[np.float64]]

    def of_wing(self, aspect_ratio: float, oswald: float) -> Polar:
        """The polar of an elliptic wing with this section."""
        induced = self.values["CL"] / (math.pi * oswald * aspect_ratio)
        values = self.values | {"CD": self.values["CD"] + induced * self.values["CL"]}
        alpha = self.alpha + induced
        keep = np.concatenate([[True], np.diff(np.maximum.accumulate(alpha)) > 0.0])  # deep in stall lift may fall faster
        return Polar(self.reynolds, alpha[keep], {name: column[keep] for name, column in values.items()})


def read_polar(file: Path) -> Polar:
    """A polar; an `InputError` with file and line where it is none."""
    reynolds, columns, rows = 0.0, None, []
    for line, text in enumerate(read_lines(file), start=1):
        match = re.search(r"\bRe\s*=\s*([0-9.]+)\s*(?:e\s*([0-9]+))?", text)
        if match and columns is None:
            reynolds = number_in(match[1], file, line) * 10.0 ** int(match[2] or 0)
        words = text.replace(",", " ").split()
        if columns is None:
            if words and words[0].lower() == "alpha":
                columns = _columns(words, file, line)
        elif words and not set(text.strip()) <= set("- ,"):
            needed = max(columns.values()) + 1
            if len(words) < needed:
                raise InputError(f"found {len(words)} numbers, expected {needed} or more", file=file, line=line)
            rows.append((line, [number_in(words[place], file, line) for place in columns.values()]))
    if columns is None:
        raise InputError("has no line of column names that begins with 'alpha', expected a polar of XFOIL or XFLR5", file=file)
    if len(rows) < 2:
        raise InputError(f"found {len(rows)} rows, expected a polar with two or more", file=file)
    table = np.array([row for _, row in rows])
    order = np.argsort(table[:, 0], kind="stable")
    twice = np.flatnonzero(np.diff(table[order, 0]) == 0.0)
    if len(twice):
        later = max(order[twice[0] : twice[0] + 2])
        raise InputError("has the angle of attack of an earlier row", file=file, line=rows[later][0])
    values = {name: table[order, i] for i, name in enumerate(columns) if name != "alpha"}
    return Polar(reynolds, table[order, 0] * _DEGREE, values)


def _columns(words: list[str], file: Path, line: int) -> dict[str, int]:
    found = {"alpha": 0}
    is_plane = "Beta" in words or "beta" in words
    for place, word in enumerate(words):
        name = "Cl" if is_plane and word == "Cl" else _COLUMNS.get(word.lower(), "")
        if name and name not in found:
            found[name] = place
    missing = [name for name in ("CL", "CD") if name not in found]
    if missing:
        raise InputError(f"has no column {missing[0]}, expected a polar of XFOIL or XFLR5", file=file, line=line)
    return found


def add_polars(
    files: list[Path], builder: AeroBuilder, *, monotone: bool, aspect_ratio: float | None, oswald: float
) -> None:
    """Add one or several polars of the same airfoil to a builder."""
    polars = sorted((read_polar(file) for file in files), key=lambda polar: polar.reynolds)
    if any(a.reynolds == b.reynolds for a, b in pairwise(polars)):
        raise ValueError(f"two polars have the Reynolds number {polars[0].reynolds:g}, expected one file for each")
    if aspect_ratio is not None:
        polars = [polar.of_wing(aspect_ratio, oswald) for polar in polars]
    low, high = max(polar.alpha[0] for polar in polars), min(polar.alpha[-1] for polar in polars)
    if low >= high:
        raise ValueError("the polars have no angle of attack in common")
    alpha = np.unique(np.concatenate([polar.alpha for polar in polars]))
    alpha = alpha[(alpha >= low) & (alpha <= high)]
    axes = [alpha, np.array([polar.reynolds for polar in polars])]
    slots = [builder.program.slot("alpha"), builder.program.slot("reynolds") if len(polars) > 1 else 0]
    common = [name for name in polars[0].values if all(name in polar.values for polar in polars)]
    tables = [(name, (), np.stack([np.interp(alpha, one.alpha, one.values[name]) for one in polars], axis=1)) for name in common]
    builder.add_coefficients(slots, axes, tables, monotone=monotone)
