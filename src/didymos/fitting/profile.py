"""Intervals by profile likelihood: how far a number can go before the recordings object, whatever the others do meanwhile.

    P(c) = min F(x) over all x of the unit cube with y(x) = c,        interval: all c with P(c) <= min F + 3.84

with F of `likelihood.py`, y a number that is reported and 3.84 the 95 % quantile of chi-square with one degree of freedom. What
is not known of the noise is in F. The interval is not symmetric where the twin is not linear, and is the same whatever the
parameter is: that of 1/y has the inverse ends. Where P stays below up to the bound, the interval is open there.

Both ends of every number are followed at once. At a point x of the search F is that of Gauss and Newton,

    F(x + d) = |T (d, 1)|^2,        y(x + d) = y(x) + g d

and the next x is where y is farthest out with F = min F + 3.84, within the cube and as far as the last step showed that this
model holds (Venzon & Moolgavkar, Applied Statistics 37, 1988). A step needs one run to be judged, and one Jacobian if it is
taken; the first Jacobian is shared by all. The likelihood of a twin that sticks and slips has steps, where an event no longer
happens. At one that leads beyond the limit a walk ends without having followed P to its crossing: others might lead around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, lsq_linear

from didymos.fitting.likelihood import Likelihood

__all__ = ["End", "profile_ends"]

_Array = NDArray[np.float64]
_RISE = 1.959963984540054**2  # of F at the ends
_ROUNDS = 40
_NEAR = 0.01  # of the distance from the optimum: a step that is no news
_TRUST = 2.0  # ordinary half widths of each coordinate: the first step's longest
_HELD, _BROKEN = 0.1, 0.5  # of the rise: errors of the model that let steps grow, and that are too large for a step
_SHORTER = 0.4  # of a step that was not taken
_BEYOND = 0.04  # of the rise: by which F may be off the limit at an end
_DOWN = 4  # steps to the least F
_ROOM = 1e-12  # that a box is wider, so that it is never empty

Numbers = Callable[[_Array], tuple[_Array, _Array]]
"""Numbers y [count] at a point [n], and their slopes [count, n]."""


@dataclass(frozen=True)
class End:
    """One end of an interval, None where nothing is known. `open`: the bounds are met before the recordings object.

    `followed`: up to where the likelihood crosses the limit; otherwise the end lies there or farther out.
    """

    value: float | None
    open: bool = False
    followed: bool = True


@dataclass(eq=False)
class _Walk:
    """The way to one end: where it is, with F, its triangle, y and the slope of y there."""

    number: int
    sign: float
    width: float  # the ordinary half width
    point: _Array
    squares: float
    triangle: _Array
    value: float
    slope: _Array
    step: _Array
    inside: float  # the last value with F within the limit
    trust: float = _TRUST  # ordinary half widths that each coordinate may move by
    end: End | None = None
    expected: float = 0.0  # F after the step


def profile_ends(
    likelihood: Likelihood, optimum: _Array, numbers: Numbers, widths: Sequence[float]
) -> list[tuple[End, End]]:
    """Lower and upper end of each number; `widths` are ordinary half widths, of which one that is not finite is left out."""
    best, least, triangle = _least(likelihood, optimum)
    values, slopes = numbers(best)
    limit = least + _RISE
    walks = [
        _Walk(i, sign, width, best, least, triangle, float(values[i]), slopes[i], np.zeros_like(best), float(values[i]))
        for i, width in enumerate(widths) if np.isfinite(width) and width > 0.0 for sign in (-1.0, 1.0)
    ]  # fmt: skip
    for _ in range(_ROUNDS):
        for walk in walks:
            if walk.end is None:
                _propose(walk, likelihood.widths, limit, float(values[walk.number]))
        moving = [walk for walk in walks if walk.end is None]
        if not moving:
            break
        after = likelihood.squares(np.column_stack([walk.point + walk.step for walk in moving])).tolist()
        taken = [walk for walk, f in zip(moving, after, strict=True) if _takes(walk, likelihood.widths, f, limit)]
        if taken:
            points = np.column_stack([walk.point for walk in taken])
            for walk, found in zip(taken, likelihood.triangles(points), strict=True):
                walk.triangle = found
                y, slope = numbers(walk.point)
                walk.value, walk.slope = float(y[walk.number]), slope[walk.number]
                if walk.squares <= limit + _BEYOND * _RISE:
                    walk.inside = walk.value
    ends = {(walk.number, walk.sign): walk.end or End(walk.inside, followed=False) for walk in walks}
    nothing = End(None)
    return [(ends.get((i, -1.0), nothing), ends.get((i, 1.0), nothing)) for i in range(len(widths))]


def _least(likelihood: Likelihood, point: _Array) -> tuple[_Array, float, _Array]:
    """The point of least F near another one, F there and its triangle."""
    squares, triangle = likelihood.at_optimum(point)
    for _ in range(_DOWN):
        step = _least_squares(triangle, -point, 1.0 - point, None)
        if squares - _model(triangle, step) < _NEAR:
            break
        trial = np.clip(point + step, 0.0, 1.0)
        after = float(likelihood.squares(trial[:, None])[0])
        if not after < squares:
            break
        point, squares = trial, after
        (triangle,) = likelihood.triangles(point[:, None])
    return point, squares, triangle


def _propose(walk: _Walk, widths: _Array, limit: float, centre: float) -> None:
    """Set the next step of a walk, or its end where it has arrived."""
    outward = walk.sign * walk.slope
    low, high = np.maximum(-walk.point, -walk.trust * widths), np.minimum(1.0 - walk.point, walk.trust * widths)
    farthest, nearest = _reach(outward, low, high), -_reach(-outward, low, high)
    to_bound = _reach(outward, -walk.point, 1.0 - walk.point)

    def along(distance: float) -> _Array:
        return _least_squares(walk.triangle, low, high, (outward, distance))

    def rise(distance: float) -> float:
        return _model(walk.triangle, along(distance)) - limit

    free = float(np.clip(outward @ _least_squares(walk.triangle, low, high, None), nearest, farthest))
    if rise(farthest) <= 0.0:
        distance = farthest
    elif rise(free) >= 0.0:
        distance = free
    else:
        distance = float(brentq(rise, free, farthest, xtol=0.1 * _NEAR * walk.width))
    covered = max(abs(walk.value + walk.sign * distance - centre), 1e-3 * walk.width)
    if to_bound <= _NEAR * covered and walk.squares < limit:
        walk.end = End(walk.value + walk.sign * to_bound, True)
    elif abs(distance) <= _NEAR * covered and abs(walk.squares - limit) < _BEYOND * _RISE:
        walk.end = End(walk.value + walk.sign * distance)
    elif walk.trust < _NEAR:  # nothing farther out is allowed: the likelihood has a step here
        walk.end = End(walk.inside, followed=False)
    else:
        walk.step = along(distance)
        walk.expected = _model(walk.triangle, walk.step)


def _takes(walk: _Walk, widths: _Array, after: float, limit: float) -> bool:
    """Whether a step is taken: F is allowed after it, or about what the model said; sets how far the next one may go."""
    length = float(np.max(np.abs(walk.step) / widths))
    if after > max(limit, walk.expected + _BROKEN * _RISE, walk.squares - _BROKEN * _RISE):
        walk.trust = _SHORTER * min(length, walk.trust)
        return False
    if abs(after - walk.expected) <= _HELD * _RISE:
        walk.trust = max(walk.trust, 3.0 * length)
    walk.point, walk.squares = np.clip(walk.point + walk.step, 0.0, 1.0), after
    return True


def _reach(slope: _Array, low: _Array, high: _Array) -> float:
    """The largest product of a slope with a step of a box."""
    return float(np.sum(np.where(slope > 0.0, slope * high, slope * low)))


def _model(triangle: _Array, step: _Array) -> float:
    left = triangle[:, :-1] @ step + triangle[:, -1]
    return float(left @ left)


def _least_squares(triangle: _Array, low: _Array, high: _Array, constraint: tuple[_Array, float] | None) -> _Array:
    """The step within a box with the least squares of the model; along `constraint` (slope, distance) if there is one."""
    matrix, target = triangle[:, :-1], -triangle[:, -1]
    if constraint is not None:
        slope, distance = constraint
        weight = 1e5 * max(float(np.abs(matrix).max()), 1e-300) / float(np.abs(slope).max())
        matrix, target = np.vstack([matrix, weight * slope]), np.append(target, weight * distance)
    return np.asarray(lsq_linear(matrix, target, (low - _ROOM, high + _ROOM), method="bvls").x)
