"""Mean wind: horizontal, growing with height by a power law; exponent zero is a constant wind.

    W(h) = W_ref (h / h_ref)^k,   h > 0

`direction` is where the wind blows *to*, counted from world x (east) toward y (north): the velocity of the air is
W (cos d, sin d, 0). (The original counted where it comes from.) Frames: world, ENU. Valid in the surface layer, up to a
few hundred metres; k is about 1/7 over open country, 0.28 over rural land (the original's default).
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.spec import Spec, number

__all__ = ["WindSpec", "mean_wind"]


class WindSpec(Spec):
    """Mean wind of the world."""

    speed: float = number(0.0, unit="m/s", low=0, high=100, doc="at the reference height")
    direction: float = number(0.0, unit="rad", low=-6.3, high=6.3, doc="toward which it blows, from x to y")
    reference_height: float = number(10.0, unit="m", above=0, high=20_000, doc="height of the given speed")
    exponent: float = number(0.0, unit="1", low=0, high=1, doc="Hellman's exponent; 0 is constant wind")
    up: float = number(0.0, unit="m/s", low=-50, high=50, doc="vertical wind, the same at every height")


@kernel
def mean_wind(height: float, wind: Any, velocity_world: Any) -> None:
    """Write the air's velocity [m/s] shape [3] at a height [m] for a `WindSpec` record."""
    speed = wind.speed
    if wind.exponent > 0.0:
        speed *= math.pow(max(height, 0.0) / wind.reference_height, wind.exponent)
    velocity_world[0] = speed * math.cos(wind.direction)
    velocity_world[1] = speed * math.sin(wind.direction)
    velocity_world[2] = wind.up
