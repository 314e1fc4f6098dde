"""A VTOL on its rotors: where its hover frame shall point, and the shares of thrust, roll, pitch and yaw that turn and lift it.

    place        roll*, pitch* by `multirotor_loops.tilt_setpoints`                    hover, take-off, landing
    vane         dheading*/dt = -hover.vane roll*: it leans into the wind, and turns there; never 0.3 rad from the heading
    out          nose* = nose_level(V) + raised (level below transition.blend); roll* holds the line; heading* = course
    back         v* along the line falls by back.deceleration; nose* from v* - v, at most nose_level(V, back.share) + raised
    raised       share (wing.height.kp e_z + wing.height.kd de_z/dt): where the wing carries, rotors cannot pull it down
    tail-sitter  pitch* = tilt (h - nose_level(V)), roll* = 0                          both transitions, tilt from 0 to 1
    shares       u = kp e - kd w + ki int(e) about each axis, e the rotation that is left (`hover_frame`)
    lift         u_height = [lift - hover (1 - sqrt(1 - share))] / cos,     lift by `lift_share`, share what the wing carries

cos is that of the hover frame's tilt and, by their part in the lift, of rotors that are tilted forward.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import limit, wrap
from didymos.control.hover_frame import from_angles, upright
from didymos.control.multirotor_loops import lift_share, tilt_setpoints
from didymos.control.vtol_wing import carried, level_nose

__all__ = ["hover_shares", "lift_input", "point_back", "point_out", "point_to_place"]

_LEAST_COSINE = 0.5
_NOSE_DOWN = 0.05  # [rad] in the transition back
_LEAD = 3.0  # [m/s] that the speed of the transition back is below the real one at most
_GIVES = 0.3  # [rad] that the heading may differ from the one that is asked for while it gives way
_HELD = 0.25  # the largest share that an integral of the attitude holds

Quaternion = tuple[float, float, float, float]


@kernel
def point_to_place(dt: float, gains: Any, x: float, y: float, yaw: float, gives_way: bool, memory: Any) -> Quaternion:
    """The hover frame's orientation that leads to a place [m] and holds the heading, or lets it give way to the wind."""
    estimate = memory.navigation.estimate
    error = (x - estimate.position[0], y - estimate.position[1])
    roll, pitch = tilt_setpoints(dt, gains, error, (0.0, 0.0), estimate.velocity, yaw, memory.velocity_integral)
    if gives_way and gains.vane > 0.0:
        memory.heading = yaw + limit(wrap(memory.heading - gains.vane * roll * dt - yaw), -_GIVES, _GIVES)
    return from_angles(roll, pitch, memory.heading)


@kernel
def _hold_line(dt: float, gains: Any, speed: float, yaw: float, memory: Any) -> tuple[float, float]:
    """Roll and pitch [rad] that lead onto the line of the transition and along it at a speed [m/s]."""
    estimate = memory.navigation.estimate
    c, s = math.cos(memory.course), math.sin(memory.course)
    x, y = estimate.position[0] - memory.line_start[0], estimate.position[1] - memory.line_start[1]
    beside = c * y - s * x
    memory.velocity_integral[0] = memory.velocity_integral[1] = 0.0
    return tilt_setpoints(
        dt, gains, (s * beside, -c * beside), (c * speed, s * speed), estimate.velocity, yaw, memory.velocity_integral
    )


@kernel
def _along(memory: Any) -> float:
    """Speed [m/s] along the line of the transition."""
    velocity = memory.navigation.estimate.velocity
    return math.cos(memory.course) * velocity[0] + math.sin(memory.course) * velocity[1]


@kernel
def _raised(gains: Any, airspeed: float, nose: float, climb: float, rate: float, memory: Any) -> float:
    """The nose-up angle [rad] with what an error of height [m] and of its rate [m/s] adds, as far as the wing carries."""
    off = gains.wing_height_kp * climb + gains.wing_height_kd * (rate - memory.navigation.estimate.velocity[2])
    return nose + carried(gains, airspeed, nose) * limit(off, -gains.wing_height_limit, gains.wing_height_limit)


@kernel
def point_out(
    dt: float, settings: Any, gains: Any, yaw: float, climb: float, rate: float, memory: Any
) -> tuple[Quaternion, float]:
    """The hover frame's orientation in the transition out, and the share of the weight that the wing carries then.

    `climb` [m] to the height that is asked for, `rate` [m/s] of that height.
    """
    airspeed = memory.navigation.estimate.airspeed
    nose = level_nose(gains, airspeed, 1.0, gains.nose_limit)
    if settings.hover_nose > 0.0:
        return from_angles(0.0, memory.tilt * (settings.hover_nose - nose), memory.course), 0.0
    nose = limit(airspeed / max(gains.blend_airspeed, 0.1), 0.0, 1.0) * _raised(gains, airspeed, nose, climb, rate, memory)
    roll, _ = _hold_line(dt, gains, _along(memory), yaw, memory)
    return from_angles(roll, -nose, memory.course), carried(gains, airspeed, nose)


@kernel
def point_back(
    dt: float, settings: Any, gains: Any, yaw: float, climb: float, rate: float, memory: Any
) -> tuple[Quaternion, float]:
    """The same in the transition back."""
    airspeed = memory.navigation.estimate.airspeed
    nose = level_nose(gains, airspeed, gains.back_share, gains.back_nose)
    if settings.hover_nose > 0.0:
        return from_angles(0.0, memory.tilt * (settings.hover_nose - nose), memory.course), 0.0
    memory.slowing_speed = max(memory.slowing_speed - gains.back_deceleration * dt, _along(memory) - _LEAD, 0.0)
    roll, pitch = _hold_line(dt, gains, memory.slowing_speed, yaw, memory)
    nose = limit(-pitch, -_NOSE_DOWN, _raised(gains, airspeed, nose, climb, rate, memory))
    return from_angles(roll, -nose, memory.course), carried(gains, airspeed, nose)


@kernel
def lift_input(
    dt: float, settings: Any, gains: Any, climb: float, rate: float, share: float, q: Quaternion, memory: Any
) -> float:
    """Share of thrust for errors of height [m] and of its rate [m/s], where the wing carries a share of the weight; 0 to 1."""
    lift = lift_share(dt, gains, climb, memory.navigation.estimate.velocity[2] - rate, memory)
    lift -= gains.height_hover * (1.0 - math.sqrt(1.0 - share))
    tilted = 1.0
    if settings.tilting > 0.0:
        tilted = 1.0 - settings.tilting * (1.0 - math.cos(0.5 * math.pi * memory.tilt))
    return limit(lift / max(upright(q) * tilted, _LEAST_COSINE), 0.0, 1.0)


@kernel
def hover_shares(
    dt: float, gains: Any, error: tuple[float, float, float], rate: tuple[float, float, float], memory: Any
) -> tuple[float, float, float]:
    """Shares of roll, pitch and yaw about the hover frame's axes, for the rotation that is left [rad] and rates [rad/s]."""
    held = memory.attitude_integral
    for i in range(3):
        held[i] = limit(held[i] + gains.attitude_ki * error[i] * dt, -_HELD, _HELD)
    return (
        limit(gains.roll_kp * error[0] - gains.roll_kd * rate[0] + held[0], -1.0, 1.0),
        limit(gains.pitch_kp * error[1] - gains.pitch_kd * rate[1] + held[1], -1.0, 1.0),
        limit(gains.yaw_kp * error[2] - gains.yaw_kd * rate[2] + held[2], -1.0, 1.0),
    )
