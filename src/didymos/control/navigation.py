"""Where a program knows its motion from: a pose sensor, or the estimator behind IMU, GPS, magnetometer and barometer.

A program's options name the sensors: `sensor: state` for a pose sensor (kind odometry), or

    estimator: {imu: imu, gps: gps, magnetometer: compass, barometer: baro, declination: 0, pressure: 101325, temperature: 288.15}

(declination [rad]: angle of magnetic north from true north, toward east; barometer may be left out), and `airspeed: pitot`
where there is a tube; without one the airspeed is taken for the speed over ground.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.control import estimator as e
from didymos.control.angles import turn_vector
from didymos.control.controller import Robot
from didymos.errors import InputError, nearest

__all__ = ["AIRSPEED", "MEMORY", "SETTINGS", "Navigation", "navigate"]

STATE = 14
"""Quaternion [4], body rates [3], position [3] and velocity [3] in the world, airspeed."""
AIRSPEED = 13
MEMORY = e.MEMORY + STATE
"""Numbers of a program's memory; the state itself are the last `STATE` of them."""
SETTINGS = 3 + e.SETTINGS
_POSE_READS = 13
_ESTIMATED, _HAS_TUBE, _READS = range(3)


class Navigation:
    """The names of the readings and the settings that `navigate` needs, from a program's options."""

    def __init__(
        self, program: str, sensor: str | None, estimator: Mapping[str, str | float] | None, airspeed: str | None
    ) -> None:
        if (sensor is None) == (estimator is None):
            raise InputError("expected exactly one of the keys 'sensor' and 'estimator'", path="control.options")
        self.program, self.airspeed = program, airspeed
        self.settings: NDArray[np.float64] = np.zeros(SETTINGS)
        if sensor is not None:
            self.reads = (
                *(f"{sensor}.orientation.{axis}" for axis in "wxyz"),
                *(f"{sensor}.angular_velocity.{axis}" for axis in "xyz"),
                *(f"{sensor}.position.{axis}" for axis in "xyz"),
                *(f"{sensor}.velocity.{axis}" for axis in "xyz"),
            )
        else:
            self._take(dict(estimator or {}))
        if airspeed is not None:
            self.reads = (*self.reads, f"{airspeed}.airspeed")
        self.settings[_HAS_TUBE] = airspeed is not None
        self.settings[_READS] = len(self.reads)

    def _take(self, given: dict[str, Any]) -> None:
        known = ("imu", "gps", "magnetometer", "barometer", "declination", "pressure", "temperature")
        for key in given:
            if key not in known:
                raise InputError(f"there is no such key{nearest(key, known)}", path=f"control.options.estimator.{key}")
            is_name = key in known[:4]
            if isinstance(given[key], str) != is_name:
                what = "the name of a sensor" if is_name else "a number"
                raise InputError(f"found {given[key]!r}, expected {what}", path=f"control.options.estimator.{key}")
        imu, gps, compass = (str(given.get(key, key)) for key in ("imu", "gps", "magnetometer"))
        barometer = given.get("barometer")
        self.reads = (
            *(f"{imu}.gyro.{axis}" for axis in "xyz"),
            *(f"{imu}.accel.{axis}" for axis in "xyz"),
            *(f"{gps}.position.{axis}" for axis in "xyz"),
            *(f"{gps}.velocity.{axis}" for axis in "xyz"),
            *(f"{compass}.field.{axis}" for axis in "xyz"),
            f"{barometer}.pressure" if barometer else f"{gps}.position.z",
        )
        north = 0.5 * math.pi - float(given.get("declination", 0.0))
        ground = float(given.get("pressure", 101_325.0)), float(given.get("temperature", 288.15))
        self.settings[_ESTIMATED] = 1.0
        self.settings[3:] = north, *ground, float(barometer is not None)

    def check(self, robot: Robot) -> None:
        """Refuse a robot that lacks one of the readings."""
        for name in self.reads:
            if name not in robot.measured:
                raise InputError(
                    f"{self.program} needs the reading {name!r}, which no sensor gives{nearest(name, robot.measured)}",
                    path="control.options",
                )


@kernel
def navigate(
    clock: Any,
    settings: Any,
    bandwidth: float,
    position_gain: float,
    heading_gain: float,
    air_lag: float,
    measured: Any,
    memory: Any,
) -> Any:
    """The state [STATE] of this call, from readings or the estimator; `memory` has `MEMORY` numbers."""
    state = memory[e.MEMORY : MEMORY]
    if settings[_ESTIMATED] > 0.0:
        e.estimate(
            measured, settings[3:], bandwidth, position_gain, heading_gain, clock[1], clock[2] > 0.0, memory[: e.MEMORY], state
        )
    else:
        for i in range(10):
            state[i] = measured[i]
        state[10], state[11], state[12] = turn_vector(state, 0, measured[10], measured[11], measured[12])
    if settings[_HAS_TUBE] > 0.0:
        read = measured[int(settings[_READS]) - 1]
        share = 1.0 if clock[2] > 0.0 or air_lag <= 0.0 else 1.0 - math.exp(-clock[1] / air_lag)
        state[AIRSPEED] += share * (read - state[AIRSPEED])
    else:
        state[AIRSPEED] = math.sqrt(state[10] ** 2 + state[11] ** 2 + state[12] ** 2)
    return state
