r"""Let the IMU carry the navigation filter on: its state at every reading, its covariance as often as a reading needs it.

State, by the mean of two readings dt apart (w = gyro - b_g, f = accel - b_a; trapezoid, local error of third order in dt):

    q <- q exp(w dt),    v <- v + a dt,    p <- p + v dt + a dt^2 / 2,    a = R f - g

Errors (attitude e in the world frame, R_true = exp(e) R), over a time T with A = int R f dt:

    e <- e - R T b_g
    v <- v - A x e - R T b_a + 1/2 A x (R T b_g)
    p <- p + T v - 1/2 T A x e - 1/2 T R T b_a
    b <- exp(-T / tau) b        of a bias with a correlation time; else it walks

    P <- F P F^T + Q,    Q = diag(n_g^2 T + R s_g R^T, n_a^2 T + R s_a R^T, 0, walk^2 T + sd^2 (1 - exp(-2 T / tau)), ...)

An IMU that is read n times a second does not see what happens in between; how much that may be shows in c, by which a reading
differs from the straight line through the two before. s_g and s_a are sums over T, for each axis of the body:

    accelerometer   the pull of turbulence is a random walk s: var c = 2 s^2 dt, and its integral differs from the trapezoid's
                    by s^2 dt^3 / 12 (Brownian bridge), so s_a = c^2 dt^2 / 24
    gyro            a rate is the integral of moments, so the integral of such a walk: var c = 2/3 s^2 dt^3, and its integral
                    differs by s^2 dt^5 / 120, so s_g = c^2 dt^2 / 80

White noise of the readings shows in c as well (6 n^2 / dt): that share of n is left out, so that calm air adds nothing. A plane's
lift shakes its z axis twenty times as hard as the accelerometer's noise, and its other axes hardly: hence the axes.

F differs from one in nine rows only: the product is written out. P stays symmetric to the bit.

Reference: Sola, Quaternion kinematics for the error-state Kalman filter (2017), section 7 (global angular errors). Valid for T
up to some tenths of a second and below some rad/s of rotation in T; earth rotation and curvature are left out.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import turn_vector
from didymos.control.filter_layout import (
    ACCEL_BIAS,
    AIRSPEED_BIAS,
    ATTITUDE,
    FIELD_BIAS,
    FIELD_DIP,
    FIRST_BIAS,
    GPS_BIAS,
    GYRO_BIAS,
    HEIGHT_BIAS,
    HISTORY,
    POSITION,
    VELOCITY,
    WIND,
)  # fmt: skip

__all__ = ["multiply", "predict_covariance", "predict_state", "rotation_quaternion"]

_GYRO_SEEN, _ACCEL_SEEN = 6.0 / 80.0, 6.0 / 24.0  # of its white noise, in what is taken for motion between readings
_DIP_WALK = 2e-5  # [rad/sqrt(s)] of the field's dip along the flight


@kernel
def multiply(
    aw: float, ax: float, ay: float, az: float, bw: float, bx: float, by: float, bz: float
) -> tuple[float, float, float, float]:
    """Product of two quaternions, w first."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@kernel
def rotation_quaternion(x: float, y: float, z: float) -> tuple[float, float, float, float]:
    """Unit quaternion of a rotation vector [rad]."""
    angle = math.sqrt(x * x + y * y + z * z)
    share = 0.5 - angle * angle / 48.0 if angle < 1e-3 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), share * x, share * y, share * z


@kernel
def _turn(orientation: Any, w: float, x: float, y: float, z: float) -> None:
    """Turn an orientation by a rotation in the body's frame."""
    w, x, y, z = multiply(orientation[0], orientation[1], orientation[2], orientation[3], w, x, y, z)
    size = math.sqrt(w * w + x * x + y * y + z * z)
    orientation[0], orientation[1], orientation[2], orientation[3] = w / size, x / size, y / size, z / size


@kernel
def _keep_history(settings: Any, memory: Any) -> None:
    """Keep a state of the past, where it is time to."""
    now, count = memory.reckoned, int(memory.kept)
    if count > 0 and now.time - memory.history[(count - 1) % HISTORY].time < settings.history_step:
        return
    entry = memory.history[count % HISTORY]
    entry.time = now.time
    for i in range(4):
        entry.orientation[i] = now.orientation[i]
    for i in range(3):
        entry.velocity[i], entry.position[i] = now.velocity[i], now.position[i]
    memory.kept = count + 1.0


@kernel
def predict_state(settings: Any, imu: Any, memory: Any) -> None:
    """Carry the nominal state on to a new reading of the IMU."""
    dt, state, gyro, accel = imu.stamp - memory.time, memory.nominal, memory.gyro, memory.accel
    _keep_history(settings, memory)
    half, ratio = 0.5 * dt, dt / memory.since if memory.since > 0.0 else 0.0
    turns, pulls = dt * dt * ratio / (40.0 * (1.0 + ratio)), dt * dt / (12.0 * (1.0 + ratio))
    w, x, y, z = rotation_quaternion(
        half * (gyro[0] + imu.gyro[0]) - dt * state.gyro_bias[0],
        half * (gyro[1] + imu.gyro[1]) - dt * state.gyro_bias[1],
        half * (gyro[2] + imu.gyro[2]) - dt * state.gyro_bias[2],
    )
    bias, reckoned = state.accel_bias, memory.reckoned
    last = turn_vector((w, x, y, z), imu.accel[0] - bias[0], imu.accel[1] - bias[1], imu.accel[2] - bias[2])
    px, py, pz = (
        half * (accel[0] - bias[0] + last[0]), half * (accel[1] - bias[1] + last[1]), half * (accel[2] - bias[2] + last[2]),
    )  # fmt: skip
    pushes, pushes_reckoned = turn_vector(state.orientation, px, py, pz), turn_vector(reckoned.orientation, px, py, pz)
    _turn(state.orientation, w, x, y, z)
    _turn(reckoned.orientation, w, x, y, z)
    for i in range(3):
        push = pushes[i]
        gained = push - (dt * settings.gravity if i == 2 else 0.0)
        state.position[i] += dt * (state.velocity[i] + 0.5 * gained)
        state.velocity[i] += gained
        reckoned.position[i] += dt * (reckoned.velocity[i] + 0.5 * pushes_reckoned[i])
        reckoned.velocity[i] += pushes_reckoned[i]
        memory.pending_push[i] += push
        turn, pull = imu.gyro[i] - gyro[i], imu.accel[i] - accel[i]
        memory.pending_turn_variance[i] += turns * (turn - ratio * memory.gyro_step[i]) ** 2
        memory.pending_push_variance[i] += pulls * (pull - ratio * memory.accel_step[i]) ** 2
        memory.gyro_step[i], memory.accel_step[i] = turn, pull
        gyro[i], accel[i] = imu.gyro[i], imu.accel[i]
    memory.since = dt
    memory.pending += dt
    memory.time = reckoned.time = imu.stamp


@kernel
def _carry(
    r: Any, time: float, a: Any, e: Any, v: Any, p: Any, g: Any, b: Any
) -> tuple[float, float, float, float, float, float, float, float, float]:
    """Errors of attitude, velocity and position after a time [s], from those before (e, v, p) and the biases' (g, b)."""
    gx = time * (r[0] * g[0] + r[1] * g[1] + r[2] * g[2])
    gy = time * (r[3] * g[0] + r[4] * g[1] + r[5] * g[2])
    gz = time * (r[6] * g[0] + r[7] * g[1] + r[8] * g[2])
    mx, my, mz = e[0] - 0.5 * gx, e[1] - 0.5 * gy, e[2] - 0.5 * gz  # the mean attitude error over the time
    vx = -(a[1] * mz - a[2] * my) - time * (r[0] * b[0] + r[1] * b[1] + r[2] * b[2])
    vy = -(a[2] * mx - a[0] * mz) - time * (r[3] * b[0] + r[4] * b[1] + r[5] * b[2])
    vz = -(a[0] * my - a[1] * mx) - time * (r[6] * b[0] + r[7] * b[1] + r[8] * b[2])
    return (
        e[0] - gx, e[1] - gy, e[2] - gz, v[0] + vx, v[1] + vy, v[2] + vz,
        p[0] + time * (v[0] + 0.5 * vx), p[1] + time * (v[1] + 0.5 * vy), p[2] + time * (v[2] + 0.5 * vz),
    )  # fmt: skip


@kernel
def _decay(bias: Any, time: float) -> tuple[float, float]:
    """The share that is left of a bias after a time [s], and the variance that comes in."""
    if bias.time <= 0.0:
        return 1.0, bias.walk * bias.walk * time
    left = math.exp(-time / bias.time)
    return left, bias.walk * bias.walk * time + bias.deviation * bias.deviation * (1.0 - left * left)


@kernel
def _age(covariance: Any, errors: int, values: Any, first: int, count: int, left: float, variance: float) -> None:
    """Let some biases decay and wander."""
    for i in range(first, first + count):
        if left < 1.0:
            values[i - first] *= left
            for j in range(errors):
                covariance[i, j] *= left
                covariance[j, i] *= left
        covariance[i, i] += variance


@kernel
def _shake(covariance: Any, first: int, r: Any, same: float, own: Any) -> None:
    """Add a noise to three errors in the world: a variance in all directions, and one for each axis of the body."""
    for i in range(3):
        for j in range(3):
            covariance[first + i, first + j] += (
                own[0] * (r[3 * i] * r[3 * j]) + own[1] * (r[3 * i + 1] * r[3 * j + 1]) + own[2] * (r[3 * i + 2] * r[3 * j + 2])
            )
        covariance[first + i, first + i] += same


@kernel
def predict_covariance(settings: Any, gains: Any, memory: Any) -> None:
    """Bring the covariance up to the time of the state."""
    time, errors, covariance, state = memory.pending, int(settings.errors), memory.covariance, memory.nominal
    if time <= 0.0:
        return
    push = (memory.pending_push[0], memory.pending_push[1], memory.pending_push[2])
    x0, x1, x2 = turn_vector(state.orientation, 1.0, 0.0, 0.0)
    y0, y1, y2 = turn_vector(state.orientation, 0.0, 1.0, 0.0)
    z0, z1, z2 = turn_vector(state.orientation, 0.0, 0.0, 1.0)
    r = (x0, y0, z0, x1, y1, z1, x2, y2, z2)
    for j in range(errors):  # F P: the first nine rows
        carried = _carry(
            r, time, push,
            (covariance[ATTITUDE, j], covariance[ATTITUDE + 1, j], covariance[ATTITUDE + 2, j]),
            (covariance[VELOCITY, j], covariance[VELOCITY + 1, j], covariance[VELOCITY + 2, j]),
            (covariance[POSITION, j], covariance[POSITION + 1, j], covariance[POSITION + 2, j]),
            (covariance[GYRO_BIAS, j], covariance[GYRO_BIAS + 1, j], covariance[GYRO_BIAS + 2, j]),
            (covariance[ACCEL_BIAS, j], covariance[ACCEL_BIAS + 1, j], covariance[ACCEL_BIAS + 2, j]),
        )  # fmt: skip
        for i in range(FIRST_BIAS):
            covariance[i, j] = carried[i]
    for i in range(FIRST_BIAS):  # (F P) F^T: the first nine columns of those rows, mirrored
        carried = _carry(
            r, time, push,
            (covariance[i, ATTITUDE], covariance[i, ATTITUDE + 1], covariance[i, ATTITUDE + 2]),
            (covariance[i, VELOCITY], covariance[i, VELOCITY + 1], covariance[i, VELOCITY + 2]),
            (covariance[i, POSITION], covariance[i, POSITION + 1], covariance[i, POSITION + 2]),
            (covariance[i, GYRO_BIAS], covariance[i, GYRO_BIAS + 1], covariance[i, GYRO_BIAS + 2]),
            (covariance[i, ACCEL_BIAS], covariance[i, ACCEL_BIAS + 1], covariance[i, ACCEL_BIAS + 2]),
        )  # fmt: skip
        for j in range(FIRST_BIAS):
            covariance[i, j] = carried[j]
    for i in range(FIRST_BIAS):
        for j in range(i + 1, errors):
            covariance[j, i] = covariance[i, j]
    gyro, accel = gains.gyro_scale * settings.gyro_density, gains.accel_scale * settings.accel_density
    _shake(covariance, ATTITUDE, r, (1.0 - _GYRO_SEEN) * gyro * gyro * time, memory.pending_turn_variance)
    _shake(covariance, VELOCITY, r, (1.0 - _ACCEL_SEEN) * accel * accel * time, memory.pending_push_variance)
    left, variance = _decay(settings.gyro_bias, time)
    _age(covariance, errors, state.gyro_bias, GYRO_BIAS, 3, left, variance)
    left, variance = _decay(settings.accel_bias, time)
    _age(covariance, errors, state.accel_bias, ACCEL_BIAS, 3, left, variance)
    left, variance = _decay(settings.gps_bias, time)
    _age(covariance, errors, state.gps_bias, GPS_BIAS, 3, left, variance)
    left, variance = _decay(settings.field_bias, time)
    _age(covariance, errors, state.field_bias, FIELD_BIAS, 3, left, variance)
    covariance[FIELD_DIP, FIELD_DIP] += _DIP_WALK * _DIP_WALK * time
    left, variance = _decay(settings.height_bias, time)
    _age(covariance, errors, state.height_bias, HEIGHT_BIAS, 1, left, variance)
    if errors > WIND:
        _age(covariance, errors, state.wind, WIND, 2, 1.0, gains.wind_walk * gains.wind_walk * time)
        left, variance = _decay(settings.airspeed_bias, time)
        _age(covariance, errors, state.airspeed_bias, AIRSPEED_BIAS, 1, left, variance)
    memory.pending = 0.0
    for i in range(3):
        memory.pending_push[i] = memory.pending_turn_variance[i] = memory.pending_push_variance[i] = 0.0
