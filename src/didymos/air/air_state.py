"""The air around a robot at a tick: the gust, and the wind where the robot is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.air.dryden import DRAWS, DRYDEN, advance_gust, is_of_velocity
from didymos.air.gusts import is_turbulent
from didymos.air.wind import wind_speed
from didymos.compiled import kernel
from didymos.noise import normal

__all__ = ["AIR_STATE", "advance_air"]

AIR_STATE = np.dtype(
    [
        ("key", np.float64, 2),  # of the gusts' random stream
        *DRYDEN,
        ("wind_at_root", np.float64, 3),  # [m/s], world frame, gust included
        ("speed_at_root", np.float64),  # [m/s] of the root through the air
    ]
)
"""What the air remembers."""


@kernel
def advance_air(
    air: Any, wind: Any, gusts: Any, height: float, x: float, y: float, z: float, tick: int, period: float
) -> None:
    """The gust of a tick and the wind at the root link, at a height above the ground [m], with its velocity (x, y, z) [m/s].

    Velocities are those of the world frame.
    """
    toward_x, toward_y = math.cos(wind.direction), math.sin(wind.direction)
    mean = wind_speed(height, wind)
    x, y, z = x - mean * toward_x, y - mean * toward_y, z - wind.up
    gust, rate = air.gust, air.gust_rate
    gust[0], gust[1], gust[2] = gusts.x, gusts.y, gusts.z
    rate[0], rate[1], rate[2] = 0.0, 0.0, 0.0
    air.turning = 0.0
    if is_turbulent(gusts, wind):
        for i in range(DRAWS):
            if gusts.span > 0.0 or is_of_velocity(i):
                air.draws[i] = normal(air.key[0], air.key[1], DRAWS * tick + i)
        advance_gust(air, gusts, wind, height, x, y, z, period, tick == 0)
    x, y, z = x - gust[0], y - gust[1], z - gust[2]
    here = air.wind_at_root
    here[0], here[1], here[2] = mean * toward_x + gust[0], mean * toward_y + gust[1], wind.up + gust[2]
    air.speed_at_root = math.sqrt(x * x + y * y + z * z)
