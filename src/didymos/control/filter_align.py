"""The first state of the navigation filter, on the ground or in flight.

The accelerometer shows "up" plus the acceleration of the robot. At rest that is none; in a steady turn of a plane that flies
along its x axis it is w x (V, 0, 0), V the airspeed (the speed over ground, where there is no tube). So

    up = f - w x (V, 0, 0)

gives the tilt at rest, in level flight and in a coordinated turn. Where its length is far from gravity (free fall, a hard
manoeuvre), or a plane feels more than 3 m/s^2 along its x or y axis (a gust from behind or from the side, an engine not yet
running: a coordinated turn has none, and of a climb it would be 18 degrees) or is pressed down, nothing is known, and level is
the best guess: a start in a gust is likelier than one upside down. The heading is the compass's, for that tilt. How wrong this
may be says the covariance: 6 degrees of tilt at rest, 9 in motion, 20 where nothing was known. GPS velocity finds the rest: the
filter starts with position and velocity unknown, and its first fix sets both. It begins as soon as IMU and magnetometer have
spoken and a speed is known, or after half a second without one.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import turn_vector
from didymos.control.filter_layout import (
    ACCEL_BIAS,
    AIRSPEED_BIAS,
    ALL_ERRORS,
    ATTITUDE,
    FIELD_BIAS,
    FIELD_DIP,
    GPS_BIAS,
    GYRO_BIAS,
    HEIGHT_BIAS,
    POSITION,
    VELOCITY,
    WIND,
)  # fmt: skip

__all__ = ["align", "forget", "may_align"]

_AT_REST, _IN_FLIGHT, _UNKNOWN = 0.1, 0.15, 0.35  # [rad] standard deviations of the first tilt
_ANY_HEADING, _ANY_VELOCITY, _ANY_POSITION, _ANY_WIND = 1.0, 50.0, 1000.0, 10.0  # [rad], [m/s], [m], [m/s]
_ANY_DIP = 1.0  # [rad]
_MOVES = 0.5  # [m/s]: slower, the robot rests or hovers
_FLIES = 5.0  # [m/s]: faster, the robot flies along its x axis
_LONGEST_WAIT = 0.5  # [s]
_STEADY = 2.0  # [m/s^2] by which the length of `up` may differ from gravity
_COORDINATED = 3.0  # [m/s^2] across the z axis of a plane


@kernel
def forget(memory: Any) -> None:
    """Nothing is known yet: level, at the origin, at rest; no reading was used."""
    memory.aligned = memory.waited = memory.pending = memory.kept = 0.0
    state, estimate = memory.nominal, memory.estimate
    for i in range(3):
        state.orientation[i + 1] = estimate.orientation[i + 1] = memory.reckoned.orientation[i + 1] = 0.0
        state.velocity[i] = state.position[i] = estimate.velocity[i] = estimate.position[i] = 0.0
        state.gyro_bias[i] = state.accel_bias[i] = state.gps_bias[i] = state.field_bias[i] = 0.0
        memory.reckoned.velocity[i] = memory.reckoned.position[i] = memory.pending_push[i] = 0.0
        memory.pending_turn_variance[i] = memory.pending_push_variance[i] = 0.0
    state.orientation[0] = estimate.orientation[0] = memory.reckoned.orientation[0] = 1.0
    state.field_dip[0] = state.height_bias[0] = state.wind[0] = state.wind[1] = state.airspeed_bias[0] = 0.0
    for monitor in (memory.gps_velocity, memory.gps_position, memory.compass, memory.barometer, memory.tube):
        monitor.stamp = monitor.rejected_since = monitor.used = -1.0
        monitor.ratio = 0.0


@kernel
def may_align(settings: Any, period: float, measured: Any, memory: Any) -> bool:
    """Whether all have spoken that the first attitude needs; a speed is waited for."""
    if measured.imu.stamp < 0.0 or measured.magnetometer.stamp < 0.0:
        return False
    memory.waited += period
    return measured.gps.stamp >= 0.0 or (settings.has_tube > 0.0 and measured.tube.stamp >= 0.0) or memory.waited > _LONGEST_WAIT


@kernel
def _spread(covariance: Any, first: int, count: int, deviation: float) -> None:
    for i in range(first, first + count):
        covariance[i, i] = deviation * deviation


@kernel
def _first_covariance(settings: Any, tilt: float, covariance: Any) -> None:
    for i in range(ALL_ERRORS):
        for j in range(ALL_ERRORS):
            covariance[i, j] = 0.0
    _spread(covariance, ATTITUDE, 2, tilt)
    _spread(covariance, ATTITUDE + 2, 1, _ANY_HEADING)
    _spread(covariance, VELOCITY, 3, _ANY_VELOCITY)
    _spread(covariance, POSITION, 3, _ANY_POSITION)
    _spread(covariance, GYRO_BIAS, 3, settings.gyro_bias.deviation)
    _spread(covariance, ACCEL_BIAS, 3, settings.accel_bias.deviation)
    _spread(covariance, GPS_BIAS, 3, settings.gps_bias.deviation)
    _spread(covariance, FIELD_BIAS, 3, settings.field_bias.deviation)
    _spread(covariance, FIELD_DIP, 1, _ANY_DIP)
    _spread(covariance, HEIGHT_BIAS, 1, settings.height_bias.deviation)
    _spread(covariance, WIND, 2, _ANY_WIND)
    _spread(covariance, AIRSPEED_BIAS, 1, settings.airspeed_bias.deviation)


@kernel
def align(settings: Any, measured: Any, memory: Any) -> None:
    """First attitude from accelerometer, gyro, speed and field; the heading is then still to be used (`use_compass`)."""
    imu, q = measured.imu, memory.nominal.orientation
    speed = -1.0
    if settings.has_tube > 0.0 and measured.tube.stamp >= 0.0:
        speed = measured.tube.airspeed
    elif measured.gps.stamp >= 0.0:
        v = measured.gps.velocity
        speed = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    tilt = _AT_REST if 0.0 <= speed < _MOVES else _IN_FLIGHT
    x, y, z = imu.accel[0], imu.accel[1], imu.accel[2]
    coordinated = z > 0.0 and x * x + y * y < _COORDINATED * _COORDINATED
    if speed > _FLIES:
        y -= imu.gyro[2] * speed
        z += imu.gyro[1] * speed
    size = math.sqrt(x * x + y * y + z * z)
    roll, pitch = 0.0, 0.0
    if abs(size - settings.gravity) < _STEADY and (speed <= _FLIES or coordinated):
        roll, pitch = math.atan2(y, z), -math.asin(min(max(x / size, -1.0), 1.0))
    else:
        tilt = _UNKNOWN
    cr, sr, cp, sp = math.cos(0.5 * roll), math.sin(0.5 * roll), math.cos(0.5 * pitch), math.sin(0.5 * pitch)
    q[0], q[1], q[2], q[3] = cr * cp, sr * cp, cr * sp, -sr * sp
    field = measured.magnetometer.field
    east, north, up = turn_vector(q, field[0], field[1], field[2])
    memory.nominal.field_dip[0] = math.atan2(-up, math.sqrt(east * east + north * north))
    half = 0.5 * (settings.field_angle - math.atan2(north, east))
    c, t = math.cos(half), math.sin(half)
    w0, x0, y0, z0 = q[0], q[1], q[2], q[3]
    q[0], q[1], q[2], q[3] = c * w0 - t * z0, c * x0 - t * y0, c * y0 + t * x0, c * z0 + t * w0
    _first_covariance(settings, tilt, memory.covariance)
    for i in range(3):
        memory.gyro[i], memory.accel[i] = imu.gyro[i], imu.accel[i]
        memory.gyro_step[i] = memory.accel_step[i] = 0.0
    memory.since = 0.0
    memory.time = memory.reckoned.time = imu.stamp
    memory.aligned = 1.0
