"""Height above the ground where a plane stands on it: by a range finder that looks down, else by the estimate.

    h = z - ground - gear.height,     ground += (z - range cos(roll) cos(pitch) - ground) dt / 0.3 s     while it is in reach

z is the estimate's, whose error wanders by half a metre and more; the range finder corrects it slowly, so h follows the quick
estimate and has the range finder's error. Beyond its reach, or in a bank of more than 0.6 rad, the ground stays where it was.
In the beginning it is where the options' runway says, or below the wheels. Valid over ground that is level where it flies low.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel

__all__ = ["height_above_ground"]

_LAG = 0.3  # [s]
_LEVEL = 0.6  # [rad]


@kernel
def height_above_ground(
    dt: float, reach: float, gains: Any, measured: Any, roll: float, pitch: float, z: float, memory: Any
) -> float:
    """Height [m] above where the plane stands; `reach` [m] of the range finder, 0 without one."""
    if 0.0 < measured.range < reach and abs(roll) < _LEVEL and abs(pitch) < _LEVEL:
        below = z - measured.range * math.cos(roll) * math.cos(pitch)
        memory.ground += min(dt / _LAG, 1.0) * (below - memory.ground)
    return z - memory.ground - gains.gear_height
