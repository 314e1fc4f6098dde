"""Omni drive: a base on four mecanum wheels by velocity, by pose or along a path, with odometry and a look ahead.

    w_i  = (v_x + s_i v_y + t_i h w_z) / r,    s = (1, -1, 1, -1), t = (1, -1, -1, 1)          inverse kinematics
    v    = r/4 (sum dq, s . dq, t . dq / h) / dt                                             odometry, from encoder angles
    room = min over rays of the distance ahead of the base's edge                              in the way of the motion
    slip = w_1 + w_2 - w_3 - w_4, zero where all four wheels roll

Wheels counter-clockwise from the front right, x forward, y left (REP 103). A base whose own y is forward says so by the option
`forward: y`; all velocities, poses and paths, in and out, then are in its axes: x right. r and h are what the program believes,
which need not be the robot's.

What drives it is `setpoints.mode`: 0 the velocities vx, vy, wz in the frame of the base; 1 the pose x, y, yaw in the frame of the
odometry; 2 a square, 3 a circle, 4 a star, of the gains' size and speed, heading held. Poses and paths are followed by
feed-forward plus a proportional law. Where `timeout` is set, a counter `setpoints.alive` that stops counting stops the robot.
Where `stop.distance` is set, the speed falls in front of what the lidars see in the way of the motion.

dq and dt are those between two readings of the encoders, by their stamps: the program may run faster or slower than they do, or
miss some; between two readings the odometry stands, and so does its twist. A reading that says nothing new after the encoders
have fallen silent leaves the last twist standing.

A distance is what REP 117 says: +inf is free; -inf is too near to be measured, NaN is a ray that knows nothing, and neither
counts as free, nor does 0, which stands there before the first scan. Such a ray stops the base (room 0) wherever it may lie in
its way: its origin inside the way or the ray leading into it, and either of them ahead. Backwards it may still drive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from didymos.compiled import kernel
from didymos.contract import command, measurement, memory, odometry, report, setpoint, setting
from didymos.control.angles import limit, wrap
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.omni_path import SQUARE, on_path
from didymos.control.wheel_drive import is_late
from didymos.errors import InputError

__all__ = ["OmniDrive"]

_VELOCITY = 0  # mode: by velocities of the base
_FREE = 1e6  # [m]: nothing in the way
_MOST_RAYS = 4096
_RAY = np.dtype([("x", np.float64), ("y", np.float64), ("cos", np.float64), ("sin", np.float64)])  # origin [m] and direction


@kernel
def _begin(measured: Any, setpoints: Any, memory: Any) -> None:
    """Where the first call is, the odometry begins."""
    memory.x, memory.y, memory.yaw = 0.0, 0.0, 0.0
    memory.mode, memory.mode_start = -1.0, 0.0
    memory.alive, memory.alive_time = setpoints.alive, 0.0
    memory.wheel_stamp = measured.wheel_stamp
    for i in range(4):
        memory.wheel_angle[i] = measured.wheel_angle[i]
    odom = memory.odom
    odom.position[0], odom.position[1], odom.orientation[0], odom.orientation[3] = 0.0, 0.0, 1.0, 0.0


@kernel
def _in_base(settings: Any, ahead: float, left: float) -> tuple[float, float]:
    """x and y in the axes of the base of what is ahead and to the left."""
    return settings.forward_x * ahead - settings.forward_y * left, settings.forward_y * ahead + settings.forward_x * left


@kernel
def _follow_wheels(settings: Any, measured: Any, memory: Any) -> None:
    """Odometry: what the wheels have turned since the last reading moves the base along an arc."""
    speed = measured.wheel_speed
    memory.slip = speed[0] + speed[1] - speed[2] - speed[3]
    elapsed, begins = measured.wheel_stamp - memory.wheel_stamp, memory.wheel_stamp < 0.0
    if not elapsed > 0.0:
        return
    memory.wheel_stamp = measured.wheel_stamp
    r, h = settings.radius, settings.lever
    angle, last, odom = measured.wheel_angle, memory.wheel_angle, memory.odom
    if begins:  # nothing was read before
        for i in range(4):
            last[i] = angle[i]
        return
    d1, d2, d3, d4 = angle[0] - last[0], angle[1] - last[1], angle[2] - last[2], angle[3] - last[3]
    for i in range(4):
        last[i] = angle[i]
    ahead, left, turn = 0.25 * r * (d1 + d2 + d3 + d4), 0.25 * r * (d1 - d2 + d3 - d4), 0.25 * r / h * (d1 - d2 - d3 + d4)
    dx, dy = _in_base(settings, ahead, left)
    middle = memory.yaw + 0.5 * turn
    memory.x += dx * math.cos(middle) - dy * math.sin(middle)
    memory.y += dx * math.sin(middle) + dy * math.cos(middle)
    memory.yaw += turn
    odom.position[0], odom.position[1] = memory.x, memory.y
    odom.orientation[0], odom.orientation[3] = math.cos(0.5 * memory.yaw), math.sin(0.5 * memory.yaw)
    odom.velocity[0], odom.velocity[1] = dx / elapsed, dy / elapsed
    odom.angular_velocity[2] = turn / elapsed


@kernel
def _to_goal(mode: int, settings: Any, gains: Any, setpoints: Any, seconds: float, memory: Any) -> tuple[float, float, float]:
    """Velocities of the base towards a pose, or along a path on which it has been for some seconds."""
    goal_x, goal_y, goal_yaw, feed_x, feed_y = setpoints.x, setpoints.y, setpoints.yaw, 0.0, 0.0
    if mode >= SQUARE:
        ahead, left, along, aside = on_path(mode, gains.path_speed * seconds, gains.path_size)
        goal_x, goal_y = _in_base(settings, ahead, left)
        feed_x, feed_y = _in_base(settings, gains.path_speed * along, gains.path_speed * aside)
        goal_yaw = 0.0
    ex, ey = feed_x + gains.pose_kp * (goal_x - memory.x), feed_y + gains.pose_kp * (goal_y - memory.y)
    c, s = math.cos(memory.yaw), math.sin(memory.yaw)
    return c * ex + s * ey, c * ey - s * ex, gains.pose_kp_yaw * wrap(goal_yaw - memory.yaw)


@kernel
def _demanded(settings: Any, gains: Any, setpoints: Any, time: float, memory: Any) -> tuple[float, float, float]:
    """Velocities of the base that the set-points ask for, within what it may do."""
    mode = int(setpoints.mode)
    if mode != memory.mode:
        memory.mode = mode
        memory.mode_start = time
    vx, vy, wz = setpoints.vx, setpoints.vy, setpoints.wz
    if mode != _VELOCITY:
        vx, vy, wz = _to_goal(mode, settings, gains, setpoints, time - memory.mode_start, memory)
    size = math.sqrt(vx * vx + vy * vy)
    part = gains.top_speed / size if size > gains.top_speed else 1.0
    return part * vx, part * vy, limit(wz, -gains.top_turn, gains.top_turn)


@kernel
def _may_be_in_the_way(ray: Any, half_width: float, x: float, y: float) -> bool:
    """Whether what a ray has right before it may be in the way of a motion in the unit direction (x, y)."""
    if not (ray.x * x + ray.y * y > 0.0 or ray.cos * x + ray.sin * y > 0.0):
        return False
    across, leads = ray.x * y - ray.y * x, ray.cos * y - ray.sin * x
    return abs(across) < half_width or across * leads < 0.0


@kernel
def _room(settings: Any, gains: Any, ranges: Any, x: float, y: float) -> float:
    """Free distance [m] ahead of the base's edge in the unit direction (x, y)."""
    nearest = _FREE
    for i in range(int(settings.ray_count)):
        distance, ray = ranges[i], settings.rays[i]
        if distance == math.inf:
            continue
        if not distance > 0.0:  # too near, or not known
            if _may_be_in_the_way(ray, gains.stop_half_width, x, y):
                nearest = min(nearest, 0.0)
            continue
        px, py = ray.x + distance * ray.cos, ray.y + distance * ray.sin
        ahead = px * x + py * y
        if ahead > 0.0 and abs(px * y - py * x) < gains.stop_half_width:
            nearest = min(nearest, ahead - gains.stop_reach)
    return nearest


class OmniDrive(CompiledController):
    """Drives four mecanum wheels; `wheels` names their joints and inputs, `lidars` says where each looks from."""

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
    vx = setpoint(unit="m/s")
    vy = setpoint(unit="m/s")
    wz = setpoint(unit="rad/s")
    x = setpoint(unit="m")
    y = setpoint(unit="m")
    yaw = setpoint(unit="rad")
    mode = setpoint(doc="0 velocities, 1 pose, 2 square, 3 circle, 4 star")
    alive = setpoint(doc="counts as long as the commander lives")
    wheel_angle = measurement(count=4, unit="rad")
    wheel_speed = measurement(count=4, unit="rad/s")
    wheel_stamp = measurement(unit="s", doc="when they were read")
    ranges = measurement(count=_MOST_RAYS, unit="m", doc="along all rays of all lidars")
    radius = setting(unit="m", doc="r, of the wheels")
    lever = setting(unit="m", doc="h, half of track plus wheelbase")
    forward_x = setting(doc="1 where x of the base is forward, 0 where y is")
    forward_y = setting(doc="1 where y of the base is forward, 0 where x is")
    ray_count = setting()
    rays = setting(layout=_RAY, count=_MOST_RAYS)
    odometry_x = report("x", unit="m")
    odometry_y = report("y", unit="m")
    odometry_yaw = report("yaw", unit="rad")
    slip = report(unit="rad/s")
    late = report(doc="1: the commander is silent")
    room = report(unit="m", doc="free way ahead")
    last_angle = memory("wheel_angle", count=4, unit="rad")
    last_stamp = memory("wheel_stamp", unit="s")
    last_alive = memory("alive")
    alive_time = memory(unit="s", doc="when it last counted")
    last_mode = memory("mode")
    mode_start = memory(unit="s")
    odom = odometry()
    demand = command(count=4, unit="rad/s")

    @program
    def step(clock: Any, settings: Any, gains: Any, measured: Any, setpoints: Any, memory: Any, inputs: Any) -> None:
        r, h = settings.radius, settings.lever
        if clock.first > 0.0:
            _begin(measured, setpoints, memory)
        _follow_wheels(settings, measured, memory)
        vx, vy, wz = _demanded(settings, gains, setpoints, clock.time, memory)
        memory.late = 0.0
        if is_late(gains.timeout, setpoints.alive, clock.time, memory):
            memory.late = 1.0
            vx, vy, wz = 0.0, 0.0, 0.0
        memory.room = _FREE
        moving = math.sqrt(vx * vx + vy * vy)
        if gains.stop_distance > 0.0 and moving > 0.0:
            memory.room = _room(settings, gains, measured.ranges, vx / moving, vy / moving)
            part = limit((memory.room - gains.stop_distance) / gains.stop_slow, 0.0, 1.0)
            vx, vy = part * vx, part * vy
        ahead, left = settings.forward_x * vx + settings.forward_y * vy, settings.forward_x * vy - settings.forward_y * vx
        inputs.demand[0] = (ahead + left + h * wz) / r
        inputs.demand[1] = (ahead - left - h * wz) / r
        inputs.demand[2] = (ahead + left - h * wz) / r
        inputs.demand[3] = (ahead - left + h * wz) / r

    def __init__(
        self,
        radius: float,
        lever: float,
        wheels: Mapping[str, str],
        encoders: str = "encoders",
        lidars: Mapping[str, Sequence[float]] | None = None,
        forward: Literal["x", "y"] = "x",
    ) -> None:
        """`wheels`: input of each wheel by its joint, 1 to 4; `lidars`: x, y, yaw, rays, field of view by sensor."""
        if forward not in ("x", "y"):
            raise InputError(
                f"found {forward!r}, expected x or y: the axis of the base that is forward", path="control.options.forward"
            )
        self.forward = forward
        self.settings["radius"], self.settings["lever"] = radius, lever
        self.settings["forward_x"], self.settings["forward_y"] = float(forward == "x"), float(forward == "y")
        self.wheels, self.encoders = dict(wheels), encoders
        self.lidars = {name: tuple(place) for name, place in (lidars or {}).items()}

    def start(self, robot: Robot) -> None:
        """Find the readings, and the direction of every ray in the frame of the base."""
        self.reads = {
            "wheel_angle": [f"{self.encoders}.{joint}.position" for joint in self.wheels],
            "wheel_speed": [f"{self.encoders}.{joint}.velocity" for joint in self.wheels],
            "wheel_stamp": [f"{self.encoders}.stamp"],
            "ranges": [f"{name}.ranges.{i}" for name, (_, _, _, count, _) in self.lidars.items() for i in range(int(count))],
        }
        self.writes = {"demand": tuple(self.wheels.values())}
        self._place_rays()
        for name, _ in self.read_offsets:
            if name not in robot.measured:
                raise InputError(f"omni_drive needs the reading {name!r}, which there is not", path="control.options")
        for name, _ in self.write_offsets:
            if name not in robot.inputs:
                raise InputError(f"omni_drive needs the input {name!r}, which there is not", path="control.options.wheels")

    def _place_rays(self) -> None:
        total = len(self.reads["ranges"])
        if total > _MOST_RAYS:
            raise InputError(f"found {total} rays, omni_drive looks along at most {_MOST_RAYS}", path="control.options.lidars")
        first = 0
        for x, y, yaw, rays, view in self.lidars.values():
            count = int(rays)
            directions = yaw - view / 2 + np.arange(count) * view / max(count - 1, 1)
            here = self.settings["rays"][first : first + count]
            here["x"], here["y"], here["cos"], here["sin"] = x, y, np.cos(directions), np.sin(directions)
            first += count
        self.settings["ray_count"] = total
