"""What an autopilot is told: readings of the twin's sensors in its frames, and the truth where its link asks for that.

An autopilot brings its own filter, so it gets what the sensors say, with their errors. Both links also carry the true state:
ArduPilot makes its GPS, compass and barometer from it, PX4 logs it. That comes from a sensor `odometry` without errors. Sensors
speak in the frame of their link, which has to be forward-left-up like the root's.

`needed_sensors` finds them in the twin by their kind, and adds ideal ones where the twin has none; a sensor that an option
names is taken as it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from didymos.control.controller import Robot
from didymos.control.values import Values
from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest
from didymos.ports.firmware.library import AllNumbers
from didymos.sensors.sensor import SensorSpec

__all__ = ["Beat", "Reading", "needed_sensors"]

_IDEAL = {"kind", "link", "rate"}  # what is said of a sensor that has no errors
_AXES = ("x", "y", "z")
COLUMNS: dict[str, tuple[str, ...]] = {
    "imu": (*(f"gyro.{axis}" for axis in _AXES), *(f"accel.{axis}" for axis in _AXES)),
    "odometry": (
        *(f"position.{axis}" for axis in _AXES), *(f"orientation.{axis}" for axis in "wxyz"),
        *(f"velocity.{axis}" for axis in _AXES), *(f"angular_velocity.{axis}" for axis in _AXES),
    ),
    "gps": (*(f"position.{axis}" for axis in _AXES), *(f"velocity.{axis}" for axis in _AXES)),
    "magnetometer": tuple(f"field.{axis}" for axis in _AXES),
    "barometer": ("pressure",),
    "airspeed": ("airspeed",),
}  # fmt: skip
"""Numbers that are read of each kind of sensor, in order."""


class Reading:
    """All numbers of one sensor, of a kind that `COLUMNS` knows."""

    def __init__(self, robot: Robot, sensor: str, kind: str, where: str) -> None:
        names = [f"{sensor}.{column}" for column in COLUMNS[kind]]
        for name in names:
            if name not in robot.measured:
                known = sorted({item.split(".")[0] for item in robot.measured})
                text = f"the sensor {sensor!r} gives no {name!r}, which {kind} has{nearest(sensor, known)}"
                raise InputError(text, path=where)
        self._read = AllNumbers(names)
        self.rate = robot.sensors[sensor].rate if sensor in robot.sensors else robot.rate

    def __call__(self, measured: Values) -> list[float]:
        """The numbers now."""
        return self._read(measured).tolist()


class Beat:
    """Tells when a sensor of some rate [Hz] has a new reading."""

    def __init__(self, rate: float) -> None:
        self._rate, self._last = rate, -1

    def due(self, time: float) -> bool:
        """Whether one came since the last time [s] that was asked about."""
        count = math.floor(time * self._rate + 1e-6)
        fresh, self._last = count != self._last, count
        return fresh


def needed_sensors(
    twin: Twin, kinds: Mapping[str, float], optional: Sequence[str], options: Mapping[str, Any], rate: float
) -> tuple[dict[str, str], dict[str, Any]]:
    """The option that names a sensor of each kind, and records of the ones that have to be added.

    Args:
        kinds: what the autopilot cannot do without, and how often [Hz] an ideal one of it would read; 0: with every step.
        optional: kinds that it takes where the twin has one.
        options: what the twin's file says; a sensor that is named there stays.
        rate: of the autopilot's steps [Hz].
    """
    chosen: dict[str, str] = {}
    added: dict[str, Any] = {}
    for kind in (*kinds, *optional):
        if options.get(kind) is not None:
            continue
        found = [name for name, spec in twin.file.sensors.items() if spec.contract.kind == kind and _fits(spec, twin, rate)]
        if found:
            chosen[kind] = found[0]
        elif kind in kinds:
            chosen[kind] = f"autopilot_{kind}"
            added[chosen[kind]] = {"kind": kind, "link": twin.description.root, "rate": kinds[kind] or rate}
    return chosen, added


def _fits(spec: SensorSpec, twin: Twin, rate: float) -> bool:
    """Whether a sensor will do: the true state must be that of the root, without errors, fresh at every step."""
    if spec.contract.kind != "odometry":
        return True
    return spec.model_fields_set <= _IDEAL and spec.link == twin.description.root and spec.rate >= rate  # type: ignore[attr-defined]
