"""Fixed-wing autopilot: roll, pitch, height, airspeed, heading and way-points by nested loops.

    heading     bank* = -(kp wrap(heading* - heading) + ki int)           limited to +-bank.limit; to the right is positive
    roll        aileron = kp (bank* - roll) + ki int - kd p               limited to +-1
    height      nose* = trim.nose + kp (z* - z) + ki int - kd dz/dt       limited to trim.nose +- height.limit; up is positive
    pitch       elevator = trim.pitch + kp (nose* - nose) + ki int - kd q
    airspeed    throttle = trim.throttle + kp (V* - V) + ki int           limited to [0, 1]
    yaw         rudder = kp (g sin(roll) / V - r)                         the turn that belongs to the bank, and a damper

With `setpoints.follow` = 1 the way-points of the options are flown in a circle of lines: the course over ground is led onto the
line from point to point, course* = course of the line - (2/pi) approach atan(gain e), e metres left of it; at the point (or
beside it) the next line begins. With `setpoints.follow` = 2 it is led onto the line through where it began along
`setpoints.heading`, at the height `setpoints.z`, whatever the wind. Heading and course are counted from world x toward y.
Integrals stop where their output is at its limit. Gains start from last_letter's tuned controller (controller_ll.yaml); each
twin says what it changed.

Reference: Beard & McLain (2012), chapters 6 and 10. Valid below stall and for banks well below 90 deg.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.recfunctions import unstructured_to_structured

from didymos.compiled import kernel
from didymos.contract import command, memory, setpoint, setting
from didymos.control.angles import limit, roll_pitch_yaw, wrap
from didymos.control.compiled_controller import program
from didymos.control.controller import Gain, Robot
from didymos.control.navigation import NavigatingController, Navigation, navigate
from didymos.control.surfaces import MOST_SURFACES, Surfaces
from didymos.errors import InputError

__all__ = ["FixedWing"]

_GRAVITY = 9.80665
_LEAST_AIRSPEED = 3.0  # [m/s], below which the turn that belongs to a bank is not asked for
_MOST_WAYPOINTS = 1000
_WAYPOINT = np.dtype([("x", np.float64), ("y", np.float64), ("z", np.float64)])  # [m]


@kernel
def _loop(
    integral: float, error: float, offset: float, kp: float, ki: float, low: float, high: float, dt: float
) -> tuple[float, float]:
    """offset + kp error + integral, limited, and the integral, which moves only where that does not push further into a limit."""
    value = offset + kp * error + integral
    if not (value >= high and ki * error > 0.0) and not (value <= low and ki * error < 0.0):
        integral += ki * error * dt
        value += ki * error * dt
    return limit(value, low, high), integral


@kernel
def _line_course(gains: Any, estimate: Any, line_start: Any, course: float) -> float:
    """The course [rad] that leads onto the line of a course through the point where the line begins."""
    x, y = estimate.position[0] - line_start[0], estimate.position[1] - line_start[1]
    beside = math.cos(course) * y - math.sin(course) * x
    return course - gains.path_approach * 2.0 / math.pi * math.atan(gains.path_gain * beside)


@kernel
def _follow(settings: Any, gains: Any, estimate: Any, memory: Any) -> tuple[float, float]:
    """Course [rad] and height [m] on the line to the next way-point; goes on to the one after it where this one is reached."""
    line_start = memory.line_start
    to = int(memory.next_waypoint)
    along_x, along_y = 0.0, 0.0
    for _ in range(2):
        x, y = settings.waypoints[to].x, settings.waypoints[to].y
        along_x, along_y = x - line_start[0], y - line_start[1]
        length = math.sqrt(along_x * along_x + along_y * along_y)
        along_x, along_y = along_x / length, along_y / length
        left_x, left_y = x - estimate.position[0], y - estimate.position[1]
        if left_x * along_x + left_y * along_y > 0.0 and left_x * left_x + left_y * left_y > gains.path_radius**2:
            break
        line_start[0], line_start[1] = x, y
        to = (to + 1) % int(settings.waypoint_count)
    memory.next_waypoint = to
    return _line_course(gains, estimate, line_start, math.atan2(along_y, along_x)), settings.waypoints[to].z


class FixedWing(NavigatingController):
    """Autopilot of a plane; `surfaces` names the inputs that roll, pitch, yaw and push it."""

    roll_kp = Gain(5.34, low=0, high=100, unit="1/rad", path="roll.kp")
    roll_ki = Gain(0.0, low=0, high=100, unit="1/(rad s)", path="roll.ki")
    roll_kd = Gain(0.0, low=0, high=100, unit="s/rad", path="roll.kd")
    pitch_kp = Gain(4.2, low=0, high=100, unit="1/rad", path="pitch.kp")
    pitch_ki = Gain(0.0, low=0, high=100, unit="1/(rad s)", path="pitch.ki")
    pitch_kd = Gain(0.178, low=0, high=100, unit="s/rad", path="pitch.kd")
    height_kp = Gain(0.0493, low=0, high=10, unit="rad/m", path="height.kp")
    height_ki = Gain(0.00475, low=0, high=10, unit="rad/(m s)", path="height.ki")
    height_kd = Gain(0.0183, low=0, high=10, unit="rad s/m", path="height.kd")
    bank_limit = Gain(0.5236, low=0, high=1.4, unit="rad", path="bank.limit")
    heading_kp = Gain(1.5, low=0, high=20, unit="1", path="heading.kp")
    heading_ki = Gain(0.0, low=0, high=20, unit="1/s", path="heading.ki")
    speed_kp = Gain(0.1014, low=0, high=10, unit="s/m", path="airspeed.kp")
    speed_ki = Gain(0.1046, low=0, high=10, unit="1/m", path="airspeed.ki")
    yaw_kp = Gain(0.0, low=0, high=20, unit="s/rad", path="yaw.kp")
    height_limit = Gain(0.35, low=0, high=1.4, unit="rad", path="height.limit")
    trim_nose = Gain(0.0, low=-1, high=1, unit="rad", path="trim.nose", doc="nose-up angle of level flight")
    trim_pitch = Gain(0.0, low=-1, high=1, path="trim.pitch", doc="pitch input of level flight")
    trim_throttle = Gain(0.5, low=0, high=1, path="trim.throttle", doc="throttle of level flight")
    path_gain = Gain(0.03, low=0, high=10, unit="1/m", path="path.gain")
    path_approach = Gain(1.0, low=0, high=1.5708, unit="rad", path="path.approach", doc="course to the line far from it")
    path_radius = Gain(8.0, low=0, unit="m", path="path.radius", doc="a way-point closer than this is reached")
    z = setpoint(unit="m")
    airspeed = setpoint(unit="m/s")
    heading = setpoint(unit="rad", doc="from world x toward y")
    follow = setpoint(doc="1 for the way-points, 2 for the line along the heading, 0 for the heading alone")
    waypoint_count = setting()
    waypoints = setting(layout=_WAYPOINT, count=_MOST_WAYPOINTS)
    roll_integral = memory()
    pitch_integral = memory()
    height_integral = memory(unit="rad")
    heading_integral = memory(unit="rad")
    speed_integral = memory()
    next_waypoint = memory(doc="number of the one flown to, from 0")
    line_start = memory(columns="xy", unit="m", doc="where the line that is flown begins")
    roll_inputs = command("roll", count=MOST_SURFACES)
    pitch_inputs = command("pitch", count=MOST_SURFACES)
    yaw_inputs = command("yaw", count=MOST_SURFACES)
    throttle_inputs = command("throttle", count=MOST_SURFACES)

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        navigate(clock, settings, gains, measured, memory)
        estimate, dt = memory.navigation.estimate, clock.period
        roll, pitch, yaw = roll_pitch_yaw(estimate.orientation)
        nose = -pitch
        height, turn = setpoints.z, setpoints.heading - yaw
        if setpoints.follow > 0.0:
            if clock.first > 0.0:
                memory.line_start[0], memory.line_start[1] = estimate.position[0], estimate.position[1]
            if setpoints.follow > 1.5:
                course = _line_course(gains, estimate, memory.line_start, setpoints.heading)
            else:
                course, height = _follow(settings, gains, estimate, memory)
            turn = course - math.atan2(estimate.velocity[1], estimate.velocity[0])
        left, memory.heading_integral = _loop(
            memory.heading_integral, wrap(turn), 0.0, gains.heading_kp, gains.heading_ki, -gains.bank_limit, gains.bank_limit, dt
        )
        aileron, memory.roll_integral = _loop(
            memory.roll_integral, -left - roll, -gains.roll_kd * estimate.rate[0], gains.roll_kp, gains.roll_ki, -1.0, 1.0, dt
        )
        raised, memory.height_integral = _loop(
            memory.height_integral, height - estimate.position[2], -gains.height_kd * estimate.velocity[2],
            gains.height_kp, gains.height_ki, -gains.height_limit, gains.height_limit, dt,
        )  # fmt: skip
        elevator, memory.pitch_integral = _loop(
            memory.pitch_integral, gains.trim_nose + raised - nose, gains.trim_pitch + gains.pitch_kd * estimate.rate[1],
            gains.pitch_kp, gains.pitch_ki, -1.0, 1.0, dt,
        )  # fmt: skip
        throttle, memory.speed_integral = _loop(
            memory.speed_integral, setpoints.airspeed - estimate.airspeed, gains.trim_throttle, gains.speed_kp, gains.speed_ki,
            0.0, 1.0, dt,
        )  # fmt: skip
        belongs = _GRAVITY * math.sin(roll) / max(estimate.airspeed, _LEAST_AIRSPEED)
        inputs.roll[:] = aileron
        inputs.pitch[:] = elevator
        inputs.yaw[:] = limit(gains.yaw_kp * (belongs + estimate.rate[2]), -1.0, 1.0)
        inputs.throttle[:] = throttle

    def __init__(
        self,
        surfaces: Mapping[str, Sequence[str] | str],
        sensor: str | None = None,
        estimator: Mapping[str, str | float] | None = None,
        airspeed: str | None = None,
        waypoints: Sequence[Sequence[float]] = (),
    ) -> None:
        self.surfaces = Surfaces(surfaces)
        self.navigate_by(Navigation("fixed_wing", sensor, estimator, airspeed))
        if any(len(point) != 3 for point in waypoints):
            raise InputError("expected way-points of three numbers", path="control.options.waypoints")
        points = np.array(waypoints if len(waypoints) else [[1e6, 0.0, 0.0], [2e6, 0.0, 0.0]], dtype=np.float64)
        if not 2 <= len(points) <= _MOST_WAYPOINTS:
            raise InputError(f"found {len(points)} way-points, expected two to 1000", path="control.options.waypoints")
        if (np.linalg.norm(np.diff(points[:, :2], axis=0, append=points[:1, :2]), axis=1) < 1.0).any():
            raise InputError("two way-points that follow each other lie closer than 1 m", path="control.options.waypoints")
        self.settings["waypoint_count"] = len(points)
        self.settings["waypoints"][: len(points)] = unstructured_to_structured(points, _WAYPOINT)

    def start(self, robot: Robot) -> None:
        """Find readings and inputs."""
        super().start(robot)
        self.surfaces.check(robot)
        self.writes = self.surfaces.writes
