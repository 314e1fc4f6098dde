"""Lines for a formula: where its comparisons hold a single signal against a number, and when.

    always[10:20](abs(truth.position.z - 1) < 0.02)      0.98 and 1.02 from 10 s to 20 s, not to be crossed
    eventually[0:3](truth.tilt < 0.05)                   0.05 until 3 s, a line: it is enough to come below it once
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from didymos.describe.formula import Term, read_formula
from didymos.errors import InputError
from didymos.record.expected import Limit

__all__ = ["formula_limits"]


def formula_limits(text: str) -> dict[str, set[Limit]]:
    """Signals of a formula and the lines that it holds each against; nothing where it cannot be read here."""
    try:
        formula = read_formula(text)
    except InputError:
        return {}
    found: dict[str, set[Limit]] = {signal: set() for signal in formula.signals}
    for signal, limit in _lines(formula.term, 0.0, 0.0, True):
        found[signal].add(limit)
    return found


def _lines(term: Term, begin: float, end: float, strict: bool) -> Iterator[tuple[str, Limit]]:
    """The lines of a term that counts from a time to another [s]; `strict` where every comparison has to be met throughout."""
    if term.kind == "above":
        for signal, value, side in _compared(*term.of):
            yield signal, Limit(value, begin, end if end > begin else math.inf, side=side if strict else 0)
        return
    if term.kind in ("always", "eventually", "until"):
        begin, end = begin + (term.begin or 0.0), math.inf if term.end is None else end + term.end
    for part in term.of:
        yield from _lines(part, begin, end, strict and term.kind in ("and", "always"))


def _compared(larger: Term, smaller: Term) -> Iterator[tuple[str, float, int]]:
    """Signal, value and forbidden side of a comparison of a signal, or of its distance from a number, with a number."""
    if smaller.kind == "constant":
        for signal, centre, sign in _distance(larger):
            yield signal, centre + sign * smaller.value, -sign
    elif larger.kind == "constant":
        for signal, centre, sign in _distance(smaller):
            yield signal, centre + sign * larger.value, sign


def _distance(term: Term) -> Iterator[tuple[str, float, int]]:
    """A signal, or on both sides the distance of one from a number."""
    if term.kind == "signal":
        yield term.signal, 0.0, 1
    elif term.kind == "abs":
        inner = term.of[0]
        if inner.kind == "signal":
            yield from ((inner.signal, 0.0, sign) for sign in (-1, 1))
        elif inner.kind == "-" and inner.of[0].kind == "signal" and inner.of[1].kind == "constant":
            yield from ((inner.of[0].signal, inner.of[1].value, sign) for sign in (-1, 1))
