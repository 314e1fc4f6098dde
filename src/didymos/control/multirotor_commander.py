"""Multirotor that flies what a commander asks of it: a place, a velocity, a tilt, rates or a thrust, each axis in its mode.

    mode_xy    0 place      p* = (x, y), moving at (vx, vy) with (ax, ay)
               1 velocity   dp*/dt = (vx, vy), in the axes of the world
               2 forward    the same, along and to the left of the heading that is asked for
               3 tilt       roll, pitch, held with an integral (`tilt.ki`): no outer loop makes up for the drag of the rotors
               4 rates      roll_rate, pitch_rate:  u = kd (rate* - rate)
    mode_z     0 height     z* = z, moving at vz with az
               1 climb      dz*/dt = vz
               2 thrust     u_height = thrust, the share of each rotor's input; none at all: the rotors stand
               3 off        the rotors stand
    mode_yaw   0 heading    yaw, turning at yaw_rate
               1 turn       dyaw*/dt = yaw_rate

and from p*, z*, yaw* on the loops of `multirotor_loops`. All modes zero is `multirotor_hold`, bit for bit, but for the start:
while nobody has asked for a height above zero, nor for any other mode, the rotors stand.

**Velocities move the place.** A velocity that is only held drifts with the error of the velocity that is measured; here the place
that is asked for moves at the velocity and is held, so ten seconds of 0.1 m/s end a metre away. The place never is further than
`velocity.lead` from the robot: one that is held back does not race afterwards. A mode that follows one without a place (tilt,
rates, off) begins where the robot is. The accelerations are fed forward to the tilt, and by `height.kff` to the thrust.

Frames: world east-north-up, body forward-left-up: positive pitch is nose down.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.contract import memory, setpoint
from didymos.control.angles import limit, roll_pitch_yaw, wrap
from didymos.control.compiled_controller import program
from didymos.control.controller import Gain
from didymos.control.landed import is_landed
from didymos.control.multirotor_gains import HOLD
from didymos.control.multirotor_hold import MultirotorHold
from didymos.control.multirotor_loops import lift_share, rest, tilt_setpoints, turn_rotors
from didymos.control.navigation import navigate

__all__ = [
    "CLIMB", "FORWARD", "HEADING", "HEIGHT", "OFF", "PLACE", "RATES", "THRUST", "TILT", "TURN", "VELOCITY", "MultirotorCommander",
]  # fmt: skip

PLACE, VELOCITY, FORWARD, TILT, RATES = 0, 1, 2, 3, 4
HEIGHT, CLIMB, THRUST, OFF = 0, 1, 2, 3
HEADING, TURN = 0, 1
_AHEAD = 0.5  # [rad] that the heading is ahead of the robot's at most while it turns
_HELD = 0.2  # the largest share of roll and pitch that an integral holds
_NOTHING = -1.0  # there was no mode before


@kernel
def _turn(dt: float, setpoints: Any, yaw: float, memory: Any) -> None:
    """Move the heading [rad] that is asked for."""
    if setpoints.mode_yaw < TURN:
        memory.heading = setpoints.yaw
    else:
        if memory.last_yaw == _NOTHING:
            memory.heading = yaw
        ahead = wrap(memory.heading + setpoints.yaw_rate * dt - yaw)
        memory.heading = yaw + limit(ahead, -_AHEAD, _AHEAD)
    memory.last_yaw = setpoints.mode_yaw


@kernel
def _move(dt: float, lead: float, setpoints: Any, position: Any, memory: Any) -> tuple[float, float]:
    """Move the place [m] that is asked for, along the ground; its velocity [m/s]."""
    mode = int(setpoints.mode_xy)
    ahead = (setpoints.vx, setpoints.vy)
    if mode == FORWARD:
        c, s = math.cos(memory.heading), math.sin(memory.heading)
        ahead = (c * setpoints.vx - s * setpoints.vy, s * setpoints.vx + c * setpoints.vy)
    if mode == PLACE:
        memory.place[0], memory.place[1] = setpoints.x, setpoints.y
    elif mode >= TILT or memory.last_xy == _NOTHING:
        memory.place[0], memory.place[1] = position[0], position[1]
    else:
        away_x, away_y = memory.place[0] + ahead[0] * dt - position[0], memory.place[1] + ahead[1] * dt - position[1]
        size = math.sqrt(away_x * away_x + away_y * away_y)
        share = min(1.0, lead / size) if size > 0.0 else 1.0
        memory.place[0], memory.place[1] = position[0] + share * away_x, position[1] + share * away_y
    memory.last_xy = setpoints.mode_xy if mode < TILT else _NOTHING
    return ahead


@kernel
def _climb(dt: float, lead: float, setpoints: Any, height: float, memory: Any) -> None:
    """Move the height [m] that is asked for."""
    mode = int(setpoints.mode_z)
    if mode == HEIGHT:
        memory.place[2] = setpoints.z
    elif mode == THRUST or memory.last_z == _NOTHING:
        memory.place[2] = height
    else:
        memory.place[2] = height + limit(memory.place[2] + setpoints.vz * dt - height, -lead, lead)
    memory.last_z = setpoints.mode_z if mode < THRUST else _NOTHING


@kernel
def _stands(setpoints: Any, memory: Any) -> bool:
    """Whether nothing is asked of the rotors."""
    vertical = int(setpoints.mode_z)
    if setpoints.z > 0.0 or setpoints.mode_xy > 0.0 or vertical != HEIGHT:
        memory.asked = 1.0
    return memory.asked == 0.0 or vertical == OFF or (vertical == THRUST and setpoints.thrust <= 0.0)


@kernel
def _tilt(dt: float, gains: Any, setpoints: Any, roll: float, pitch: float, memory: Any) -> tuple[float, float]:
    """Shares of roll and pitch that an error of tilt has gathered; none where tilt itself is not asked for."""
    if int(setpoints.mode_xy) != TILT:
        memory.tilt_integral[0] = memory.tilt_integral[1] = 0.0
    else:
        memory.tilt_integral[0] = limit(memory.tilt_integral[0] + gains.tilt_ki * (setpoints.roll - roll) * dt, -_HELD, _HELD)
        memory.tilt_integral[1] = limit(memory.tilt_integral[1] + gains.tilt_ki * (setpoints.pitch - pitch) * dt, -_HELD, _HELD)
    return memory.tilt_integral[0], memory.tilt_integral[1]


@kernel
def _command(dt: float, settings: Any, gains: Any, measured: Any, setpoints: Any, memory: Any, inputs: Any) -> float:
    """Write the throttles that follow what is asked for, and answer with the share of thrust."""
    estimate, xy = memory.navigation.estimate, int(setpoints.mode_xy)
    position, velocity, rate = estimate.position, estimate.velocity, estimate.rate
    roll, pitch, yaw = roll_pitch_yaw(estimate.orientation)
    _turn(dt, setpoints, yaw, memory)
    vx, vy = _move(dt, gains.velocity_lead, setpoints, position, memory)
    _climb(dt, gains.velocity_lead, setpoints, position[2], memory)
    held_roll, held_pitch = _tilt(dt, gains, setpoints, roll, pitch, memory)
    roll_setpoint, pitch_setpoint = setpoints.roll, setpoints.pitch
    if xy < TILT:
        error = (memory.place[0] - position[0], memory.place[1] - position[1])
        if gains.velocity_kp > 0.0:
            vx, vy = vx + setpoints.ax / gains.velocity_kp, vy + setpoints.ay / gains.velocity_kp
        roll_setpoint, pitch_setpoint = tilt_setpoints(dt, gains, error, (vx, vy), velocity, yaw, memory.velocity_integral)
    if xy == RATES:
        u_roll, u_pitch = gains.roll_kd * (setpoints.roll_rate - rate[0]), gains.pitch_kd * (setpoints.pitch_rate - rate[1])
    else:
        u_roll = gains.roll_kp * (roll_setpoint - roll) - gains.roll_kd * rate[0] + held_roll
        u_pitch = gains.pitch_kp * (pitch_setpoint - pitch) - gains.pitch_kd * rate[1] + held_pitch
    u_yaw = gains.yaw_kp * wrap(memory.heading - yaw) - gains.yaw_kd * (rate[2] - setpoints.yaw_rate)
    u_height = setpoints.thrust
    if int(setpoints.mode_z) != THRUST:
        lift = lift_share(dt, gains, memory.place[2] - position[2], velocity[2] - setpoints.vz, memory)
        u_height = (lift + gains.height_kff * setpoints.az) / max(math.cos(roll) * math.cos(pitch), 0.5)
    shares = (limit(u_height, 0.0, 1.0), limit(u_roll, -1.0, 1.0), limit(u_pitch, -1.0, 1.0), limit(u_yaw, -1.0, 1.0))
    turn_rotors(dt, settings, measured, shares, memory, inputs)
    return shares[0]


class MultirotorCommander(MultirotorHold):
    """Flies a place, a velocity, a tilt, rates or a thrust; see the module for the modes."""

    designed = (*HOLD, "height.kff", "tilt.ki")
    velocity_lead = Gain(0.3, low=0.01, high=10, unit="m", path="velocity.lead", doc="that a moving place is ahead at most")
    tilt_ki = Gain(0.0, low=0, high=50, unit="1/(rad s)", path="tilt.ki", doc="of the error of a tilt that is asked for")
    height_kff = Gain(0.0, low=0, high=10, unit="s^2/m", path="height.kff", doc="feed-forward: thrust per vertical acceleration")
    vx = setpoint(unit="m/s")
    vy = setpoint(unit="m/s")
    vz = setpoint(unit="m/s")
    ax = setpoint(unit="m/s^2")
    ay = setpoint(unit="m/s^2")
    az = setpoint(unit="m/s^2")
    roll = setpoint(unit="rad")
    pitch = setpoint(unit="rad")
    roll_rate = setpoint(unit="rad/s")
    pitch_rate = setpoint(unit="rad/s")
    yaw_rate = setpoint(unit="rad/s")
    thrust = setpoint(doc="share of each rotor's input, 0 to 1")
    mode_xy = setpoint(doc="0 place, 1 velocity, 2 velocity forward and left, 3 tilt, 4 rates")
    mode_z = setpoint(doc="0 height, 1 climb, 2 thrust, 3 off")
    mode_yaw = setpoint(doc="0 heading, 1 turn")
    place = memory(columns="xyz", unit="m", doc="where it shall be")
    heading = memory(unit="rad", doc="where its nose shall point")
    tilt_integral = memory(columns="xy", doc="shares of roll and pitch")
    asked = memory(doc="1 once anything was asked for")
    last_xy = memory(doc="the mode before, -1 where it had no place")
    last_z = memory(doc="the same of the height")
    last_yaw = memory(doc="the same of the heading")

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        navigate(clock, settings, gains, measured, memory)
        if clock.first > 0.0:
            memory.last_xy = memory.last_z = memory.last_yaw = _NOTHING
        if _stands(setpoints, memory):
            memory.last_xy = memory.last_z = memory.last_yaw = _NOTHING
            rest(memory, inputs)
            return
        thrust = _command(clock.period, settings, gains, measured, setpoints, memory, inputs)
        climb = memory.place[2] - memory.navigation.estimate.position[2]
        landed = is_landed(clock, settings.navigation, gains.height_hover, thrust, climb, measured.navigation, memory)
        if landed and int(setpoints.mode_z) != THRUST:
            rest(memory, inputs)
