"""How noisy the sensors of the navigation filter are: from the error models of the robot's own twin file.

    density of an IMU      sqrt(noise_density^2 + noise^2 / rate)
    one reading            sqrt(noise^2 + noise_density^2 rate + resolution^2 / 12)
    bias                   `bias`, `bias_walk`, `bias_time`; a wrong scale is taken for a bias of that share of what is usual

and never less than the floors below, in the sense of a root of a sum of squares: no sensor is perfect, and the filter's own
approximations (readings held or joined by straight lines, sensors taken to sit in one place) are errors, too. A sensor whose
errors are switched off (`errors: 0`) has the floors. What changes while a run goes on is not followed; `estimator.*` gains
scale each. A real robot has the same twin file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from didymos.air.atmosphere import GAS_CONSTANT, GRAVITY
from didymos.control.controller import Robot
from didymos.sensors.error import ErrorSpec

__all__ = ["sensor_noise"]

_GYRO, _ACCEL = 1e-4, 2e-3  # [rad/s/sqrt(Hz)], [m/s^2/sqrt(Hz)]
_GPS_POSITION, _GPS_VELOCITY = 0.02, 0.02  # [m], [m/s]
_FIELD, _HEIGHT, _AIRSPEED = 5e-8, 0.05, 0.05  # [T], [m], [m/s]
_BIASES = {"gyro_bias": 1e-4, "accel_bias": 5e-3, "gps_bias": 0.0, "field_bias": 5e-8, "height_bias": 0.05, "airspeed_bias": 0.02}
_WALKS = {"gyro_bias": 2e-6, "accel_bias": 2e-5, "gps_bias": 0.0, "field_bias": 0.0, "height_bias": 2e-3, "airspeed_bias": 0.0}
_USUAL = {"gyro_bias": 0.2, "accel_bias": 9.8, "gps_bias": 0.0, "field_bias": 5e-5, "height_bias": 0.0, "airspeed_bias": 15.0}


def _errors(robot: Robot, sensor: str | None, quantity: str) -> tuple[Any, float]:
    """The error model of a quantity, without errors where they are off or unknown, and the sensor's rate [Hz].

    Of numbers that differ between its axes, the worst; a constant bias beside one that wanders is part of it.
    """
    spec: Any = robot.sensors.get(sensor or "")
    given = getattr(spec, quantity, None) if spec is not None and spec.errors else None
    errors = SimpleNamespace(**(given if isinstance(given, ErrorSpec) else ErrorSpec()).of_worst_axis())
    errors.bias = math.hypot(errors.bias, errors.turn_on_bias)
    return errors, 100.0 if spec is None else spec.rate


def _reading(errors: Any, rate: float, floor: float, unit: float = 1.0) -> float:
    """Standard deviation of one reading; `unit` makes it one of the filter's."""
    own = errors.noise**2 + errors.noise_density**2 * rate + errors.resolution**2 / 12.0
    return math.sqrt(own * unit * unit + floor * floor)


def _density(errors: Any, rate: float, floor: float) -> float:
    return math.sqrt(_reading(errors, rate, 0.0) ** 2 / rate + floor * floor)


def sensor_noise(robot: Robot, names: Mapping[str, str], ground_pressure: float, ground_temperature: float) -> dict[str, Any]:
    """Numbers of `FILTER_SETTINGS` from the sensors of a robot; `names`: imu, gps, ... -> sensor."""
    metres_per_pascal = GAS_CONSTANT * ground_temperature / (ground_pressure * GRAVITY)
    sources = {
        "gyro_bias": (names["imu"], "gyro", 1.0),
        "accel_bias": (names["imu"], "accel", 1.0),
        "gps_bias": (names["gps"], "position", 1.0),
        "field_bias": (names["magnetometer"], "field", 1.0),
        "height_bias": (names.get("barometer"), "pressure", metres_per_pascal),
        "airspeed_bias": (names.get("airspeed"), "airspeed", 1.0),
    }
    noise: dict[str, Any] = {}
    for key, (sensor, quantity, unit) in sources.items():
        errors, _ = _errors(robot, sensor, quantity)
        scaled = (errors.scale - 1.0) * _USUAL[key]
        deviation = math.sqrt((errors.bias * unit) ** 2 + scaled**2 + _BIASES[key] ** 2)
        noise[key] = (deviation, math.hypot(errors.bias_walk * unit, _WALKS[key]), errors.bias_time)
    noise["gyro_density"] = _density(*_errors(robot, names["imu"], "gyro"), _GYRO)
    noise["accel_density"] = _density(*_errors(robot, names["imu"], "accel"), _ACCEL)
    noise["gps_position"] = _reading(*_errors(robot, names["gps"], "position"), _GPS_POSITION)
    noise["gps_velocity"] = _reading(*_errors(robot, names["gps"], "velocity"), _GPS_VELOCITY)
    noise["field"] = _reading(*_errors(robot, names["magnetometer"], "field"), _FIELD)
    noise["height"] = _reading(*_errors(robot, names.get("barometer"), "pressure"), _HEIGHT, metres_per_pascal)
    noise["airspeed"] = _reading(*_errors(robot, names.get("airspeed"), "airspeed"), _AIRSPEED)
    return noise
