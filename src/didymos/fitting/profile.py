"""Intervals by profile likelihood: how far a number can go before the recordings object, whatever the others do meanwhile.

    P(c) = min F(x) over all x of the unit cube with y(x) = c,        interval: all c with P(c) <= min F + 3.84

with F of `likelihood.py`, y a number that is reported and 3.84 the 95 % quantile of chi-square with one degree of freedom. What
is not known of the noise is in F. The interval is not symmetric where the twin is not linear, and is the same whatever the
parameter is: that of 1/y has the inverse ends. Where P stays below up to the bound, the interval is open there.

Both ends of every number are followed at once. At a point x of the search F is that of Gauss and Newton,

    F(x + d) = |T (d, 1)|^2,        y(x + d) = y(x) + g d

and the next x is where y is farthest out with F = min F + 3.84, within the cube and as far as the last step showed that this
model holds (Venzon & Moolgavkar, Applied Statistics 37, 1988). A step needs one run to be judged, and one Jacobian if it is
taken; the first Jacobian is shared by all.
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
_ROUNDS = 25
_NEAR = 0.01  # of the distance from the optimum: a step that is no news
_TRUST = 2.0  # ordinary half widths: the first step's longest
_HELD, _BROKEN = 0.1, 0.5  # of the rise: errors of the model that let steps grow, and that are too large for a step
_DOWN = 4  # steps to the least F

Numbers = Callable[[_Array], tuple[_Array, _Array]]
"""Numbers y [count] at a point [n], and their slopes [count, n]."""


@dataclass(frozen=True)
class End:
    """One end of an interval. `open`: the bounds are met before the recordings object. None: it was not found."""

    value: float | None
    open: bool


@dataclass(eq=False)
class _Walk:
    """The way to one end: where it is, with F, its triangle, y and the slope of y there."""

    number: int
    sign: float
    width: float  # the ordinary half width
    trust: float
    point: _Array
    squares: float
    triangle: _Array
    value: float
    slope: _Array
    end: End | None = None
    step: _Array | None = None
    expected: float = 0.0  # F after the step


def profile_ends(
    likelihood: Likelihood, optimum: _Array, numbers: Numbers, widths: Sequence[float]
) -> list[tuple[End, End]]:
    """Lower and upper end of each number; `widths` are ordinary half widths, of which one that is not finite is left out."""
    best, least, triangle = _least(likelihood, optimum)
    values, slopes = numbers(best)
    limit = least + _RISE
    walks = [
        _Walk(i, sign, width, _TRUST * width, best, least, triangle, float(values[i]), slopes[i])
        for i, width in enumerate(widths) if np.isfinite(width) and width > 0.0 for sign in (-1.0, 1.0)
    ]  # fmt: skip
    for _ in range(_ROUNDS):
        for walk in walks:
            if walk.end is None:
                _propose(walk, limit, float(values[walk.number]))
        moving = [walk for walk in walks if walk.end is None and walk.step is not None]
        if not moving:
            break
        after = likelihood.squares(np.column_stack([walk.point + walk.step for walk in moving]))
        taken = [(walk, float(f)) for walk, f in zip(moving, after, strict=True) if _takes(walk, float(f))]
        if taken:
            points = np.column_stack([walk.point for walk, _ in taken])
            for (walk, f), found in zip(taken, likelihood.triangles(points), strict=True):
                walk.squares, walk.triangle = f, found
                y, slope = numbers(walk.point)
                walk.value, walk.slope = float(y[walk.number]), slope[walk.number]
    ends = {(walk.number, walk.sign): walk.end or End(None, False) for walk in walks}
    nothing = End(None, False)
    return [(ends.get((i, -1.0), nothing), ends.get((i, 1.0), nothing)) for i in range(len(widths))]


def _least(likelihood: Likelihood, point: _Array) -> tuple[_Array, float, _Array]:
    """The point of least F near another one, F there and its triangle."""
    squares = float(likelihood.squares(point[:, None])[0])
    (triangle,) = likelihood.triangles(point[:, None])
    for _ in range(_DOWN):
        step = _least_squares(triangle, point, None)
        if squares - _model(triangle, step) < _NEAR:
            break
        trial = np.clip(point + step, 0.0, 1.0)
        after = float(likelihood.squares(trial[:, None])[0])
        if not after < squares:
            break
        point, squares = trial, after
        (triangle,) = likelihood.triangles(point[:, None])
    return point, squares, triangle


def _propose(walk: _Walk, limit: float, centre: float) -> None:
    """Set the next step of a walk, or its end where it has arrived."""
    outward = walk.sign * walk.slope
    reach = float(np.sum(np.where(outward > 0.0, outward * (1.0 - walk.point), -outward * walk.point)))
    back = -float(np.sum(np.where(outward > 0.0, outward * walk.point, -outward * (1.0 - walk.point))))
    farthest, nearest = min(walk.trust, reach), max(-walk.trust, back)

    def along(distance: float) -> _Array:
        return _least_squares(walk.triangle, walk.point, (outward, distance))

    def rise(distance: float) -> float:
        return _model(walk.triangle, along(distance)) - limit

    free = float(np.clip(outward @ _least_squares(walk.triangle, walk.point, None), nearest, farthest))
    if rise(farthest) <= 0.0:
        distance = farthest
    elif rise(free) >= 0.0:
        distance = free
    else:
        distance = float(brentq(rise, free, farthest, xtol=0.1 * _NEAR * walk.width))
    covered = max(abs(walk.value + walk.sign * distance - centre), 1e-3 * walk.width)
    meets_bound = distance >= reach * (1.0 - 1e-9) and rise(distance) < 0.0
    if abs(distance) <= _NEAR * covered and (meets_bound or abs(walk.squares - limit) < 4.0 * _NEAR * _RISE):
        walk.end = End(walk.value + walk.sign * distance, meets_bound)
    elif walk.trust < _NEAR * covered:
        walk.end = End(None, False)
    else:
        walk.step = along(distance)
        walk.expected = _model(walk.triangle, walk.step)


def _takes(walk: _Walk, after: float) -> bool:
    """Whether a step is taken, since F is about what the model said, or far below where it was; sets how far the next may go."""
    assert walk.step is not None
    wrong = abs(after - walk.expected) / _RISE
    length = abs(float(walk.slope @ walk.step))
    if not wrong <= _BROKEN and not after < walk.squares - _BROKEN * _RISE:
        walk.trust = 0.4 * min(length, walk.trust)
        return False
    if wrong <= _HELD:
        walk.trust = max(walk.trust, 3.0 * length)
    walk.point = np.clip(walk.point + walk.step, 0.0, 1.0)
    return True


def _model(triangle: _Array, step: _Array) -> float:
    left = triangle[:, :-1] @ step + triangle[:, -1]
    return float(left @ left)


def _least_squares(triangle: _Array, point: _Array, constraint: tuple[_Array, float] | None) -> _Array:
    """The step within the cube with the least squares of the model; along `constraint` (slope, distance) if there is one."""
    matrix, target = triangle[:, :-1], -triangle[:, -1]
    if constraint is not None:
        slope, distance = constraint
        weight = 1e5 * max(float(np.abs(matrix).max()), 1e-300) / float(np.abs(slope).max())
        matrix, target = np.vstack([matrix, weight * slope]), np.append(target, weight * distance)
    width = 1e-12
    found = lsq_linear(matrix, target, (-point - width, 1.0 - point + width), method="bvls")
    return np.asarray(found.x)
