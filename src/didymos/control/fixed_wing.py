"""Fixed-wing autopilot: roll, pitch, height, airspeed, heading and way-points by nested loops.

    heading     bank* = -(kp wrap(heading* - heading) + ki int)           limited to +-bank.limit; to the right is positive
    roll        aileron = kp (bank* - roll) + ki int - kd p               limited to +-1
    height      nose* = trim.nose + kp (z* - z) + ki int - kd dz/dt       limited to trim.nose +- height.limit; up is positive
    pitch       elevator = trim.pitch + kp (nose* - nose) + ki int - kd q
    airspeed    throttle = trim.throttle + kp (V* - V) + ki int           limited to [0, 1]
    yaw         rudder = kp (g sin(roll) / V - r)                         the turn that belongs to the bank, and a damper

With `setpoints.follow` = 1 the way-points of the options are flown in a circle of lines: the course over ground is led onto the
line from point to point, course* = course of the line - (2/pi) approach atan(gain e), e metres left of it; at the point (or
beside it) the next line begins. With `setpoints.follow` = 2 it is led onto the line through where it began along `setpoints.heading`,
at the height `setpoints.z`, whatever the wind. Heading and course are counted from world x toward y. Integrals stop where their
output is at its limit. Gains start from last_letter's tuned controller (controller_ll.yaml); each twin says what it changed.

Reference: Beard & McLain (2012), chapters 6 and 10. Valid below stall and for banks well below 90 deg.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numba import carray

from didymos.compiled import c_function, kernel
from didymos.control.angles import limit, roll_pitch_yaw, wrap
from didymos.control.controller import CompiledController, Gain, Robot
from didymos.control.navigation import AIRSPEED, MEMORY, SETTINGS, Navigation, navigate
from didymos.control.program import PROGRAM_SIGNATURE
from didymos.control.surfaces import Surfaces
from didymos.errors import InputError

__all__ = ["FixedWing"]

_GRAVITY = 9.80665
_LEAST_AIRSPEED = 3.0  # [m/s], below which the turn that belongs to a bank is not asked for
# gains, in the order in which the class lists them
(
    _ROLL, _PITCH, _HEIGHT, _HEADING, _SPEED, _YAW, _BANK_LIMIT, _HEIGHT_LIMIT, _TRIM_NOSE, _TRIM_PITCH, _TRIM_THROTTLE, _PATH,
    _ESTIMATOR,
) = 0, 3, 6, 10, 12, 14, 9, 15, 16, 17, 18, 19, 22  # fmt: skip
# memory after that of the navigation: integrals, then the way-point flown to and the one flown from
_I_ROLL, _I_PITCH, _I_HEIGHT, _I_HEADING, _I_SPEED, _NEXT, _FROM = range(MEMORY, MEMORY + 7)
_MEMORY = MEMORY + 8
_COUNTS, _POINTS = SETTINGS, SETTINGS + 4


@kernel
def _loop(
    memory: Any, place: int, error: float, offset: float, kp: float, ki: float, low: float, high: float, dt: float
) -> float:
    """offset + kp error + ki integral, limited; the integral moves only where that does not push further into a limit."""
    value = offset + kp * error + memory[place]
    if not (value >= high and ki * error > 0.0) and not (value <= low and ki * error < 0.0):
        memory[place] += ki * error * dt
        value += ki * error * dt
    return limit(value, low, high)


@kernel
def _line_course(gains: Any, state: Any, memory: Any, course: float) -> float:
    """The course [rad] that leads onto the line of a course through the point where the line begins."""
    beside = math.cos(course) * (state[8] - memory[_FROM + 1]) - math.sin(course) * (state[7] - memory[_FROM])
    return course - gains[_PATH + 1] * 2.0 / math.pi * math.atan(gains[_PATH] * beside)


@kernel
def _follow(settings: Any, gains: Any, state: Any, memory: Any) -> tuple[float, float]:
    """Course [rad] and height [m] on the line to the next way-point; goes on to the one after it where this one is reached."""
    count = int(settings[_POINTS])
    to = int(memory[_NEXT])
    x, y = state[7], state[8]
    for _ in range(2):
        point = _POINTS + 1 + 3 * to
        along_x, along_y = settings[point] - memory[_FROM], settings[point + 1] - memory[_FROM + 1]
        length = math.sqrt(along_x * along_x + along_y * along_y)
        along_x, along_y = along_x / length, along_y / length
        left_x, left_y = settings[point] - x, settings[point + 1] - y
        if left_x * along_x + left_y * along_y > 0.0 and left_x * left_x + left_y * left_y > gains[_PATH + 2] ** 2:
            break
        memory[_FROM], memory[_FROM + 1] = settings[point], settings[point + 1]
        to = (to + 1) % count
    memory[_NEXT] = to
    return _line_course(gains, state, memory, math.atan2(along_y, along_x)), settings[_POINTS + 3 + 3 * to]


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings_at, gains, sensed_at, setpoints, memory_at, inputs):  # type: ignore[no-untyped-def]
    settings, measured, memory = carray(settings_at, 4096), carray(sensed_at, 32), carray(memory_at, _MEMORY)
    dt = clock[1]
    first = clock[2] > 0.0
    lag = gains[_ESTIMATOR + 3]
    state = navigate(clock, settings, gains[_ESTIMATOR], gains[_ESTIMATOR + 1], gains[_ESTIMATOR + 2], lag, measured, memory)
    roll, pitch, yaw = roll_pitch_yaw(state, 0)
    nose = -pitch
    speed = state[AIRSPEED]
    height, turn = setpoints[0], setpoints[2] - yaw
    if setpoints[3] > 0.0:
        if first:
            memory[_FROM], memory[_FROM + 1] = state[7], state[8]
        if setpoints[3] > 1.5:
            course = _line_course(gains, state, memory, setpoints[2])
        else:
            course, height = _follow(settings, gains, state, memory)
        turn = course - math.atan2(state[11], state[10])
    bank = -_loop(
        memory, _I_HEADING, wrap(turn), 0.0, gains[_HEADING], gains[_HEADING + 1], -gains[_BANK_LIMIT], gains[_BANK_LIMIT], dt
    )
    aileron = _loop(
        memory, _I_ROLL, bank - roll, -gains[_ROLL + 2] * state[4], gains[_ROLL], gains[_ROLL + 1], -1.0, 1.0, dt
    )
    most = gains[_HEIGHT_LIMIT]
    nose_setpoint = gains[_TRIM_NOSE] + _loop(
        memory, _I_HEIGHT, height - state[9], -gains[_HEIGHT + 2] * state[12], gains[_HEIGHT], gains[_HEIGHT + 1], -most, most, dt
    )
    elevator = _loop(
        memory, _I_PITCH, nose_setpoint - nose, gains[_TRIM_PITCH] + gains[_PITCH + 2] * state[5], gains[_PITCH], gains[_PITCH + 1],
        -1.0, 1.0, dt,
    )  # fmt: skip
    throttle = _loop(
        memory, _I_SPEED, setpoints[1] - speed, gains[_TRIM_THROTTLE], gains[_SPEED], gains[_SPEED + 1], 0.0, 1.0, dt
    )
    belongs = _GRAVITY * math.sin(roll) / max(speed, _LEAST_AIRSPEED)
    rudder = limit(gains[_YAW] * (belongs + state[6]), -1.0, 1.0)
    at = 0
    for axis in range(4):
        value = aileron if axis == 0 else (elevator if axis == 1 else (rudder if axis == 2 else throttle))
        for _ in range(int(settings[_COUNTS + axis])):
            inputs[at] = value
            at += 1


class FixedWing(CompiledController):
    """Autopilot of a plane; `surfaces` names the inputs that roll, pitch, yaw and push it."""

    program: ClassVar = _program
    setpoints = ("z", "airspeed", "heading", "follow")
    memory_size = _MEMORY
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
    bandwidth = Gain(0.4, low=0, high=20, unit="rad/s", path="estimator.tilt")
    position_gain = Gain(1.0, low=0, high=50, unit="1/s", path="estimator.position")
    heading_gain = Gain(0.5, low=0, high=50, unit="1/s", path="estimator.heading")
    air_lag = Gain(0.3, low=0, high=10, unit="s", path="estimator.airspeed_lag", doc="of the filter behind the tube")

    def __init__(
        self,
        surfaces: Mapping[str, Sequence[str] | str],
        sensor: str | None = None,
        estimator: Mapping[str, str | float] | None = None,
        airspeed: str | None = None,
        waypoints: Sequence[Sequence[float]] = (),
    ) -> None:
        self.surfaces = Surfaces(surfaces)
        self.navigation = Navigation("fixed_wing", sensor, estimator, airspeed)
        if any(len(point) != 3 for point in waypoints):
            raise InputError("expected way-points of three numbers", path="control.options.waypoints")
        points = np.array(waypoints if len(waypoints) else [[1e6, 0.0, 0.0], [2e6, 0.0, 0.0]], dtype=np.float64)
        if not 2 <= len(points) <= 1000:
            raise InputError(f"found {len(points)} way-points, expected two to 1000", path="control.options.waypoints")
        if (np.linalg.norm(np.diff(points[:, :2], axis=0, append=points[:1, :2]), axis=1) < 1.0).any():
            raise InputError("two way-points that follow each other lie closer than 1 m", path="control.options.waypoints")
        self.settings = np.concatenate([self.navigation.settings, self.surfaces.counts, [float(len(points))], points.ravel()])

    def start(self, robot: Robot) -> None:
        """Find readings and inputs."""
        self.navigation.check(robot)
        self.surfaces.check(robot)
        self.reads, self.writes = self.navigation.reads, self.surfaces.writes
