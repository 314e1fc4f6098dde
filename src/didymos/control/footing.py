"""Where a legged robot stands: the points that its feet stood on last, the slope of the plane through them, its height above it.

A point stays where it is while the trunk moves on with its estimated velocity; a foot that stands says where its own is. All in
the level frame, times in units of T = sqrt(l / g).
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.leg import to_level
from didymos.control.leg_state import stands

__all__ = ["find_centre_of_mass", "find_height", "find_slope", "keep_footholds", "yaw_rate_of"]

_SLOPE_TIME = 1.93  # [T] low-pass of the slope
_HEIGHT_TIME = 0.145  # [T] low-pass of the height
_SMALLEST = 0.48  # [l]: a stance shorter or narrower than this tells less of the slope
_STEEPEST = 0.6


@kernel
def yaw_rate_of(body: Any) -> float:
    """[rad/s] about the level frame's z."""
    _, _, rate = to_level(body.rotation, body.rate[0], body.rate[1], body.rate[2])
    return rate


@kernel
def keep_footholds(clock: Any, count: int, memory: Any) -> None:
    """Where the feet stood last; these points stay while the trunk moves on."""
    dt, velocity, yaw_rate = clock.period, memory.body.velocity, yaw_rate_of(memory.body)
    for number in range(count):
        leg = memory.legs[number]
        x, y = leg.foothold[0], leg.foothold[1]
        leg.foothold[0] += dt * (yaw_rate * y - velocity[0])
        leg.foothold[1] -= dt * (yaw_rate * x + velocity[1])
        leg.foothold[2] -= dt * velocity[2]
        if clock.first > 0.5 or stands(number, memory):
            for i in range(3):
                leg.foothold[i] = leg.foot_level[i]


@kernel
def find_slope(clock: Any, robot: Any, memory: Any) -> None:
    """The slope of a plane through these points, by least squares along the two axes of their scatter.

    Along an axis on which they lie close together it is taken for less; two feet, which lie on a line, tell none across it.
    """
    count = int(robot.legs)
    mx, my, mz = 0.0, 0.0, 0.0
    for number in range(count):
        point = memory.legs[number].foothold
        mx, my, mz = mx + point[0] / count, my + point[1] / count, mz + point[2] / count
    xx, xy, yy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0
    for number in range(count):
        point = memory.legs[number].foothold
        x, y, z = point[0] - mx, point[1] - my, point[2] - mz
        xx, xy, yy, xz, yz = xx + x * x, xy + x * y, yy + y * y, xz + x * z, yz + y * z
    least = 0.25 * count * (_SMALLEST * robot.length) ** 2
    angle = 0.5 * math.atan2(2.0 * xy, xx - yy)  # of the longer axis
    c, s = math.cos(angle), math.sin(angle)
    middle, half = 0.5 * (xx + yy), math.sqrt(0.25 * (xx - yy) ** 2 + xy * xy)
    along, across = (c * xz + s * yz) / max(middle + half, least), (c * yz - s * xz) / max(middle - half, least)
    rise_x, rise_y = c * along - s * across, s * along + c * across
    part = 1.0 if clock.first > 0.5 else min(clock.period / (_SLOPE_TIME * robot.time), 1.0)
    memory.slope[0] += part * (min(max(rise_x, -_STEEPEST), _STEEPEST) - memory.slope[0])
    memory.slope[1] += part * (min(max(rise_y, -_STEEPEST), _STEEPEST) - memory.slope[1])


@kernel
def find_height(clock: Any, settings: Any, memory: Any) -> None:
    """The height of the trunk above the plane that the feet stand on."""
    first, slope, velocity = clock.first > 0.5, memory.slope, memory.body.velocity
    height, count = 0.0, 0.0
    for number in range(int(settings.robot.legs)):
        if first or stands(number, memory):
            point = memory.legs[number].foot_level
            height += slope[0] * point[0] + slope[1] * point[1] - point[2] + settings.limbs[number].radius
            count += 1.0
    if count > 0.0:
        part = 1.0 if first else min(clock.period / (_HEIGHT_TIME * settings.robot.time), 1.0)
        memory.height += part * (height / count - memory.height)
    memory.height += 0.0 if first else clock.period * (velocity[2] - slope[0] * velocity[0] - slope[1] * velocity[1])


@kernel
def find_centre_of_mass(settings: Any, memory: Any) -> None:
    """Where the centre of mass is now."""
    robot, body = settings.robot, memory.body
    x, y, z = robot.trunk_centre[0], robot.trunk_centre[1], robot.trunk_centre[2]
    x, y, z = robot.trunk_mass * x, robot.trunk_mass * y, robot.trunk_mass * z
    for number in range(int(robot.legs)):
        moment = memory.legs[number].pose.moment
        x, y, z = x + moment[0], y + moment[1], z + moment[2]
    level = to_level(body.rotation, x / robot.mass, y / robot.mass, z / robot.mass)
    for i in range(3):
        body.centre[i] = level[i]
