"""Sensors of where another robot, or a link of one, is: a camera's pose of a marker, a beacon's range.

With p, R, v, omega of the sensor's frame and the same with an index t of the target's, all in the world:

    position           R^T (p_t - p)
    orientation        R^T R_t
    velocity           R^T (v_t - v) - (R^T omega) x position        how fast the position changes, as the sensor sees it
    angular velocity   R^T (omega_t - omega)
    range              |p_t - p|

`target` is ROBOT.LINK in a world, or a link or frame of the robot's own.
"""

from __future__ import annotations

import math

from didymos.contract import quantity
from didymos.sensors.sensor import Sensor, measure

__all__ = ["Beacon", "RelativePose"]


class RelativePose(Sensor):
    """Pose and motion of a link of another robot in the sensor's own frame, as a camera that tracks a marker gives it."""

    message = "odometry"
    has_target = True
    position = quantity(columns="xyz", unit="m")
    orientation = quantity(columns="wxyz")
    velocity = quantity(columns="xyz", unit="m/s")
    angular_velocity = quantity(columns="xyz", unit="rad/s")

    @measure
    def look(sensor, here, reading):  # type: ignore[no-untyped-def]
        turn, away, fast = here.rotation, here.target_offset_world, here.target_velocity_world
        p, rate = reading.position, here.rate
        for i in range(3):
            p[i] = turn[i] * away[0] + turn[3 + i] * away[1] + turn[6 + i] * away[2]
        for i in range(3):
            seen = turn[i] * fast[0] + turn[3 + i] * fast[1] + turn[6 + i] * fast[2] - here.velocity[i]
            j, k = (i + 1) % 3, (i + 2) % 3
            reading.velocity[i] = seen - (rate[j] * p[k] - rate[k] * p[j])
            spin = here.target_rate_world
            reading.angular_velocity[i] = turn[i] * spin[0] + turn[3 + i] * spin[1] + turn[6 + i] * spin[2] - rate[i]
        a, b, c, d = here.orientation[0], -here.orientation[1], -here.orientation[2], -here.orientation[3]
        e, f, g, h = (
            here.target_orientation[0], here.target_orientation[1], here.target_orientation[2], here.target_orientation[3],
        )  # fmt: skip
        reading.orientation[0] = a * e - b * f - c * g - d * h
        reading.orientation[1] = a * f + b * e + c * h - d * g
        reading.orientation[2] = a * g - b * h + c * e + d * f
        reading.orientation[3] = a * h + b * g - c * f + d * e


class Beacon(Sensor):
    """Range to a link of another robot, as a radio beacon gives it."""

    has_target = True
    range = quantity(unit="m")

    @measure
    def look(sensor, here, reading):  # type: ignore[no-untyped-def]
        away = here.target_offset_world
        reading.range = math.sqrt(away[0] * away[0] + away[1] * away[1] + away[2] * away[2])
