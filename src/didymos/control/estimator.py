"""Attitude, position and velocity from an IMU, GPS, magnetometer and barometer: a complementary observer.

Between fixes the IMU is integrated (strapdown, gyro bias b removed):

    q' = 1/2 q (gyro - b),    v' = R accel - g,    p' = v

A fix of the GPS after T seconds shows by its velocity how far the estimate tilted: an attitude error d (a small rotation in the
world frame) makes the estimated velocity err by d x a, a = mean of R accel over T. So, with dv = v_gps - v, dp = p_gps - p:

    d = a x dv / |a|^2,    R <- exp(3 n^2 T d) R,    b <- b - n^3 T R^T d
    v <- v + (1 - exp(-3 n T)) dv,    p <- p + (1 - exp(-k T)) dp

three equal poles at n [rad/s]: `tilt.bandwidth`. Unlike a filter that takes the accelerometer for "down", this is right in a
coordinated turn and in wind as well. The magnetometer turns the estimate about the vertical only; the barometer (through
the standard atmosphere) holds the height. A reading is new when it differs from the last one.

Reference: Hua, Attitude estimation for accelerated vehicles using GPS/INS measurements (2010). Frames: body forward-left-up,
world east-north-up. Valid while GPS delivers, |a| > 1 m/s^2, and the first tilt is right within some tens of degrees.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.air.atmosphere import GAS_CONSTANT, GRAVITY, LAPSE_RATE
from didymos.compiled import kernel
from didymos.control.angles import turn_vector, wrap

__all__ = ["ESTIMATE", "ESTIMATOR_MEMORY", "ESTIMATOR_READINGS", "ESTIMATOR_SETTINGS", "update_estimate"]

ESTIMATE = np.dtype(
    [
        ("orientation", np.float64, 4),  # body to world, w first
        ("rate", np.float64, 3),  # [rad/s] of the body, in its frame
        ("position", np.float64, 3),  # [m] in the world
        ("velocity", np.float64, 3),  # [m/s] in the world
        ("airspeed", np.float64),  # [m/s]
    ]
)
"""Memory layout of what a program knows about its motion."""

_IMU = np.dtype([("gyro", np.float64, 3), ("accel", np.float64, 3)])  # [rad/s], [m/s^2] in the body's frame
_FIX = np.dtype([("position", np.float64, 3), ("velocity", np.float64, 3)])  # [m], [m/s] in the world

ESTIMATOR_READINGS = np.dtype([("imu", _IMU), ("gps", _FIX), ("field", np.float64, 3), ("pressure", np.float64)])
"""Memory layout of the readings: IMU, GPS, magnetic field in the body's frame, pressure [Pa]."""

ESTIMATOR_SETTINGS = np.dtype(
    [
        ("field_angle", np.float64),  # [rad] of the horizontal magnetic field from world x
        ("ground_pressure", np.float64),  # [Pa] at height zero
        ("ground_temperature", np.float64),  # [K] at height zero
        ("has_barometer", np.float64),  # 1 or 0
    ]
)
"""Memory layout of what stays."""

ESTIMATOR_MEMORY = np.dtype(
    [
        ("estimate", ESTIMATE),
        ("bias", np.float64, 3),  # [rad/s] of the gyro
        ("gps", _FIX),  # the last readings
        ("field", np.float64, 3),
        ("pressure", np.float64),
        ("since_fix", np.float64),  # [s] since each of them was new
        ("since_field", np.float64),
        ("since_pressure", np.float64),
        ("push", np.float64, 3),  # [m/s] integral of the specific force, in the world, since the last fix
    ]
)
"""Memory layout of the observer."""

_LEAST_PUSH = 1.0  # [m/s^2]
_STEADY = 2.0  # [m/s^2]: a specific force further from gravity says nothing about the first tilt


@kernel
def _rotate_world(q: Any, x: float, y: float, z: float) -> None:
    """Turn an attitude by a small rotation vector [rad] in the world frame."""
    x, y, z = 0.5 * x, 0.5 * y, 0.5 * z
    w0, x0, y0, z0 = q[0], q[1], q[2], q[3]
    w1, x1 = w0 - x * x0 - y * y0 - z * z0, x0 + x * w0 + y * z0 - z * y0
    y1, z1 = y0 + y * w0 + z * x0 - x * z0, z0 + z * w0 + x * y0 - y * x0
    size = math.sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    q[0], q[1], q[2], q[3] = w1 / size, x1 / size, y1 / size, z1 / size


@kernel
def _learn_bias(bias: Any, q: Any, x: float, y: float, z: float) -> None:
    """Subtract a rotation vector of the world frame from the bias in the body's."""
    w, a, b, c = q[0], q[1], q[2], q[3]
    tx, ty, tz = -2.0 * (b * z - c * y), -2.0 * (c * x - a * z), -2.0 * (a * y - b * x)
    bias[0] -= x + w * tx - (b * tz - c * ty)
    bias[1] -= y + w * ty - (c * tx - a * tz)
    bias[2] -= z + w * tz - (a * ty - b * tx)


@kernel
def _height(pressure: float, ground_pressure: float, ground_temperature: float) -> float:
    """Height [m] at which the standard atmosphere has a pressure [Pa]."""
    ratio = max(pressure, 1.0) / ground_pressure
    return ground_temperature / LAPSE_RATE * (ratio ** (-GAS_CONSTANT * LAPSE_RATE / GRAVITY) - 1.0)


@kernel
def _compass_error(settings: Any, measured: Any, q: Any) -> float:
    """How far [rad] the measured field, turned by an attitude, points right of where the field does."""
    east, north, _ = turn_vector(q, measured.field[0], measured.field[1], measured.field[2])
    return settings.field_angle - math.atan2(north, east)


@kernel
def _remember_fix(measured: Any, memory: Any) -> None:
    memory.since_fix = 0.0
    for i in range(3):
        memory.gps.position[i], memory.gps.velocity[i] = measured.gps.position[i], measured.gps.velocity[i]
        memory.push[i] = 0.0


@kernel
def _remember_field(measured: Any, memory: Any) -> None:
    memory.since_field = 0.0
    for i in range(3):
        memory.field[i] = measured.field[i]


@kernel
def _remember_pressure(measured: Any, memory: Any) -> None:
    memory.since_pressure = 0.0
    memory.pressure = measured.pressure


@kernel
def _begin(settings: Any, measured: Any, memory: Any) -> None:
    """First estimate: tilt from the accelerometer (level, where it does not rest), heading from the magnetometer, then GPS."""
    estimate, q = memory.estimate, memory.estimate.orientation
    x, y, z = measured.imu.accel[0], measured.imu.accel[1], measured.imu.accel[2]
    size = math.sqrt(x * x + y * y + z * z)
    roll, pitch = 0.0, 0.0
    if abs(size - GRAVITY) < _STEADY:
        roll, pitch = math.atan2(y, z), -math.asin(min(max(x / size, -1.0), 1.0))
    cr, sr, cp, sp = math.cos(0.5 * roll), math.sin(0.5 * roll), math.cos(0.5 * pitch), math.sin(0.5 * pitch)
    q[0], q[1], q[2], q[3] = cr * cp, sr * cp, cr * sp, -sr * sp
    half = 0.5 * _compass_error(settings, measured, q)
    c, t = math.cos(half), math.sin(half)
    w0, x0, y0, z0 = q[0], q[1], q[2], q[3]
    q[0], q[1], q[2], q[3] = c * w0 - t * z0, c * x0 - t * y0, c * y0 + t * x0, c * z0 + t * w0
    for i in range(3):
        memory.bias[i] = 0.0
        estimate.position[i], estimate.velocity[i] = measured.gps.position[i], measured.gps.velocity[i]
    _remember_fix(measured, memory)
    _remember_field(measured, memory)
    _remember_pressure(measured, memory)


@kernel
def _integrate(dt: float, measured: Any, memory: Any) -> None:
    """Let the IMU carry the estimate on by dt [s]."""
    estimate, accel = memory.estimate, measured.imu.accel
    wx, wy, wz = turn_vector(estimate.orientation, estimate.rate[0], estimate.rate[1], estimate.rate[2])
    _rotate_world(estimate.orientation, dt * wx, dt * wy, dt * wz)
    push = turn_vector(estimate.orientation, accel[0], accel[1], accel[2])
    for i in range(3):
        gained = push[i] - (GRAVITY if i == 2 else 0.0)
        estimate.position[i] += dt * estimate.velocity[i] + 0.5 * dt * dt * gained
        estimate.velocity[i] += dt * gained
        memory.push[i] += dt * push[i]
    memory.since_fix += dt
    memory.since_field += dt
    memory.since_pressure += dt


@kernel
def _use_fix(settings: Any, bandwidth: float, position_gain: float, measured: Any, memory: Any) -> None:
    estimate, since, push = memory.estimate, memory.since_fix, memory.push
    ax, ay, az = push[0] / since, push[1] / since, push[2] / since
    dx = measured.gps.velocity[0] - estimate.velocity[0]
    dy = measured.gps.velocity[1] - estimate.velocity[1]
    dz = measured.gps.velocity[2] - estimate.velocity[2]
    square = ax * ax + ay * ay + az * az
    if square > _LEAST_PUSH * _LEAST_PUSH:
        tx, ty, tz = (ay * dz - az * dy) / square, (az * dx - ax * dz) / square, (ax * dy - ay * dx) / square
        turn = 3.0 * bandwidth * bandwidth * since
        _rotate_world(estimate.orientation, turn * tx, turn * ty, turn * tz)
        learn = bandwidth**3 * since
        _learn_bias(memory.bias, estimate.orientation, learn * tx, learn * ty, learn * tz)
    share = 1.0 - math.exp(-3.0 * bandwidth * since)
    estimate.velocity[0] += share * dx
    estimate.velocity[1] += share * dy
    estimate.velocity[2] += share * dz
    share = 1.0 - math.exp(-position_gain * since)
    for i in range(2 if settings.has_barometer > 0.0 else 3):
        estimate.position[i] += share * (measured.gps.position[i] - estimate.position[i])
    _remember_fix(measured, memory)


@kernel
def _use_field(settings: Any, heading_gain: float, measured: Any, memory: Any) -> None:
    q, since = memory.estimate.orientation, memory.since_field
    error = wrap(_compass_error(settings, measured, q))
    _rotate_world(q, 0.0, 0.0, (1.0 - math.exp(-heading_gain * since)) * error)
    _learn_bias(memory.bias, q, 0.0, 0.0, 0.1 * heading_gain * heading_gain * since * error)
    _remember_field(measured, memory)


@kernel
def _use_pressure(settings: Any, position_gain: float, measured: Any, memory: Any) -> None:
    position = memory.estimate.position
    share = 1.0 - math.exp(-position_gain * memory.since_pressure)
    position[2] += share * (_height(measured.pressure, settings.ground_pressure, settings.ground_temperature) - position[2])
    _remember_pressure(measured, memory)


@kernel
def _differ(one: Any, other: Any) -> bool:
    """Whether two vectors of three numbers differ."""
    return one[0] != other[0] or one[1] != other[1] or one[2] != other[2]


@kernel
def update_estimate(
    clock: Any, settings: Any, bandwidth: float, position_gain: float, heading_gain: float, measured: Any, memory: Any
) -> None:
    """Advance `memory.estimate` by a period: orientation, rate, position and velocity."""
    if clock.first > 0.0:
        _begin(settings, measured, memory)
    for i in range(3):
        memory.estimate.rate[i] = measured.imu.gyro[i] - memory.bias[i]
    if clock.first > 0.0:
        return
    _integrate(clock.period, measured, memory)
    if _differ(measured.gps.position, memory.gps.position) or _differ(measured.gps.velocity, memory.gps.velocity):
        _use_fix(settings, bandwidth, position_gain, measured, memory)
    if _differ(measured.field, memory.field):
        _use_field(settings, heading_gain, measured, memory)
    if settings.has_barometer > 0.0 and measured.pressure != memory.pressure:
        _use_pressure(settings, position_gain, measured, memory)
