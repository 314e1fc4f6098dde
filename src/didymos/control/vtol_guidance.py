"""What a VTOL knows about its flight: what decides about its stage, and where, how high and how it shall point on its rotors.

A stage is begun once (`begin`): it notes place, line, course and height from which the stage goes on. `watch_flight` fills the
record that `vtol_stages.next_stage` reads. The height that is asked for moves at `climb.speed`; in a landing it falls at
`descent.speed`, and below `touch.height` above where it took off at `touch.speed`, only within `touch.radius` of its place. That
it stands is believed below that height alone: higher up, a gust that lifts it would look the same. So it does not notice ground
that is higher than that above where it took off.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control import vtol_stages as st
from didymos.control.angles import limit, wrap
from didymos.control.landed import is_landed
from didymos.control.vtol_wing import WAYPOINTS

__all__ = ["begin", "move_height", "place_to_hover", "rest_rotors", "take_heading", "toward", "watch_flight"]

_NEAR, _STILL = 1.0, 0.5  # [m], [m/s] at the end of a mission
_TOUCHING = 0.3  # [m] above where it stood: it may be on the ground
_BELOW = 2.5  # [m] that a landing asks for below where it is, at most


@kernel
def toward(value: float, goal: float, most: float) -> float:
    """A value that moves toward a goal by so much at most."""
    return value + limit(goal - value, -most, most)


@kernel
def _course_ahead(settings: Any, setpoints: Any, memory: Any) -> float:
    """The course [rad] of the transition out: to the first way-point, or along the heading."""
    position = memory.navigation.estimate.position
    if int(setpoints.mode) == st.MISSION or int(setpoints.follow) == WAYPOINTS:
        point = settings.waypoints[int(memory.next_waypoint)]
        return math.atan2(point.y - position[1], point.x - position[0])
    return setpoints.heading


@kernel
def begin(stage: int, reason: int, course: float, yaw: float, memory: Any) -> None:
    """Enter a stage."""
    estimate = memory.navigation.estimate
    x, y, vx, vy = estimate.position[0], estimate.position[1], estimate.velocity[0], estimate.velocity[1]
    if stage == st.TAKE_OFF:
        memory.place[0], memory.place[1], memory.height_setpoint, memory.heading = x, y, estimate.position[2], yaw
    elif stage == st.OUT:
        memory.course, memory.passed, memory.watch.left = course, 0.0, math.inf
        memory.line_start[0], memory.line_start[1] = x, y
    elif stage == st.WING:
        memory.heading_integral = memory.nose_integral = memory.speed_integral = 0.0
    elif stage == st.BACK:
        memory.reason = float(reason)
        memory.course, memory.slowing_speed = math.atan2(vy, vx), math.sqrt(vx * vx + vy * vy)
        memory.line_start[0], memory.line_start[1] = x, y
        memory.watch.grounded = 1.0 if st.keeps_to_rotors(reason) else 0.0
        if st.is_trouble(reason):
            memory.height_setpoint = estimate.position[2]
    elif stage == st.HOVER and int(memory.stage) == st.BACK:
        memory.place[0], memory.place[1], memory.heading = x + vx, y + vy, yaw  # where it will have stopped
    memory.stage, memory.since = float(stage), 0.0


@kernel
def watch_flight(clock: Any, settings: Any, gains: Any, measured: Any, setpoints: Any, yaw: float, memory: Any) -> float:
    """Look at what decides about the stage, and answer with the course [rad] of a transition out."""
    estimate, watch, dt, stage = memory.navigation.estimate, memory.watch, clock.period, int(memory.stage)
    z, velocity, mode = estimate.position[2], estimate.velocity, int(setpoints.mode)
    if mode < st.FORWARD:
        watch.grounded = 0.0
    over = setpoints.land > 0.0 or (mode == st.MISSION and watch.grounded > 0.0)
    course = _course_ahead(settings, setpoints, memory)
    watch.turn, watch.climb = wrap(course - yaw), setpoints.z - z
    watch.speed = math.sqrt(velocity[0] ** 2 + velocity[1] ** 2)
    watch.airspeed, watch.tilt = estimate.airspeed, memory.tilt
    q = estimate.orientation
    level = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2])
    watch.slow = watch.slow + dt if stage == st.WING and estimate.airspeed < gains.chute_airspeed else 0.0
    watch.low = watch.low + dt if z < memory.height_setpoint - gains.chute_height else 0.0
    watch.upset = watch.upset + dt if stage == st.WING and level < math.cos(gains.chute_tilt) else 0.0
    x, y = place_to_hover(setpoints, memory)
    memory.away = math.sqrt((x - estimate.position[0]) ** 2 + (y - estimate.position[1]) ** 2)
    at_rest = memory.away < _NEAR and watch.speed < _STILL and stage == st.HOVER
    watch.settled = watch.settled + dt if at_rest else 0.0
    if stage == st.LANDED or stage == st.LAND:
        low = z < memory.ground + gains.touch_height
        climb = memory.height_setpoint - z if low else 0.0  # high up, a gust that lifts it is no ground
        if stage == st.LANDED:
            climb = 0.0 if over else setpoints.z - z
            memory.ground = z
        landed = is_landed(clock, settings.navigation, gains.height_hover, memory.thrust, climb, measured.navigation, memory)
        watch.landed = 1.0 if landed else 0.0
    return course


@kernel
def place_to_hover(setpoints: Any, memory: Any) -> tuple[float, float]:
    """Where it hovers [m]: where it is told, at the end of a mission too; otherwise where it took off, or came to a hover."""
    told = int(setpoints.mode) < st.FORWARD or (int(setpoints.mode) == st.MISSION and int(memory.reason) == st.ARRIVED)
    if told and int(memory.stage) != st.TAKE_OFF:
        return setpoints.x, setpoints.y
    return memory.place[0], memory.place[1]


@kernel
def move_height(dt: float, gains: Any, goal: float, memory: Any) -> float:
    """Move the height [m] that is asked for, and answer with its rate [m/s]."""
    z, before = memory.navigation.estimate.position[2], memory.height_setpoint
    if int(memory.stage) == st.LAND:
        speed = gains.descent_speed
        if z < memory.ground + gains.touch_height:
            still = memory.away < gains.touch_radius or z < memory.ground + _TOUCHING
            speed = gains.touch_speed if still else 0.0
        memory.height_setpoint = max(before - speed * dt, min(z - _BELOW, before))
    else:
        memory.height_setpoint = toward(before, goal, gains.climb_speed * dt)
    return (memory.height_setpoint - before) / dt


@kernel
def take_heading(setpoints: Any, course: float, memory: Any) -> bool:
    """Take over the heading [rad] that is told, or of the course that comes next; whether it may give way to the wind instead."""
    stage = int(memory.stage)
    if stage == st.HOVER and int(setpoints.mode) < st.FORWARD:
        memory.heading = setpoints.yaw
    elif stage == st.HOVER and memory.watch.grounded == 0.0:
        memory.heading = course
    else:
        return stage == st.HOVER or stage == st.LAND
    return False


@kernel
def rest_rotors(memory: Any) -> None:
    """Forget what the loops on rotors have learned, but for the thrust of hovering."""
    memory.velocity_integral[:] = 0.0
    memory.attitude_integral[:] = 0.0
