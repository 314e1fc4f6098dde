"""Omni drive: a base on four mecanum wheels by velocity, by pose or along a path, with odometry and a look ahead.

    w_i  = (v_y + s_i v_x + t_i h w_z) / r,    s = (-1, 1, -1, 1), t = (1, -1, -1, 1)          inverse kinematics
    v    = r/4 (s . dq, sum dq, t . dq / h) / dt                                             odometry, from encoder angles
    slip = w_1 + w_2 - w_3 - w_4, zero where all four wheels roll

Wheels counter-clockwise from the front right, y forward, x right. r and h are what the program believes, which need not be
the robot's. What drives it is `setpoints.mode`: 0 the velocities vx, vy, wz in the frame of the base; 1 the pose x, y, yaw in
the frame of the odometry; 2 a square, 3 a circle, 4 a star, of the gains' size and speed, heading held. Poses and paths are
followed by feed-forward plus a proportional law. Where `timeout` is set, a counter `setpoints.alive` that stops counting stops
the robot. Where `stop.distance` is set, the speed falls in front of what the lidars see in the way of the motion.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from didymos.compiled import c_function, kernel
from didymos.control.controller import CompiledController, Gain, Robot
from didymos.control.program import PROGRAM_SIGNATURE
from didymos.errors import InputError

__all__ = ["OmniDrive"]

_X, _Y, _YAW, _SLIP, _LATE, _ROOM = range(6)  # memory, reported
_ANGLES, _ALIVE, _HEARD, _BEGAN, _MODE = 6, 10, 11, 12, 13  # memory, of its own
_ODOMETRY = 14  # memory, told as odometry: position, orientation, velocity, angular velocity
_MEMORY = 27
_VELOCITY, _POSE, _SQUARE, _CIRCLE, _STAR = range(5)
_FREE = 1e6  # [m]: nothing in the way
_FIRST_RANGE = 8  # readings: four angles, four speeds, then all ranges


@kernel
def _on_polygon(distance: float, side: float, turn: float, sides: int) -> tuple[float, float, float, float]:
    """Point [m] and direction after a distance [m] along a closed polygon that begins along +y and turns by an angle."""
    x, y, heading = 0.0, 0.0, 0.5 * math.pi
    rest = min(max(distance, 0.0), side * sides)
    for _ in range(sides):
        part = min(rest, side)
        x += part * math.cos(heading)
        y += part * math.sin(heading)
        rest -= part
        if rest <= 0.0:
            break
        heading += turn
    moving = 1.0 if 0.0 <= distance < side * sides else 0.0
    return x, y, moving * math.cos(heading), moving * math.sin(heading)


@kernel
def _on_path(mode: int, distance: float, size: float) -> tuple[float, float, float, float]:
    """Point [m] and direction after a distance [m] along a path of a size [m]."""
    if mode == _SQUARE:
        return _on_polygon(distance, size, 0.5 * math.pi, 4)
    if mode == _STAR:
        return _on_polygon(distance, size, 0.8 * math.pi, 5)
    radius = 0.5 * size
    angle = min(max(distance, 0.0) / radius, 2.0 * math.pi)
    moving = 1.0 if angle < 2.0 * math.pi else 0.0
    return radius * (math.cos(angle) - 1.0), radius * math.sin(angle), -moving * math.sin(angle), moving * math.cos(angle)


@kernel
def _room(settings: Any, measured: Any, x: float, y: float, half_width: float, reach: float) -> float:
    """Free distance [m] ahead of the base's edge in the unit direction (x, y)."""
    place, ray = 3, _FIRST_RANGE
    nearest = _FREE
    for _ in range(int(settings[2])):
        count = int(settings[place + 2])
        for i in range(count):
            distance = measured[ray + i]
            if 0.0 < distance < _FREE:
                px = settings[place] + distance * settings[place + 3 + 2 * i]
                py = settings[place + 1] + distance * settings[place + 4 + 2 * i]
                ahead = px * x + py * y
                if ahead > 0.0 and abs(px * y - py * x) < half_width:
                    nearest = min(nearest, ahead - reach)
        place += 3 + 2 * count
        ray += count
    return nearest


@kernel
def _limit(x: float, y: float, most: float) -> tuple[float, float]:
    size = math.sqrt(x * x + y * y)
    part = most / size if size > most else 1.0
    return part * x, part * y


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
    t, first = clock[0], clock[2] > 0.0
    r, h = settings[0], settings[1]
    top_speed, top_turn, kp, kp_yaw = gains[0], gains[1], gains[2], gains[3]
    size, speed, timeout, stop, slow, half_width, reach = (
        gains[4], gains[5], gains[6], gains[7], gains[8], gains[9], gains[10],
    )  # fmt: skip
    if first:
        for i in range(_MEMORY):
            memory[i] = 0.0
        memory[_MODE] = -1.0
        memory[_ALIVE] = setpoints[7]
        for i in range(4):
            memory[_ANGLES + i] = measured[i]
    # odometry
    d1, d2, d3, d4 = (
        measured[0] - memory[_ANGLES], measured[1] - memory[_ANGLES + 1], measured[2] - memory[_ANGLES + 2],
        measured[3] - memory[_ANGLES + 3],
    )  # fmt: skip
    for i in range(4):
        memory[_ANGLES + i] = measured[i]
    dx, dy, turn = 0.25 * r * (-d1 + d2 - d3 + d4), 0.25 * r * (d1 + d2 + d3 + d4), 0.25 * r / h * (d1 - d2 - d3 + d4)
    middle = memory[_YAW] + 0.5 * turn
    memory[_X] += dx * math.cos(middle) - dy * math.sin(middle)
    memory[_Y] += dx * math.sin(middle) + dy * math.cos(middle)
    memory[_YAW] += turn
    memory[_ODOMETRY] = memory[_X]
    memory[_ODOMETRY + 1] = memory[_Y]
    memory[_ODOMETRY + 3] = math.cos(0.5 * memory[_YAW])
    memory[_ODOMETRY + 6] = math.sin(0.5 * memory[_YAW])
    memory[_ODOMETRY + 7] = dx / clock[1]
    memory[_ODOMETRY + 8] = dy / clock[1]
    memory[_ODOMETRY + 12] = turn / clock[1]
    memory[_SLIP] = measured[4] + measured[5] - measured[6] - measured[7]
    # what is setpoints, as velocities of the base
    mode = int(setpoints[6])
    if mode != memory[_MODE]:
        memory[_MODE] = mode
        memory[_BEGAN] = t
    vx, vy, wz = setpoints[0], setpoints[1], setpoints[2]
    if mode != _VELOCITY:
        goal_x, goal_y, goal_yaw, feed_x, feed_y = setpoints[3], setpoints[4], setpoints[5], 0.0, 0.0
        if mode >= _SQUARE:
            goal_x, goal_y, feed_x, feed_y = _on_path(mode, speed * (t - memory[_BEGAN]), size)
            goal_yaw, feed_x, feed_y = 0.0, speed * feed_x, speed * feed_y
        ex, ey = feed_x + kp * (goal_x - memory[_X]), feed_y + kp * (goal_y - memory[_Y])
        off = goal_yaw - memory[_YAW]
        off -= 2.0 * math.pi * math.floor((off + math.pi) / (2.0 * math.pi))
        c, s = math.cos(memory[_YAW]), math.sin(memory[_YAW])
        vx, vy, wz = c * ex + s * ey, c * ey - s * ex, kp_yaw * off
    vx, vy = _limit(vx, vy, top_speed)
    wz = min(max(wz, -top_turn), top_turn)
    # a command that is no longer renewed
    if setpoints[7] != memory[_ALIVE]:
        memory[_ALIVE] = setpoints[7]
        memory[_HEARD] = t
    memory[_LATE] = 1.0 if timeout > 0.0 and t - memory[_HEARD] > timeout + 1e-9 else 0.0
    if memory[_LATE] > 0.0:
        vx, vy, wz = 0.0, 0.0, 0.0
    # what stands in the way
    memory[_ROOM] = _FREE
    moving = math.sqrt(vx * vx + vy * vy)
    if stop > 0.0 and moving > 0.0:
        memory[_ROOM] = _room(settings, measured, vx / moving, vy / moving, half_width, reach)
        part = min(max((memory[_ROOM] - stop) / slow, 0.0), 1.0)
        vx, vy = part * vx, part * vy
    inputs[0] = (vy - vx + h * wz) / r
    inputs[1] = (vy + vx - h * wz) / r
    inputs[2] = (vy - vx - h * wz) / r
    inputs[3] = (vy + vx + h * wz) / r


class OmniDrive(CompiledController):
    """Drives four mecanum wheels; `wheels` names their joints and inputs, `lidars` says where each looks from."""

    program: ClassVar = _program
    setpoints = ("vx", "vy", "wz", "x", "y", "yaw", "mode", "alive")
    memory_size = _MEMORY
    odometry = _ODOMETRY
    reports = (("x", "m"), ("y", "m"), ("yaw", "rad"), ("slip", "rad/s"), ("late", "1"), ("room", "m"))
    top_speed = Gain(1.0, low=0, unit="m/s", path="top.speed")
    top_turn = Gain(1.5, low=0, unit="rad/s", path="top.turn")
    pose_kp = Gain(1.0, low=0, unit="1/s", path="pose.kp")
    pose_kp_yaw = Gain(1.0, low=0, unit="1/s", path="pose.kp_yaw")
    path_size = Gain(1.0, low=0.01, unit="m", path="path.size", doc="side of the square and the star, diameter of the circle")
    path_speed = Gain(0.1, low=0, unit="m/s", path="path.speed")
    timeout = Gain(0.0, low=0, unit="s", path="timeout", doc="stop where setpoints.alive has not counted for so long; 0 never")
    stop_distance = Gain(0.0, low=0, unit="m", path="stop.distance", doc="to keep from what stands in the way; 0 for none")
    stop_slow = Gain(0.5, low=0.01, unit="m", path="stop.slow", doc="over which the speed falls")
    stop_half_width = Gain(0.5, low=0, unit="m", path="stop.half_width", doc="of the way that must be free")
    stop_reach = Gain(0.5, low=0, unit="m", path="stop.reach", doc="from the middle of the base to its edge")

    def __init__(
        self,
        radius: float,
        lever: float,
        wheels: Mapping[str, str],
        encoders: str = "encoders",
        lidars: Mapping[str, Sequence[float]] | None = None,
    ) -> None:
        """`wheels`: input of each wheel by its joint, 1 to 4; `lidars`: x, y, yaw, rays, field of view by sensor."""
        self.radius, self.lever, self.wheels, self.encoders = radius, lever, dict(wheels), encoders
        self.lidars = {name: tuple(place) for name, place in (lidars or {}).items()}

    def start(self, robot: Robot) -> None:
        """Find the readings, and the direction of every ray in the frame of the base."""
        angles = tuple(f"{self.encoders}.{joint}.position" for joint in self.wheels)
        speeds = tuple(f"{self.encoders}.{joint}.velocity" for joint in self.wheels)
        settings = [self.radius, self.lever, float(len(self.lidars))]
        rays: list[str] = []
        for name, (x, y, yaw, count, view) in self.lidars.items():
            directions = yaw - view / 2 + np.arange(int(count)) * view / max(int(count) - 1, 1)
            settings += [x, y, count, *np.column_stack([np.cos(directions), np.sin(directions)]).ravel().tolist()]
            rays += [f"{name}.ranges.{i}" for i in range(int(count))]
        self.reads = (*angles, *speeds, *rays)
        self.writes = tuple(self.wheels.values())
        self.settings = np.array(settings, dtype=np.float64)
        for name in self.reads:
            if name not in robot.measured:
                raise InputError(f"omni_drive needs the reading {name!r}, which there is not", path="control.options")
        for name in self.writes:
            if name not in robot.inputs:
                raise InputError(f"omni_drive needs the input {name!r}, which there is not", path="control.options.wheels")
