"""Memory layout of the navigation filter: its state, the errors of that state, and what it keeps between calls.

The filter carries a *nominal* state (`NOMINAL`) and the covariance of its errors, in the order of `ERRORS`. An attitude has four
numbers and an error of three: a small rotation vector [rad] in the world frame, R_true = exp(attitude error) R. All other errors
are true value minus nominal value. The last of them, wind and tube, are used only where there is a tube: `settings.errors` says
how many are.

Frames: body forward-left-up, world east-north-up. Units: SI, radians. All records are float64.
"""

from __future__ import annotations

import numpy as np

from didymos.contract import offset_of

__all__ = [
    "ACCEL_BIAS", "AIRSPEED_BIAS", "ALL_ERRORS", "ATTITUDE", "ERRORS", "ESTIMATE", "FIELD_BIAS", "FIELD_DIP",
    "FILTER_MEMORY", "FILTER_READINGS", "FILTER_SETTINGS", "FIRST_BIAS", "GPS_BIAS", "GYRO_BIAS", "HEIGHT_BIAS", "HISTORY",
    "POSITION", "VELOCITY", "WIND", "WITHOUT_TUBE",
]  # fmt: skip

ESTIMATE = np.dtype(
    [
        ("orientation", np.float64, 4),  # body to world, w first
        ("rate", np.float64, 3),  # [rad/s] of the body, in its frame
        ("position", np.float64, 3),  # [m] in the world
        ("velocity", np.float64, 3),  # [m/s] in the world
        ("airspeed", np.float64),  # [m/s]
    ]
)
"""What a program knows about its motion, at the time of the call."""

NOMINAL = np.dtype(
    [
        ("orientation", np.float64, 4),  # body to world, w first
        ("velocity", np.float64, 3),  # [m/s] in the world
        ("position", np.float64, 3),  # [m] in the world
        ("gyro_bias", np.float64, 3),  # [rad/s] in the body's frame
        ("accel_bias", np.float64, 3),  # [m/s^2] in the body's frame
        ("gps_bias", np.float64, 3),  # [m] by which the receiver wanders, in the world
        ("field_bias", np.float64, 3),  # [T] of the magnetometer, in the body's frame
        ("field_dip", np.float64, 1),  # [rad] of the magnetic field below the level
        ("height_bias", np.float64, 1),  # [m] of the height that the barometer shows
        ("wind", np.float64, 2),  # [m/s] toward east and north
        ("airspeed_bias", np.float64, 1),  # [m/s] of the tube
    ]
)
"""The state, at the time of the last reading of the IMU."""

ERRORS = np.dtype(
    [
        ("attitude", np.float64, 3),  # [rad] rotation vector in the world
        ("velocity", np.float64, 3),
        ("position", np.float64, 3),
        ("gyro_bias", np.float64, 3),
        ("accel_bias", np.float64, 3),
        ("gps_bias", np.float64, 3),
        ("field_bias", np.float64, 3),
        ("field_dip", np.float64),
        ("height_bias", np.float64),
        ("wind", np.float64, 2),
        ("airspeed_bias", np.float64),
    ]
)
"""The errors of the state: rows and columns of the covariance, each in the square of its unit."""

ATTITUDE, VELOCITY, POSITION = (offset_of(ERRORS, name) for name in ("attitude", "velocity", "position"))
GYRO_BIAS, ACCEL_BIAS = offset_of(ERRORS, "gyro_bias"), offset_of(ERRORS, "accel_bias")
GPS_BIAS, FIELD_BIAS, FIELD_DIP = (offset_of(ERRORS, name) for name in ("gps_bias", "field_bias", "field_dip"))
HEIGHT_BIAS, WIND, AIRSPEED_BIAS = (offset_of(ERRORS, name) for name in ("height_bias", "wind", "airspeed_bias"))
FIRST_BIAS, WITHOUT_TUBE, ALL_ERRORS = GYRO_BIAS, WIND, ERRORS.itemsize // 8

FILTER_READINGS = np.dtype(
    [
        ("imu", np.dtype([("gyro", np.float64, 3), ("accel", np.float64, 3), ("stamp", np.float64)])),
        ("gps", np.dtype([("position", np.float64, 3), ("velocity", np.float64, 3), ("stamp", np.float64)])),
        ("magnetometer", np.dtype([("field", np.float64, 3), ("stamp", np.float64)])),
        ("barometer", np.dtype([("pressure", np.float64), ("stamp", np.float64)])),
        ("tube", np.dtype([("airspeed", np.float64), ("stamp", np.float64)])),
    ]
)
"""The last reading of each sensor, in its unit, and its stamp [s]; negative before the first."""

_BIAS = np.dtype(
    [
        ("deviation", np.float64),  # standard deviation at switch-on
        ("walk", np.float64),  # [1/sqrt(s)] density of its random walk
        ("time", np.float64),  # [s] correlation time; 0 for a constant or a walk
    ]
)

FILTER_SETTINGS = np.dtype(
    [
        ("errors", np.float64),  # how many of `ERRORS` are used
        ("has_barometer", np.float64),  # 1 or 0
        ("has_tube", np.float64),  # 1 or 0
        ("gravity", np.float64),  # [m/s^2]
        ("field_angle", np.float64),  # [rad] of the horizontal magnetic field from world x
        ("ground_pressure", np.float64),  # [Pa] at height zero
        ("ground_temperature", np.float64),  # [K] at height zero
        ("history_step", np.float64),  # [s] between two kept states of the past
        ("gyro_density", np.float64),  # [rad/s/sqrt(Hz)]
        ("accel_density", np.float64),  # [m/s^2/sqrt(Hz)]
        ("gps_position", np.float64, 3),  # [m] standard deviation of one reading
        ("gps_velocity", np.float64, 3),  # [m/s]
        ("field", np.float64),  # [T]
        ("height", np.float64),  # [m] of the barometer, at the ground's density
        ("airspeed", np.float64),  # [m/s]
        ("gyro_bias", _BIAS),
        ("accel_bias", _BIAS),
        ("gps_bias", _BIAS),
        ("field_bias", _BIAS),
        ("height_bias", _BIAS),
        ("airspeed_bias", _BIAS),
    ]
)
"""What stays, from the options of a program and from the error models of the robot's sensors (`filter_noise`)."""

_RECKONED = np.dtype(
    [
        ("time", np.float64),  # [s]
        ("orientation", np.float64, 4),  # turned by the gyro alone
        ("velocity", np.float64, 3),  # [m/s] integral of the specific force, in the frame of that orientation
        ("position", np.float64, 3),  # [m] integral of that velocity
    ]
)

HISTORY = 32
"""States of the past that are kept."""

_MONITOR = np.dtype(
    [
        ("stamp", np.float64),  # [s] of the last reading that was looked at
        ("ratio", np.float64),  # squared innovation over its gate: above 1 the reading was rejected
        ("rejected_since", np.float64),  # [s] stamp of the first reading of an unbroken row of rejected ones; negative for none
        ("used", np.float64),  # [s] stamp of the last reading that was used; negative for none
    ]
)

_PAST = np.dtype(
    [
        ("lag", np.float64),  # [s] from the past instant to the time of the state; negative: it lies ahead
        ("turn", np.float64, 4),  # attitude then, in the body's frame now
        ("gained", np.float64, 3),  # [m/s] velocity gained since
        ("moved", np.float64, 3),  # [m] position then = position - lag velocity + moved
        ("push", np.float64, 3),  # [m/s] integral of the specific force since, in the world
    ]
)

FILTER_MEMORY = np.dtype(
    [
        ("estimate", ESTIMATE),
        ("aligned", np.float64),  # 1 once the filter has begun
        ("waited", np.float64),  # [s] for a speed, before that
        ("time", np.float64),  # [s] of the nominal state: stamp of the last reading of the IMU
        ("gyro", np.float64, 3),  # that reading
        ("accel", np.float64, 3),
        ("since", np.float64),  # [s] from the reading before to that one; 0 for none
        ("gyro_step", np.float64, 3),  # by which that one differs from the one before
        ("accel_step", np.float64, 3),
        ("nominal", NOMINAL),
        ("covariance", np.float64, (ALL_ERRORS, ALL_ERRORS)),
        ("jacobian", np.float64, ALL_ERRORS),  # of the reading at hand
        ("spread", np.float64, ALL_ERRORS),  # covariance times jacobian
        ("pending", np.float64),  # [s] by which the covariance is behind
        ("pending_push", np.float64, 3),  # [m/s] integral of the specific force over it, in the world
        ("pending_turn_variance", np.float64, 3),  # [rad^2] of what the gyro did between readings, over it, about the body's axes
        ("pending_push_variance", np.float64, 3),  # [m^2/s^2] of what the accelerometer did
        ("reckoned", _RECKONED),
        ("history", _RECKONED, HISTORY),
        ("kept", np.float64),  # states of the past that were ever kept
        ("past", _PAST),
        ("gps_velocity", _MONITOR),
        ("gps_position", _MONITOR),
        ("compass", _MONITOR),
        ("barometer", _MONITOR),
        ("tube", _MONITOR),
    ]
)
"""Memory of the filter; `estimate` is what it says."""
