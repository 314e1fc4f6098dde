"""The air around a robot at a tick: the gust, and the wind where the robot is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.air.gusts import DRAWS, STATES, advance_gust
from didymos.air.wind import wind_speed
from didymos.compiled import kernel
from didymos.noise import normal

__all__ = ["AIR_STATE", "advance_air"]

AIR_STATE = np.dtype(
    [
        ("key", np.float64, 2),  # of the gusts' random stream
        ("filters", np.float64, STATES),  # states of the gusts' filters
        ("draws", np.float64, DRAWS),  # scratch for the draws of a tick
        ("gust", np.float64, 3),  # [m/s] at the root, world frame
        ("gust_rate", np.float64, 3),  # [rad/s] at which the gust turns the air about the root, world frame
        ("turning", np.float64),  # 1 where it does
        ("wind_at_root", np.float64, 3),  # [m/s], world frame, gust included
        ("speed_at_root", np.float64),  # [m/s] of the root through the air
    ]
)
"""What the air remembers."""


@kernel
def advance_air(
    air: Any, wind: Any, gusts: Any, height: float, x: float, y: float, z: float, tick: int, period: float
) -> None:
    """The gust of a tick and the wind at the root link, at a height [m] with the velocity (x, y, z) [m/s] of the world frame."""
    toward_x, toward_y = math.cos(wind.direction), math.sin(wind.direction)
    mean = wind_speed(height, wind)
    x, y, z = x - mean * toward_x, y - mean * toward_y, z - wind.up
    gust = air.gust
    gust[0], gust[1], gust[2] = gusts.x, gusts.y, gusts.z
    if gusts.wind_6m > 0.0 or gusts.sigma_u > 0.0 or gusts.sigma_w > 0.0:
        for i in range(DRAWS):
            air.draws[i] = normal(air.key[0], air.key[1], DRAWS * tick + i)
        speed = math.sqrt(x * x + y * y + z * z)
        u, v, w = advance_gust(gusts, height, speed, period, tick == 0, air.draws, air.filters)
        gust[0] += u * toward_x - v * toward_y
        gust[1] += u * toward_y + v * toward_x
        gust[2] += w
    x, y, z = x - gust[0], y - gust[1], z - gust[2]
    here = air.wind_at_root
    here[0], here[1], here[2] = mean * toward_x + gust[0], mean * toward_y + gust[1], wind.up + gust[2]
    air.speed_at_root = math.sqrt(x * x + y * y + z * z)
