"""The International Standard Atmosphere up to 20 km, with the temperature and pressure at its foot as parameters.

    troposphere, h < 11 km:   T = T0 + L h,          p = p0 (T / T0)^(-g / (R L)),      L = -6.5 K/km
    above, to 20 km:          T = T(11 km),          p = p(11 km) exp(-g (h - 11 km) / (R T))
    rho = p / (R T)

h is the height above the foot of the atmosphere, taken as geopotential height (at 10 km the two differ by 0.16 %).
Below the foot the same law goes on. Reference: ISO 2533:1975. Valid from -2 to 20 km.

The original of our first twins had the sign of the lapse rate wrong, so that density rose with height, and added 274.15 to
degrees Celsius; both are corrected here.
"""

from __future__ import annotations

import math

from didymos.compiled import kernel
from didymos.spec import Spec, number

__all__ = ["GAS_CONSTANT", "GRAVITY", "LAPSE_RATE", "AirSpec", "density", "pressure", "temperature"]

GRAVITY = 9.80665  # [m/s^2], ISO 2533
GAS_CONSTANT = 287.05287  # [J/(kg K)], ISO 2533
LAPSE_RATE = -0.0065  # [K/m], ISO 2533
TROPOPAUSE = 11_000.0  # [m]


class AirSpec(Spec):
    """The air at height zero of the world."""

    temperature: float = number(288.15, unit="K", low=150, high=400, doc="at height zero")
    pressure: float = number(101_325.0, unit="Pa", low=0, high=200_000, doc="at height zero; 0 is a vacuum")


@kernel
def temperature(height: float, ground_temperature: float) -> float:
    """Temperature [K] at a height [m]."""
    return ground_temperature + LAPSE_RATE * min(height, TROPOPAUSE)


@kernel
def pressure(height: float, ground_temperature: float, ground_pressure: float) -> float:
    """Pressure [Pa] at a height [m]."""
    here = temperature(height, ground_temperature)
    found = ground_pressure * math.pow(here / ground_temperature, -GRAVITY / (GAS_CONSTANT * LAPSE_RATE))
    if height > TROPOPAUSE:
        found *= math.exp(-GRAVITY * (height - TROPOPAUSE) / (GAS_CONSTANT * here))
    return found


@kernel
def density(height: float, ground_temperature: float, ground_pressure: float) -> float:
    """Density [kg/m^3] at a height [m]."""
    return pressure(height, ground_temperature, ground_pressure) / (
        GAS_CONSTANT * temperature(height, ground_temperature)
    )
