"""Betaflight as the control program of a twin: sensors to its ports, a pilot's sticks to its radio, its motors to the inputs.

The firmware flies in ANGLE mode: the sticks of roll and pitch are angles, that of yaw is a rate, that of throttle is thrust. The
pilot here does what a person with a radio does: holds roll and pitch at their set-points, turns until the heading is at its own,
and gives as much throttle as the height needs:

    throttle = hover + kp (z* - z) - kd dz/dt + ki int,    yaw = -kp wrap(yaw* - yaw)       sticks in [0, 1] and [-1, 1]

He switches to ARM at `arm_at` [s], throttle closed, and flies from half a second later. A firmware that gives no power then has
refused to arm.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from didymos.contract import setpoint
from didymos.control.angles import wrap
from didymos.control.controller import Controller, Gain, Robot
from didymos.control.values import Values
from didymos.errors import InputError, RunError, nearest
from didymos.ports.firmware.betaflight.packets import MOTORS, radio_packet, state_packet
from didymos.ports.firmware.betaflight.sitl import RADIO_RATE, Sitl, stamp

__all__ = ["Betaflight"]

_ARMED, _LOW, _MIDDLE, _HALF = 2000.0, 1000.0, 1500.0, 500.0
_BEFORE_TAKE_OFF = 0.5  # [s] with throttle closed after arming
_REFUSED = 1.0  # [s] after the switch: the motors turn, or it will not arm
_MODES = ("aux 0 0 0 1700 2100 0 0", "aux 1 1 1 1700 2100 0 0")  # ARM by the fifth channel, ANGLE by the sixth
_STICKS = (  # proportional: the angle is the stick's times the limit; at full stick yaw turns by 120 deg/s
    "set rates_type = ACTUAL",
    *(f"set {axis}_{key} = {rate}" for axis, rate in (("roll", 36), ("pitch", 36), ("yaw", 12)) for key in ("rc_rate", "srate")),
    *(f"set {axis}_expo = 0" for axis in ("roll", "pitch", "yaw")),
)


class Betaflight(Controller):
    """The real firmware. `motors` are the twin's inputs in the order of Betaflight's, `settings` lines of its command line."""

    rate = 1000.0
    height_kp = Gain(0.1, low=0, high=10, unit="1/m", path="pilot.height.kp")
    height_kd = Gain(0.1, low=0, high=10, unit="s/m", path="pilot.height.kd")
    height_ki = Gain(0.02, low=0, high=10, unit="1/(m s)", path="pilot.height.ki")
    height_hover = Gain(0.5, low=0, high=1, unit="1", path="pilot.height.hover", doc="throttle at which it hovers")
    yaw_kp = Gain(0.5, low=0, high=10, unit="1/rad", path="pilot.yaw.kp")
    roll = setpoint(unit="rad")
    pitch = setpoint(unit="rad")
    yaw = setpoint(unit="rad")
    z = setpoint(unit="m")

    def __init__(
        self,
        motors: Sequence[str] = (),
        settings: Sequence[str] = (),
        imu: str = "imu",
        pose: str = "state",
        barometer: str | None = None,
        angle_limit: float = 60.0,
        arm_at: float = 6.0,
    ) -> None:
        if len(motors) != MOTORS:
            what = f"found {len(motors)} names, expected the inputs of Betaflight's motors 1 to 4"
            raise InputError(what, path="firmware.betaflight.options.motors")
        if not 10.0 <= angle_limit <= 80.0:
            where = "firmware.betaflight.options.angle_limit"
            raise InputError(f"found {angle_limit:g}, expected a tilt from 10 to 80 deg", path=where)
        self.motors, self.imu, self.pose, self.barometer = tuple(motors), imu, pose, barometer
        self.settings = (f"set angle_limit = {angle_limit:.0f}", *_STICKS, *settings, *_MODES)
        self.angle_limit, self.arm_at = math.radians(round(angle_limit)), arm_at
        self._sitl: Sitl | None = None
        self._height_integral = 0.0
        self._next_radio = 0.0
        self._refusing = True

    def start(self, robot: Robot) -> None:
        """Start the firmware, configured."""
        for name in self.motors:
            if name not in robot.inputs:
                where = "firmware.betaflight.options.motors"
                raise InputError(f"there is no input {name!r}{nearest(name, robot.inputs)}", path=where)
        needed = [f"{self.imu}.gyro.x", f"{self.imu}.accel.x", f"{self.pose}.orientation.w", f"{self.pose}.position.z"]
        for name in [*needed, *([f"{self.barometer}.pressure"] if self.barometer else [])]:
            if name not in robot.measured:
                raise InputError(f"Betaflight needs the reading {name!r}, which no sensor gives{nearest(name, robot.measured)}")
        self._sitl = Sitl(self.settings)

    def stop(self) -> None:
        """End the firmware."""
        if self._sitl is not None:
            self._sitl.stop()
            self._sitl = None

    def update(self, t: float, measured: Values, setpoints: Values) -> Mapping[str, float]:
        """One step of the firmware."""
        if self._sitl is None:
            raise RunError("the firmware Betaflight has been ended; simulate again", time=t)
        if t >= self._next_radio - 1e-9:
            self._sitl.radio(radio_packet(stamp(t), self._channels(t, measured, setpoints)))
            self._next_radio += 1.0 / RADIO_RATE
        imu, pose = measured[self.imu], measured[self.pose]
        pressure = measured[f"{self.barometer}.pressure"] if self.barometer else 101_325.0
        packet = state_packet(stamp(t), tuple(imu.gyro), tuple(imu.accel), tuple(pose.orientation), pressure)
        powers = self._sitl.step(packet, t)
        if self._refusing and t > self.arm_at + _REFUSED:
            if max(powers) <= 0.0:
                raise RunError("Betaflight did not arm: its motors stand still a second after the switch was set", time=t)
            self._refusing = False
        return dict(zip(self.motors, powers, strict=True))

    def _channels(self, t: float, measured: Values, setpoints: Values) -> tuple[float, ...]:
        """Roll, pitch, throttle, yaw, ARM, ANGLE [us]."""
        if t < self.arm_at + _BEFORE_TAKE_OFF:
            return _MIDDLE, _MIDDLE, _LOW, _MIDDLE, _ARMED if t >= self.arm_at else _LOW, _ARMED
        pose = measured[self.pose]
        w, x, y, z = pose.orientation
        u, v, s = pose.velocity
        climb = 2.0 * (x * z - w * y) * u + 2.0 * (y * z + w * x) * v + (1.0 - 2.0 * (x * x + y * y)) * s
        error = min(max(setpoints.z - pose.position.z, -1.0), 1.0)
        throttle = self.height_hover + self.height_kp * error - self.height_kd * climb + self._height_integral
        if 0.0 < throttle < 1.0:
            self._height_integral += self.height_ki * error / RADIO_RATE
        yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
        sticks = (setpoints.roll / self.angle_limit, setpoints.pitch / self.angle_limit, -self.yaw_kp * wrap(setpoints.yaw - yaw))
        roll, pitch, turn = (_MIDDLE + _HALF * min(max(stick, -1.0), 1.0) for stick in sticks)
        return roll, pitch, _LOW + 2.0 * _HALF * min(max(throttle, 0.0), 1.0), turn, _ARMED, _ARMED
