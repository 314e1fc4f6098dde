"""What there is to log, by the firmware's names, in the firmware's units: degrees, g, PWM of 65535; SI where it has SI.

Roll, pitch and yaw are the firmware's: positive pitch is nose up. What the robot lacks (a battery, an IMU) is not in the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from didymos.ports.crtp.c_types import CType
from didymos.ports.crtp.vehicle import FULL, Vehicle
from didymos.rotations import quaternion_to_matrix

if TYPE_CHECKING:
    from didymos.ports.crtp.crazyflie import Crazyflie

__all__ = ["LogVariable", "log_variables"]

_G = 9.80665
_DEGREES = math.degrees(1.0)
_FULL_BATTERY, _EMPTY_BATTERY = 4.2, 3.0  # [V] of one cell
Read = Callable[[], float]


@dataclass(frozen=True)
class LogVariable:
    """A variable: its names, its type and how it is read."""

    group: str
    name: str
    type: CType
    read: Read

    @property
    def type_byte(self) -> int:
        """Its type as the table of contents has it."""
        return self.type.log


def log_variables(crazyflie: Crazyflie) -> list[LogVariable]:
    """All variables of a Crazyflie, in the order of their numbers."""
    found = [*_motion(crazyflie.vehicle), *_kalman(crazyflie.vehicle), *_sensors(crazyflie.vehicle), *_rotors(crazyflie.vehicle)]
    return [*found, *_targets(crazyflie.vehicle), *_system(crazyflie)]


def _floats(group: str, names: str, read: Callable[[], object], scale: float = 1.0) -> Iterator[LogVariable]:
    """One variable for each number of an array."""
    for i, name in enumerate(names.split()):

        def one(i: int = i) -> float:
            return float(np.asarray(read())[i]) * scale

        yield LogVariable(group, name, CType.FLOAT, one)


def _whole(group: str, name: str, kind: CType, read: Read) -> LogVariable:
    return LogVariable(group, name, kind, read)


def _attitude(vehicle: Vehicle) -> tuple[float, float, float]:
    """Roll, pitch and yaw [deg] as the firmware has them."""
    roll, pitch, yaw = vehicle.angles
    return _DEGREES * roll, -_DEGREES * pitch, _DEGREES * yaw


def _xyzw(vehicle: Vehicle) -> object:
    return np.roll(vehicle.orientation, -1)


def _motion(vehicle: Vehicle) -> Iterator[LogVariable]:
    yield from _floats("stateEstimate", "x y z", lambda: vehicle.position)
    yield from _floats("stateEstimate", "vx vy vz", lambda: vehicle.velocity)
    yield from _floats("stateEstimate", "ax ay az", lambda: vehicle.acceleration, 1.0 / _G)
    yield from _floats("stateEstimate", "roll pitch yaw", lambda: _attitude(vehicle))
    yield from _floats("stateEstimate", "qx qy qz qw", lambda: _xyzw(vehicle))
    for group, names, read in (
        ("stateEstimateZ", "x y z", lambda: 1000.0 * vehicle.position),
        ("stateEstimateZ", "vx vy vz", lambda: 1000.0 * vehicle.velocity),
        ("stateEstimateZ", "ax ay az", lambda: 1000.0 * vehicle.acceleration),
        ("stateEstimateZ", "rateRoll ratePitch rateYaw", lambda: 1000.0 * vehicle.rate),
    ):
        for item in _floats(group, names, read):
            yield LogVariable(group, item.name, CType.INT16, item.read)
    yield from _floats("stabilizer", "roll pitch yaw", lambda: _attitude(vehicle))
    yield LogVariable("stabilizer", "thrust", CType.FLOAT, lambda: FULL * float(vehicle.throttle.mean()))


def _kalman(vehicle: Vehicle) -> Iterator[LogVariable]:
    yield from _floats("kalman", "stateX stateY stateZ", lambda: vehicle.position)
    inward = lambda: quaternion_to_matrix(vehicle.orientation).T @ vehicle.velocity  # noqa: E731
    yield from _floats("kalman", "statePX statePY statePZ", inward)
    yield from _floats("kalman", "q0 q1 q2 q3", lambda: vehicle.orientation)
    position, velocity = vehicle.deviations
    yield from _floats("kalman", "varX varY varZ", lambda: [position**2] * 3)
    yield from _floats("kalman", "varPX varPY varPZ", lambda: [velocity**2] * 3)


def _sensors(vehicle: Vehicle) -> Iterator[LogVariable]:
    gyro, accel, voltage = vehicle.gyro, vehicle.accel, vehicle.voltage
    yield from _floats("gyro", "x y z", lambda: gyro, _DEGREES)
    yield from _floats("gyro", "xRaw yRaw zRaw", lambda: gyro, _DEGREES / 2000.0 * 32768.0)
    if accel is not None:
        yield from _floats("acc", "x y z", lambda: accel, 1.0 / _G)
    if voltage is not None:
        yield LogVariable("pm", "vbat", CType.FLOAT, lambda: float(voltage[0]))
        yield _whole("pm", "vbatMV", CType.UINT16, lambda: 1000.0 * float(voltage[0]))
        yield _whole("pm", "batteryLevel", CType.UINT8, lambda: _charge(float(voltage[0])))
        yield _whole("pm", "state", CType.INT8, lambda: 0.0)


def _charge(voltage: float) -> float:
    """Percent between an empty and a full cell, in tens as the firmware has it."""
    return 10.0 * round(10.0 * min(max((voltage - _EMPTY_BATTERY) / (_FULL_BATTERY - _EMPTY_BATTERY), 0.0), 1.0))


def _rotors(vehicle: Vehicle) -> Iterator[LogVariable]:
    for i in range(4):

        def throttle(i: int = i) -> float:
            return FULL * float(vehicle.throttle[i])

        yield _whole("motor", f"m{i + 1}", CType.UINT32, throttle)
        yield _whole("pwm", f"m{i + 1}_pwm", CType.UINT32, throttle)


def _targets(vehicle: Vehicle) -> Iterator[LogVariable]:
    def asked(name: str, scale: float = 1.0) -> Read:
        return lambda: scale * vehicle.setpoint(name)

    for name in ("x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"):
        yield LogVariable("ctrltarget", name, CType.FLOAT, asked(name))
        yield LogVariable("ctrltargetZ", name, CType.INT16, asked(name, 1000.0))
    for name, of, scale in (("roll", "roll", _DEGREES), ("pitch", "pitch", -_DEGREES), ("yaw", "yaw", _DEGREES)):
        yield LogVariable("ctrltarget", name, CType.FLOAT, asked(of, scale))
        yield LogVariable("controller", name, CType.FLOAT, asked(of, scale))
        yield LogVariable("controller", f"{name}Rate", CType.FLOAT, asked(f"{of}_rate", scale))
    yield LogVariable("controller", "actuatorThrust", CType.FLOAT, lambda: FULL * float(vehicle.throttle.mean()))


def _system(crazyflie: Crazyflie) -> Iterator[LogVariable]:
    supervisor, link = crazyflie.supervisor, crazyflie.counters
    yield _whole("supervisor", "info", CType.UINT16, lambda: float(supervisor.bits))
    yield _whole("supervisor", "state", CType.UINT8, lambda: float(supervisor.doing))
    yield _whole("sys", "canfly", CType.UINT8, lambda: float(supervisor.may_fly))
    yield _whole("sys", "isFlying", CType.UINT8, lambda: float(supervisor.is_flying))
    yield _whole("sys", "isTumbled", CType.UINT8, lambda: float(supervisor.tumbled))
    yield _whole("sys", "armed", CType.UINT8, lambda: float(supervisor.armed))
    yield _whole("crtp", "rxRate", CType.UINT16, lambda: link.rate("received"))
    yield _whole("crtp", "txRate", CType.UINT16, lambda: link.rate("sent"))
    yield _whole("memTst", "errCntW", CType.UINT32, lambda: float(crazyflie.memories.tester.errors))
    yield from _floats("locSrv", "x y z", lambda: crazyflie.localization.position)
    yield from _floats("locSrv", "qx qy qz qw", lambda: crazyflie.localization.orientation)
