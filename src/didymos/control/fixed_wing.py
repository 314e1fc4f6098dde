"""Fixed-wing autopilot: roll, pitch, height, airspeed, heading and way-points by nested loops.

    heading     bank* = -(kp wrap(heading* - heading) + ki int)           limited to +-bank.limit; to the right is positive
    roll        aileron = kp (bank* - roll) + ki int - kd p               limited to +-1
    height      nose* = trim.nose + kp (z* - z) + ki int - kd dz/dt       limited to trim.nose +- height.limit; up is positive
    pitch       elevator = trim.pitch + kp (nose* - nose) + ki int - kd q
    airspeed    throttle = trim.throttle + kp (V* - V) + ki int           limited to [0, 1]
    yaw         rudder = kp (g sin(roll) / V - r)                         the turn that belongs to the bank, and a damper

`setpoints.mode` says what it does, `flight_plan` has the table: 0 holds heading, height and airspeed; with 1 the way-points of
the options are flown in a circle of lines: the course over ground is led onto the line from point to point (`course`); at the
point (or beside it) the next line begins; with 2 it is led onto the line through where it began along `setpoints.heading`, at the
height `setpoints.z`, whatever the wind. 3 to 8 take off, loiter, go to a place, return, land and fly a mission
(`flight_guidance`), from wheels (kind `wheel`) or from a hand, through the stages of `flight_stages`; 9 is parked. Heading and
course are counted from world x toward y. Integrals stop where their output is at its limit. Gains start from last_letter's tuned
controller (controller_ll.yaml); each twin says what it changed.

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
from didymos.control import flight_plan as plan
from didymos.control.allocate import allocate
from didymos.control.allocation import ALLOCATION, MOST_INPUTS, Command
from didymos.control.angles import limit, roll_pitch_yaw, wrap
from didymos.control.compiled_controller import program
from didymos.control.controller import Gain, Robot
from didymos.control.course import line_course
from didymos.control.fixed_wing_gains import DESIGNED, fixed_wing_gains
from didymos.control.flight_aim import level_aim, steering
from didymos.control.flight_controller import FlightController, watch_flight
from didymos.control.flight_guidance import direct, recover
from didymos.control.flight_model import FlightModel
from didymos.control.flight_stages import HOLDS
from didymos.control.limited_loop import limited_loop
from didymos.control.navigation import Navigation, navigate
from didymos.errors import InputError

__all__ = ["FixedWing"]

_GRAVITY = 9.80665
_LEAST_AIRSPEED = 3.0  # [m/s], below which the turn that belongs to a bank is not asked for
_MOST_WAYPOINTS = 1000
_WAYPOINT = np.dtype([("x", np.float64), ("y", np.float64), ("z", np.float64)])  # [m]


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
    return line_course(gains, estimate, line_start, math.atan2(along_y, along_x)), settings.waypoints[to].z


@kernel
def _raise(dt: float, gains: Any, aim: Any, estimate: Any, memory: Any) -> float:
    """The nose [rad] above its trim that height, climb or sink ask for; on the ground the one that is held there."""
    if aim.grounded > 0.0:
        return float(aim.nose_low - gains.trim_nose)
    fall = estimate.velocity[2] - aim.climb
    ahead = aim.climb / max(estimate.airspeed, _LEAST_AIRSPEED)
    if aim.flares > 0.0:
        raised, memory.flare_integral = limited_loop(
            memory.flare_integral, -fall, memory.height_integral + ahead, gains.flare_kp, gains.flare_ki,
            aim.nose_low, aim.nose_high, dt,
        )  # fmt: skip
        return raised
    memory.flare_integral = 0.0
    raised, memory.height_integral = limited_loop(
        memory.height_integral, aim.z - estimate.position[2], ahead - gains.height_kd * fall, gains.height_kp, gains.height_ki,
        aim.nose_low, aim.nose_high, dt,
    )  # fmt: skip
    return raised


@kernel
def _rest(gains: Any, aim: Any, estimate: Any, throttle: float, memory: Any) -> None:
    """On the ground nothing is learned; the throttle goes on from where it is."""
    memory.roll_integral = memory.pitch_integral = memory.height_integral = memory.heading_integral = 0.0
    memory.speed_integral = throttle - gains.trim_throttle - gains.speed_kp * (aim.airspeed - estimate.airspeed)


class FixedWing(FlightController):
    """Autopilot of a plane, of any layout: `robot.allocation.flight` says which inputs roll, pitch, yaw and push it."""

    designs, designed = "flight", DESIGNED
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
    mode = setpoint(
        doc="0 heading, 1 way-points of the options, 2 line along the heading, 3 take-off, 4 loiter, 5 go to, 6 return, 7 land,"
        " 8 mission, 9 parked"
    )
    waypoint_count = setting()
    waypoints = setting(layout=_WAYPOINT, count=_MOST_WAYPOINTS)
    roll_integral = memory()
    pitch_integral = memory()
    height_integral = memory(unit="rad")
    heading_integral = memory(unit="rad")
    speed_integral = memory()
    next_waypoint = memory(doc="number of the one flown to, from 0")
    line_start = memory(columns="xy", unit="m", doc="where the line that is flown begins")
    allocation = setting(layout=ALLOCATION)
    effectors = command(count=MOST_INPUTS)

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        navigate(clock, settings, gains, measured, memory)
        estimate, dt, aim = memory.navigation.estimate, clock.period, memory.aim
        roll, pitch, yaw = roll_pitch_yaw(estimate.orientation)
        nose, mode = -pitch, int(setpoints.mode)
        watch_flight(clock, settings, gains, measured, setpoints, roll, pitch, yaw, memory)
        if mode > plan.LINE:
            direct(clock, gains, setpoints, estimate, memory)
        else:
            memory.stage, memory.mode = float(HOLDS), float(mode)
            level_aim(gains, setpoints.airspeed, setpoints.z, setpoints.heading, aim)
            aim.by_heading = 1.0
            if mode > plan.HOLD:
                if clock.first > 0.0:
                    memory.line_start[0], memory.line_start[1] = estimate.position[0], estimate.position[1]
                aim.by_heading = 0.0
                if mode == plan.LINE:
                    aim.course = line_course(gains, estimate, memory.line_start, setpoints.heading)
                else:
                    aim.course, aim.z = _follow(settings, gains, estimate, memory)
        recover(clock, gains, yaw, memory)
        turn = aim.course - (yaw if aim.by_heading > 0.0 else math.atan2(estimate.velocity[1], estimate.velocity[0]))
        left, memory.heading_integral = limited_loop(
            memory.heading_integral, wrap(turn), aim.bank_ahead, gains.heading_kp, gains.heading_ki,
            -aim.bank_limit, aim.bank_limit, dt,
        )  # fmt: skip
        aileron, memory.roll_integral = limited_loop(
            memory.roll_integral, -left - roll, -gains.roll_kd * estimate.rate[0], gains.roll_kp, gains.roll_ki, -1.0, 1.0, dt
        )
        raised = _raise(dt, gains, aim, estimate, memory)
        elevator, memory.pitch_integral = limited_loop(
            memory.pitch_integral, gains.trim_nose + raised - nose, gains.trim_pitch + gains.pitch_kd * estimate.rate[1],
            gains.pitch_kp, gains.pitch_ki, -1.0, 1.0, dt,
        )  # fmt: skip
        throttle, memory.speed_integral = limited_loop(
            memory.speed_integral, aim.airspeed - estimate.airspeed, gains.trim_throttle, gains.speed_kp, gains.speed_ki,
            aim.throttle_low, aim.throttle_high, dt,
        )  # fmt: skip
        if aim.grounded > 0.0:
            _rest(gains, aim, estimate, throttle, memory)
        belongs = _GRAVITY * math.sin(roll) / max(estimate.airspeed, _LEAST_AIRSPEED)
        rudder = limit(gains.yaw_kp * (belongs + estimate.rate[2]), -1.0, 1.0)
        if aim.steers > 0.0:
            rudder = steering(gains, aim.heading - yaw, estimate.rate[2])
        command = Command(roll=aileron, pitch=elevator, yaw=rudder, thrust=throttle, flaps=0.0, tilt=0.0, brake=aim.brake)
        allocate(settings.allocation, command, inputs.effectors)

    def __init__(
        self,
        sensor: str | None = None,
        estimator: Mapping[str, str | float] | None = None,
        airspeed: str | None = None,
        waypoints: Sequence[Sequence[float]] = (),
        runway: Mapping[str, float] | None = None,
        mission: Sequence[Mapping[str, Any]] = (),
        rangefinder: str | None = None,
    ) -> None:
        self.navigate_by(Navigation("fixed_wing", sensor, estimator, airspeed))
        self.fly_by(runway, mission, rangefinder)
        self._take_waypoints(waypoints)

    def _take_waypoints(self, waypoints: Sequence[Sequence[float]]) -> None:
        if any(len(point) != 3 for point in waypoints):
            raise InputError("expected way-points of three numbers", path="control.options.waypoints")
        points = np.array(waypoints if len(waypoints) else [[1e6, 0.0, 0.0], [2e6, 0.0, 0.0]], dtype=np.float64)
        if not 2 <= len(points) <= _MOST_WAYPOINTS:
            raise InputError(f"found {len(points)} way-points, expected two to 1000", path="control.options.waypoints")
        if (np.linalg.norm(np.diff(points[:, :2], axis=0, append=points[:1, :2]), axis=1) < 1.0).any():
            raise InputError("two way-points that follow each other lie closer than 1 m", path="control.options.waypoints")
        self.settings["waypoint_count"] = len(points)
        self.settings["waypoints"][: len(points)] = unstructured_to_structured(points, _WAYPOINT)

    @classmethod
    def design(cls, model: FlightModel) -> Mapping[str, float]:
        """Gains from the linear model of level flight; see `fixed_wing_gains`."""
        return fixed_wing_gains(model)

    def start(self, robot: Robot) -> None:
        """Find readings and inputs."""
        super().start(robot)
        allocation = robot.allocation.flight
        self.settings["allocation"], self.writes = allocation.record(), {"effectors": allocation.inputs}
