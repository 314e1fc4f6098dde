"""What a MAVLink vehicle's telemetry means in the words, frames and units of a twin.

    HIGHRES_IMU                       gyro, accel of the IMU, field of the magnetometer, pressure of the barometer, by its bits
    SCALED_IMU, _2, _3, RAW_IMU       the same of vehicles that send no HIGHRES_IMU; RAW_IMU in the units that ArduPilot gives it
    SCALED_PRESSURE                   pressure, of vehicles without one in HIGHRES_IMU
    GPS_RAW_INT                       position and level velocity of the GPS, from 3-D fixes
    ATTITUDE_QUATERNION, or ATTITUDE  orientation and angular velocity of the autopilot's estimate
    LOCAL_POSITION_NED                position and velocity of the same
    VFR_HUD, BATTERY_STATUS           airspeed and voltage; they have no stamp, so the newest one stands for theirs
    SERVO_OUTPUT_RAW                  inputs, by the numbers of outputs (`ports/firmware/autopilots/outputs.py`)

The estimate goes to the twin's sensor `odometry` (velocity in the body's frame, as it has it), or to a sensor of pose, or to
`truth` as a camera system would. It is filtered, so its errors hang together: a measurement of its own only to who knows that.
Bodies and worlds are turned by `ports/aviation.py`, whose maps are their own inverse; sensors speak in the frame of the root,
forward-left-up. Places count from the vehicle's own origin (GPS_GLOBAL_ORIGIN), or from the twin's (`world.earth`) until that is
known.

Stamps are the vehicle's clock since it was switched on. 32 bits of microseconds end after 71 minutes and are carried on; stamps
that count from 1970 are moved by SYSTEM_TIME, and left out until that has come.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from didymos.air.geodesy import local
from didymos.parts.battery import Battery
from didymos.ports.aviation import attitude_ned, frd, ned, rotate
from didymos.ports.firmware.autopilots.outputs import Drive
from didymos.sensors.environment import Airspeed, Barometer, Magnetometer
from didymos.sensors.motion import Gps, Imu, Odometry, Pose
from didymos.shadow.sources.arrivals import Arrivals

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["Words"]

_G = 9.80665  # [m/s^2]
_GAUSS = 1e-4  # [T]
_OLD = 0.2  # [s] of an attitude by which a velocity is turned
_FIX = 3  # GPS_FIX_TYPE_3D_FIX
_FAR = 1e5  # [m] from the origin, beyond which a fix belongs to another place
_SINCE_1970 = 1e8  # [s]
_WRAP = 2.0**32 * 1e-6  # [s] of 32 bits of microseconds
_RESTART = 5.0  # [s] that stamps go back by when a vehicle is switched on again
_MOST_PULSE, _NONE = 3000, 65535
Told = tuple[float, dict[str, float]]
"""A stamp [s] and values by signal."""


class Words:
    """Turns messages of one vehicle into signals of a twin; `drives` say which output is which input."""

    def __init__(self, twin: Twin, known: Mapping[str, str], drives: Sequence[Drive], about: Arrivals) -> None:
        self._known, self._drives, self._about = known, drives, about
        sensors = twin.file.sensors.items()
        self._names: dict[type, str | None] = {kind: next((name for name, item in sensors if item.contract is kind), None)
                       for kind in (Imu, Magnetometer, Barometer, Gps, Airspeed, Odometry, Pose)}  # fmt: skip
        self._battery = next((name for name, item in twin.file.parts.items() if item.contract is Battery), None)
        earth = twin.file.world.earth
        self._origin = earth.latitude, earth.longitude, earth.height
        self._estimate = self._names[Odometry] or self._names[Pose] or "truth"
        self._last: dict[str, Any] = {}  # of what may be sent twice
        self._heard: set[str] = set()
        self._newest, self._since_1970 = 0.0, math.nan
        self._attitude: tuple[float, tuple[float, float, float, float]] | None = None
        self._turn: Mapping[str, Callable[[Any], Told | None]] = {
            "HIGHRES_IMU": self._highres, "SCALED_IMU": self._scaled, "SCALED_IMU2": self._scaled, "SCALED_IMU3": self._scaled,
            "RAW_IMU": self._scaled, "SCALED_PRESSURE": self._pressure, "GPS_RAW_INT": self._gps,
            "ATTITUDE_QUATERNION": self._quaternion, "ATTITUDE": self._euler, "LOCAL_POSITION_NED": self._local,
            "VFR_HUD": self._airspeed, "BATTERY_STATUS": self._voltage, "SERVO_OUTPUT_RAW": self._servos,
        }  # fmt: skip

    @property
    def signals(self) -> tuple[str, ...]:
        """What a vehicle may tell of."""
        names = {name for name in self._names.values() if name is not None} | {self._estimate}
        inputs = {f"inputs.{drive.input}" for drive in self._drives} | {f"parts.{self._battery}.voltage"}
        return tuple(name for name in self._known if name.partition(".")[0] in names or name in inputs)

    def told(self, message: Any) -> Told | None:
        """What a message says of the robot: its stamp [s] and values; None where it says nothing of it."""
        kind = message.get_type()
        self._heard.add(kind)
        if kind == "SYSTEM_TIME" and message.time_unix_usec:
            self._since_1970 = 1e-6 * message.time_unix_usec - 1e-3 * message.time_boot_ms
        elif kind == "GPS_GLOBAL_ORIGIN":
            degrees = 1e-7 * message.latitude, 1e-7 * message.longitude
            self._origin = math.radians(degrees[0]), math.radians(degrees[1]), 1e-3 * message.altitude
        turn = self._turn.get(kind)
        found = None if turn is None else turn(message)
        if found is None:
            return None
        stamp, values = found
        values = {name: value for name, value in values.items() if name in self._known and math.isfinite(value)}
        return (stamp, values) if values and math.isfinite(stamp) else None

    def _boot(self, milliseconds: float) -> float:
        stamp = 1e-3 * milliseconds
        self._newest = max(self._newest, stamp) if stamp > self._newest - _RESTART else stamp
        return stamp

    def _is_new(self, what: str, sample: Any) -> bool:
        """Whether something differs from what was said of it last: telemetry repeats slow readings."""
        before, self._last[what] = self._last.get(what), sample
        return bool(sample != before)

    def _long(self, microseconds: int) -> float:
        """A stamp of 64 bits, NaN where it counts from 1970 and nobody has said how far that is."""
        stamp = 1e-6 * microseconds
        if stamp < _SINCE_1970:
            return self._boot(1e3 * stamp)
        if math.isnan(self._since_1970):
            text = "stamps of the vehicle count from 1970 and it has not told its time; until it does they are left out"
            self._about.say_once("1970", text)
        return stamp - self._since_1970

    def _short(self, microseconds: int) -> float:
        """A stamp of 32 bits, carried on to be near the newest."""
        stamp = 1e-6 * microseconds
        return stamp + _WRAP * max(round((self._newest - stamp) / _WRAP), 0)

    def _vector(self, kind: type, quantity: str, values: Sequence[float]) -> Iterator[tuple[str, float]]:
        name = self._names[kind]
        if name is not None:
            yield from zip((f"{name}.{quantity}.{axis}" for axis in "xyz"), values, strict=True)

    def _highres(self, message: Any) -> Told:
        bits = message.fields_updated
        told: dict[str, float] = {}
        fresh = self._is_new("imu", message.time_usec)
        if bits & 0b111 == 0b111 and fresh:
            told |= dict(self._vector(Imu, "accel", frd((message.xacc, message.yacc, message.zacc))))
        if bits >> 3 & 0b111 == 0b111 and fresh:
            told |= dict(self._vector(Imu, "gyro", frd((message.xgyro, message.ygyro, message.zgyro))))
        field = message.xmag, message.ymag, message.zmag
        if bits >> 6 & 0b111 == 0b111 and self._is_new("field", field):
            told |= dict(self._vector(Magnetometer, "field", frd([_GAUSS * part for part in field])))
        if bits >> 9 & 1:
            self._heard.add("pressure")
            if self._is_new("pressure", message.abs_pressure):
                told[f"{self._names[Barometer]}.pressure"] = 100.0 * message.abs_pressure
        return self._long(message.time_usec), told

    def _scaled(self, message: Any) -> Told | None:
        """Of milli-g, mrad/s and milligauss; only from the first of its kind where there is no finer one."""
        kind = message.get_type()
        if "HIGHRES_IMU" in self._heard or any(other in self._heard for other in _FINER[kind]):
            return None
        stamp = self._long(message.time_usec) if kind == "RAW_IMU" else self._boot(message.time_boot_ms)
        told = dict(self._vector(Imu, "accel", frd([1e-3 * _G * part for part in (message.xacc, message.yacc, message.zacc)])))
        told |= dict(self._vector(Imu, "gyro", frd([1e-3 * part for part in (message.xgyro, message.ygyro, message.zgyro)])))
        if message.xmag or message.ymag or message.zmag:
            field = [1e-3 * _GAUSS * part for part in (message.xmag, message.ymag, message.zmag)]
            told |= dict(self._vector(Magnetometer, "field", frd(field)))
        return stamp, told

    def _pressure(self, message: Any) -> Told | None:
        if "pressure" in self._heard or not self._is_new("pressure", message.press_abs):
            return None
        return self._boot(message.time_boot_ms), {f"{self._names[Barometer]}.pressure": 100.0 * message.press_abs}

    def _gps(self, message: Any) -> Told | None:
        if message.fix_type < _FIX or not self._is_new("gps", message.time_usec):
            return None
        there = math.radians(1e-7 * message.lat), math.radians(1e-7 * message.lon), 1e-3 * message.alt
        place = local(*self._origin, *there)
        if not math.hypot(*place) < _FAR:
            text = "the vehicle's GPS is 100 km or more from the twin's origin (`world.earth`); its positions are left out"
            self._about.say_once("far", text)
            return None
        told = dict(self._vector(Gps, "position", place))
        if message.vel != _NONE and message.cog != _NONE:
            course, speed, name = math.radians(1e-2 * message.cog), 1e-2 * message.vel, self._names[Gps]
            told |= {f"{name}.velocity.x": speed * math.sin(course), f"{name}.velocity.y": speed * math.cos(course)}
        return self._long(message.time_usec), told

    def _quaternion(self, message: Any) -> Told:
        q = message.q1, message.q2, message.q3, message.q4
        return self._oriented(message, q)

    def _euler(self, message: Any) -> Told | None:
        if "ATTITUDE_QUATERNION" in self._heard:
            return None
        (cr, sr), (cp, sp), (cy, sy) = (
            (math.cos(0.5 * angle), math.sin(0.5 * angle)) for angle in (message.roll, message.pitch, message.yaw)
        )
        q = (cr * cp * cy + sr * sp * sy, sr * cp * cy - cr * sp * sy, cr * sp * cy + sr * cp * sy, cr * cp * sy - sr * sp * cy)
        return self._oriented(message, q)

    def _oriented(self, message: Any, q: Sequence[float]) -> Told:
        stamp, head = self._boot(message.time_boot_ms), self._estimate
        size = math.hypot(*q)
        if not 0.9 < size < 1.1:
            return stamp, {}
        orientation = attitude_ned([part / size for part in q])
        self._attitude = stamp, orientation
        told = {f"{head}.orientation.{axis}": part for axis, part in zip("wxyz", orientation, strict=True)}
        rate = frd((message.rollspeed, message.pitchspeed, message.yawspeed))
        return stamp, told | {f"{head}.angular_velocity.{axis}": part for axis, part in zip("xyz", rate, strict=True)}

    def _local(self, message: Any) -> Told:
        stamp, head = self._boot(message.time_boot_ms), self._estimate
        position = ned((message.x, message.y, message.z))
        told = {f"{head}.position.{axis}": part for axis, part in zip("xyz", position, strict=True)}
        if self._attitude is not None and abs(stamp - self._attitude[0]) < _OLD:
            w, x, y, z = self._attitude[1]
            velocity = rotate((w, -x, -y, -z), ned((message.vx, message.vy, message.vz)))
            told |= {f"{head}.velocity.{axis}": part for axis, part in zip("xyz", velocity, strict=True)}
        return stamp, told

    def _airspeed(self, message: Any) -> Told | None:
        return None if self._newest == 0.0 else (self._newest, {f"{self._names[Airspeed]}.airspeed": message.airspeed})

    def _voltage(self, message: Any) -> Told | None:
        volts = 1e-3 * sum(part for part in message.voltages if part != _NONE)
        return None if self._newest == 0.0 or volts == 0.0 else (self._newest, {f"parts.{self._battery}.voltage": volts})

    def _servos(self, message: Any) -> Told | None:
        first = 16 * message.port
        told = {}
        for drive in self._drives:
            number = drive.output - first
            pulse = getattr(message, f"servo{number}_raw", 0) if 1 <= number <= 16 else 0
            if 0 < pulse < _MOST_PULSE:
                told[f"inputs.{drive.input}"] = drive.of_pulse(pulse)
        return self._short(message.time_usec), told


_FINER = {"SCALED_IMU": (), "RAW_IMU": ("SCALED_IMU",), "SCALED_IMU2": ("SCALED_IMU", "RAW_IMU"),
          "SCALED_IMU3": ("SCALED_IMU", "RAW_IMU", "SCALED_IMU2")}  # fmt: skip
