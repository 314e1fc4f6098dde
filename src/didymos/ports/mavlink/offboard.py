"""Off-board set-points: SET_POSITION_TARGET_LOCAL_NED, ..._GLOBAL_INT and SET_ATTITUDE_TARGET as set-points of
`multirotor_commander`.

What counts of a target is said by its mask: a place, a velocity, or both (the velocity is fed forward), an acceleration beside
them, a heading or a rate of turn. Frames: north-east-down, or the body's (level, of its heading). A target that leaves all out,
or asks for forces, is none. An attitude comes with a thrust, the share of each rotor's input.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from didymos.control.angles import roll_pitch_yaw
from didymos.control.multirotor_commander import CLIMB, HEADING, HEIGHT, PLACE, RATES, THRUST, TILT, TURN, VELOCITY
from didymos.ports.aviation import attitude_ned, ned
from didymos.ports.commander_setpoint import OFF_SETPOINT, Setpoint
from didymos.ports.mavlink.conversions import heading
from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.knowledge import MavlinkRobot
from didymos.ports.mavlink.place import Places

__all__ = ["attitude_target", "global_target", "local_target"]

_PLACE, _VELOCITY, _ACCELERATION, _FORCE, _YAW, _YAW_RATE = 0b111, 0b111 << 3, 0b111 << 6, 1 << 9, 1 << 10, 1 << 11
_LOCAL, _OFFSET = mavlink.MAV_FRAME_LOCAL_NED, mavlink.MAV_FRAME_LOCAL_OFFSET_NED
_BODY = (mavlink.MAV_FRAME_BODY_NED, mavlink.MAV_FRAME_BODY_OFFSET_NED, mavlink.MAV_FRAME_BODY_FRD)
_RATES, _THRUST, _ATTITUDE = 0b111, 1 << 6, 1 << 7


def local_target(message: Any, robot: MavlinkRobot) -> Setpoint | None:
    """The set-point of SET_POSITION_TARGET_LOCAL_NED; None where it is none."""
    frame = message.coordinate_frame
    if frame not in (_LOCAL, _OFFSET, *_BODY):
        return None
    turn = robot.angles[2] if frame in _BODY else None

    def world(x: float, y: float, z: float) -> tuple[float, float, float]:
        """A vector of the message in the axes of the world."""
        if turn is None:
            return ned((x, y, z))
        c, s = math.cos(turn), math.sin(turn)  # x forward, y to the right
        return c * x + s * y, s * x - c * y, -z

    place = np.array(world(message.x, message.y, message.z))
    if frame in (_OFFSET, *_BODY):
        place = place + robot.position
    yaw = heading(message.yaw) if turn is None else turn - message.yaw
    velocity, acceleration = world(message.vx, message.vy, message.vz), world(message.afx, message.afy, message.afz)
    return _target(message, tuple(place), velocity, acceleration, yaw)


def global_target(message: Any, places: Places) -> Setpoint | None:
    """The set-point of SET_POSITION_TARGET_GLOBAL_INT; None where it is none."""
    place = places.locate(message.coordinate_frame, message.lat_int / 1e7, message.lon_int / 1e7, message.alt)
    if place is None:
        return None
    velocity, acceleration = ned((message.vx, message.vy, message.vz)), ned((message.afx, message.afy, message.afz))
    return _target(message, place, velocity, acceleration, heading(message.yaw))


def _target(message: Any, place: Any, velocity: Any, acceleration: Any, yaw: float) -> Setpoint | None:
    ignored = message.type_mask
    has_place, has_velocity = ignored & _PLACE == 0, ignored & _VELOCITY == 0
    if not (has_place or has_velocity) or ignored & _FORCE:
        return None
    found = Setpoint()
    if has_place:
        found = replace(found, x=place[0], y=place[1], z=place[2], mode_xy=PLACE, mode_z=HEIGHT)
    else:
        found = replace(found, mode_xy=VELOCITY, mode_z=CLIMB)
    if has_velocity:
        found = replace(found, vx=velocity[0], vy=velocity[1], vz=velocity[2])
    if ignored & _ACCELERATION == 0:
        found = replace(found, ax=acceleration[0], ay=acceleration[1], az=acceleration[2])
    if not ignored & _YAW:
        found = replace(found, yaw=yaw, mode_yaw=HEADING)
        found = found if ignored & _YAW_RATE else replace(found, yaw_rate=-message.yaw_rate)
    else:
        found = replace(found, yaw_rate=0.0 if ignored & _YAW_RATE else -message.yaw_rate, mode_yaw=TURN)
    return found if found.is_sane else None


def attitude_target(message: Any) -> Setpoint | None:
    """The set-point of SET_ATTITUDE_TARGET; None where it is none."""
    ignored = message.type_mask
    if ignored & _THRUST or not 0.0 <= message.thrust <= 1.0:
        return None
    if message.thrust == 0.0:
        return OFF_SETPOINT
    if not ignored & _ATTITUDE:
        if not abs(sum(part * part for part in message.q) - 1.0) < 0.1:
            return None
        roll, pitch, yaw = roll_pitch_yaw(np.array(attitude_ned(message.q)))
        found = Setpoint(roll=float(roll), pitch=float(pitch), yaw=float(yaw), thrust=message.thrust, mode_xy=TILT, mode_z=THRUST)
    elif ignored & _RATES == 0:
        found = Setpoint(
            roll_rate=message.body_roll_rate, pitch_rate=-message.body_pitch_rate, yaw_rate=-message.body_yaw_rate,
            thrust=message.thrust, mode_xy=RATES, mode_z=THRUST, mode_yaw=TURN,
        )  # fmt: skip
    else:
        return None
    return found if found.is_sane else None
