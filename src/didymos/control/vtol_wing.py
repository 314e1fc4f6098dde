"""A VTOL on its wing: course, bank, nose and throttle from the loops of `fixed_wing`, and what the wing carries at an airspeed.

    nose_level(V) = trim.nose + trim.lift_angle [(trim.airspeed / V)^2 - 1]           limited to trim.nose_limit
    share(V, nose) = (V / trim.airspeed)^2 (nose - trim.nose + trim.lift_angle) / trim.lift_angle,   0 to 1

`trim.nose` [rad] is the nose-up angle of level flight at `trim.airspeed`, `trim.lift_angle` the angle from there down to no lift,
(C_L0 + C_La alpha) / C_La: below stall lift is a line over the angle of attack, which in level flight is the nose angle. So
the first is the nose angle at which the wing carries the weight at another airspeed, the second the share of the weight that it
carries at any: what the lift rotors are asked for is the rest, (1 - share). Where thrust is the square of the input, as with
rotors whose speed is commanded, the input is that of hovering times sqrt(1 - share).

The loops and their signs are those of `fixed_wing`; angles are Euler angles of the body, so not for a tail-sitter in hover.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import limit, wrap
from didymos.control.course import circle_course, line_course, line_left
from didymos.control.limited_loop import limited_loop
from didymos.control.vtol_stages import MISSION

WAYPOINTS, LINE, LOITER = 1, 2, 3
"""What the set-point `follow` asks for; 0 is the heading."""

__all__ = ["LINE", "LOITER", "WAYPOINTS", "carried", "course_to_fly", "deflect", "hold_on_wing", "level_nose"]

_GRAVITY = 9.80665
_LEAST_AIRSPEED = 3.0  # [m/s], below which the turn that belongs to a bank is not asked for


@kernel
def level_nose(gains: Any, airspeed: float, share: float, most: float) -> float:
    """The nose-up angle [rad] at which the wing carries a share of the weight at an airspeed [m/s], within +-`most`."""
    ratio = gains.trim_airspeed / max(airspeed, 0.1 * gains.trim_airspeed)
    return limit(gains.trim_nose + gains.trim_lift_angle * (share * ratio * ratio - 1.0), -most, most)


@kernel
def carried(gains: Any, airspeed: float, nose: float) -> float:
    """The share of the weight that the wing carries at an airspeed [m/s] and a nose-up angle [rad], 0 to 1."""
    ratio = max(airspeed, 0.0) / gains.trim_airspeed
    return limit(ratio * ratio * (nose - gains.trim_nose + gains.trim_lift_angle) / max(gains.trim_lift_angle, 1e-3), 0.0, 1.0)


@kernel
def _next_line(settings: Any, gains: Any, memory: Any) -> None:
    """Go on to the next way-point where this one, or the place beside it, is reached; note when the last one was."""
    for _ in range(2):
        point = settings.waypoints[int(memory.next_waypoint)]
        _, left, straight = line_left(memory.navigation.estimate, memory.line_start, point.x, point.y)
        if left > 0.0 and straight > gains.path_radius:
            return
        memory.line_start[0], memory.line_start[1] = point.x, point.y
        memory.next_waypoint += 1.0
        if memory.next_waypoint >= settings.waypoint_count:
            memory.next_waypoint, memory.passed = 0.0, 1.0


@kernel
def course_to_fly(settings: Any, gains: Any, setpoints: Any, memory: Any) -> tuple[float, float, float, bool]:
    """Course [rad], bank to the left ahead of the loops [rad], height [m], and whether the course is one over ground."""
    estimate = memory.navigation.estimate
    mission, follow = int(setpoints.mode) == MISSION, int(setpoints.follow)
    memory.watch.left = math.inf
    if mission or follow == WAYPOINTS:
        if not mission or memory.passed == 0.0:
            _next_line(settings, gains, memory)
        x, y, height = setpoints.x, setpoints.y, setpoints.z
        last = mission and memory.passed > 0.0
        if not last:
            point = settings.waypoints[int(memory.next_waypoint)]
            x, y, height = point.x, point.y, point.z
        course, left, _ = line_left(estimate, memory.line_start, x, y)
        if last:
            memory.watch.left = left
        return line_course(gains, estimate, memory.line_start, course), 0.0, height, True
    if follow == LINE:
        return line_course(gains, estimate, memory.line_start, setpoints.heading), 0.0, setpoints.z, True
    if follow == LOITER:
        course, bank = circle_course(estimate, setpoints.x, setpoints.y, gains.path_loiter)
        return course, bank, setpoints.z, True
    return setpoints.heading, 0.0, setpoints.z, False


@kernel
def hold_on_wing(
    dt: float, gains: Any, turn: float, ahead: float, climb: float, rate: float, airspeed: float, memory: Any
) -> tuple[float, float, float]:
    """Bank [rad] to the right, nose-up angle [rad] and throttle for errors of course [rad] and height [m] and an airspeed [m/s].

    `rate` [m/s] is that of the height that is asked for, `ahead` [rad] is the bank to the left that the course takes by itself.
    """
    estimate = memory.navigation.estimate
    left, memory.heading_integral = limited_loop(
        memory.heading_integral, wrap(turn), ahead, gains.heading_kp, gains.heading_ki, -gains.bank_limit, gains.bank_limit, dt
    )
    raised, memory.nose_integral = limited_loop(
        memory.nose_integral, climb, gains.wing_height_kd * (rate - estimate.velocity[2]),
        gains.wing_height_kp, gains.wing_height_ki, -gains.wing_height_limit, gains.wing_height_limit, dt,
    )  # fmt: skip
    throttle, memory.speed_integral = limited_loop(
        memory.speed_integral, airspeed - estimate.airspeed, gains.trim_throttle, gains.speed_kp, gains.speed_ki, 0.0, 1.0, dt
    )
    return -left, level_nose(gains, estimate.airspeed, 1.0, gains.nose_limit) + raised, throttle


@kernel
def deflect(
    dt: float, gains: Any, roll_error: float, nose_error: float, roll: float, memory: Any
) -> tuple[float, float, float]:
    """Aileron, elevator and rudder, -1 to 1, for errors of bank and nose [rad]; integrals only where the air is fast enough."""
    estimate = memory.navigation.estimate
    active = dt if estimate.airspeed > gains.blend_airspeed else 0.0
    if active == 0.0:
        memory.roll_integral = memory.pitch_integral = 0.0
    aileron, memory.roll_integral = limited_loop(
        memory.roll_integral, roll_error, -gains.wing_roll_kd * estimate.rate[0], gains.wing_roll_kp, gains.wing_roll_ki,
        -1.0, 1.0, active,
    )  # fmt: skip
    elevator, memory.pitch_integral = limited_loop(
        memory.pitch_integral, nose_error, gains.trim_pitch + gains.wing_pitch_kd * estimate.rate[1],
        gains.wing_pitch_kp, gains.wing_pitch_ki, -1.0, 1.0, active,
    )  # fmt: skip
    belongs = _GRAVITY * math.sin(roll) / max(estimate.airspeed, _LEAST_AIRSPEED)
    return aileron, elevator, limit(gains.wing_yaw_kp * (belongs + estimate.rate[2]), -1.0, 1.0)
