"""Gusts: Dryden turbulence around one vehicle, and a discrete gust that a stimulus can move.

White noise shaped by the filters of MIL-F-8785C, with the airspeed V at which the vehicle crosses the turbulence:

    H_u = sigma_u sqrt(2 L_u / (pi V)) 1 / (1 + L_u s / V)
    H_v, H_w = sigma sqrt(L / (pi V)) (1 + sqrt(3) L s / V) / (1 + L s / V)^2

(one-sided spectra, so that the variance is sigma^2). u blows along the mean wind, v across it to the left, w upward; world frame.
The states are advanced once a tick by their exact discretisation, so neither the variance nor the spectrum depends on the
tick; V and L are taken as constant within it. One process serves the whole vehicle: all its parts and sensors feel the same gust.

Intensity and length, either given (`sigma_u`, `sigma_w`, `length_u`, `length_w`), or by the low-altitude model from the wind
W6 at 6 m (20 ft), h in feet, from 10 to 1000 ft and held beyond:

    sigma_w = 0.1 W6,   sigma_u = sigma_v = sigma_w / (0.177 + 0.000823 h)^0.4
    L_w = h,            L_u = L_v = h / (0.177 + 0.000823 h)^1.2

light W6 = 7.7 m/s (15 knots), moderate 15.4 m/s, severe 23.2 m/s. Rotational gusts (p, q, r) are not modelled.
References: MIL-F-8785C (1980) section 3.7; Beard & McLain (2012), section 4.4. In the original the noise was uniform and scaled
by the step, and the rotated output overwrote the states.
"""

from __future__ import annotations

import math
from typing import Any

from pydantic import model_validator

from didymos.compiled import kernel
from didymos.spec import Spec, number

__all__ = ["DRAWS", "STATES", "GustSpec", "advance_gust", "turbulence"]

STATES = 5
"""Numbers that the filters remember: one for u, two each for v and w, all of unit scale."""

DRAWS = 5
"""Standard normal numbers that a tick needs."""

_FOOT = 0.3048  # [m]
_LEAST_SPEED = 0.5  # [m/s]: a vehicle that floats with the air still sees it change
_SMALL = 1e-3


class GustSpec(Spec):
    """Turbulence and discrete gust of the world; all zero is calm."""

    wind_6m: float = number(0.0, unit="m/s", low=0, high=50, doc="W6, by the low-altitude model; moderate is 15.4")
    sigma_u: float = number(0.0, unit="m/s", low=0, high=50, doc="given intensity, horizontal")
    sigma_w: float = number(0.0, unit="m/s", low=0, high=50, doc="given intensity, vertical")
    length_u: float = number(200.0, unit="m", above=0, doc="scale of the given turbulence, horizontal")
    length_w: float = number(50.0, unit="m", above=0, doc="scale of the given turbulence, vertical")
    x: float = number(0.0, unit="m/s", low=-100, high=100, doc="discrete gust along world x, for a stimulus")
    y: float = number(0.0, unit="m/s", low=-100, high=100, doc="discrete gust along world y, for a stimulus")
    z: float = number(0.0, unit="m/s", low=-100, high=100, doc="discrete gust along world z, for a stimulus")

    @model_validator(mode="after")
    def _one_source(self) -> GustSpec:
        if self.wind_6m > 0.0 and (self.sigma_u > 0.0 or self.sigma_w > 0.0):
            raise ValueError("the intensity is given twice: by wind_6m and by sigma_u, sigma_w")
        return self


@kernel
def turbulence(height: float, gusts: Any) -> tuple[float, float, float, float]:
    """sigma_u, sigma_w [m/s], L_u, L_w [m] at a height [m] for a `GustSpec` record."""
    if gusts.wind_6m > 0.0:
        feet = min(max(height / _FOOT, 10.0), 1000.0)
        base = 0.177 + 0.000823 * feet
        sigma = 0.1 * gusts.wind_6m
        return sigma / base**0.4, sigma, feet * _FOOT / base**1.2, feet * _FOOT
    return gusts.sigma_u, gusts.sigma_w, gusts.length_u, gusts.length_w


@kernel
def _second_order(states: Any, first: int, ratio: float, fresh: bool, a: float, b: float) -> float:
    """Advance x1' = -x1/tau + sqrt(2/tau) n, x2' = (x1 - x2)/tau by ratio = dt/tau; the unit-variance output.

    In the stationary state E[x1^2] = 1, E[x1 x2] = E[x2^2] = 1/2; the noise of a step is what keeps it there. `a` and `b`
    are two standard normal numbers; a fresh process is drawn from the stationary distribution.
    """
    if fresh:
        states[first] = a
        states[first + 1] = 0.5 * a + 0.5 * b
    else:
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
        x1, x2 = states[first], states[first + 1]
        states[first] = decay * x1 + l11 * a
        states[first + 1] = decay * (x2 + ratio * x1) + l21 * a + math.sqrt(max(q22 - l21 * l21, 0.0)) * b
    return (math.sqrt(3.0) * states[first] + (1.0 - math.sqrt(3.0)) * states[first + 1]) / math.sqrt(2.0)


@kernel
def advance_gust(
    gusts: Any, height: float, airspeed: float, period: float, fresh: bool, draws: Any, states: Any
) -> tuple[float, float, float]:
    """Turbulence (u, v, w) [m/s] of a tick; `states` (`STATES` numbers) move on by a period [s].

    `draws` are `DRAWS` standard normal numbers of this tick; a fresh process starts in its stationary distribution.
    """
    sigma_u, sigma_w, length_u, length_w = turbulence(height, gusts)
    travel = max(airspeed, _LEAST_SPEED) * period
    decay = 0.0 if fresh else math.exp(-travel / length_u)
    states[0] = decay * states[0] + math.sqrt(1.0 - decay * decay) * draws[0]
    across = _second_order(states, 1, travel / length_u, fresh, draws[1], draws[2])
    upward = _second_order(states, 3, travel / length_w, fresh, draws[3], draws[4])
    return sigma_u * states[0], sigma_u * across, sigma_w * upward
