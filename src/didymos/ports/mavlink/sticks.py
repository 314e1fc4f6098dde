"""Sticks: MANUAL_CONTROL and RC_CHANNELS_OVERRIDE as one set of four numbers, and what a mode makes of them.

    roll right, pitch forward, yaw right    -1 to 1        throttle    0 to 1, 0.5 is the middle

RC channels are 1 roll, 2 pitch (low is forward), 3 throttle, 4 yaw, of 1000 to 2000 us, 65535 leaves one as it was, 0 lets it
go. Sticks that nobody renews for COM_RC_LOSS_T count as centred.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from didymos.control.multirotor_commander import CLIMB, FORWARD, RATES, THRUST, TILT, TURN
from didymos.ports.commander_setpoint import OFF_SETPOINT, Setpoint
from didymos.ports.mavlink.modes import Mode
from didymos.ports.mavlink.settings import Settings

__all__ = ["CENTRED", "Sticks", "from_channels", "from_manual_control", "setpoint_of"]

_KEEP, _RELEASE = 65535, 0
_DEAD = 0.05  # of a stick about its middle
_IDLE = 0.05  # of the throttle, below which the rotors stand in modes of thrust


@dataclass(frozen=True)
class Sticks:
    """Where the sticks are."""

    roll: float = 0.0
    pitch: float = 0.0
    yaw: float = 0.0
    throttle: float = 0.5


CENTRED = Sticks()


def from_manual_control(message: Any) -> Sticks | None:
    """Of MANUAL_CONTROL, thousandths; None where an axis is not there."""
    axes = (message.y, message.x, message.r, message.z)
    if any(abs(axis) > 1000 for axis in axes):
        return None
    roll, pitch, yaw, throttle = (axis / 1000.0 for axis in axes)
    return Sticks(roll, pitch, yaw, max(throttle, 0.0))


def from_channels(message: Any, before: Sticks) -> Sticks:
    """Of RC_CHANNELS_OVERRIDE; `before` for what it leaves alone."""
    found = before
    channels = (message.chan1_raw, message.chan2_raw, message.chan3_raw, message.chan4_raw)
    for channel, name in zip(channels, ("roll", "pitch", "throttle", "yaw"), strict=True):
        if channel == _RELEASE:
            found = replace(found, **{name: getattr(CENTRED, name)})
        elif channel != _KEEP:
            share = min(max((channel - 1500) / 500.0, -1.0), 1.0)
            value = {"throttle": 0.5 + 0.5 * share, "pitch": -share}.get(name, share)
            found = replace(found, **{name: value})
    return found


def setpoint_of(sticks: Sticks, mode: Mode, settings: Settings) -> Setpoint:
    """What a mode that a person flies asks of `multirotor_commander`; there left is positive, and positive pitch is nose down."""
    turn = -math.radians(settings["MPC_MAN_Y_MAX"]) * _dead(sticks.yaw)
    if mode is Mode.POSITION:
        fast = settings["MPC_VEL_MANUAL"]
        forward, left, up = fast * _dead(sticks.pitch), -fast * _dead(sticks.roll), _climb(sticks, settings)
        return Setpoint(vx=forward, vy=left, vz=up, yaw_rate=turn, mode_xy=FORWARD, mode_z=CLIMB, mode_yaw=TURN)
    if mode is Mode.ACRO:
        fast = math.radians(settings["MC_ACRO_R_MAX"])
        found = Setpoint(
            roll_rate=fast * sticks.roll, pitch_rate=fast * sticks.pitch, yaw_rate=turn, thrust=sticks.throttle,
            mode_xy=RATES, mode_z=THRUST, mode_yaw=TURN,
        )  # fmt: skip
    else:
        most = math.radians(settings["MPC_MAN_TILT_MAX"])
        found = Setpoint(roll=most * sticks.roll, pitch=most * sticks.pitch, yaw_rate=turn, mode_xy=TILT, mode_yaw=TURN)
        if mode is Mode.ALTITUDE:
            return replace(found, vz=_climb(sticks, settings), mode_z=CLIMB)
        found = replace(found, thrust=sticks.throttle, mode_z=THRUST)
    return OFF_SETPOINT if sticks.throttle < _IDLE else found


def _dead(stick: float) -> float:
    return 0.0 if abs(stick) < _DEAD else stick


def _climb(sticks: Sticks, settings: Settings) -> float:
    """[m/s] up."""
    share = _dead(2.0 * sticks.throttle - 1.0)
    return share * settings["MPC_Z_VEL_MAX_UP" if share > 0.0 else "MPC_Z_VEL_MAX_DN"]
