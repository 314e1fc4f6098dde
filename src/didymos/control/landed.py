"""Whether a multirotor stands on the ground, so that its loops do not learn the wander of the GPS there.

    begins landed      where it has an accelerometer to feel a fall with
    landed -> flying   at once, where it is asked to climb by more than 0.5 m (twice the doubt about a height at rest),
                       or moves at 0.7 m/s; where it falls or is carried: 3 m/s^2 off gravity for 0.05 s
    flying -> landed   after 1 s of a thrust below 0.8 of hovering that does not make it sink (0.3 m/s), while asked to go
                       down by more than 1 m: in gusts a robot is above its place without being on the ground

A program that begins in mid-air, and is not asked to climb, so falls for 0.05 s, 1.2 cm, before it flies; one that is set down
from a millimetre or two has come to rest by then. One reading alone would not tell the two from each other. In flight a thrust
of 0.8 of hovering sinks at 0.3 m/s after 0.15 s. Where the input of hovering is not told (`height.hover` 0) or a pose sensor has
no accelerometer beside it, it is taken to fly from the start. To land, ask for a height a metre and more below the ground.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel

__all__ = ["is_landed"]

_CLIMB, _DESCENT = 0.5, 1.0  # [m]
_CARRIED = 3.0  # [m/s^2] off gravity
_FALL = 0.05  # [s]
_STILL, _MOVES = 0.3, 0.7  # [m/s]
_LOW_THRUST = 0.8  # of hovering
_PATIENCE = 1.0  # [s]


@kernel
def is_landed(clock: Any, settings: Any, hover: float, thrust: float, climb: float, measured: Any, memory: Any) -> bool:
    """Whether it stands, from the thrust and the climb [m] it is asked for; `settings` and `measured` of the navigation."""
    velocity, accel = memory.navigation.estimate.velocity, measured.filter.imu.accel
    speed = math.sqrt(velocity[0] ** 2 + velocity[1] ** 2 + velocity[2] ** 2)
    off, feels = 0.0, settings.estimates > 0.0 and measured.filter.imu.stamp >= 0.0
    if feels:
        off = abs(math.sqrt(accel[0] ** 2 + accel[1] ** 2 + accel[2] ** 2) - settings.filter.gravity)
    if clock.first > 0.0:
        memory.landed = 1.0 if feels and hover > 0.0 else 0.0
        memory.low_thrust = memory.falling = 0.0
    if memory.landed > 0.0:
        memory.falling = memory.falling + clock.period if off > _CARRIED else 0.0
        if climb > _CLIMB or speed > _MOVES or memory.falling > _FALL:
            memory.landed = memory.low_thrust = 0.0
        return memory.landed > 0.0
    sinks = thrust >= _LOW_THRUST * hover or abs(velocity[2]) > _STILL or climb > -_DESCENT
    memory.low_thrust = 0.0 if sinks else memory.low_thrust + clock.period
    if memory.low_thrust > _PATIENCE:
        memory.landed = 1.0
    return memory.landed > 0.0
