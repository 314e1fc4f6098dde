"""Combinations of parameters that recordings do not tell apart, found and named.

    J = U S V^T      of the Jacobian over coordinates 0..1 between the bounds, its columns scaled to one

A direction v whose singular value is lost in the accuracy of differences, or along which the 95 % interval is longer than half of
the bounds, is unknown: moving along it changes nothing that was recorded. What is known then is named by what stays the same
along it. With u the direction in the parameters' own units, and w = u / value in their logarithms,

    one parameter            nothing is known of it
    two, u = (1, -1)         only their sum         (of one unit)
    two, u = (1, 1)          only their difference
    two, w = (1, -1)         only their product
    two, w = (1, 1)          only their ratio
    two, w = (a, -b)         only X^b times Y^a     (a, b whole numbers up to 3)
    more                     the direction itself is told, in per cent of the values
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Direction", "Known", "unknown_directions"]

_Array = NDArray[np.float64]
_NORMAL_95 = 1.959963984540054
_ACCURACY = 1e-5  # of the largest singular value: what central differences of a thousandth of the bounds can tell
_WIDE = 0.5  # an interval longer than this part of the bounds says that the data did not decide
_PART = 0.1  # of the largest entry of a direction below which an entry is left out
_ALIKE = 0.06  # how near the entries of a direction have to be to whole numbers
_TIED = 0.98  # correlation from which on two parameters are known together, not each by itself


@dataclass(frozen=True)
class Known:
    """A parameter as it is told: its name, unit, value and bounds."""

    name: str
    unit: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Direction:
    """A direction that is unknown, or known far worse than what lies across it: parameters, shares of them, and a sentence."""

    names: tuple[str, ...]
    shares: tuple[float, ...]  # of the bounds' widths, the largest 1
    text: str


def unknown_directions(parameters: Sequence[Known], jacobian: _Array, covariance: _Array) -> tuple[Direction, ...]:
    """From a Jacobian, shape [m, n], and a covariance, shape [n, n], both over coordinates 0..1 between the bounds."""
    size = np.linalg.norm(jacobian, axis=0)
    found = [_of_one(item) for item, length in zip(parameters, size, strict=True) if length == 0.0]
    here = np.flatnonzero(size > 0.0)
    if not len(here):
        return tuple(found)
    _, values, axes = np.linalg.svd(jacobian[:, here] / size[here], full_matrices=False)
    scaled = covariance[np.ix_(here, here)] * np.outer(size[here], size[here])
    for value, axis in zip(values, axes, strict=True):
        along = axis / size[here]
        largest = float(np.abs(along).max())
        length = 2.0 * _NORMAL_95 * np.sqrt(max(float(axis @ scaled @ axis), 0.0)) * largest
        if value < _ACCURACY * values[0] or length > _WIDE:
            found.append(_named([parameters[int(i)] for i in here], along / largest))
    return (*found, *_pairs(parameters, covariance, found))


def _of_one(item: Known) -> Direction:
    return Direction((item.name,), (1.0,), f"nothing is known of {item.name}: it has no effect on what was recorded")


def _named(parameters: Sequence[Known], along: _Array) -> Direction:
    """A direction, over coordinates, in words."""
    taken = [i for i in range(len(along)) if abs(along[i]) > _PART]
    items = [parameters[i] for i in taken]
    names, shares = tuple(item.name for item in items), tuple(float(along[i]) for i in taken)
    if len(items) == 1:
        return Direction(names, shares, f"{names[0]} is not determined by these recordings")
    if len(items) == 2:
        what = combination(items[0], items[1], along[taken[0]], along[taken[1]])
        if what is not None:
            return Direction(names, shares, f"{names[0]} and {names[1]} are known only together: {what}")
    return Direction(names, shares, f"{', '.join(names[:-1])} and {names[-1]} are known only together: {_percent(items, shares)}")


def combination(one: Known, other: Known, first: float, second: float) -> str | None:
    """What stays the same along a direction of two parameters, where it has a name."""
    u = first * (one.high - one.low), second * (other.high - other.low)
    if one.unit == other.unit:
        ratio = u[0] / u[1]
        if abs(ratio + 1.0) < _ALIKE:
            return f"only their sum is, {one.value + other.value:.6g} {one.unit}".rstrip()
        if abs(ratio - 1.0) < _ALIKE:
            return f"only their difference is, {one.value - other.value:.6g} {one.unit}".rstrip()
    if one.value == 0.0 or other.value == 0.0:
        return None
    w = u[0] / one.value, u[1] / other.value
    for a in (1, 2, 3):
        for b in (1, 2, 3):
            if abs(abs(w[0] / w[1]) * b / a - 1.0) < _ALIKE and np.gcd(a, b) == 1:
                return _product(one, other, b, a if w[0] * w[1] < 0.0 else -a)
    return None


def _product(one: Known, other: Known, p: int, q: int) -> str:
    """That X^p Y^q stays the same."""
    value = one.value**p * other.value**q
    if (p, q) == (1, 1):
        return f"only their product is, {value:.6g}"
    if (p, q) == (1, -1):
        return f"only their ratio is, {value:.6g}"
    left = one.name if p == 1 else f"{one.name}^{p}"
    right = other.name if abs(q) == 1 else f"{other.name}^{abs(q)}"
    return f"only {left} {'times' if q > 0 else 'over'} {right} is, {value:.6g}"


def _percent(items: Sequence[Known], shares: Sequence[float]) -> str:
    moves = []
    for item, share in zip(items, shares, strict=True):
        step = 0.1 * share * (item.high - item.low)
        moves.append(f"{item.name} {step:+.3g} {item.unit}".rstrip())
    return f"moving them together ({', '.join(moves)}) changes nothing that can be seen"


def _pairs(parameters: Sequence[Known], covariance: _Array, found: Sequence[Direction]) -> list[Direction]:
    """Pairs that are told, but each far worse than a combination of the two."""
    size = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    covered = [set(item.names) for item in found]
    pairs = []
    for i in range(len(parameters)):
        for j in range(i):
            if size[i] == 0.0 or size[j] == 0.0 or any({parameters[i].name, parameters[j].name} <= names for names in covered):
                continue
            correlation = covariance[i, j] / (size[i] * size[j])
            if abs(correlation) > _TIED:
                along = (float(size[j]), float(np.sign(correlation) * size[i]))
                what = combination(parameters[j], parameters[i], *along)
                better = f"; {what.replace('only ', '').replace(' is,', ' is better known,')}" if what else ""
                names = parameters[j].name, parameters[i].name
                text = f"{names[0]} and {names[1]} are known only together (correlation {correlation:+.3f}){better}"
                pairs.append(Direction(names, along, text))
    return pairs
