"""Where a program knows its motion from: a pose sensor, or the estimator behind IMU, GPS, magnetometer and barometer.

A program's options name the sensors: `sensor: state` for a pose sensor (kind odometry), or

    estimator: {imu: imu, gps: gps, magnetometer: compass, barometer: baro, declination: 0, pressure: 101325, temperature: 288.15}

(declination [rad]: angle of magnetic north from true north, toward east; barometer may be left out), and `airspeed: pitot`
where there is a tube; without one the airspeed is taken for the speed over ground.

The program declares `NAVIGATION_READINGS`, `NAVIGATION_SETTINGS` and `NAVIGATION_MEMORY`, each under the name `navigation`;
after a call of `navigate` its motion stands in `memory.navigation.estimate`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.angles import turn_vector
from didymos.control.controller import Robot
from didymos.control.estimator import ESTIMATOR_MEMORY, ESTIMATOR_READINGS, ESTIMATOR_SETTINGS, update_estimate
from didymos.errors import InputError, nearest

__all__ = ["NAVIGATION_MEMORY", "NAVIGATION_READINGS", "NAVIGATION_SETTINGS", "Navigation", "navigate"]

_POSE = np.dtype(
    [
        ("orientation", np.float64, 4),  # body to world, w first
        ("angular_velocity", np.float64, 3),  # [rad/s] in the body's frame
        ("position", np.float64, 3),  # [m] in the world
        ("velocity", np.float64, 3),  # [m/s] in the body's frame
    ]
)

NAVIGATION_READINGS = np.dtype([("pose", _POSE), ("estimator", ESTIMATOR_READINGS), ("airspeed", np.float64)])
"""Memory layout of the readings: those of the pose sensor or of the estimator, and of the tube [m/s]."""

NAVIGATION_SETTINGS = np.dtype([("estimates", np.float64), ("has_tube", np.float64), ("estimator", ESTIMATOR_SETTINGS)])
"""Memory layout of what stays: 1 or 0 for the estimator and for a tube, the settings of the estimator."""

NAVIGATION_MEMORY = ESTIMATOR_MEMORY
"""Memory layout; a program that reads a pose sensor uses the `estimate` in it alone."""


class Navigation:
    """The names of the readings and the settings that `navigate` needs, from a program's options."""

    def __init__(
        self, program: str, sensor: str | None, estimator: Mapping[str, str | float] | None, airspeed: str | None
    ) -> None:
        if (sensor is None) == (estimator is None):
            raise InputError("expected exactly one of the keys 'sensor' and 'estimator'", path="control.options")
        self.program = program
        self.settings = np.zeros((), dtype=NAVIGATION_SETTINGS)
        self.reads: dict[str, list[str]] = {}
        if sensor is not None:
            self._read("pose", sensor, "orientation", "wxyz")
            for quantity in ("angular_velocity", "position", "velocity"):
                self._read("pose", sensor, quantity, "xyz")
        else:
            self._take(dict(estimator or {}))
        if airspeed is not None:
            self._read("", airspeed, "airspeed")
            self.settings["has_tube"] = 1.0

    def _read(self, group: str, sensor: object, quantity: str, axes: str = "") -> None:
        """Note that a quantity of a sensor is read into `measured.navigation`."""
        into = ".".join(step for step in ("navigation", group, quantity) if step)
        self.reads[into] = [f"{sensor}.{quantity}.{axis}" for axis in axes] or [f"{sensor}.{quantity}"]

    def _take(self, given: dict[str, Any]) -> None:
        known = ("imu", "gps", "magnetometer", "barometer", "declination", "pressure", "temperature")
        for key in given:
            if key not in known:
                raise InputError(f"there is no such key{nearest(key, known)}", path=f"control.options.estimator.{key}")
            is_name = key in known[:4]
            if isinstance(given[key], str) != is_name:
                what = "the name of a sensor" if is_name else "a number"
                raise InputError(f"found {given[key]!r}, expected {what}", path=f"control.options.estimator.{key}")
        imu, gps, compass = (given.get(key, key) for key in ("imu", "gps", "magnetometer"))
        self._read("estimator.imu", imu, "gyro", "xyz")
        self._read("estimator.imu", imu, "accel", "xyz")
        self._read("estimator.gps", gps, "position", "xyz")
        self._read("estimator.gps", gps, "velocity", "xyz")
        self._read("estimator", compass, "field", "xyz")
        settings = self.settings["estimator"]
        if barometer := given.get("barometer"):
            self._read("estimator", barometer, "pressure")
            settings["has_barometer"] = 1.0
        settings["field_angle"] = 0.5 * math.pi - float(given.get("declination", 0.0))
        settings["ground_pressure"] = float(given.get("pressure", 101_325.0))
        settings["ground_temperature"] = float(given.get("temperature", 288.15))
        self.settings["estimates"] = 1.0

    def check(self, robot: Robot) -> None:
        """Refuse a robot that lacks one of the readings."""
        for name in (name for names in self.reads.values() for name in names):
            if name not in robot.measured:
                raise InputError(
                    f"{self.program} needs the reading {name!r}, which no sensor gives{nearest(name, robot.measured)}",
                    path="control.options",
                )


@kernel
def _take_pose(pose: Any, estimate: Any) -> None:
    """What a pose sensor says is the estimate; its velocity is in the body's frame."""
    for i in range(4):
        estimate.orientation[i] = pose.orientation[i]
    for i in range(3):
        estimate.rate[i], estimate.position[i] = pose.angular_velocity[i], pose.position[i]
    velocity = turn_vector(pose.orientation, pose.velocity[0], pose.velocity[1], pose.velocity[2])
    for i in range(3):
        estimate.velocity[i] = velocity[i]


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
) -> None:
    """Bring `memory.estimate` up to this call, from the pose sensor or by the estimator; the records are those of navigation."""
    estimate = memory.estimate
    if settings.estimates > 0.0:
        update_estimate(clock, settings.estimator, bandwidth, position_gain, heading_gain, measured.estimator, memory)
    else:
        _take_pose(measured.pose, estimate)
    if settings.has_tube > 0.0:
        share = 1.0 if clock.first > 0.0 or air_lag <= 0.0 else 1.0 - math.exp(-clock.period / air_lag)
        estimate.airspeed += share * (measured.airspeed - estimate.airspeed)
    else:
        estimate.airspeed = math.sqrt(estimate.velocity[0] ** 2 + estimate.velocity[1] ** 2 + estimate.velocity[2] ** 2)
