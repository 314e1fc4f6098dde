"""Dryden turbulence around one vehicle: white noise shaped by the filters of MIL-F-8785C and MIL-HDBK-1797.

Along a path x through the air, travelled at the airspeed V, with intensities sigma and lengths L of gusts.py (spectra one-sided
in omega, so that their integral is the variance):

    u, along the path     H = sigma_u sqrt(2 L_u / (pi V)) 1 / (1 + L_u s / V)
    v, w, across it       H = sigma sqrt(L / (pi V)) (1 + sqrt(3) L s / V) / (1 + L s / V)^2
    p                     H = sigma_w sqrt(0.8 / V) (pi / (4 b))^(1/6) / (L_w^(1/3) (1 + 4 b s / (pi V)))
    q, r                  H = -s / V / (1 + 4 b s / (pi V)) H_w,    s / V / (1 + 3 b s / (pi V)) H_v

**Axes.** u lies along the velocity of the root link relative to the mean air, v and w across it. Below 1000 ft the path is taken
in the horizontal, and w is vertical (the standards: u along the horizontal relative mean wind, w vertical; Simulink's
block does the same); from 2000 ft on it is the path itself, between its vertical part grows. So in still air the axes
turn with the aircraft, and for one that hovers they lie along the wind. The gust itself may not turn with them: air that one
turns in stays where it is. So the filters work on vectors of the world frame, the same for every direction, in units of sigma,

    L a' = -a + sqrt(2 L) n,    L b' = a - b,    K c' = l - c,    l = (sqrt(3) a + (1 - sqrt(3)) b) / sqrt(2),   ' = d/dx

and the gust is the part of a along the path and the part of l across it, g = l + e e^T (a - l): Dryden's spectra on any straight
path, the same air before and behind (e and -e are one), and never a jump (a and l have a correlation of 0.97).

**Rotational gusts.** c lags behind l by K = 4 b / pi (vertical) and 3 b / pi (horizontal), b the wing span: (l - c) / K is the
change of the gust along the path, averaged over the span. The air about the root turns, as seen by the aircraft, at

    omega = e x (sigma (l - c) / K) + p e              so q = -dw/dx, r = dv/dx about axes forward, left, up

and each part feels the velocity omega x r of the air at its place r from the root, and its rate relative to it. With a span of 0,
as for multirotors unless they say otherwise, there is none.

**V.** The mean wind carries the field past a vehicle that hovers, so V is the speed through the mean air. The standards freeze
the field, which holds where sigma is small beside V. A vehicle that floats with the air sees eddies live and die, with the time
0.6 L / sigma (Hanna 1981): V is at least sigma / 0.6. Without that, calm air with turbulence was a wind that hardly changed.

Every filter is advanced once a tick by its exact discretisation, so neither variance nor spectrum depends on the tick; V and L
are taken as constant within it. One process serves the whole vehicle. It cannot do what varies along a span otherwise than
linearly, nor the correlation between two vehicles.
Reference: Hanna, Lagrangian and Eulerian time-scale relations in the daytime boundary layer, J. Appl. Meteorology 20 (1981).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.air.gusts import share_of_high_altitude, turbulence
from didymos.compiled import kernel

__all__ = ["DRAWS", "DRYDEN", "advance_gust", "is_of_velocity"]

DRAWS = 10
"""Standard normal numbers of a tick: three for each axis, one for p."""

DRYDEN = (
    ("a", np.float64, 3),  # of unit variance, world frame
    ("b", np.float64, 3),
    ("c", np.float64, 3),
    ("p", np.float64),
    ("draws", np.float64, DRAWS),  # scratch for the draws of a tick
    ("gust", np.float64, 3),  # [m/s] at the root, world frame, a discrete one included
    ("gust_rate", np.float64, 3),  # [rad/s] at which the gust turns the air about the root, world frame
    ("turning", np.float64),  # 1 where it does
)
"""Fields of what the filters remember and give."""

_LEAST_SPEED = 0.5  # [m/s], below which the direction of the path fades
_EDDY_LIFE = 0.6  # [1], in L / sigma
_SMALL = 1e-3
_CLOSE, _TERMS = 0.5, 13  # 0.5^13 / 13! is below 1e-13
_POINTS = np.array([0.06943184420297371, 0.33000947820757187, 0.6699905217924281, 0.9305681557970263])
_WEIGHTS = np.array([0.17392742256872692, 0.3260725774312731, 0.3260725774312731, 0.17392742256872692])
_ALPHA, _BETA = math.sqrt(1.5), (1.0 - math.sqrt(3.0)) / math.sqrt(2.0)


@kernel
def is_of_velocity(draw: int) -> bool:
    """Whether a draw of a tick is needed without rotational gusts: the first two of an axis, for a and b."""
    return draw % 3 < 2 and draw < DRAWS - 1


@kernel
def _pair(ratio: float, fresh: bool) -> tuple[float, float, float, float]:
    """Decay of a and b over a way of `ratio` lengths L, and the root l11, l21, l22 of the covariance of what is new.

    In the stationary state E[a^2] = 1, E[a b] = E[b^2] = 1/2; what is new keeps it there. A fresh process is all new.
    """
    if fresh:
        return 0.0, 1.0, 0.5, 0.5
    decay = math.exp(-ratio)
    q11 = -math.expm1(-2.0 * ratio)
    if ratio < _SMALL:  # leading terms, where the differences below would cancel
        q12 = ratio * ratio * (1.0 - 4.0 / 3.0 * ratio)
        q22 = ratio**3 * (2.0 / 3.0 - ratio)
    else:
        q12 = 0.5 - decay * decay * (0.5 + ratio)
        q22 = 0.5 - decay * decay * (0.5 + ratio + ratio * ratio)
    l11 = math.sqrt(q11)
    l21 = q12 / l11 if l11 > 0.0 else 0.0
    return decay, l11, l21, math.sqrt(max(q22 - l21 * l21, 0.0))


@kernel
def _handed_on(ratio: float, lag_ratio: float) -> tuple[float, float, float]:
    """What c keeps of itself, of a and of b over a way of `ratio` lengths L and `lag_ratio` lengths K, noise apart.

    With d = x/K - x/L: of b it is e^(-x/K) (x/K) int_0^1 beta e^(d t) dt, of a the same with alpha + beta (x/L) t for beta.
    """
    own, d = math.exp(-lag_ratio), lag_ratio - ratio
    if abs(d) < _CLOSE:  # by their series
        first, second, term = 0.0, 0.0, own * lag_ratio
        for k in range(_TERMS):
            first += term / (k + 1.0)
            second += term / (k + 2.0)
            term *= d / (k + 1.0)
    else:
        decay = math.exp(-ratio)
        first = lag_ratio * (decay - own) / d
        second = lag_ratio * (decay * (d - 1.0) + own) / (d * d)
    return own, _ALPHA * first + _BETA * ratio * second, _BETA * first


@kernel
def _lagging(
    length: float, lag: float, ratio: float, fresh: bool, pair: tuple[float, float, float, float]
) -> tuple[float, float, float, float, float, float]:
    """What c keeps of itself, of a and of b over a way, and the last row l31, l32, l33 of the root, with `pair` its others.

    The covariance of what is new is the integral of what the noise of each instant has become; by Gauss's quadrature where the
    way is short (four points, to 1e-9), else P - F P F^T with the stationary covariance P and the transition F.
    """
    decay, l11, l21, l22 = pair
    own, of_a, of_b = 0.0, 0.0, 0.0
    lag_ratio = ratio * length / lag
    if not fresh:
        own, of_a, of_b = _handed_on(ratio, lag_ratio)
    if not fresh and ratio < _CLOSE and lag_ratio < _CLOSE:
        q13, q23, q33 = 0.0, 0.0, 0.0
        for k in range(_POINTS.size):
            t = _POINTS[k]
            weight, first = 2.0 * ratio * _WEIGHTS[k], math.exp(-ratio * t)
            _, third, _ = _handed_on(ratio * t, lag_ratio * t)
            q13 += weight * first * third
            q23 += weight * ratio * t * first * third
            q33 += weight * third * third
    else:
        p13 = (_ALPHA + 0.5 * _BETA) * length / (lag + length)
        p23 = (lag * p13 + 0.5 * length * (_ALPHA + _BETA)) / (lag + length)
        p33 = _ALPHA * p13 + _BETA * p23
        with_a = of_a + 0.5 * of_b + own * p13
        with_b = 0.5 * of_a + 0.5 * of_b + own * p23
        with_c = of_a * p13 + of_b * p23 + own * p33
        q13 = p13 - decay * with_a
        q23 = p23 - decay * (ratio * with_a + with_b)
        q33 = p33 - of_a * with_a - of_b * with_b - own * with_c
    l31 = q13 / l11 if l11 > 0.0 else 0.0
    l32 = (q23 - l31 * l21) / l22 if l22 > 0.0 else 0.0
    return own, of_a, of_b, l31, l32, math.sqrt(max(q33 - l31 * l31 - l32 * l32, 0.0))


@kernel
def _advance_axis(
    air: Any, axis: int, ratio: float, pair: tuple[float, float, float, float], lagging: tuple[float, ...], turns: bool
) -> None:
    """Move a, b and c of one axis on."""
    decay, l11, l21, l22 = pair
    a, b, draws, first = air.a[axis], air.b[axis], air.draws, 3 * axis
    if turns:
        own, of_a, of_b, l31, l32, l33 = lagging
        new = l31 * draws[first] + l32 * draws[first + 1] + l33 * draws[first + 2]
        air.c[axis] = own * air.c[axis] + of_a * a + of_b * b + new
    air.a[axis] = decay * a + l11 * draws[first]
    air.b[axis] = decay * (b + ratio * a) + l21 * draws[first] + l22 * draws[first + 1]


@kernel
def advance_gust(
    air: Any, gusts: Any, wind: Any, height: float, x: float, y: float, z: float, period: float, fresh: bool
) -> None:
    """Add the turbulence of a tick to `air.gust`, set its turning; `air` holds `DRYDEN` with the draws of this tick.

    The root is at a height above the ground [m] and has the velocity (x, y, z) [m/s] relative to the mean air, world frame; a
    fresh process starts in its stationary distribution.
    """
    sigma_u, sigma_w, length_u, length_w = turbulence(height, gusts, wind)
    speed_2 = x * x + y * y + z * z
    travel = max(math.sqrt(speed_2), max(sigma_u, sigma_w) / _EDDY_LIFE) * period
    turns, unit = gusts.span > 0.0, gusts.span / math.pi  # b / pi [m]
    level, upright = travel / length_u, travel / length_w
    level_pair, upright_pair = _pair(level, fresh), _pair(upright, fresh)
    level_lag = upright_lag = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    if turns:
        level_lag = _lagging(length_u, 3.0 * unit, level, fresh, level_pair)
        upright_lag = _lagging(length_w, 4.0 * unit, upright, fresh, upright_pair)
    _advance_axis(air, 0, level, level_pair, level_lag, turns)
    _advance_axis(air, 1, level, level_pair, level_lag, turns)
    _advance_axis(air, 2, upright, upright_pair, upright_lag, turns)
    a, b, gust = air.a, air.b, air.gust
    across_x = sigma_u * (_ALPHA * a[0] + _BETA * b[0])
    across_y = sigma_u * (_ALPHA * a[1] + _BETA * b[1])
    across_z = sigma_w * (_ALPHA * a[2] + _BETA * b[2])
    z *= share_of_high_altitude(height, gusts)
    way_2 = x * x + y * y + z * z + _LEAST_SPEED * _LEAST_SPEED
    along = x * (sigma_u * a[0] - across_x) + y * (sigma_u * a[1] - across_y) + z * (sigma_w * a[2] - across_z)
    along /= way_2
    gust[0] += across_x + x * along
    gust[1] += across_y + y * along
    gust[2] += across_z + z * along
    if turns:
        way = math.sqrt(way_2)
        x, y, z = x / way, y / way, z / way
        decay = 0.0 if fresh else math.exp(-travel / (4.0 * unit))
        air.p = decay * air.p + math.sqrt(1.0 - decay * decay) * air.draws[DRAWS - 1]
        ratio = length_w / (4.0 * unit)
        roll = sigma_w * math.sqrt(0.8 * math.pi / (8.0 * unit * length_w)) * ratio ** (1.0 / 6.0) * air.p
        change_x = (across_x - sigma_u * air.c[0]) / (3.0 * unit)
        change_y = (across_y - sigma_u * air.c[1]) / (3.0 * unit)
        change_z = (across_z - sigma_w * air.c[2]) / (4.0 * unit)
        air.gust_rate[0] = y * change_z - z * change_y + roll * x
        air.gust_rate[1] = z * change_x - x * change_z + roll * y
        air.gust_rate[2] = x * change_y - y * change_x + roll * z
        air.turning = 1.0
