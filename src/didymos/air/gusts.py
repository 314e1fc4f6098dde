"""How strong the gusts are and how large: intensities and lengths of MIL-F-8785C and MIL-HDBK-1797, or given ones.

What the filters of dryden.py make of them is turbulence; a discrete gust is a stimulus of kind `bump` on x, y or z. Everything
hangs on one number, the wind W6 at 6.1 m (20 ft): light 7.7 m/s (15 knots), moderate 15.4 m/s (30 knots), severe 23.2 m/s
(45 knots). It is given by a word (`intensity: moderate`), as a number (`wind_6m`), or taken from the mean wind of the world
(`wind_factor: 1`: W6 is what `world.wind` blows at 6.1 m, as the standard means it). h is the height above the ground in feet.

    h < 1000 ft (10 ft below it)    sigma_w = 0.1 W6,   sigma_u = sigma_v = sigma_w / (0.177 + 0.000823 h)^0.4
                                    L_w = h,            L_u = L_v = h / (0.177 + 0.000823 h)^1.2
    h > 2000 ft                     sigma_u = sigma_v = sigma_w by the table,   L_u = L_v = L_w = 1750 ft
    between                         both linear from 1000 to 2000 ft, where they are isotropic

The table is figure 7 of the specification: the intensity that is exceeded with the probability 10^-2 (light), 10^-3 (moderate)
and 10^-5 (severe), linear between its heights. Between the three words, and from calm to light, it is linear in W6; beyond
severe it grows with W6 (the standards have no words for these; the rule is ours). Both standards say the same about Dryden's
form: lengths of the handbook across the path are half of these, and its filters have twice the length.

Or `sigma_u`, `sigma_w`, `length_u`, `length_w` are given: horizontal and vertical, at every height. References: MIL-F-8785C
(1980) 3.7; MIL-HDBK-1797 (1997) appendix A 4.9; Beard & McLain (2012) 4.4. For carriers at sea the standards have other numbers,
which are not here; neither is what trees, houses and thermals do.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from pydantic import Field, model_validator

from didymos.air.wind import wind_speed
from didymos.compiled import kernel
from didymos.spec import Spec, number

__all__ = ["WIND_6M", "GustSpec", "is_turbulent", "share_of_high_altitude", "turbulence"]

_FOOT = 0.3048  # [m]
_KNOT = 1852.0 / 3600.0  # [m/s]
_LOW, _HIGH = 1000.0 * _FOOT, 2000.0 * _FOOT  # [m]
_HIGH_LENGTH = 1750.0 * _FOOT  # [m]
_REFERENCE = 20.0 * _FOOT  # [m], where W6 blows

WIND_6M = {"light": 15.0 * _KNOT, "moderate": 30.0 * _KNOT, "severe": 45.0 * _KNOT}
"""W6 [m/s] of the standards' words."""

_WORD = WIND_6M["light"]  # [m/s], from one word to the next
_HEIGHTS = _FOOT * np.array(
    [500.0, 1750.0, 3750.0, 7500.0, 15_000.0, 25_000.0, 35_000.0, 45_000.0, 55_000.0, 65_000.0, 75_000.0, 80_000.0]
)  # [m]
_EXCEEDED = _FOOT * np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],  # calm
        [6.6, 6.9, 7.4, 6.7, 4.6, 2.7, 0.4, 0.0, 0.0, 0.0, 0.0, 0.0],  # light, 1e-2
        [8.6, 9.6, 10.6, 10.1, 8.0, 6.6, 5.0, 4.2, 2.7, 0.0, 0.0, 0.0],  # moderate, 1e-3
        [15.6, 17.6, 23.0, 23.6, 22.1, 20.0, 16.0, 15.1, 12.1, 7.9, 6.2, 5.1],  # severe, 1e-5
    ]
)  # [m/s], MIL-F-8785C figure 7


class GustSpec(Spec):
    """Turbulence and discrete gust of the world; all zero is calm."""

    intensity: Literal["light", "moderate", "severe"] | None = Field(
        default=None, description="W6 by a word of MIL-F-8785C: 7.7, 15.4 or 23.2 m/s; `wind_6m` says it as a number"
    )
    wind_6m: float = number(0.0, unit="m/s", low=0, high=50, doc="W6, the wind at 6.1 m that turbulence goes with")
    wind_factor: float = number(0.0, unit="1", low=0, high=2, doc="of the mean wind at 6.1 m, added to W6; 1 is the standard's")
    sigma_u: float = number(0.0, unit="m/s", low=0, high=50, doc="given intensity, horizontal")
    sigma_w: float = number(0.0, unit="m/s", low=0, high=50, doc="given intensity, vertical")
    length_u: float = number(200.0, unit="m", above=0, doc="scale of the given turbulence, horizontal")
    length_w: float = number(50.0, unit="m", above=0, doc="scale of the given turbulence, vertical")
    span: float = number(0.0, unit="m", low=0, high=100, doc="wing span b of rotational gusts (p, q, r); 0 for none")
    x: float = number(0.0, unit="m/s", low=-100, high=100, doc="discrete gust along world x, for a stimulus")
    y: float = number(0.0, unit="m/s", low=-100, high=100, doc="discrete gust along world y, for a stimulus")
    z: float = number(0.0, unit="m/s", low=-100, high=100, doc="discrete gust along world z, for a stimulus")

    @model_validator(mode="before")
    @classmethod
    def _from_word(cls, raw: Any) -> Any:
        word = raw.get("intensity") if isinstance(raw, dict) else None
        if isinstance(word, str) and word in WIND_6M:
            if raw.get("wind_6m", WIND_6M[word]) != WIND_6M[word]:
                raise ValueError("the intensity is given twice: by a word and by wind_6m")
            return {**raw, "wind_6m": WIND_6M[word]}
        return raw

    @model_validator(mode="after")
    def _one_source(self) -> GustSpec:
        if (self.wind_6m > 0.0 or self.wind_factor > 0.0) and (self.sigma_u > 0.0 or self.sigma_w > 0.0):
            raise ValueError("the intensity is given twice: by the wind at 6 m and by sigma_u, sigma_w")
        return self


@kernel
def is_turbulent(gusts: Any, wind: Any) -> bool:
    """Whether there is any turbulence, for `GustSpec` and `WindSpec` records."""
    by_wind = gusts.wind_6m > 0.0 or (gusts.wind_factor > 0.0 and wind.speed > 0.0)
    return by_wind or gusts.sigma_u > 0.0 or gusts.sigma_w > 0.0


@kernel
def share_of_high_altitude(height: float, gusts: Any) -> float:
    """0 where the low-altitude model holds, below 1000 ft or where the turbulence is given, to 1 from 2000 ft on."""
    if gusts.sigma_u > 0.0 or gusts.sigma_w > 0.0:
        return 0.0
    return min(max((height - _LOW) / (_HIGH - _LOW), 0.0), 1.0)


@kernel
def _exceeded(height: float, wind_6m: float) -> float:
    """Intensity [m/s] at a height [m] by the table."""
    column = 0
    while column < _HEIGHTS.size - 2 and height > _HEIGHTS[column + 1]:
        column += 1
    share = min(max((height - _HEIGHTS[column]) / (_HEIGHTS[column + 1] - _HEIGHTS[column]), 0.0), 1.0)
    row = min(int(wind_6m / _WORD), 3)
    lower = _EXCEEDED[row, column] + share * (_EXCEEDED[row, column + 1] - _EXCEEDED[row, column])
    if row == 3:
        return lower * wind_6m / (3.0 * _WORD)
    upper = _EXCEEDED[row + 1, column] + share * (_EXCEEDED[row + 1, column + 1] - _EXCEEDED[row + 1, column])
    return lower + (wind_6m / _WORD - row) * (upper - lower)


@kernel
def turbulence(height: float, gusts: Any, wind: Any) -> tuple[float, float, float, float]:
    """sigma_u, sigma_w [m/s], L_u, L_w [m] at a height above the ground [m], for `GustSpec` and `WindSpec` records."""
    if gusts.sigma_u > 0.0 or gusts.sigma_w > 0.0:
        return gusts.sigma_u, gusts.sigma_w, gusts.length_u, gusts.length_w
    wind_6m = gusts.wind_6m
    if gusts.wind_factor > 0.0:
        wind_6m += gusts.wind_factor * abs(wind_speed(_REFERENCE, wind))
    low = min(max(height, 10.0 * _FOOT), _LOW)
    base = 0.177 + 0.000823 * low / _FOOT
    sigma_w = 0.1 * wind_6m
    sigma_u, length_u = sigma_w / base**0.4, low / base**1.2
    share = share_of_high_altitude(height, gusts)
    if share == 0.0:
        return sigma_u, sigma_w, length_u, low
    high = _exceeded(max(height, _HIGH), wind_6m)
    length = low + share * (_HIGH_LENGTH - low)
    return sigma_u + share * (high - sigma_u), sigma_w + share * (high - sigma_w), length, length
