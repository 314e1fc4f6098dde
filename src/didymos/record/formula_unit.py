"""The unit of a formula's robustness: that of what its comparisons compare, where all of them compare the same.

Units are multiplied and divided as texts with exponents, so that sqrt(x * x + y * y) of metres is metres. A constant fits any
unit. Where comparisons differ, or one has no unit that a signal could have, the robustness is a bare number, "1".
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from didymos.describe.formula import Term

__all__ = ["unit_of"]

Powers = dict[str, Fraction]
"""Exponents by unit; none of them is zero."""


def unit_of(term: Term, units: Mapping[str, str]) -> str:
    """The unit of a formula's robustness, given those of its signals."""
    compared = [_joined(*(_powers(side, units) for side in item.of)) for item in term.all() if item.kind == "above"]
    first = compared[0]
    if first is None or any(other != first for other in compared) or list(first.values()) != [Fraction(1)]:
        return "1"
    return next(iter(first))


def _powers(term: Term, units: Mapping[str, str]) -> Powers | None:
    """The unit of a number; None of a constant."""
    if term.kind == "constant":
        return None
    if term.kind == "signal":
        unit = units[term.signal]
        return {} if unit in ("", "1") else {unit: Fraction(1)}
    parts = [_powers(item, units) for item in term.of]
    if term.kind in ("+", "-", "abs"):
        return _joined(*parts)
    if term.kind == "sqrt":
        return _scaled(parts[0], Fraction(1, 2))
    if term.kind == "pow" and term.of[1].kind == "constant":
        return _scaled(parts[0], Fraction(term.of[1].value))
    if term.kind in ("*", "/"):
        other = _scaled(parts[1], Fraction(1 if term.kind == "*" else -1))
        return None if parts == [None, None] else _product(parts[0] or {}, other or {})
    return {}


def _joined(*parts: Powers | None) -> Powers | None:
    """The unit that all have; of different ones, none."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    return known[0] if all(part == known[0] for part in known) else {}


def _scaled(part: Powers | None, by: Fraction) -> Powers | None:
    return None if part is None else {unit: power * by for unit, power in part.items() if by}


def _product(left: Powers, right: Powers) -> Powers:
    both = {unit: left.get(unit, Fraction(0)) + right.get(unit, Fraction(0)) for unit in (*left, *right)}
    return {unit: power for unit, power in both.items() if power}
