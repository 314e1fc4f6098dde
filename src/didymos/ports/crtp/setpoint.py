"""Set-points as the commander's packets have them, and as `multirotor_commander` reads them.

The wire has degrees and, of roll and pitch set-points, the firmware's own pitch: positive is nose up. Here it is radians and
forward-left-up: positive pitch is nose down. Thrust is a share of the full input (65535 on the wire).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping

import numpy as np

from didymos.control.angles import roll_pitch_yaw
from didymos.control.multirotor_commander import CLIMB, FORWARD, RATES, THRUST, TILT, TURN, VELOCITY
from didymos.ports.commander_setpoint import OFF_SETPOINT, Setpoint

__all__ = ["decode_generic", "level", "uncompress"]

_FULL = 65535.0


def level(setpoint: Setpoint) -> Setpoint:
    """The same height, but level and not turning: what becomes of a set-point that nobody renews."""
    return Setpoint(
        z=setpoint.z, vz=setpoint.vz, thrust=setpoint.thrust, mode_xy=TILT, mode_z=setpoint.mode_z, mode_yaw=TURN
    )


def uncompress(number: int) -> tuple[float, float, float, float]:
    """A quaternion, w first, from 32 bits: which of x, y, z, w is the largest, and the others with sign and nine bits."""
    parts = [0.0] * 4
    largest = number >> 30
    for i in (3, 2, 1, 0):
        if i != largest:
            parts[i] = (number & 511) / 511 / math.sqrt(2.0) * (-1.0 if number & 512 else 1.0)
            number >>= 10
    parts[largest] = math.sqrt(max(1.0 - sum(part * part for part in parts), 0.0))
    x, y, z, w = parts
    return w, x, y, z


def _velocity(turn: float) -> Callable[[bytes], Setpoint]:
    def read(data: bytes) -> Setpoint:
        vx, vy, vz, rate = struct.unpack("<4f", data)
        return Setpoint(vx=vx, vy=vy, vz=vz, yaw_rate=turn * math.radians(rate), mode_xy=VELOCITY, mode_z=CLIMB, mode_yaw=TURN)

    return read


def _height(turn: float) -> Callable[[bytes], Setpoint]:
    def read(data: bytes) -> Setpoint:
        roll, pitch, rate, z = struct.unpack("<4f", data)
        roll, pitch, rate = math.radians(roll), -math.radians(pitch), turn * math.radians(rate)
        return Setpoint(z=z, roll=roll, pitch=pitch, yaw_rate=rate, mode_xy=TILT, mode_yaw=TURN)

    return read


def _hover(turn: float) -> Callable[[bytes], Setpoint]:
    def read(data: bytes) -> Setpoint:
        vx, vy, rate, z = struct.unpack("<4f", data)
        return Setpoint(vx=vx, vy=vy, z=z, yaw_rate=turn * math.radians(rate), mode_xy=FORWARD, mode_yaw=TURN)

    return read


def _climb(data: bytes) -> Setpoint:
    roll, pitch, rate, vz = struct.unpack("<4f", data)
    roll, pitch, rate = math.radians(roll), -math.radians(pitch), math.radians(rate)
    return Setpoint(vz=vz, roll=roll, pitch=pitch, yaw_rate=rate, mode_xy=TILT, mode_z=CLIMB, mode_yaw=TURN)


def _full_state(data: bytes) -> Setpoint:
    *numbers, quaternion, _roll, _pitch, turn = struct.unpack("<9hI3h", data)
    x, y, z, vx, vy, vz, ax, ay, az = (number / 1000.0 for number in numbers)
    yaw = float(roll_pitch_yaw(np.array(uncompress(quaternion)))[2])
    return Setpoint(x=x, y=y, z=z, yaw=yaw, vx=vx, vy=vy, vz=vz, ax=ax, ay=ay, az=az, yaw_rate=turn / 1000.0)


def _position(data: bytes) -> Setpoint:
    x, y, z, yaw = struct.unpack("<4f", data)
    return Setpoint(x=x, y=y, z=z, yaw=math.radians(yaw))


def _manual(data: bytes) -> Setpoint:
    roll, pitch, rate, thrust, rates = struct.unpack("<3fHB", data)
    roll, pitch, rate = math.radians(roll), -math.radians(pitch), math.radians(rate)
    if rates:
        return Setpoint(
            roll_rate=roll, pitch_rate=pitch, yaw_rate=rate, thrust=thrust / _FULL, mode_xy=RATES, mode_z=THRUST, mode_yaw=TURN
        )
    return Setpoint(roll=roll, pitch=pitch, yaw_rate=rate, thrust=thrust / _FULL, mode_xy=TILT, mode_z=THRUST, mode_yaw=TURN)


_GENERIC: Mapping[int, Callable[[bytes], Setpoint]] = {
    0: lambda _data: OFF_SETPOINT,
    1: _velocity(-1.0),  # of old clients, which turn the other way
    2: _height(-1.0),
    4: _climb,
    5: _hover(-1.0),
    6: _full_state,
    7: _position,
    8: _velocity(1.0),
    9: _height(1.0),
    10: _hover(1.0),
    11: _manual,
}


def decode_generic(data: bytes) -> Setpoint | None:
    """The set-point of a packet of the generic commander; None where it is none."""
    read = _GENERIC.get(data[0]) if data else None
    if read is None:
        return None
    try:
        found = read(data[1:])
    except struct.error:
        return None
    return found if found.is_sane else None
