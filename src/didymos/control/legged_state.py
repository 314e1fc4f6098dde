"""What a legged robot knows of itself from its IMU, encoders and the torque of its motors.

Tilt: `up`, the direction of "up" in the trunk's frame, follows the gyro and leans on the accelerometer (Mahony's filter)

    w = gyro - b + k (a x up),    up' = -w x up,    b' = -k_b (a x up),    a = accel / |accel|

Velocity: the accelerometer integrated, corrected by the legs that stand. A round foot at p rolls with its limb (rate W), so

    v = r W x up - (J q' + w x p),    v' = accel - g up - w x v + k_v (mean of the legs - v)

Contact: the force of the ground on a foot along "up" follows from the torques of its joints, less what accelerates the rotor and
the leg and what friction takes, f = -(J^T)^-1 (n tau - I q'' - n F sgn q'), low-passed, and compared with a threshold. A motor
whose belt runs over the hip acts on both joints.
Slope: a plane through the four points where the feet stood last.

Valid while the feet slip little and the trunk's mean acceleration over a few seconds is small. References: Mahony et al., IEEE
TAC 53 (2008); Bloesch et al., RSS 2012, for leg odometry.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control import legged_memory as at
from didymos.control.leg import foot, foot_force

__all__ = ["begin_state", "estimate"]

_GRAVITY = 9.80665  # [m/s^2]
_STEADY = 1.0  # [m/s^2]: a specific force further from gravity says nothing about the first tilt
_FELT = 0.01  # [s] low-pass of the torques, and of what accelerates the joints
_SLIDING = 0.3  # [rad/s] over which dry friction changes sign
_SLOPE_TIME = 0.4  # [s] low-pass of the slope
_BIAS_RATE = 0.1  # of the tilt's gain, for the gyro's bias


@kernel
def begin_state(measured: Any, m: Any) -> None:
    """A robot that has just been switched on takes the accelerometer's word for up, if that can be true."""
    size = math.sqrt(measured[3] ** 2 + measured[4] ** 2 + measured[5] ** 2)
    steady = abs(size - _GRAVITY) < _STEADY
    for i in range(3):
        m[at.UP + i] = measured[3 + i] / size if steady else (1.0 if i == 2 else 0.0)
    for leg in range(4):
        m[at.SHARE + leg] = 1.0


@kernel
def _tilt(measured: Any, gain: float, dt: float, m: Any) -> None:
    ux, uy, uz = m[at.UP], m[at.UP + 1], m[at.UP + 2]
    ax, ay, az = measured[3], measured[4], measured[5]
    size = math.sqrt(ax * ax + ay * ay + az * az)
    ex, ey, ez = 0.0, 0.0, 0.0
    if size > 1.0:
        ex, ey, ez = (ay * uz - az * uy) / size, (az * ux - ax * uz) / size, (ax * uy - ay * ux) / size
    for i, e in enumerate((ex, ey, ez)):
        m[at.BIAS + i] -= _BIAS_RATE * gain * e * dt
        m[at.RATE + i] = measured[i] - m[at.BIAS + i]
    wx, wy, wz = m[at.RATE] + gain * ex, m[at.RATE + 1] + gain * ey, m[at.RATE + 2] + gain * ez
    ux, uy, uz = ux - dt * (wy * uz - wz * uy), uy - dt * (wz * ux - wx * uz), uz - dt * (wx * uy - wy * ux)
    size = math.sqrt(ux * ux + uy * uy + uz * uz)
    m[at.UP], m[at.UP + 1], m[at.UP + 2] = ux / size, uy / size, uz / size
    pitch, roll = math.asin(min(max(-ux / size, -1.0), 1.0)), math.atan2(uy, uz)
    m[at.ROLL], m[at.PITCH] = roll, pitch
    sr, cr, sp, cp = math.sin(roll), math.cos(roll), math.sin(pitch), math.cos(pitch)
    m[at.YAW] += dt * (m[at.RATE + 1] * sr + m[at.RATE + 2] * cr) / max(cp, 0.1)
    r = at.ROTATION
    m[r], m[r + 1], m[r + 2] = cp, sp * sr, sp * cr
    m[r + 3], m[r + 4], m[r + 5] = 0.0, cr, -sr
    m[r + 6], m[r + 7], m[r + 8] = -sp, cp * sr, cp * cr


@kernel
def _legs(measured: Any, settings: Any, threshold: float, dt: float, first: bool, m: Any) -> None:
    """Feet, their Jacobians and the loads that the torques of the joints tell of; measured: angles, rates, torques from 6 on."""
    ratio, friction = settings[5], settings[6]
    for leg in range(4):
        end, side = 1.0 - 2.0 * (leg // 2), 1.0 - 2.0 * (leg % 2)
        q, rate, torque = measured[6 + 3 * leg : 9 + 3 * leg], measured[18 + 3 * leg :], measured[30 + 3 * leg :]
        p, j = m[at.FOOT + 3 * leg : at.FOOT + 3 * leg + 3], m[at.JACOBIAN + 9 * leg : at.JACOBIAN + 9 * leg + 9]
        foot(settings, end, side, q, p, j)
        for i in range(3):
            row = at.ROTATION + 3 * i
            m[at.LEVEL + 3 * leg + i] = m[row] * p[0] + m[row + 1] * p[1] + m[row + 2] * p[2]
            k = 3 * leg + i
            m[at.TORQUE + i] = 0.0 if first else (rate[i] - m[at.SPEED + k]) / dt
            m[at.SPEED + k] = rate[i]
        e, part = at.EFFORT + 3 * leg, min(dt / _FELT, 1.0)
        carried = 0.0  # by the motor after this one, whose belt runs over this joint
        for i in range(2, -1, -1):
            over = 1.0 if i == 2 and settings[16] > 0.5 else 0.0
            turn, faster = rate[i], m[at.TORQUE + i]
            if over > 0.0:
                turn, faster = turn + rate[1], faster + m[at.TORQUE + 1]
            net = ratio * (torque[i] - friction * math.tanh(turn / _SLIDING)) - settings[15] * faster
            m[e + i] += (net + carried - settings[7 + i] * m[at.TORQUE + i] - m[e + i]) * part
            carried = over * net
        m[at.LOAD + leg] = foot_force(j, m[e], m[e + 1], m[e + 2], m[at.UP : at.UP + 3])
        felt = m[at.LOAD + leg] > (0.6 * threshold if m[at.CONTACT + leg] > 0.5 else threshold)
        m[at.CONTACT + leg] = 1.0 if felt else 0.0


@kernel
def _velocity(measured: Any, radius: float, gain: float, dt: float, m: Any) -> None:
    """Velocity of the trunk in the level frame."""
    wx, wy, wz = m[at.RATE], m[at.RATE + 1], m[at.RATE + 2]
    sx, sy, sz, weight = 0.0, 0.0, 0.0, 0.0
    for leg in range(4):
        if m[at.SWING + leg] < 0.5 and m[at.CONTACT + leg] > 0.5:
            j, p, rate = at.JACOBIAN + 9 * leg, at.FOOT + 3 * leg, at.SPEED + 3 * leg
            sx -= m[j] * m[rate] + m[j + 1] * m[rate + 1] + m[j + 2] * m[rate + 2] + wy * m[p + 2] - wz * m[p + 1]
            sy -= m[j + 3] * m[rate] + m[j + 4] * m[rate + 1] + m[j + 5] * m[rate + 2] + wz * m[p] - wx * m[p + 2]
            sz -= m[j + 6] * m[rate] + m[j + 7] * m[rate + 1] + m[j + 8] * m[rate + 2] + wx * m[p + 1] - wy * m[p]
            side = 1.0 - 2.0 * (leg % 2)
            turn, swing = side * m[rate], -(m[rate + 1] + m[rate + 2])  # of the lower limb, about the axes of its joints
            lean = side * measured[6 + 3 * leg]
            limb_x, limb_y, limb_z = wx + turn, wy + swing * math.cos(lean), wz + swing * math.sin(lean)
            sx += radius * (limb_y * m[at.UP + 2] - limb_z * m[at.UP + 1])
            sy += radius * (limb_z * m[at.UP] - limb_x * m[at.UP + 2])
            sz += radius * (limb_x * m[at.UP + 1] - limb_y * m[at.UP])
            weight += 1.0
    yaw_rate = m[at.ROTATION + 6] * wx + m[at.ROTATION + 7] * wy + m[at.ROTATION + 8] * wz
    v = at.VELOCITY
    turned_x, turned_y = m[v] + dt * yaw_rate * m[v + 1], m[v + 1] - dt * yaw_rate * m[v]
    m[v], m[v + 1] = turned_x, turned_y
    for i in range(3):
        row = at.ROTATION + 3 * i
        push = m[row] * measured[3] + m[row + 1] * measured[4] + m[row + 2] * measured[5]
        m[v + i] += dt * (push - (_GRAVITY if i == 2 else 0.0))
        if weight > 0.0:
            said = (m[row] * sx + m[row + 1] * sy + m[row + 2] * sz) / weight
            m[v + i] += min(gain * dt, 1.0) * (said - m[v + i])
        else:
            m[v + i] -= min(dt, 1.0) * m[v + i]


@kernel
def _ground(settings: Any, dt: float, first: bool, m: Any) -> None:
    """Where the feet stood last, the slope through these points and the height above it."""
    v = at.VELOCITY
    yaw_rate = m[at.ROTATION + 6] * m[at.RATE] + m[at.ROTATION + 7] * m[at.RATE + 1] + m[at.ROTATION + 8] * m[at.RATE + 2]
    for leg in range(4):
        stands = first or (m[at.SWING + leg] < 0.5 and m[at.CONTACT + leg] > 0.5)
        place, level = at.FLOOR + 3 * leg, at.LEVEL + 3 * leg
        x, y = m[place], m[place + 1]
        m[place] += dt * (yaw_rate * y - m[v])
        m[place + 1] -= dt * (yaw_rate * x + m[v + 1])
        m[place + 2] -= dt * m[v + 2]
        if stands:
            for i in range(3):
                m[place + i] = m[level + i]
    f = at.FLOOR
    length = 0.5 * (m[f] + m[f + 3] - m[f + 6] - m[f + 9])
    width = 0.5 * (m[f + 1] - m[f + 4] + m[f + 7] - m[f + 10])
    part = 1.0 if first else min(dt / _SLOPE_TIME, 1.0)
    rise_x = 0.5 * (m[f + 2] + m[f + 5] - m[f + 8] - m[f + 11]) / max(length, 0.2)
    rise_y = 0.5 * (m[f + 2] - m[f + 5] + m[f + 8] - m[f + 11]) / max(width, 0.2)
    m[at.SLOPE] += part * (min(max(rise_x, -0.6), 0.6) - m[at.SLOPE])
    m[at.SLOPE + 1] += part * (min(max(rise_y, -0.6), 0.6) - m[at.SLOPE + 1])
    height, weight = 0.0, 0.0
    for leg in range(4):
        if first or (m[at.SWING + leg] < 0.5 and m[at.CONTACT + leg] > 0.5):
            place = at.LEVEL + 3 * leg
            height += m[at.SLOPE] * m[place] + m[at.SLOPE + 1] * m[place + 1] - m[place + 2]
            weight += 1.0
    if weight > 0.0:
        part = 1.0 if first else min(dt / 0.03, 1.0)
        m[at.HEIGHT] += part * (height / weight + settings[10] - m[at.HEIGHT])
    m[at.HEIGHT] += 0.0 if first else dt * (m[v + 2] - m[at.SLOPE] * m[v] - m[at.SLOPE + 1] * m[v + 1])


@kernel
def estimate(measured: Any, settings: Any, tilt: float, odometry: float, threshold: float, dt: float, first: bool, m: Any) -> None:
    """One step of all the above; `measured`: gyro [3], accel [3], angles, rates [12 each] and motor torques [12]."""
    if first:
        begin_state(measured, m)
    _tilt(measured, tilt, dt, m)
    _legs(measured, settings, threshold, dt, first, m)
    _velocity(measured, settings[10], odometry, dt, m)
    _ground(settings, dt, first, m)
