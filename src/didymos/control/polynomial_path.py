"""Paths of piecewise polynomials in x, y, z and yaw, and those that lead smoothly from one state to another.

    q(t) = sum_i c_i t^i,  i = 0 .. 7        for each of x, y, z [m] and yaw [rad], over 0 <= t <= duration

`smooth` is the polynomial of seventh order with given value, rate and acceleration at both ends and no jerk there. In s = t / T
its first four coefficients are q0, q0' T, q0'' T^2 / 2, 0, and the last four solve

    sum_i i!/(i-k)! c_i = d_k,   k = 0 .. 3          d_k: what is asked for at the end, less what the first four give there

From rest to rest over a length L that is L s^4 (35 - 84 s + 70 s^2 - 20 s^3): at most 35/16 L/T fast, in the middle.

A path is a row of pieces, stretched in time, turned about the vertical, shifted, or followed backwards; beyond its end it stands
where it ends. Reference: D. Mellinger and V. Kumar, Minimum snap trajectory generation and control for quadrotors, ICRA 2011.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["ORDER", "Path", "Piece", "State", "bezier", "smooth", "smooth_piece", "spiral"]

ORDER = 8
"""Coefficients of a polynomial, of ascending degree."""

_DERIVATIVES = np.array(
    [[math.prod(range(i - k + 1, i + 1)) if i >= k else 0 for i in range(ORDER)] for k in range(4)], dtype=np.float64
)  # i!/(i-k)!, shape [4, 8]
_SHORTEST = 0.001  # [s]
_LAST = np.linalg.inv(_DERIVATIVES[:, 4:])

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """Where something is and how it moves: each of shape [4] for x, y, z [m] and yaw [rad], and their derivatives by time [s]."""

    value: Vector
    rate: Vector
    acceleration: Vector

    @classmethod
    def at_rest(cls, value: Sequence[float] | Vector) -> State:
        """Standing at a place (x, y, z, yaw)."""
        return cls(np.asarray(value, dtype=np.float64), np.zeros(4), np.zeros(4))


@dataclass(frozen=True)
class Piece:
    """Four polynomials, coefficients of shape [4, 8], over a duration [s]."""

    coefficients: Vector
    duration: float

    def at(self, t: float) -> State:
        """The state at a time [s] from its begin; not limited to its duration."""
        powers = t ** np.arange(ORDER)
        shifted = [np.concatenate([np.zeros(k), powers[: ORDER - k]]) for k in range(3)]  # t^(i-k)
        value, rate, acceleration = (self.coefficients @ (_DERIVATIVES[k] * shifted[k]) for k in range(3))
        return State(value, rate, acceleration)


def smooth(duration: float, begin: Sequence[float], end: Sequence[float]) -> Vector:
    """Coefficients, shape [8], of the polynomial between two states (value, rate, acceleration), without jerk at the ends.

    Without any time (a millisecond) it stands at the end.
    """
    found = np.zeros(ORDER)
    if duration < _SHORTEST:
        found[0] = end[0]
        return found
    scale = duration ** np.arange(3)  # of value, rate and acceleration in s = t / T
    first = np.array([*(np.asarray(begin) * scale / [1.0, 1.0, 2.0]), 0.0])
    asked = np.array([*(np.asarray(end) * scale), 0.0])
    found[:4], found[4:] = first, _LAST @ (asked - _DERIVATIVES[:, :4] @ first)
    return found / duration ** np.arange(ORDER)


def smooth_piece(duration: float, begin: State, end: State) -> Piece:
    """The piece between two states in all four coordinates."""
    rows = [
        smooth(duration, (begin.value[i], begin.rate[i], begin.acceleration[i]), (end.value[i], end.rate[i], end.acceleration[i]))
        for i in range(4)
    ]
    return Piece(np.array(rows), max(duration, 0.0))


def bezier(duration: float, points: Sequence[float]) -> Vector:
    """Coefficients, shape [8], of a Bezier curve over a duration [s]: one control point stands, two are a line, up to eight."""
    n = len(points) - 1
    found = np.zeros(ORDER)
    for j in range(n + 1):
        total = sum((-1) ** (i + j) * points[i] / (math.factorial(i) * math.factorial(j - i)) for i in range(j + 1))
        found[j] = total * math.factorial(n) / math.factorial(n - j)
    return found / max(duration, _SHORTEST) ** np.arange(ORDER)


def spiral(
    begin: State, angle: float, radii: tuple[float, float], ascent: float, duration: float, turn: float, side: bool
) -> Piece:
    """A piece along an arc whose radius [m] and height [m] change steadily, from where `begin` stands and heads.

    `angle` [rad] about the centre, `turn` 1 clockwise and -1 against, `side`: flown sideways instead of forward. The arc is
    met at both ends with its velocity and centripetal acceleration, and approached by a polynomial in between.
    """
    heading, rate = float(begin.value[3]), -turn * angle / duration
    growth = (radii[1] - radii[0]) / duration
    ahead = 0.5 * math.pi if side else 0.0  # of the heading, where the robot moves to

    def state(t: float, radius: float) -> State:
        """On the arc about the origin."""
        phi = heading + ahead + rate * t
        along = np.array([math.cos(phi), math.sin(phi)])  # of increasing t, where the turn is against the clock
        out = turn * np.array([-math.sin(phi), math.cos(phi)])  # from the centre
        velocity = growth * out - turn * radius * rate * along
        bend = -radius * rate**2 * out - 2.0 * turn * growth * rate * along
        value = np.array([*(radius * out), begin.value[2] + ascent * t / duration, heading + rate * t])
        return State(value, np.array([*velocity, ascent / duration, rate]), np.array([*bend, 0.0, 0.0]))

    first, last = state(0.0, radii[0]), state(duration, radii[1])
    centre = np.array([*(begin.value[:2] - first.value[:2]), 0.0, 0.0])
    moved = [State(item.value + centre, item.rate, item.acceleration) for item in (first, last)]
    return smooth_piece(duration, moved[0], moved[1])


@dataclass(frozen=True)
class Path:
    """Pieces one after the other, `scale` times slower, turned by `turn` [rad] about the origin, then shifted (x, y, z) [m]."""

    pieces: tuple[Piece, ...]
    scale: float = 1.0
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    turn: float = 0.0
    backward: bool = False

    @property
    def duration(self) -> float:
        """How long [s] it takes."""
        return self.scale * sum(piece.duration for piece in self.pieces)

    def at(self, t: float) -> State:
        """The state at a time [s] from its begin; where it ends, at rest, once it is over."""
        whole, over = self.duration, t >= self.duration
        left = min(max(whole - t if self.backward else t, 0.0), whole) / self.scale
        found = self.pieces[-1].at(self.pieces[-1].duration)
        for piece in self.pieces:
            if left <= piece.duration:
                found = piece.at(left)
                break
            left -= piece.duration
        speed = 0.0 if over else (-1.0 if self.backward else 1.0) / self.scale
        return self._placed(found, speed, 0.0 if over else self.scale**-2)

    def _placed(self, state: State, speed: float, square: float) -> State:
        c, s = math.cos(self.turn), math.sin(self.turn)
        around = np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        value = around @ state.value + np.array([*self.shift, self.turn])
        return State(value, speed * (around @ state.rate), square * (around @ state.acceleration))
