"""Density and wind at heights close to one another, for one look at their powers.

The parts of a robot are seldom far apart, and a power costs more than a part's whole motion. From one height to another,

    rho(z) = rho(z0) (1 + d)^(-g / (R L) - 1),   d = L (H(z) - H(z0)) / T(z0)    in the troposphere
    W(h)   = W(h0) (1 + d)^k,                    d = (h - h0) / h0               power law, h0 > 0

with z the world's, whose geopotential heights differ by H(z) - H(z0) = (r / (r + z0))^2 (z - z0) / (1 + s) with
s = (z - z0) / (r + z0), and h the height above the ground. For |d| below 0.01 six terms of the binomial series give (1 + d)^e to
2e-16 of itself, e up to 5; s is below 1e-4 there, and 1 - s + s^2 - s^3 is 1 / (1 + s) to rounding. Elsewhere, and for the other
laws, the plain functions answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.air.atmosphere import (
    EARTH_RADIUS,
    GAS_CONSTANT,
    GRAVITY,
    LAPSE_RATE,
    TROPOPAUSE,
    density,
    geometric,
    temperature,
)
from didymos.air.wind import wind_speed
from didymos.compiled import kernel

__all__ = ["NEARBY", "density_nearby", "look_around", "temperature_nearby", "wind_nearby"]

NEARBY = np.dtype(
    [
        ("z", np.float64),  # [m] of the world, z0
        ("density", np.float64),  # [kg/m^3] there
        ("density_slope", np.float64),  # [1/m], d per metre; 0 where the series does not hold
        ("temperature", np.float64),  # [K] there
        ("temperature_slope", np.float64),  # [K/m]
        ("curvature", np.float64),  # [1/m], s per metre
        ("height", np.float64),  # [m] above the ground, h0
        ("wind", np.float64),  # [m/s] there
        ("wind_slope", np.float64),  # [1/m], d per metre; 0 where the series does not hold
    ]
)
"""What is known of the air at one height."""

_FAR = 0.01
_EXPONENT = -GRAVITY / (GAS_CONSTANT * LAPSE_RATE) - 1.0
_CEILING = geometric(TROPOPAUSE)  # [m] of the world


@kernel
def _power(d: float, e: float) -> float:
    """(1 + d)^e for |d| < 0.01."""
    d2, d3, d4, d5, d6 = d * (1.0 / 2.0), d * (1.0 / 3.0), d * (1.0 / 4.0), d * (1.0 / 5.0), d * (1.0 / 6.0)
    tail = 1.0 + (e - 4.0) * d5 * (1.0 + (e - 5.0) * d6)
    return 1.0 + e * d * (1.0 + (e - 1.0) * d2 * (1.0 + (e - 2.0) * d3 * (1.0 + (e - 3.0) * d4 * tail)))


@kernel
def look_around(z: float, height: float, air: Any, wind: Any, nearby: Any) -> None:
    """Density at a z [m] and wind at a height above the ground [m] into `nearby`, for `AirSpec` and `WindSpec` records."""
    nearby.z = z
    nearby.density = density(z, air.temperature, air.pressure)
    nearby.curvature = 1.0 / (EARTH_RADIUS + z)
    weaker = EARTH_RADIUS * nearby.curvature
    nearby.temperature = temperature(z, air.temperature)
    nearby.temperature_slope = LAPSE_RATE * weaker * weaker if z < _CEILING else 0.0
    nearby.density_slope = LAPSE_RATE * weaker * weaker / (air.temperature + LAPSE_RATE * weaker * z) if z < _CEILING else 0.0
    nearby.height = height
    nearby.wind = wind_speed(height, wind)
    nearby.wind_slope = 1.0 / height if height > 0.0 and wind.roughness == 0.0 and wind.shear == 0.0 else 0.0


@kernel
def density_nearby(z: float, air: Any, nearby: Any) -> float:
    """Density [kg/m^3] at a z [m]."""
    s = nearby.curvature * (z - nearby.z)
    d = nearby.density_slope * (z - nearby.z) * (1.0 - s * (1.0 - s * (1.0 - s)))
    if abs(d) < _FAR and d != 0.0 and z < _CEILING:
        return nearby.density * _power(d, _EXPONENT)
    return nearby.density if z == nearby.z else density(z, air.temperature, air.pressure)


@kernel
def temperature_nearby(z: float, nearby: Any) -> float:
    """Temperature [K] at a z [m], near enough to z0 for the slope there."""
    return nearby.temperature + nearby.temperature_slope * (z - nearby.z)


@kernel
def wind_nearby(height: float, wind: Any, nearby: Any) -> float:
    """Horizontal speed of the air [m/s] at a height above the ground [m]."""
    if height == nearby.height or (wind.speed == 0.0 and wind.shear == 0.0):
        return nearby.wind
    d = nearby.wind_slope * (height - nearby.height)
    if abs(d) < _FAR and d != 0.0:
        return nearby.wind * _power(d, wind.exponent)
    return wind_speed(height, wind)
