"""The firmware's gains, of PID loops in cascade, over those of the twin's program.

The program's law for roll is u = kp e - kd w, of the mixer's share u, the error e [rad] and the rate w [rad/s]; the firmware's is
u = k_rate (k_att e - w), with degrees and with 65535 for a share of 1, half of which each rotor gets. So

    pid_attitude.roll_kp = kp / kd                    pid_rate.roll_kp = kd 2 65535 pi / 180             (pitch alike)
    pid_attitude.yaw_kp  = kp / kd                    pid_rate.yaw_kp  = kd   65535 pi / 180
    posCtlPid.xKp  = position.kp                      posCtlPid.zKp    = height.kp / height.kd           (y as x)
    velCtlPid.vxKp = velocity.kp 180 / (pi g)         velCtlPid.vzKp   = height.kd 65.535
    velCtlPid.vxKi = velocity.ki 180 / (pi g)         posCtlPid.zKi    = height.ki / height.kd
    posCtlPid.rLimit = tilt.limit 180 / pi            posCtlPid.thrustBase = height.hover 65535          (pLimit as rLimit)
    posCtlPid.xVelMax = position.limit

A write of a rate's gain keeps the attitude's, as in the firmware, so it sets two gains of the twin. x and y are one gain of the
twin: a write to either is one to both.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from didymos.ports.crtp.c_types import CType
from didymos.ports.crtp.parameters import Parameter
from didymos.ports.crtp.vehicle import FULL, Vehicle

__all__ = ["gain_parameters"]

_RADIAN = math.pi / 180.0
_TILT = 1.0 / (_RADIAN * 9.80665)  # [deg] of tilt per [m/s^2]
_THRUST = FULL / 1000.0  # the firmware's thrust is in thousands

_Gains = Callable[[float], Mapping[str, float]]


def gain_parameters(vehicle: Vehicle) -> Iterator[Parameter]:
    """The parameters that are gains of the vehicle's program."""

    def one(group: str, name: str, path: str, scale: float) -> Parameter:
        return _parameter(vehicle, group, name, lambda: scale * vehicle.gain(path), lambda value: {path: value / scale})

    def ratio(group: str, name: str, upper: str, lower: str) -> Parameter:
        def read() -> float:
            below = vehicle.gain(lower)
            return vehicle.gain(upper) / below if below else 0.0

        return _parameter(vehicle, group, name, read, lambda value: {upper: value * vehicle.gain(lower)})

    def inner(group: str, name: str, lower: str, uppers: tuple[str, ...], scale: float) -> Parameter:
        def gains(value: float) -> Mapping[str, float]:
            before, after = vehicle.gain(lower), value / scale
            kept = {upper: vehicle.gain(upper) * after / before for upper in uppers} if before else {}
            return {lower: after} | kept

        return _parameter(vehicle, group, name, lambda: scale * vehicle.gain(lower), gains)

    for axis, share in (("roll", 2.0), ("pitch", 2.0), ("yaw", 1.0)):
        yield ratio("pid_attitude", f"{axis}_kp", f"{axis}.kp", f"{axis}.kd")
        yield inner("pid_rate", f"{axis}_kp", f"{axis}.kd", (f"{axis}.kp",), share * FULL * _RADIAN)
    for axis in "xy":
        yield one("posCtlPid", f"{axis}Kp", "position.kp", 1.0)
        yield one("posCtlPid", f"{axis}VelMax", "position.limit", 1.0)
        yield one("velCtlPid", f"v{axis}Kp", "velocity.kp", _TILT)
        yield one("velCtlPid", f"v{axis}Ki", "velocity.ki", _TILT)
    for limit in ("rLimit", "pLimit"):
        yield one("posCtlPid", limit, "tilt.limit", 1.0 / _RADIAN)
    yield ratio("posCtlPid", "zKp", "height.kp", "height.kd")
    yield ratio("posCtlPid", "zKi", "height.ki", "height.kd")
    yield inner("velCtlPid", "vzKp", "height.kd", ("height.kp", "height.ki"), _THRUST)
    yield _parameter(
        vehicle, "posCtlPid", "thrustBase", lambda: FULL * vehicle.gain("height.hover"),
        lambda value: {"height.hover": value / FULL}, CType.UINT16,
    )  # fmt: skip


def _parameter(
    vehicle: Vehicle, group: str, name: str, read: Callable[[], float], gains: _Gains, kind: CType = CType.FLOAT
) -> Parameter:
    return Parameter(group, name, kind, read, lambda value: vehicle.set_gains(gains(value)), persistent=True)
