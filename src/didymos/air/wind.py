"""Mean wind: horizontal, growing with height by a power law, by a logarithm or evenly; none of them is a constant wind.

    power law    W(h) = W_ref (h / h_ref)^k                             h > 0
    logarithm    W(h) = W_ref ln(h / z0) / ln(h_ref / z0)               h > z0, nothing below
    shear        W(h) = W_ref + S (h - h_ref)                           negative where it blows the other way

`direction` is where the wind blows *to*, counted from world x (east) toward y (north): the velocity of the air is
W (cos d, sin d, 0). (The original counted where it comes from.) Frames: world, ENU. Valid in the surface layer, up to a
few hundred metres (the logarithm: in neutral air); k is about 1/7 over open country, 0.28 over rural land (the original's
default); the roughness z0 is about 0.03 m over grass, 0.1 m over crops, 1 m over a town. An even shear is for layers above, and
for check cases. On a curved Earth (`world.earth.shape`) x and y are east and north at the robot, and h counts along the vertical
there.
"""

from __future__ import annotations

import math
from typing import Any

from pydantic import model_validator

from didymos.compiled import kernel
from didymos.spec import Spec, number

__all__ = ["WindSpec", "wind_speed"]

_AN = {"exponent": "an exponent", "roughness": "a roughness", "shear": "a shear"}


class WindSpec(Spec):
    """Mean wind of the world."""

    speed: float = number(0.0, unit="m/s", low=0, high=100, doc="at the reference height")
    direction: float = number(0.0, unit="rad", low=-6.3, high=6.3, doc="toward which it blows, from x to y")
    reference_height: float = number(10.0, unit="m", above=0, high=20_000, doc="height of the given speed")
    exponent: float = number(0.0, unit="1", low=0, high=1, doc="Hellman's exponent; 0 is constant wind")
    roughness: float = number(0.0, unit="m", low=0, high=10, doc="z0 of the logarithmic profile; 0 for none")
    shear: float = number(0.0, unit="1/s", low=-1, high=1, doc="speed that a metre of height adds; 0 for none")
    up: float = number(0.0, unit="m/s", low=-50, high=50, doc="vertical wind, the same at every height")

    @model_validator(mode="after")
    def _one_profile(self) -> WindSpec:
        given = [name for name in ("exponent", "roughness", "shear") if getattr(self, name) != 0.0]
        if len(given) > 1:
            raise ValueError(f"found {_AN[given[0]]} and {_AN[given[1]]}, expected one profile")
        if self.roughness >= self.reference_height:
            raise ValueError(f"found roughness {self.roughness:g} m, expected it below reference_height")
        return self


@kernel
def wind_speed(height: float, wind: Any) -> float:
    """Horizontal speed of the air [m/s] at a height [m] for a `WindSpec` record."""
    if wind.shear != 0.0:
        return wind.speed + wind.shear * (height - wind.reference_height)
    if wind.speed == 0.0:
        return 0.0
    if wind.roughness > 0.0:
        return wind.speed * math.log(max(height / wind.roughness, 1.0)) / math.log(wind.reference_height / wind.roughness)
    if wind.exponent == 0.0:
        return wind.speed
    return wind.speed * math.pow(max(height, 0.0) / wind.reference_height, wind.exponent)
