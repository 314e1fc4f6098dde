"""VTOL: rises on its rotors, flies on its wing, comes back to a hover and to the ground; quadplane, tilt-rotor, tail-sitter.

    inputs = (1 - fade) hover set + flight set,     fade from 0 (rotors carry) to 1 (wing carries) within transition.fade

The two sets are those of the robot's allocation: `hover` turns shares of thrust, roll, pitch and yaw into inputs of what lifts
it, `flight` those of roll, pitch, yaw, thrust and tilt into surfaces, pusher and tilt servos. An input that is in both (a rotor
that tilts, the rotors of a tail-sitter) gets fade times what the flight set asks of it. One program so flies

    quadplane     rotors lift, a pusher pushes                                               thrust of the flight set
    tilt-rotor    `tilt` goes from 0 to transition.tilt on the way out, to 1 on the wing     the axis tilt of the flight set
    tail-sitter   the body turns by the option `hover_nose`, pi/2

`vtol_stages` says when it does what, `vtol_guidance` where to, `vtol_hover` and `vtol_wing` how. Set-points: `mode` 0 hovers at
x, y, z with the heading yaw; 1 flies on the wing at z and airspeed, by `follow`: 0 along the heading, 1 round the way-points of
the options, 2 on the line along the heading through where it began, 3 in circles about x, y; 2 is a mission: up to z, the
way-points once, then to x, y, where it lands. `land` 1 lands it where it hovers. Where nothing is asked for it stands.

Surfaces hold the same attitude as the rotors through both transitions; in a hover they rest. Where it lands it turns into the
wind (`hover.vane`); elsewhere it holds its heading as far as its rotors can. It does not predict gusts, sees no obstacles, and
rises to its height before it goes anywhere.
Reference: PX4, VTOL attitude control (stages, fades); Beard & McLain (2012), chapters 6 and 10 (loops on the wing).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.lib.recfunctions import unstructured_to_structured

from didymos.compiled import kernel
from didymos.contract import command, memory, report, setpoint, setting
from didymos.control import vtol_stages as st
from didymos.control.allocate import allocate
from didymos.control.allocation import ALLOCATION, MOST_INPUTS, Command
from didymos.control.angles import limit, roll_pitch_yaw
from didymos.control.compiled_controller import program
from didymos.control.controller import Robot
from didymos.control.hover_frame import attitude_error, from_angles, hover_attitude, to_body, to_hover
from didymos.control.navigation import Navigation, navigate
from didymos.control.vtol_gains import HoverGains, TransitionGains, WingGains
from didymos.control.vtol_guidance import (
    begin,
    move_height,
    place_to_hover,
    rest_rotors,
    take_heading,
    toward,
    watch_flight,
)  # fmt: skip
from didymos.control.vtol_hover import hover_shares, lift_input, point_back, point_out, point_to_place
from didymos.control.vtol_wing import carried, course_to_fly, deflect, hold_on_wing
from didymos.errors import InputError

__all__ = ["Vtol"]

_MOST_WAYPOINTS = 1000
_WAYPOINT = np.dtype([("x", np.float64), ("y", np.float64), ("z", np.float64)])  # [m]


@kernel
def _fly(dt: float, settings: Any, gains: Any, setpoints: Any, q: Any, course: float, memory: Any, inputs: Any) -> None:
    """Write the inputs of one call in flight; `q` the orientation of the hover frame."""
    estimate, stage = memory.navigation.estimate, int(memory.stage)
    memory.fade = toward(memory.fade, 1.0 if stage == st.WING else 0.0, dt / gains.fade_seconds)
    forward = 1.0 if stage == st.WING else (gains.transition_tilt if stage == st.OUT else 0.0)
    memory.tilt = toward(memory.tilt, forward, dt / (gains.back_seconds if stage == st.BACK else gains.transition_seconds))
    nose_up, yaw = settings.hover_nose, roll_pitch_yaw(q)[2]
    aileron, elevator, rudder, throttle, share, goal = 0.0, 0.0, 0.0, 0.0, 0.0, setpoints.z
    roll, pitch, turned = roll_pitch_yaw(estimate.orientation)
    if stage == st.WING:
        aim, ahead, goal, over_ground = course_to_fly(settings, gains, setpoints, memory)
        rate = move_height(dt, gains, goal, memory)
        turn = aim - (math.atan2(estimate.velocity[1], estimate.velocity[0]) if over_ground else turned)
        bank, nose, throttle = hold_on_wing(
            dt, gains, turn, ahead, memory.height_setpoint - estimate.position[2], rate, setpoints.airspeed, memory
        )
        target = hover_attitude(from_angles(bank, -nose, turned), nose_up)
        share = carried(gains, estimate.airspeed, nose)
        aileron, elevator, rudder = deflect(dt, gains, bank - roll, nose + pitch, roll, memory)
        memory.course = turned
    else:
        if st.is_trouble(int(memory.reason)) and memory.watch.grounded > 0.0:
            goal = memory.height_setpoint
        rate = move_height(dt, gains, goal, memory)
        climb = memory.height_setpoint - estimate.position[2]
        if stage == st.OUT:
            target, share = point_out(dt, settings, gains, yaw, climb, rate, memory)
            throttle = gains.transition_throttle * min(memory.since / gains.transition_seconds, 1.0)
        elif stage == st.BACK:
            target, share = point_back(dt, settings, gains, yaw, climb, rate, memory)
            throttle = gains.back_throttle * limit(estimate.airspeed / gains.trim_airspeed, 0.0, 1.0)
        else:
            x, y = place_to_hover(setpoints, memory)
            gives_way = take_heading(setpoints, course, memory)
            target = point_to_place(dt, gains, x, y, yaw, gives_way, memory)
    error = attitude_error(q, target)
    if stage == st.OUT or stage == st.BACK:
        turn_left = to_body(error[0], error[1], error[2], nose_up)
        aileron, elevator, rudder = deflect(dt, gains, turn_left[0], -turn_left[1], 0.0, memory)
    elif stage != st.WING:
        memory.roll_integral = memory.pitch_integral = 0.0
    flight = Command(aileron, elevator, rudder, throttle, 0.0, memory.tilt, 0.0)
    allocate(settings.flight, flight, memory.flight_inputs)
    memory.thrust = 0.0
    if memory.fade < 1.0:
        spin = to_hover(estimate.rate[0], estimate.rate[1], estimate.rate[2], nose_up)
        shares = hover_shares(dt, gains, error, spin, memory)
        turning = to_body(shares[0], shares[1], shares[2], nose_up)
        climb = memory.height_setpoint - estimate.position[2]
        memory.thrust = lift_input(dt, settings, gains, climb, rate, share, q, memory)
        hover = Command(turning[0], -turning[1], -turning[2], memory.thrust, 0.0, 0.0, 0.0)
        allocate(settings.hover, hover, memory.hover_inputs)
    else:
        rest_rotors(memory)
    for i in range(int(settings.flight.count)):
        lifts = settings.lifts[i]
        inputs.effectors[i] = (
            lifts * (1.0 - memory.fade) * memory.hover_inputs[i] + (1.0 - lifts + lifts * memory.fade) * memory.flight_inputs[i]
        )


class Vtol(HoverGains, WingGains, TransitionGains):
    """Autopilot from hover to wing and back; see the module for its set-points."""

    mode = setpoint(doc="0 hover, 1 wing-borne, 2 mission")
    x = setpoint(unit="m", doc="where it hovers, circles, or ends its mission")
    y = setpoint(unit="m")
    z = setpoint(unit="m")
    yaw = setpoint(unit="rad", doc="heading of the hover, from world x toward y")
    airspeed = setpoint(unit="m/s", doc="on the wing")
    heading_setpoint = setpoint("heading", unit="rad", doc="on the wing, from world x toward y")
    follow = setpoint(doc="on the wing: 0 the heading, 1 the way-points, 2 the line along the heading, 3 circles about x, y")
    land = setpoint(doc="1 to land where it hovers")
    stage = report(labels=st.STAGES)
    reason = report(labels=st.REASONS, doc="why the last transition back was begun")
    fade = report(doc="0 where rotors carry it, 1 where the wing does")
    tilt = report(doc="0 hover, 1 forward")
    height_setpoint = report(unit="m", doc="the height that is asked for now")
    waypoint_count = setting()
    waypoints = setting(layout=_WAYPOINT, count=_MOST_WAYPOINTS)
    hover_nose = setting(unit="rad", doc="nose-up angle of the body where it hovers")
    tilting = setting(doc="part of the lifting rotors that tilt")
    hover_set = setting("hover", layout=ALLOCATION)
    flight_set = setting("flight", layout=ALLOCATION)
    lifts = setting(count=MOST_INPUTS, doc="1 for an input of the hover set")
    watch = memory(layout=st.WATCH)
    since = memory(unit="s", doc="in this stage")
    landed = memory(doc="1 where it stands")
    low_thrust = memory(unit="s", doc="for how long the thrust has been too low to fly")
    falling = memory(unit="s", doc="for how long it has fallen or been carried, taken to be landed")
    ground = memory(unit="m", doc="height at which it last stood")
    place = memory(columns="xy", unit="m", doc="where it took off, or came to a hover")
    heading = memory(unit="rad", doc="held on rotors")
    course = memory(unit="rad", doc="of a transition")
    slowing_speed = memory(unit="m/s", doc="asked for in the transition back")
    line_start = memory(columns="xy", unit="m", doc="where the line that is flown begins")
    next_waypoint = memory(doc="number of the one flown to, from 0")
    passed = memory(doc="1 once the last way-point was reached")
    away = memory(unit="m", doc="from its place")
    thrust = memory(doc="share of the last call")
    velocity_integral = memory(columns="xy", unit="m/s^2")
    height_integral = memory()
    attitude_integral = memory(columns="xyz")
    roll_integral = memory()
    pitch_integral = memory()
    nose_integral = memory(unit="rad")
    heading_integral = memory(unit="rad")
    speed_integral = memory()
    hover_inputs = memory(count=MOST_INPUTS)
    flight_inputs = memory(count=MOST_INPUTS)
    effectors = command(count=MOST_INPUTS)

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        navigate(clock, settings, gains, measured, memory)
        estimate = memory.navigation.estimate
        q = hover_attitude(estimate.orientation, settings.hover_nose)
        yaw = roll_pitch_yaw(q)[2]
        if clock.first > 0.0 and int(setpoints.mode) >= st.FORWARD and estimate.airspeed > gains.transition_airspeed:
            begin(st.OUT, 0, yaw, yaw, memory)
            begin(st.WING, 0, yaw, yaw, memory)
            memory.fade, memory.tilt, memory.height_setpoint = 1.0, 1.0, setpoints.z
        course = watch_flight(clock, settings, gains, measured, setpoints, yaw, memory)
        memory.since += clock.period
        stage, reason = st.next_stage(
            int(memory.stage), memory.since, int(setpoints.mode), setpoints.land > 0.0, memory.watch, gains
        )
        if stage != int(memory.stage):
            begin(stage, reason, course, yaw, memory)
        if stage == st.LANDED:
            rest_rotors(memory)
            memory.height_integral = memory.thrust = memory.fade = memory.tilt = 0.0
            inputs.effectors[:] = 0.0
        else:
            _fly(clock.period, settings, gains, setpoints, q, course, memory, inputs)

    def __init__(
        self,
        sensor: str | None = None,
        estimator: Mapping[str, str | float] | None = None,
        airspeed: str | None = None,
        waypoints: Sequence[Sequence[float]] = (),
        hover_nose: float = 0.0,
    ) -> None:
        self.navigate_by(Navigation("vtol", sensor, estimator, airspeed))
        if any(len(point) != 3 for point in waypoints):
            raise InputError("expected way-points of three numbers", path="control.options.waypoints")
        points = np.array(waypoints if len(waypoints) else [[1e6, 0.0, 0.0]], dtype=np.float64)
        if len(points) > _MOST_WAYPOINTS:
            raise InputError(f"found {len(points)} way-points, expected at most 1000", path="control.options.waypoints")
        self.settings["waypoint_count"] = len(points)
        self.settings["waypoints"][: len(points)] = unstructured_to_structured(points, _WAYPOINT)
        self.settings["hover_nose"] = hover_nose

    def start(self, robot: Robot) -> None:
        """Find readings, and the two sets of inputs."""
        super().start(robot)
        hover, flight = robot.allocation.hover, robot.allocation.flight
        names = (*flight.inputs, *(name for name in hover.inputs if name not in flight.inputs))
        self.settings["hover"], self.settings["flight"] = hover.record(names), flight.record(names)
        self.settings["lifts"][: len(names)] = [name in hover.inputs for name in names]
        if flight.has("tilt"):
            lifting = hover.of("thrust")
            self.settings["tilting"] = sum(name in flight.of("thrust") for name in lifting) / len(lifting)
        self.writes = {"effectors": names}
