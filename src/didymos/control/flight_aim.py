"""What the guidance of a plane asks of its loops, and what each stage asks: course, height, speed, limits, steering, brake.

    climb     z* = z + (z* - z) .. as the height loop has it, the nose by no more than `takeoff.nose`
    approach  z* on the glide slope, which falls at dz*/dt = -slope v, v the speed along the runway
    flare     dz*/dt = -(flare.sink + h / flare.time), no faster than the slope falls: h goes as exp(-t / time), at last at
              `flare.sink`;
              nose* = trim + what the height loop had learned + dz*/dt / V + flare.kp (dz*/dt - dz/dt) + flare.ki int
    de-crab   below `decrab.height` the rudder turns the nose to the runway's heading, the bank holds the centre line
    on wheels the yaw input turns the nose to  heading - steer.aside aside (at most 0.3 rad),  by steer.kp and steer.kd
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control import flight_stages as st
from didymos.control.angles import limit, wrap
from didymos.control.runway import slope_height

__all__ = ["AIM", "aim_approach", "aim_climb", "aim_flare", "aim_wheels", "level_aim", "steering"]

_LOW = 5.0  # [m], below which banks are small
_LOW_BANK = 0.17  # [rad], at which a wing tip is still above the ground
_GROUND_TURN = 0.3  # [rad] toward the centre line at most

AIM = np.dtype(
    [
        ("course", np.float64),  # [rad] over ground, or the heading where `by_heading` is 1
        ("by_heading", np.float64),
        ("bank_ahead", np.float64),  # [rad] to the left
        ("bank_limit", np.float64),  # [rad]
        ("z", np.float64),  # [m]
        ("climb", np.float64),  # [m/s], of z
        ("nose_low", np.float64),  # [rad], from the trim; on the ground the nose itself
        ("nose_high", np.float64),  # [rad], from the trim
        ("airspeed", np.float64),  # [m/s]
        ("throttle_low", np.float64),
        ("throttle_high", np.float64),
        ("steers", np.float64),  # 1: the yaw input turns the nose to `heading`
        ("heading", np.float64),  # [rad]
        ("brake", np.float64),
        ("flares", np.float64),  # 1: the nose follows the climb alone
        ("grounded", np.float64),  # 1: integrals rest, the nose is held at `nose_low`
    ]
)
"""Memory layout of what is asked of the loops."""


@kernel
def level_aim(gains: Any, airspeed: float, z: float, course: float, aim: Any) -> None:
    """Ask for a course at a height and an airspeed, within the limits of the gains."""
    aim.course, aim.by_heading, aim.bank_ahead, aim.bank_limit = course, 0.0, 0.0, gains.bank_limit
    aim.z, aim.climb, aim.nose_low, aim.nose_high = z, 0.0, -gains.height_limit, gains.height_limit
    aim.airspeed, aim.throttle_low, aim.throttle_high = airspeed, 0.0, 1.0
    aim.steers, aim.heading, aim.brake, aim.flares, aim.grounded = 0.0, 0.0, 0.0, 0.0, 0.0


@kernel
def aim_climb(gains: Any, state: Any, aim: Any) -> None:
    """Climb: the nose no higher than the gains say, small banks near the ground."""
    aim.nose_high = min(gains.takeoff_nose, gains.height_limit)
    aim.nose_low = -0.5 * aim.nose_high
    if state.height < gains.takeoff_height:
        aim.bank_limit = min(_LOW_BANK, gains.bank_limit)
        aim.nose_low = 0.5 * aim.nose_high


@kernel
def aim_approach(gains: Any, state: Any, ground: float, speed_along: float, aim: Any) -> None:
    """Fly the glide slope at the approach's speed."""
    height, slope = slope_height(gains, state.along)
    aim.z, aim.climb = ground + gains.gear_height + height, slope * speed_along
    aim.airspeed = gains.approach_speed
    if state.height < _LOW:
        aim.bank_limit = min(_LOW_BANK + 0.05 * state.height, gains.bank_limit)


@kernel
def aim_flare(gains: Any, state: Any, heading: float, aim: Any) -> None:
    """Sink by the height that is left; turn the nose to the runway at the end."""
    aim.flares, aim.airspeed = 1.0, gains.flare_speed if gains.flare_speed > 0.0 else gains.approach_speed
    aim.climb = max(-(gains.flare_sink + max(state.height, 0.0) / gains.flare_time), -gains.approach_slope * state.speed)
    aim.bank_limit = min(_LOW_BANK, gains.bank_limit)
    if state.height < gains.decrab_height:
        aim.steers, aim.heading = 1.0, heading


@kernel
def aim_wheels(stage: int, since: float, gains: Any, state: Any, heading: float, aim: Any) -> None:
    """On its wheels: steer to the centre line; power in the ground roll, brakes in the roll out and where it stands."""
    aim.grounded, aim.steers = 1.0, 1.0
    toward = limit(gains.steer_aside * state.aside, -_GROUND_TURN, _GROUND_TURN)
    aim.heading = heading - toward
    aim.course, aim.by_heading, aim.bank_limit = aim.heading, 1.0, 0.0
    aim.nose_low = gains.ground_nose
    aim.throttle_low = aim.throttle_high = 0.0
    if stage == st.GROUND_ROLL:
        aim.throttle_low = aim.throttle_high = gains.takeoff_throttle * limit(since / max(gains.takeoff_ramp, 1e-3), 0.0, 1.0)
    elif stage == st.ROLL_OUT:
        aim.brake = gains.brake_share if state.speed < gains.brake_speed else 0.0
        aim.nose_low = gains.ground_nose if state.speed < gains.rollout_speed else gains.rollout_nose
    elif stage != st.THROWN:
        aim.brake = 1.0
        aim.heading = heading


@kernel
def steering(gains: Any, turn: float, rate: float) -> float:
    """The yaw input, positive to the right, that turns the nose by an angle to the left [rad]; `rate` [rad/s] to the left."""
    return limit(-(gains.steer_kp * wrap(turn) - gains.steer_kd * rate), -1.0, 1.0)
