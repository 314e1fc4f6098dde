"""Where a program knows its motion from: a pose sensor, or the estimator behind IMU, GPS, magnetometer, barometer and tube.

A program's options name the sensors: `sensor: state` for a pose sensor (kind odometry), or

    estimator: {imu: imu, gps: gps, magnetometer: compass, barometer: baro, declination: 0, pressure: 101325, temperature: 288.15}

(declination [rad]: angle of magnetic north from true north, toward east; barometer may be left out), and `airspeed: pitot`
where there is a tube; without one the airspeed is taken for the speed over ground.

A program that navigates is a `NavigatingController`: after a call of `navigate` its motion stands in
`memory.navigation.estimate`. With an estimator the log has, as `control.estimator.*`, its status, the standard deviations of
what it says and the test ratio of each kind of reading (squared innovation over its gate: above 1 the reading was rejected).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.contract import measurement, memory, report, setting
from didymos.control.angles import turn_vector
from didymos.control.compiled_controller import CompiledController
from didymos.control.controller import Gain, Robot
from didymos.control.estimator import STATUS, deviations, status, update_estimate
from didymos.control.filter_layout import ALL_ERRORS, FILTER_MEMORY, FILTER_READINGS, FILTER_SETTINGS, HISTORY, WITHOUT_TUBE
from didymos.control.filter_noise import sensor_noise
from didymos.errors import InputError, nearest

__all__ = ["NavigatingController", "Navigation", "navigate"]

_POSE = np.dtype(
    [
        ("orientation", np.float64, 4),  # body to world, w first
        ("angular_velocity", np.float64, 3),  # [rad/s] in the body's frame
        ("position", np.float64, 3),  # [m] in the world
        ("velocity", np.float64, 3),  # [m/s] in the body's frame
    ]
)

_READINGS = np.dtype([("pose", _POSE), ("filter", FILTER_READINGS)])
_SETTINGS = np.dtype([("estimates", np.float64), ("filter", FILTER_SETTINGS)])  # 1 or 0: by the estimator
_SENSORS = {"imu": ("gyro", "accel"), "gps": ("position", "velocity"), "magnetometer": ("field",), "barometer": ("pressure",)}
_KEYS = (*_SENSORS, "declination", "pressure", "temperature")


class Navigation:
    """The names of the readings and the settings that `navigate` needs, from a program's options."""

    def __init__(
        self, program: str, sensor: str | None, estimator: Mapping[str, str | float] | None, airspeed: str | None
    ) -> None:
        if (sensor is None) == (estimator is None):
            raise InputError("expected exactly one of the keys 'sensor' and 'estimator'", path="control.options")
        self.program = program
        self.settings = np.zeros((), dtype=_SETTINGS)
        self.reads: dict[str, list[str]] = {}
        self.sensors: dict[str, str] = {}
        if sensor is not None:
            self._read("pose", sensor, "orientation", "wxyz")
            for quantity in ("angular_velocity", "position", "velocity"):
                self._read("pose", sensor, quantity, "xyz")
        else:
            self._take(dict(estimator or {}))
        if airspeed is not None:
            self._read("filter.tube", airspeed, "airspeed")
            self._read("filter.tube", airspeed, "stamp")
            self.sensors["airspeed"] = airspeed
        self.settings["filter"]["has_tube"] = airspeed is not None
        self.settings["filter"]["errors"] = WITHOUT_TUBE if airspeed is None else ALL_ERRORS

    @property
    def estimates(self) -> bool:
        """Whether the motion comes from the estimator."""
        return bool(self.settings["estimates"])

    def _read(self, group: str, sensor: str, quantity: str, axes: str = "") -> None:
        """Note that a quantity of a sensor is read into `measured.navigation`."""
        names = [f"{sensor}.{quantity}.{axis}" for axis in axes] or [f"{sensor}.{quantity}"]
        self.reads[f"navigation.{group}.{quantity}"] = names

    def _take(self, given: dict[str, Any]) -> None:
        for key in given:
            if key not in _KEYS:
                raise InputError(f"there is no such key{nearest(key, _KEYS)}", path=f"control.options.estimator.{key}")
            is_name = key in _SENSORS
            if isinstance(given[key], str) != is_name:
                what = "the name of a sensor" if is_name else "a number"
                raise InputError(f"found {given[key]!r}, expected {what}", path=f"control.options.estimator.{key}")
        self.sensors = {key: given.get(key, key) for key in _SENSORS if key != "barometer" or given.get(key)}
        for key, sensor in self.sensors.items():
            for quantity in _SENSORS[key]:
                self._read(f"filter.{key}", sensor, quantity, "" if key == "barometer" else "xyz")
            self._read(f"filter.{key}", sensor, "stamp")
        settings = self.settings["filter"]
        settings["has_barometer"] = "barometer" in self.sensors
        settings["field_angle"] = 0.5 * math.pi - float(given.get("declination", 0.0))
        settings["ground_pressure"] = float(given.get("pressure", 101_325.0))
        settings["ground_temperature"] = float(given.get("temperature", 288.15))
        self.settings["estimates"] = 1.0

    def start(self, robot: Robot, rate: float) -> None:
        """Learn the noise of the sensors, at a program's rate [Hz]; refuse a robot that lacks one of the readings."""
        for name in (name for names in self.reads.values() for name in names):
            if name not in robot.measured:
                raise InputError(
                    f"{self.program} needs the reading {name!r}, which no sensor gives{nearest(name, robot.measured)}",
                    path="control.options",
                )
        if self.estimates:
            settings = self.settings["filter"]
            noise = sensor_noise(robot, self.sensors, float(settings["ground_pressure"]), float(settings["ground_temperature"]))
            for key, value in noise.items():
                settings[key] = value
            settings["gravity"] = robot.gravity
            specs = [robot.sensors[name] for name in self.sensors.values() if name in robot.sensors]
            imu = robot.sensors.get(self.sensors["imu"])
            longest = max((spec.delay for spec in specs), default=0.0) + 1.0 / rate + (0.01 if imu is None else 1.0 / imu.rate)
            settings["history_step"] = longest / (HISTORY - 3)


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
def _report(time: float, memory: Any) -> None:
    """Write what the estimator tells about itself."""
    known = memory.navigation
    memory.estimator_status = status(time, known)
    memory.estimator_tilt, memory.estimator_heading, memory.estimator_velocity, memory.estimator_position = deviations(known)
    test = memory.estimator_test
    test[0], test[1], test[2] = known.gps_velocity.ratio, known.gps_position.ratio, known.compass.ratio
    test[3], test[4] = known.barometer.ratio, known.tube.ratio


@kernel
def navigate(clock: Any, settings: Any, gains: Any, measured: Any, memory: Any) -> None:
    """Bring `memory.navigation.estimate` up to this call, from pose sensor or estimator; the records are a program's."""
    estimate, readings = memory.navigation.estimate, measured.navigation
    if settings.navigation.estimates > 0.0:
        update_estimate(clock, settings.navigation.filter, gains, readings.filter, memory.navigation)
        _report(clock.time, memory)
    else:
        _take_pose(readings.pose, estimate)
    if settings.navigation.filter.has_tube > 0.0:
        share = 1.0 if clock.first > 0.0 or gains.air_lag <= 0.0 else 1.0 - math.exp(-clock.period / gains.air_lag)
        estimate.airspeed += share * (readings.filter.tube.airspeed - estimate.airspeed)
    else:
        estimate.airspeed = math.sqrt(estimate.velocity[0] ** 2 + estimate.velocity[1] ** 2 + estimate.velocity[2] ** 2)


class NavigatingController(CompiledController):
    """Base of programs that call `navigate`: what it reads, remembers, reports and may be tuned by."""

    gyro_scale = Gain(1.0, low=0.01, high=1000, path="estimator.gyro", doc="noise of the gyro, times the sensor's own")
    accel_scale = Gain(1.0, low=0.01, high=1000, path="estimator.accel", doc="noise of the accelerometer, times its own")
    gps_position_scale = Gain(1.0, low=0.01, high=1000, path="estimator.gps_position", doc="noise, times the sensor's own")
    gps_velocity_scale = Gain(1.0, low=0.01, high=1000, path="estimator.gps_velocity", doc="noise, times the sensor's own")
    compass_scale = Gain(1.0, low=0.01, high=1000, path="estimator.compass", doc="noise, times the sensor's own")
    barometer_scale = Gain(1.0, low=0.01, high=1000, path="estimator.barometer", doc="noise, times the sensor's own")
    airspeed_scale = Gain(1.0, low=0.01, high=1000, path="estimator.airspeed", doc="noise, times the sensor's own")
    wind_walk = Gain(0.6, low=0, high=100, unit="m/s/sqrt(s)", path="estimator.wind", doc="density of the wind's random walk")
    gust = Gain(0.3, low=0, high=100, unit="m/s", path="estimator.gust", doc="standard deviation of gusts in the tube")
    gate = Gain(5.0, low=1, high=1000, path="estimator.gate", doc="standard deviations at which a reading is rejected")
    patience = Gain(5.0, low=0, unit="s", path="estimator.patience", doc="of rejected readings before the filter doubts itself")
    air_lag = Gain(0.3, low=0, high=10, unit="s", path="estimator.airspeed_lag", doc="of the filter behind the tube")
    navigation_readings = measurement("navigation", layout=_READINGS)
    navigation_settings = setting("navigation", layout=_SETTINGS)
    estimator_status = report("estimator.status", labels=STATUS)
    estimator_tilt = report("estimator.tilt", unit="rad", doc="standard deviation, both level axes")
    estimator_heading = report("estimator.heading", unit="rad", doc="standard deviation")
    estimator_velocity = report("estimator.velocity", unit="m/s", doc="standard deviation, in space")
    estimator_position = report("estimator.position", unit="m", doc="standard deviation, in space")
    estimator_test = report(
        "estimator.test", columns=("gps_velocity", "gps_position", "compass", "barometer", "airspeed"),
        doc="squared innovation of the last reading over its gate",
    )  # fmt: skip
    navigation_memory = memory("navigation", layout=FILTER_MEMORY)

    def navigate_by(self, navigation: Navigation) -> None:
        """Take over where the motion is known from; a pose sensor leaves nothing to report."""
        self.navigation = navigation
        if not navigation.estimates:
            self.reports = tuple(item for item in self.reports if not item.name.startswith("estimator."))

    def start(self, robot: Robot) -> None:
        """Find the readings, and learn how noisy they are."""
        self.navigation.start(robot, self.rate)
        self.reads = self.navigation.reads
        self.settings["navigation"] = self.navigation.settings
