"""From the mode of a plane to what its loops are asked for: begins tasks, goes through their stages, fills in the aim.

A task is a mode from take-off to land, or the item of the mission that is flown (`flight_plan`); its stages are those of
`flight_stages`, what each asks of the loops is `flight_aim`'s. On the ground only a take-off moves the plane, and before the
estimator knows where it is nothing does. A program that calls `direct` declares the memory that it names: `FlightController`.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control import flight_plan as plan
from didymos.control import flight_stages as st
from didymos.control.course import circle_course, line_course, line_left
from didymos.control.flight_aim import aim_approach, aim_climb, aim_flare, aim_wheels, level_aim
from didymos.control.runway import in_runway, in_world, slope_height

__all__ = ["begin_flight", "direct", "recover"]

_GRAVITY = 9.80665
_REACHED_HEIGHT = 3.0  # [m]
_NOSE_DOWN = -0.2  # [rad], from the trim, in a recovery
_LEAST_RADIUS = 10.0  # [m]


@kernel
def begin_flight(settings: Any, gains: Any, estimate: Any, yaw: float, memory: Any) -> None:
    """Remember where it begins: home, and the runway where the options have none."""
    memory.home[0], memory.home[1] = estimate.position[0], estimate.position[1]
    given, runway = settings.runway, memory.runway
    if given.known > 0.0:
        runway.x, runway.y, runway.z, runway.heading = given.x, given.y, given.z, given.heading
    else:
        runway.x, runway.y, runway.heading = estimate.position[0], estimate.position[1], yaw
        runway.z = estimate.position[2] - gains.gear_height
    runway.known = 1.0
    memory.ground = runway.z
    memory.mode = -1.0


@kernel
def _enter(clock: Any, stage: int, memory: Any) -> None:
    """Begin a stage."""
    if stage != int(memory.stage):
        memory.stage, memory.stage_start = float(stage), clock.time


@kernel
def _start_line(estimate: Any, memory: Any) -> None:
    """A line begins where the plane is."""
    memory.line_start[0], memory.line_start[1] = estimate.position[0], estimate.position[1]


@kernel
def _find_task(setpoints: Any, memory: Any) -> int:
    """The task of this call, its place into `memory.place`; the item of a mission that begins."""
    mode, place = int(setpoints.mode), memory.place
    place.x, place.y, place.z, place.value = setpoints.x, setpoints.y, setpoints.z, setpoints.radius
    if mode != plan.MISSION:
        if mode == plan.RETURN:
            place.x, place.y = memory.home[0], memory.home[1]
        return mode
    if int(memory.mode) != plan.MISSION:
        memory.item = max(setpoints.first_item, 1.0)
    number = int(memory.item)
    if number > int(memory.item_count):
        place.x, place.y, place.z, place.value = memory.hold[0], memory.hold[1], memory.hold[2], setpoints.radius
        return plan.LOITER
    item = memory.items[number - 1]
    place.x, place.y, place.z, place.value = item.x, item.y, item.z, setpoints.radius
    task = int(item.kind)
    if task == plan.RETURN:
        place.x, place.y = memory.home[0], memory.home[1]
    return task


@kernel
def _first_stage(task: int, gains: Any, memory: Any) -> int:
    """The stage in which a task begins, from where the plane is."""
    state = memory.watch
    grounded = state.height < 1.0 and state.speed < 2.0
    if task == plan.TAKE_OFF:
        if not grounded and gains.launch_speed == 0.0:
            return st.CLIMB_OUT
        return st.THROWN if gains.launch_speed > 0.0 else st.GROUND_ROLL
    if task == plan.PARKED or grounded:
        return st.PARKS
    if task == plan.LAND:
        return st.first_of_landing(gains, state)
    return st.LOITERS if task == plan.LOITER else st.GOES_TO


@kernel
def _next(clock: Any, estimate: Any, memory: Any) -> None:
    """A task is done: the next item of the mission begins, on the line from the place of this one."""
    memory.hold[0], memory.hold[1], memory.hold[2] = memory.place.x, memory.place.y, memory.place.z
    if int(memory.mode) != plan.MISSION:
        return
    if int(memory.stage) == st.GOES_TO:
        memory.line_start[0], memory.line_start[1] = memory.place.x, memory.place.y
    else:
        _start_line(estimate, memory)
        memory.hold[0], memory.hold[1] = estimate.position[0], estimate.position[1]
    memory.item += 1.0


@kernel
def _circle(gains: Any, setpoints: Any, estimate: Any, memory: Any) -> None:
    """Aim at the circle about the place."""
    radius = memory.place.value if memory.place.value != 0.0 else gains.loiter_radius
    course, bank = circle_course(estimate, memory.place.x, memory.place.y, radius)
    level_aim(gains, setpoints.airspeed, memory.place.z, course, memory.aim)
    memory.aim.bank_ahead = bank


@kernel
def _fly_task(clock: Any, task: int, gains: Any, setpoints: Any, estimate: Any, memory: Any) -> None:
    """Take-off, go to, return and loiter: aim, and go on to the next stage."""
    state, stage, place, aim = memory.watch, int(memory.stage), memory.place, memory.aim
    since, heading = clock.time - memory.stage_start, memory.runway.heading
    if stage in (st.PARKS, st.STOPPED):
        aim_wheels(stage, since, gains, state, heading, aim)
    elif stage in (st.GROUND_ROLL, st.THROWN):
        aim_wheels(stage, since, gains, state, heading, aim)
        if estimate.airspeed > (gains.launch_speed if stage == st.THROWN else gains.takeoff_speed):
            _enter(clock, st.CLIMB_OUT, memory)
    elif stage == st.CLIMB_OUT:
        along = (memory.runway.x, memory.runway.y)
        level_aim(gains, setpoints.airspeed, place.z, line_course(gains, estimate, along, heading), aim)
        aim_climb(gains, state, aim)
        if estimate.position[2] > place.z - _REACHED_HEIGHT:
            _next(clock, estimate, memory)
    elif stage == st.LOITERS:
        _circle(gains, setpoints, estimate, memory)
        number = int(memory.item)
        if int(memory.mode) == plan.MISSION and 1 <= number <= int(memory.item_count):
            seconds = memory.items[number - 1].value
            if task == plan.LOITER and seconds > 0.0 and since > seconds:
                _next(clock, estimate, memory)
    else:
        course, left, straight = line_left(estimate, memory.line_start, place.x, place.y)
        height = memory.ground + gains.return_height if task == plan.RETURN else place.z
        level_aim(gains, setpoints.airspeed, height, line_course(gains, estimate, memory.line_start, course), aim)
        if left < 0.0 or straight < gains.path_radius:
            _next(clock, estimate, memory)
            if int(memory.mode) != plan.MISSION or task == plan.RETURN:
                _enter(clock, st.LOITERS, memory)
    if task == plan.RETURN:
        aim.z = memory.ground + gains.return_height


@kernel
def _land(clock: Any, gains: Any, setpoints: Any, estimate: Any, memory: Any) -> None:
    """Circuit, approach, flare, roll out: aim, and go on to the next stage."""
    state, stage, runway, aim = memory.watch, int(memory.stage), memory.runway, memory.aim
    since, left = clock.time - memory.stage_start, math.inf
    height, _ = slope_height(gains, state.along)
    gate = memory.ground + gains.gear_height + gains.approach_length * math.tan(gains.approach_slope)
    centre = (runway.x, runway.y)
    along_line = line_course(gains, estimate, centre, runway.heading)
    level_aim(gains, setpoints.airspeed, gate, along_line, aim)
    if stage in (st.DOWNWIND, st.BASE):
        aside = gains.circuit_width if stage == st.DOWNWIND else 0.0
        x, y = in_world(runway, -gains.approach_length, aside)
        course, left, _ = line_left(estimate, memory.line_start, x, y)
        aim.course = line_course(gains, estimate, memory.line_start, course)
    elif stage == st.APPROACH:
        speed_along = math.cos(runway.heading) * estimate.velocity[0] + math.sin(runway.heading) * estimate.velocity[1]
        aim_approach(gains, state, memory.ground, speed_along, aim)
    elif stage == st.FLARE:
        aim_flare(gains, state, runway.heading, aim)
    elif stage == st.GO_AROUND:
        aim_climb(gains, state, aim)
    else:
        aim_wheels(stage, since, gains, state, runway.heading, aim)
    after, reason = st.landing_stage(
        stage, since, left, estimate.airspeed, state.height - height, setpoints.abort > 0.5, gains, state
    )
    if reason != 0:
        memory.reason = float(reason)
    if after != stage:
        if after == st.BASE:
            memory.line_start[0], memory.line_start[1] = in_world(runway, -gains.approach_length, gains.circuit_width)
        elif after == st.DOWNWIND:
            _start_line(estimate, memory)
        _enter(clock, after, memory)


@kernel
def direct(clock: Any, gains: Any, setpoints: Any, estimate: Any, memory: Any) -> None:
    """Fill in `memory.aim` for a mode from take-off on; `memory.watch.height` is there already."""
    state = memory.watch
    state.along, state.aside = in_runway(memory.runway, estimate.position[0], estimate.position[1])
    slow = max(state.speed, 1.0)
    state.radius = max(slow * slow / (_GRAVITY * math.tan(max(gains.bank_limit, 0.05))), _LEAST_RADIUS)
    before, flown = int(memory.mode), memory.item
    task = _find_task(setpoints, memory)
    if before != int(setpoints.mode) or memory.flown_item != flown:
        if before != plan.MISSION or int(setpoints.mode) != plan.MISSION:
            _start_line(estimate, memory)
        stage = _first_stage(task, gains, memory)
        if not (stage == st.PARKS and int(memory.stage) == st.STOPPED):
            _enter(clock, stage, memory)
        memory.reason = 0.0
    memory.mode, memory.flown_item = setpoints.mode, memory.item
    aim = memory.aim
    level_aim(gains, setpoints.airspeed, memory.place.z, memory.runway.heading, aim)
    if task == plan.LAND and int(memory.stage) not in (st.PARKS,):
        _land(clock, gains, setpoints, estimate, memory)
    else:
        _fly_task(clock, task, gains, setpoints, estimate, memory)


@kernel
def recover(clock: Any, gains: Any, yaw: float, memory: Any) -> None:
    """Below the stall's speed for a while, in flight: nose down, power, wings level, until it is a fifth faster."""
    state, stage = memory.watch, int(memory.stage)
    if memory.recovering > 0.0:
        if memory.navigation.estimate.airspeed > 1.2 * gains.stall_speed:
            memory.recovering = 0.0
    elif state.slow > 0.2 and not st.is_on_ground(stage) and stage != st.FLARE:
        memory.recovering, memory.reason = 1.0, float(st.STALLED)
    if memory.recovering > 0.0:
        aim = memory.aim
        aim.by_heading, aim.course, aim.bank_ahead, aim.bank_limit = 1.0, yaw, 0.0, 0.0
        aim.nose_low = aim.nose_high = _NOSE_DOWN
        aim.throttle_low = aim.throttle_high = gains.takeoff_throttle
        aim.climb, aim.flares, aim.steers, aim.grounded = 0.0, 0.0, 0.0, 0.0
