"""The commander of old: roll, pitch, rate of turn and thrust, whose meaning the parameters `flightmode.*` change.

    plain      roll and pitch [deg], or rates [deg/s] by stabModeRoll, stabModePitch; turn [deg/s]; thrust 0 to 65535
    althold    thrust is a rate of climb: (thrust - 32767) / 32767 m/s
    poshold    pitch and roll are velocities forward and left: 1/30 m/s per degree
    posSet     pitch, roll and thrust are a place: x = -pitch, y = roll [m], z = thrust [mm], and turn its heading [deg]

The thrust is locked until a set-point with none has come, so that nobody takes off by a stick that was not at rest.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping
from dataclasses import replace

from didymos.control.multirotor_commander import CLIMB, FORWARD, RATES, THRUST, TILT, TURN
from didymos.ports.commander_setpoint import Setpoint

__all__ = ["RollPitchThrust"]

_FULL, _LEAST, _MOST, _MIDDLE = 65535.0, 1000, 60000, 32767.0


class RollPitchThrust:
    """Reads packets; `modes` are the parameters `flightmode.NAME` by name."""

    def __init__(self, modes: Mapping[str, float]) -> None:
        self._modes = modes
        self._locked = True

    def decode(self, data: bytes, idle: bool) -> Setpoint | None:
        """The set-point of a packet; None where it is none. `idle`: nobody has sent any set-point lately."""
        if len(data) < 14:
            return None
        roll, pitch, turn, thrust = struct.unpack_from("<3fH", data)
        if not all(map(math.isfinite, (roll, pitch, turn))):
            return None
        self._locked = thrust != 0 and (self._locked or idle)
        found = self._read(roll, pitch, turn, thrust)
        return found if found.is_sane else None

    def _read(self, roll: float, pitch: float, turn: float, thrust: int) -> Setpoint:
        modes = self._modes
        if modes["posSet"] and thrust:
            return Setpoint(x=-pitch, y=roll, z=thrust / 1000.0, yaw=math.radians(turn))
        share = 0.0 if self._locked or thrust < _LEAST else min(thrust, _MOST) / _FULL
        rate, level_roll, level_pitch = math.radians(turn), math.radians(roll), -math.radians(pitch)
        vertical = Setpoint(thrust=share, yaw_rate=rate, mode_z=THRUST, mode_yaw=TURN)
        if modes["althold"] and not self._locked:
            vertical = replace(vertical, thrust=0.0, vz=(thrust - _MIDDLE) / _MIDDLE, mode_z=CLIMB)
        if modes["poshold"]:
            return replace(vertical, vx=pitch / 30.0, vy=roll / 30.0, mode_xy=FORWARD)
        if modes["stabModeRoll"] and modes["stabModePitch"]:
            return replace(vertical, roll=level_roll, pitch=level_pitch, mode_xy=TILT)
        return replace(vertical, roll_rate=level_roll, pitch_rate=level_pitch, mode_xy=RATES)
