"""PX4's link to simulators: the MAVLink 2 messages that go each way, in its units and frames.

To the autopilot, over TCP (it connects to port 4560 of the simulator), forward-right-down and north-east-down:

    HIL_SENSOR             time [us], specific force [m/s^2], rates [rad/s], field [gauss], pressures [hPa], height [m],
                           temperature [deg C], and bits of what is new: 7 acceleration, 7 << 3 rates, 7 << 6 field,
                           bit 9 static pressure, bit 10 dynamic pressure, bit 11 pressure height, bit 12 temperature
    HIL_GPS                latitude, longitude [1e-7 deg], height [mm], velocity [cm/s], course [0.01 deg]
    HIL_STATE_QUATERNION   the truth: attitude, rates, place, velocity [cm/s], acceleration [mG]; PX4 only logs it

From it: HIL_ACTUATOR_CONTROLS, controls[16] in [-1, 1] (servos) or [0, 1] (motors; not a number where one is off), mode bit 128
armed, flags bit 0 lock-step. The time of HIL_SENSOR is the autopilot's clock; GPS and truth of an instant go before it.

Dynamic pressure is q = 1/2 rho0 V^2 of the calibrated airspeed V; height and temperature are those of the ISA at the pressure.
References: MAVLink's message definitions (common.xml), PX4's Simulator MAVLink API and SimulatorMavlink.cpp.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

from didymos.errors import InputError
from didymos.ports.aviation import attitude_ned, frd, ned, place_1e7, rotate

__all__ = ["ARMED", "LOCKSTEP", "Messages", "load_dialect"]

ARMED, LOCKSTEP = 128, 1
SYSTEM, COMPONENT = 1, 200  # as other simulators of PX4 introduce themselves
_GAUSS, _MILLIBAR = 1e4, 100.0  # per tesla; [Pa]
_G = 9.80665  # [m/s^2]
_RHO0, _P0, _T0, _LAPSE = 1.225, 101_325.0, 288.15, 0.0065  # ISA at the sea: [kg/m^3], [Pa], [K], [K/m]
_EXPONENT = 0.190263  # R L / g
_INERTIAL, _FIELD, _STATIC, _DYNAMIC = 0b111_111, 0b111_000_000, 0b1_1010_0000_0000, 0b100_0000_0000
_MAVLINK_1, _MAVLINK_2, _SIGNATURE = 0xFE, 0xFD, 13
_FIX_3D, _SATELLITES, _EPH, _EPV = 3, 12, 100, 150  # [cm] of the last two


def load_dialect() -> ModuleType:
    """pymavlink's messages; where it is not installed, one sentence says how to."""
    try:
        from pymavlink.dialects.v20 import common
    except ImportError:
        raise InputError("PX4 is spoken to by pymavlink, which is not installed; pip install 'didymos[mavlink]'") from None
    return common


class Messages:
    """Makes the bytes of messages to the autopilot, and finds its answers in what it sends."""

    def __init__(self, origin: Sequence[float], gravity: float) -> None:
        self._dialect = load_dialect()
        self._out, self._in = (self._dialect.MAVLink(None, SYSTEM, COMPONENT) for _ in range(2))
        self._received = b""
        self._origin, self._gravity = origin, gravity

    def heartbeat(self) -> bytes:
        """That there is a simulator."""
        kind, none = self._dialect.MAV_TYPE_GENERIC, self._dialect.MAV_AUTOPILOT_INVALID
        return self._packed(self._out.heartbeat_encode(kind, none, 0, 0, self._dialect.MAV_STATE_ACTIVE))

    def sensors(
        self,
        stamp: int,
        imu: Sequence[float],
        field: Sequence[float] | None = None,
        pressure: float | None = None,
        airspeed: float | None = None,
    ) -> bytes:
        """Readings at a time [us]: rates [rad/s] and specific force [m/s^2], field [T], pressure [Pa], airspeed [m/s].

        Frames are forward-left-up; what is None has no new reading.
        """
        updated = _INERTIAL
        magnetic, static, height, temperature, dynamic = (0.0, 0.0, 0.0), 0.0, 0.0, 0.0, 0.0
        if field is not None:
            updated |= _FIELD
            x, y, z = frd(field)
            magnetic = _GAUSS * x, _GAUSS * y, _GAUSS * z
        if pressure is not None:
            updated |= _STATIC
            static, height = pressure / _MILLIBAR, _T0 / _LAPSE * (1.0 - (max(pressure, 1.0) / _P0) ** _EXPONENT)
            temperature = _T0 - _LAPSE * height - 273.15
        if airspeed is not None:
            updated |= _DYNAMIC
            dynamic = 0.5 * _RHO0 * airspeed * airspeed / _MILLIBAR
        message = self._out.hil_sensor_encode(
            stamp, *frd(imu[3:6]), *frd(imu[0:3]), *magnetic, static, dynamic, height, temperature, updated, 0
        )
        return self._packed(message)

    def gps(self, stamp: int, reading: Sequence[float]) -> bytes:
        """A fix at a time [us] from position [m] and velocity [m/s], both east-north-up, shape [6]."""
        north, east, down = (round(100.0 * speed) for speed in ned(reading[3:6]))
        course = round(100.0 * (math.degrees(math.atan2(reading[3], reading[4])) % 360.0)) % 36_000
        speed = min(round(100.0 * math.hypot(reading[3], reading[4])), 65_534)
        north, east, down = (_int16(value) for value in (north, east, down))
        place = place_1e7(self._origin, reading[0:3])
        message = self._out.hil_gps_encode(stamp, _FIX_3D, *place, _EPH, _EPV, speed, north, east, down, course, _SATELLITES)
        return self._packed(message)

    def truth(self, stamp: int, imu: Sequence[float], state: Sequence[float], airspeed: float | None) -> bytes:
        """The true state at a time [us]: position, orientation, velocity and rates as `odometry` gives them, shape [13]."""
        orientation = state[3:7]
        force = rotate(orientation, imu[3:6])
        inverse = (orientation[0], -orientation[1], -orientation[2], -orientation[3])
        acceleration = rotate(inverse, (force[0], force[1], force[2] - self._gravity))
        velocity = [_int16(round(100.0 * speed)) for speed in ned(rotate(orientation, state[7:10]))]
        speed = _uint16(round(100.0 * (math.dist(state[7:10], (0.0, 0.0, 0.0)) if airspeed is None else airspeed)))
        message = self._out.hil_state_quaternion_encode(
            stamp, attitude_ned(orientation), *frd(state[10:13]), *place_1e7(self._origin, state[0:3]), *velocity,
            speed, speed, *(_int16(round(1000.0 * part / _G)) for part in frd(acceleration)),
        )  # fmt: skip
        return self._packed(message)

    def controls(self, data: bytes) -> list[Any]:
        """HIL_ACTUATOR_CONTROLS in what came, in order; bytes that mean nothing are passed over."""
        return [message for message in self._messages(data) if message.get_type() == "HIL_ACTUATOR_CONTROLS"]

    def _messages(self, data: bytes) -> Iterator[Any]:
        """Whole messages whose check sum is right, wherever they begin.

        pymavlink's own parser trusts the length behind a magic byte and swallows that much; in lock-step nothing would follow.
        """
        held, at, keep = self._received + data, 0, None
        while at < len(held):
            size = _size(held, at)
            if size == 0:
                at += 1
            elif at + size > len(held):
                keep, at = at if keep is None else keep, at + 1
            else:
                message = self._decoded(held[at : at + size])
                keep, at = (keep, at + 1) if message is None else (None, at + size)
                if message is not None:
                    yield message
        self._received = b"" if keep is None else held[keep:]

    def _decoded(self, data: bytes) -> Any:
        """The message, or None: of a kind that is not known nobody can tell whether its check sum is right."""
        try:
            message = self._in.decode(bytearray(data))
        except self._dialect.MAVError:
            return None
        return None if message.get_type().startswith("UNKNOWN") else message

    def _packed(self, message: Any) -> bytes:
        packed = bytes(message.pack(self._out))
        self._out.seq = (self._out.seq + 1) % 256
        return packed


def _size(data: bytes, at: int) -> int:
    """How long [bytes] the message that begins somewhere is, 0 where none begins; where that is unknown, more than there is."""
    if data[at] == _MAVLINK_1:
        return 8 + data[at + 1] if at + 1 < len(data) else 2
    if data[at] == _MAVLINK_2:
        return 12 + data[at + 1] + _SIGNATURE * (data[at + 2] & 1) if at + 2 < len(data) else 3
    return 0


def _int16(value: int) -> int:
    return min(max(value, -32_768), 32_767)


def _uint16(value: int) -> int:
    return min(max(value, 0), 65_535)
