"""The International Standard Atmosphere up to 20 km, with the temperature and pressure at its foot as parameters.

    H = r z / (r + z)                                                                   geopotential height, r = 6 356 766 m
    troposphere, H < 11 km:   T = T0 + L H,          p = p0 (T / T0)^(-g / (R L)),      L = -6.5 K/km
    above, to 20 km:          T = T(11 km),          p = p(11 km) exp(-g (H - 11 km) / (R T))
    rho = p / (R T)

z is the geometric height above the foot of the atmosphere; gravity weakens with it, which H takes into account (at 20 km H is
62.7 m less, and density 1.0 % more than it were without). The foot of the atmosphere is z = 0 of the world, wherever the ground
is (`world.ground.height`): as mean sea level in the standard, with `world.air` what the weather there is. Whoever puts the
world's origin at a place 500 m above the sea gives temperature and pressure of that place, and the air thins from there on as
the law says (its tropopause is then 11 km above the place).

Below the foot the same law goes on. Reference: ISO 2533:1975 (r, g, R, L; tables 4 and 5). Valid from -2 to 20 km; the air
is dry and at rest. It cannot do weather: an inversion, humidity (1 % of density at 30 degrees Celsius), a pressure that changes.

The original of our first twins had the sign of the lapse rate wrong, so that density rose with height, and added 274.15 to
degrees Celsius; both are corrected here.
"""

from __future__ import annotations

import math

from didymos.compiled import kernel
from didymos.spec import Spec, number

__all__ = [
    "EARTH_RADIUS", "GAS_CONSTANT", "GRAVITY", "LAPSE_RATE", "TROPOPAUSE", "AirSpec", "density", "geometric", "geopotential",
    "height_of_pressure", "pressure", "temperature",
]  # fmt: skip

GRAVITY = 9.80665  # [m/s^2], ISO 2533
GAS_CONSTANT = 287.05287  # [J/(kg K)], ISO 2533
LAPSE_RATE = -0.0065  # [K/m], ISO 2533
EARTH_RADIUS = 6_356_766.0  # [m], nominal, ISO 2533
TROPOPAUSE = 11_000.0  # [m], geopotential

_EXPONENT = -GRAVITY / (GAS_CONSTANT * LAPSE_RATE)


class AirSpec(Spec):
    """The air at z = 0 of the world."""

    temperature: float = number(288.15, unit="K", low=150, high=400, doc="at z = 0 of the world")
    pressure: float = number(101_325.0, unit="Pa", low=0, high=200_000, doc="at z = 0 of the world; 0 is a vacuum")


@kernel
def geopotential(z: float) -> float:
    """Geopotential height [m] of a geometric height [m]."""
    return EARTH_RADIUS * z / (EARTH_RADIUS + z)


@kernel
def geometric(height: float) -> float:
    """Geometric height [m] of a geopotential height [m]."""
    return EARTH_RADIUS * height / (EARTH_RADIUS - height)


@kernel
def temperature(z: float, foot_temperature: float) -> float:
    """Temperature [K] at a geometric height [m]."""
    return foot_temperature + LAPSE_RATE * min(geopotential(z), TROPOPAUSE)


@kernel
def pressure(z: float, foot_temperature: float, foot_pressure: float) -> float:
    """Pressure [Pa] at a geometric height [m]."""
    height = geopotential(z)
    here = foot_temperature + LAPSE_RATE * min(height, TROPOPAUSE)
    found = foot_pressure * math.pow(here / foot_temperature, _EXPONENT)
    if height > TROPOPAUSE:
        found *= math.exp(-GRAVITY * (height - TROPOPAUSE) / (GAS_CONSTANT * here))
    return found


@kernel
def density(z: float, foot_temperature: float, foot_pressure: float) -> float:
    """Density [kg/m^3] at a geometric height [m]."""
    return pressure(z, foot_temperature, foot_pressure) / (GAS_CONSTANT * temperature(z, foot_temperature))


@kernel
def height_of_pressure(pascal: float, foot_temperature: float, foot_pressure: float) -> float:
    """Geometric height [m] at which the air has a pressure [Pa], above 0: the inverse of `pressure`, for barometers."""
    height = foot_temperature / LAPSE_RATE * (math.pow(pascal / foot_pressure, 1.0 / _EXPONENT) - 1.0)
    if height > TROPOPAUSE:
        top = foot_temperature + LAPSE_RATE * TROPOPAUSE
        ratio = pascal / (foot_pressure * math.pow(top / foot_temperature, _EXPONENT))
        height = TROPOPAUSE - GAS_CONSTANT * top / GRAVITY * math.log(ratio)
    return geometric(height)
