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

from didymos.air.atmosphere import GAS_CONSTANT, GRAVITY, LAPSE_RATE
from didymos.compiled import kernel
from didymos.control.angles import turn_vector, wrap

__all__ = ["MEMORY", "READS", "SETTINGS", "estimate"]

READS = 16
"""gyro [3], accel [3], GPS position [3] and velocity [3], field [3], pressure."""
SETTINGS = 4
"""Angle of the horizontal magnetic field from world x [rad], pressure [Pa] and temperature [K] at height zero, barometer?"""

# memory: the estimate (quaternion, bias, position, velocity), the last readings of GPS, magnetometer and barometer, times since
# each, integral of the specific force since the last fix
_Q, _B, _P, _V, _GPS, _FIELD, _BARO, _SINCE, _PUSH = 0, 4, 7, 10, 13, 19, 22, 23, 26
MEMORY = 29
_LEAST_PUSH = 1.0  # [m/s^2]
_STEADY = 2.0  # [m/s^2]: a specific force further from gravity says nothing about the first tilt


@kernel
def _rotate_world(m: Any, x: float, y: float, z: float) -> None:
    """Turn the estimated attitude by a small rotation vector [rad] in the world frame."""
    x, y, z = 0.5 * x, 0.5 * y, 0.5 * z
    w0, x0, y0, z0 = m[_Q], m[_Q + 1], m[_Q + 2], m[_Q + 3]
    w1, x1 = w0 - x * x0 - y * y0 - z * z0, x0 + x * w0 + y * z0 - z * y0
    y1, z1 = y0 + y * w0 + z * x0 - x * z0, z0 + z * w0 + x * y0 - y * x0
    size = math.sqrt(w1 * w1 + x1 * x1 + y1 * y1 + z1 * z1)
    m[_Q], m[_Q + 1], m[_Q + 2], m[_Q + 3] = w1 / size, x1 / size, y1 / size, z1 / size


@kernel
def _learn_bias(m: Any, x: float, y: float, z: float) -> None:
    """Subtract a rotation vector of the world frame from the bias in the body's."""
    w, a, b, c = m[_Q], m[_Q + 1], m[_Q + 2], m[_Q + 3]
    tx, ty, tz = -2.0 * (b * z - c * y), -2.0 * (c * x - a * z), -2.0 * (a * y - b * x)
    m[_B] -= x + w * tx - (b * tz - c * ty)
    m[_B + 1] -= y + w * ty - (c * tx - a * tz)
    m[_B + 2] -= z + w * tz - (a * ty - b * tx)


@kernel
def _height(pressure: float, ground_pressure: float, ground_temperature: float) -> float:
    """Height [m] at which the standard atmosphere has a pressure [Pa]."""
    ratio = max(pressure, 1.0) / ground_pressure
    return ground_temperature / LAPSE_RATE * (ratio ** (-GAS_CONSTANT * LAPSE_RATE / GRAVITY) - 1.0)


@kernel
def _begin(s: Any, settings: Any, m: Any) -> None:
    """First estimate: tilt from the accelerometer (level, where it does not rest), heading from the magnetometer, then GPS."""
    x, y, z = s[3], s[4], s[5]
    size = math.sqrt(x * x + y * y + z * z)
    roll, pitch = 0.0, 0.0
    if abs(size - GRAVITY) < _STEADY:
        roll, pitch = math.atan2(y, z), -math.asin(min(max(x / size, -1.0), 1.0))
    cr, sr, cp, sp = math.cos(0.5 * roll), math.sin(0.5 * roll), math.cos(0.5 * pitch), math.sin(0.5 * pitch)
    m[_Q], m[_Q + 1], m[_Q + 2], m[_Q + 3] = cr * cp, sr * cp, cr * sp, -sr * sp
    east, north, _ = turn_vector(m, _Q, s[12], s[13], s[14])
    half = 0.5 * (settings[0] - math.atan2(north, east))
    c, t = math.cos(half), math.sin(half)
    w0, x0, y0, z0 = m[_Q], m[_Q + 1], m[_Q + 2], m[_Q + 3]
    m[_Q], m[_Q + 1], m[_Q + 2], m[_Q + 3] = c * w0 - t * z0, c * x0 - t * y0, c * y0 + t * x0, c * z0 + t * w0
    for i in range(3):
        m[_B + i] = 0.0
        m[_P + i], m[_V + i] = s[6 + i], s[9 + i]
        m[_SINCE + i] = 0.0
        m[_PUSH + i] = 0.0
        m[_FIELD + i] = s[12 + i]
    for i in range(6):
        m[_GPS + i] = s[6 + i]
    m[_BARO] = s[15]


@kernel
def _use_fix(s: Any, settings: Any, bandwidth: float, position_gain: float, m: Any) -> None:
    since = m[_SINCE]
    ax, ay, az = m[_PUSH] / since, m[_PUSH + 1] / since, m[_PUSH + 2] / since
    dx, dy, dz = s[9] - m[_V], s[10] - m[_V + 1], s[11] - m[_V + 2]
    square = ax * ax + ay * ay + az * az
    if square > _LEAST_PUSH * _LEAST_PUSH:
        tx, ty, tz = (ay * dz - az * dy) / square, (az * dx - ax * dz) / square, (ax * dy - ay * dx) / square
        turn = 3.0 * bandwidth * bandwidth * since
        _rotate_world(m, turn * tx, turn * ty, turn * tz)
        learn = bandwidth**3 * since
        _learn_bias(m, learn * tx, learn * ty, learn * tz)
    share = 1.0 - math.exp(-3.0 * bandwidth * since)
    m[_V] += share * dx
    m[_V + 1] += share * dy
    m[_V + 2] += share * dz
    share = 1.0 - math.exp(-position_gain * since)
    for i in range(2 if settings[3] > 0.0 else 3):
        m[_P + i] += share * (s[6 + i] - m[_P + i])
    for i in range(6):
        m[_GPS + i] = s[6 + i]
    m[_SINCE] = 0.0
    for i in range(3):
        m[_PUSH + i] = 0.0


@kernel
def _use_field(s: Any, settings: Any, heading_gain: float, m: Any) -> None:
    east, north, _ = turn_vector(m, _Q, s[12], s[13], s[14])
    error = wrap(settings[0] - math.atan2(north, east))
    _rotate_world(m, 0.0, 0.0, (1.0 - math.exp(-heading_gain * m[_SINCE + 1])) * error)
    _learn_bias(m, 0.0, 0.0, 0.1 * heading_gain * heading_gain * m[_SINCE + 1] * error)
    for i in range(3):
        m[_FIELD + i] = s[12 + i]
    m[_SINCE + 1] = 0.0


@kernel
def estimate(
    s: Any, settings: Any, bandwidth: float, position_gain: float, heading_gain: float, dt: float, first: bool, m: Any, state: Any
) -> None:
    """Advance the estimate in memory `m` by dt [s] and write it to `state`.

    `s` are `READS` readings, `state` becomes quaternion [4], body rates [3], position [3] and velocity [3] in the world.
    """
    if first:
        _begin(s, settings, m)
    p, q, r = s[0] - m[_B], s[1] - m[_B + 1], s[2] - m[_B + 2]
    if not first:
        wx, wy, wz = turn_vector(m, _Q, p, q, r)
        _rotate_world(m, dt * wx, dt * wy, dt * wz)
        push = turn_vector(m, _Q, s[3], s[4], s[5])
        for i in range(3):
            gained = push[i] - (GRAVITY if i == 2 else 0.0)
            m[_P + i] += dt * m[_V + i] + 0.5 * dt * dt * gained
            m[_V + i] += dt * gained
            m[_PUSH + i] += dt * push[i]
            m[_SINCE + i] += dt
        changed = False
        for i in range(6):
            changed = changed or s[6 + i] != m[_GPS + i]
        if changed:
            _use_fix(s, settings, bandwidth, position_gain, m)
        if s[12] != m[_FIELD] or s[13] != m[_FIELD + 1] or s[14] != m[_FIELD + 2]:
            _use_field(s, settings, heading_gain, m)
        if settings[3] > 0.0 and s[15] != m[_BARO]:
            share = 1.0 - math.exp(-position_gain * m[_SINCE + 2])
            m[_P + 2] += share * (_height(s[15], settings[1], settings[2]) - m[_P + 2])
            m[_BARO] = s[15]
            m[_SINCE + 2] = 0.0
    for i in range(4):
        state[i] = m[_Q + i]
    state[4], state[5], state[6] = p, q, r
    for i in range(3):
        state[7 + i] = m[_P + i]
        state[10 + i] = m[_V + i]
