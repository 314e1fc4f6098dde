"""Robustness: by how much a log meets a formula of signal temporal logic, or by how much it fails to.

Quantitative semantics (Donzé & Maler 2010). With p = f - g of a comparison f > g,

    rho(f > g, t)       = p(t)                              rho(not a, t)     = -rho(a, t)
    rho(a and b, t)     = min(rho(a, t), rho(b, t))         rho(a or b, t)    = max(rho(a, t), rho(b, t))
    rho(always[u:v] a)  = min of rho(a, t') over t + u <= t' <= t + v            rho(eventually[u:v] a) = max of the same
    rho(a until[u:v] b) = max over t' of the same of min(rho(b, t'), min of rho(a, t") over t <= t" < t')

a implies b is (not a) or b; a iff b is (a implies b) and (b implies a); a xor b is not (a iff b). The formula is judged at t = 0
of the log's clock. It is met where rho >= 0; a change of all its signals by less than rho (in the predicates) cannot break it.

*Time.* A signal keeps the value of a sample until its next one, and has that of its first before it; samples that are no number
are left out. All are looked at on one grid, the stamps of all signals of the formula, so that a window begins with the sample
that holds then. If a signal changes by at most L per second and is sampled every h, each comparison errs by at most L h, and
each operator of time inside another adds as much: |error| <= (1 + d) L h with d of them inside each other.

*The end of the run.* A term is known up to where its intervals still lie within the log. Operators without an interval range
over the times at which what they are applied to is known. A formula that is not known at t = 0 has no robustness.

*Cost.* n samples cost O(n log n) for each operator: windows by a table of extremes over powers of two, `until` by
    a until[u:v] b = (eventually[u:v] b) and (a until[u:] b)   (Donzé, Ferrère & Maler 2013, which holds for rho as well)
and by composing the steps x -> max(b, min(a, x)) in pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.describe.formula import Formula, Term
from didymos.record.formula_unit import unit_of
from didymos.record.log import Log, Signal

__all__ = ["Robustness", "robustness"]

_SAME = 1e-7  # [s]: times that differ by less are the same

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Robustness:
    """How well a log meets a formula: the robustness, its unit, and the time [s] of the sample that decides it."""

    value: float
    unit: str
    time: float


def robustness(formula: Formula, log: Log) -> Robustness | None:
    """The robustness of a formula in a log; None where the log ends before it is known, or lacks every sample of a signal.

    A signal that the log does not have is an `InputError`.
    """
    signals = {name: log[name] for name in formula.signals}
    kept = {name: _numbers(signal) for name, signal in signals.items()}
    if any(len(time) == 0 for time, _ in kept.values()):
        return None
    sampled = _Sampled(kept)
    found = sampled.logic(formula.term)
    if len(found) == 0:
        return None
    unit = unit_of(formula.term, {name: signal.unit for name, signal in signals.items()})
    return Robustness(float(found[0]), unit, sampled.decided_at(float(found[0])))


def _numbers(signal: Signal) -> tuple[Array, Array]:
    """Times and values of the samples that are numbers and not before the clock's start."""
    good = ~np.isnan(signal.values) & (signal.time >= -_SAME)
    return (signal.time, signal.values) if good.all() else (signal.time[good], signal.values[good])


class _Sampled:
    """Signals on one grid of times, and the terms of a formula over it; a term has as many samples as it is known at."""

    def __init__(self, signals: Mapping[str, tuple[Array, Array]]) -> None:
        times = list({time.tobytes(): time for time, _ in signals.values()}.values())
        self._time = np.unique(np.concatenate([np.zeros(1), *times]))
        self._values = {name: _held(time, values, self._time) for name, (time, values) in signals.items()}
        self._end = max(time[-1] + (np.median(np.diff(time)) if len(time) > 1 else 0.0) for time in times)
        self._compared: list[Array] = []  # the comparisons as they count: turned round where they are negated

    def decided_at(self, value: float) -> float:
        """The first time [s] at which a comparison has the value that the whole formula has."""
        for values in self._compared:
            (same,) = np.nonzero(values == value)
            if len(same):
                return float(self._time[same[0]])
        return 0.0

    def logic(self, term: Term, signs: tuple[float, ...] = (1.0,)) -> Array:
        """The robustness of a term at the first samples, as many as it is known at; `signs` are those with which it counts."""
        if term.kind == "above":
            left, right = (self._number(item) for item in term.of)
            values = np.broadcast_to(left - right, self._time.shape)
            self._compared += [sign * values for sign in signs]
            return values
        parts = [self.logic(item, _signs(term.kind, i, signs)) for i, item in enumerate(term.of)]
        known = int(np.searchsorted(self._time, self._end - term.horizon + _SAME, "right"))
        if known == 0:
            return np.empty(0)
        return _OPERATORS[term.kind](*(part[:known] for part in parts)) if term.end is None else self._within(term, parts, known)

    def _within(self, term: Term, parts: list[Array], known: int) -> Array:
        """An operator of time with an interval, at the first samples."""
        assert term.begin is not None
        assert term.end is not None
        length = min(len(part) for part in parts)
        time = self._time[:length]
        first = np.searchsorted(time, self._time[:known] + term.begin + _SAME, "right") - 1
        last = np.searchsorted(time, self._time[:known] + term.end + _SAME, "right") - 1
        if term.kind == "always":
            return _extreme(parts[0], first, last, np.minimum)
        if term.kind == "eventually":
            return _extreme(parts[0], first, last, np.maximum)
        left, right = (part[:length] for part in parts)
        here = np.arange(known)
        later = _until(left, right)[first]
        until_first = _extreme(left, here, np.maximum(first - 1, here), np.minimum)
        later = np.where(first > here, np.minimum(until_first, later), later)
        return np.minimum(_extreme(right, first, last, np.maximum), later)

    def _number(self, term: Term) -> Array:
        """A number at all samples."""
        if term.kind == "constant":
            return np.float64(term.value)  # type: ignore[return-value]  # broadcast where it is used
        if term.kind == "signal":
            return self._values[term.signal]
        with np.errstate(all="ignore"):  # what is no number is never met
            return _ARITHMETIC[term.kind](*(self._number(item) for item in term.of))


def _signs(kind: str, part: int, signs: tuple[float, ...]) -> tuple[float, ...]:
    """The signs with which a part of a term counts."""
    if kind in ("iff", "xor"):
        return (1.0, -1.0)
    return tuple(-sign for sign in signs) if kind == "not" or (kind == "implies" and part == 0) else signs


def _held(time: Array, values: Array, at: Array) -> Array:
    """A signal at other times: the last sample's value, before the first one that of the first."""
    if np.array_equal(time, at):
        return values
    return np.asarray(values[np.maximum(np.searchsorted(time, at, "right") - 1, 0)])


def _extreme(values: Array, first: NDArray[np.int64], last: NDArray[np.int64], pick: np.ufunc) -> Array:
    """Least or largest of `values[first : last + 1]` for each pair; a window is covered by two powers of two."""
    level = np.frexp(last - first + 1)[1] - 1
    found, table = np.empty(len(first)), values
    for k in range(int(level.max()) + 1):
        here = level == k
        found[here] = pick(table[first[here]], table[last[here] - (1 << k) + 1])
        table = pick(table[: -(1 << k)], table[1 << k :])
    return found


def _until(left: Array, right: Array) -> Array:
    """`until` without an interval: u_i = max(right_i, min(left_i, u_i+1)), of the last sample right alone."""
    low, high = right.copy(), left.copy()  # u_i = max(low_i, min(high_i, u_i+step))
    high[-1] = -np.inf
    step = 1
    while step < len(low):
        low[:-step] = np.maximum(low[:-step], np.minimum(high[:-step], low[step:]))
        high[:-step] = np.minimum(high[:-step], high[step:])
        step *= 2
    return low


def _implies(left: Array, right: Array) -> Array:
    return np.maximum(-left, right)


def _iff(left: Array, right: Array) -> Array:
    return np.minimum(_implies(left, right), _implies(right, left))


_OPERATORS: dict[str, Callable[..., Array]] = {
    "not": np.negative,
    "and": np.minimum,
    "or": np.maximum,
    "implies": _implies,
    "iff": _iff,
    "xor": lambda left, right: -_iff(left, right),
    "always": lambda part: np.minimum.accumulate(part[::-1])[::-1],
    "eventually": lambda part: np.maximum.accumulate(part[::-1])[::-1],
    "until": _until,
}
_ARITHMETIC: dict[str, Callable[..., Array]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "pow": np.power, "abs": np.abs, "sqrt": np.sqrt,
    "exp": np.exp,
}  # fmt: skip
