"""What a legged robot knows of itself from its IMU, encoders and the efforts of its joints.

Tilt: `up`, the direction of "up" in the trunk's frame, follows the gyro and leans on the accelerometer (Mahony's filter)

    w = gyro - b + k (a x up),    up' = -w x up,    b' = -k_b (a x up),    a = accel / |accel|

Velocity: the accelerometer integrated, corrected by the legs that stand. A round foot at p rolls with its limb (rate W), so

    v = r W x up - (J q' + w x p) = s_i,    v' = accel - g up - w x v + k_v (mean of the legs - v)

Heading: the same legs tell how fast they turn about "up", which no accelerometer sees; the gyro's bias about it follows from

    w_z = -sum (p - p_m) x (J q' - r W x up) / sum |p - p_m|^2,    b_z' = k_h (gyro_z - b_z - w_z)

Which feet stand, and how the joints move: `leg_state.py`; what they stand on: `footing.py`.

Valid while the feet slip little and the trunk's mean acceleration over a few seconds is small. References: Mahony et al., IEEE
TAC 53 (2008); Bloesch et al., RSS 2012, for leg odometry. Times are in units of the robot's own, T = sqrt(l / g).
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.footing import find_centre_of_mass, find_height, find_slope, keep_footholds, yaw_rate_of
from didymos.control.leg import to_level
from didymos.control.leg_state import carry, feel_loads, read_efforts, read_leg, slip, stands

__all__ = ["estimate"]

_STEADY = 0.1  # of g: a specific force further from gravity says nothing about the first tilt
_FELT = 0.048  # [T] low-pass of the efforts, and of what accelerates the joints
_TILT_TIME = 0.5  # [T] low-pass of the tilt by which legs swing: one that followed every shake would shake the trunk back
_BIAS_RATE = 0.1  # of the tilt's gain, for the gyro's bias


@kernel
def _sense(robot: Any, measured: Any, memory: Any) -> None:
    """The readings of the IMU in the trunk's frame."""
    gyro, accel, body = measured.gyro, measured.accel, memory.body
    rate = to_level(robot.imu, gyro[0], gyro[1], gyro[2])
    push = to_level(robot.imu, accel[0], accel[1], accel[2])
    for i in range(3):
        body.rate[i], body.accel[i] = rate[i], push[i]


@kernel
def _begin(robot: Any, memory: Any) -> None:
    """A robot that has just been switched on takes the accelerometer's word for up, if that can be true."""
    accel = memory.body.accel
    size = math.sqrt(accel[0] ** 2 + accel[1] ** 2 + accel[2] ** 2)
    steady = abs(size - robot.gravity) < _STEADY * robot.gravity
    for i in range(3):
        memory.body.up[i] = accel[i] / size if steady else (1.0 if i == 2 else 0.0)
    for leg in range(int(robot.legs)):
        memory.legs[leg].share = 1.0


@kernel
def _rotate(roll: float, pitch: float, rotation: Any) -> None:
    """The rotation from the trunk's to the level frame."""
    sr, cr, sp, cp = math.sin(roll), math.cos(roll), math.sin(pitch), math.cos(pitch)
    rotation[0, 0], rotation[0, 1], rotation[0, 2] = cp, sp * sr, sp * cr
    rotation[1, 0], rotation[1, 1], rotation[1, 2] = 0.0, cr, -sr
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = -sp, cp * sr, cp * cr


@kernel
def _tilt(gain: float, dt: float, memory: Any) -> None:
    """Mahony's filter: the bias of the gyro, the direction of up, roll and pitch."""
    body = memory.body
    up, rate, accel = body.up, body.rate, body.accel
    ux, uy, uz = up[0], up[1], up[2]
    ax, ay, az = accel[0], accel[1], accel[2]
    size = math.sqrt(ax * ax + ay * ay + az * az)
    ex, ey, ez = 0.0, 0.0, 0.0
    if size > 1.0:
        ex, ey, ez = (ay * uz - az * uy) / size, (az * ux - ax * uz) / size, (ax * uy - ay * ux) / size
    for i, e in enumerate((ex, ey, ez)):
        body.gyro_bias[i] -= _BIAS_RATE * gain * e * dt
        rate[i] -= body.gyro_bias[i]
    wx, wy, wz = rate[0] + gain * ex, rate[1] + gain * ey, rate[2] + gain * ez
    ux, uy, uz = ux - dt * (wy * uz - wz * uy), uy - dt * (wz * ux - wx * uz), uz - dt * (wx * uy - wy * ux)
    size = math.sqrt(ux * ux + uy * uy + uz * uz)
    up[0], up[1], up[2] = ux / size, uy / size, uz / size
    memory.pitch, memory.roll = math.asin(min(max(-ux / size, -1.0), 1.0)), math.atan2(uy, uz)


@kernel
def _attitude(clock: Any, time: float, memory: Any) -> None:
    """Yaw, and the rotations from the trunk's to the level frame."""
    body, dt = memory.body, clock.period
    rate, steady = body.rate, body.steady_tilt
    turning = rate[1] * math.sin(memory.roll) + rate[2] * math.cos(memory.roll)
    memory.yaw += dt * turning / max(math.cos(memory.pitch), 0.1)
    part = 1.0 if clock.first > 0.5 else min(dt / (_TILT_TIME * time), 1.0)
    steady[0] += part * (memory.roll - steady[0])
    steady[1] += part * (memory.pitch - steady[1])
    _rotate(memory.roll, memory.pitch, body.rotation)
    _rotate(steady[0], steady[1], body.steady_rotation)


@kernel
def _said_by_legs(settings: Any, memory: Any) -> tuple[float, float, float, float]:
    """Velocities of the trunk [m/s], trunk frame, that the legs which stand tell of: their sum, and how many legs they are."""
    rate = memory.body.rate
    wx, wy, wz = rate[0], rate[1], rate[2]
    sx, sy, sz, count = 0.0, 0.0, 0.0, 0.0
    for number in range(int(settings.robot.legs)):
        if stands(number, memory):
            leg = memory.legs[number]
            p = leg.pose.foot
            x, y, z = slip(settings.limbs[number], memory.body, leg)
            sx -= x + wy * p[2] - wz * p[1]
            sy -= y + wz * p[0] - wx * p[2]
            sz -= z + wx * p[1] - wy * p[0]
            count += 1.0
    return sx, sy, sz, count


@kernel
def _heading_bias(settings: Any, gain: float, dt: float, memory: Any) -> None:
    """What of the gyro's bias about the trunk's z the legs that stand tell of."""
    count, px, py, vx, vy = 0.0, 0.0, 0.0, 0.0, 0.0
    turn, size = 0.0, 0.0
    for number in range(int(settings.robot.legs)):
        if stands(number, memory):
            leg = memory.legs[number]
            x, y, _ = slip(settings.limbs[number], memory.body, leg)
            p = leg.pose.foot
            count, px, py, vx, vy = count + 1.0, px + p[0], py + p[1], vx + x, vy + y
            turn, size = turn + p[0] * y - p[1] * x, size + p[0] ** 2 + p[1] ** 2
    if count > 1.5:
        turn, size = turn - (px * vy - py * vx) / count, size - (px * px + py * py) / count
        if size > (0.3 * settings.robot.length) ** 2:
            rate = -turn / size
            memory.body.gyro_bias[2] += min(gain * dt, 1.0) * (memory.body.rate[2] - rate)


@kernel
def _velocity(settings: Any, gain: float, dt: float, memory: Any) -> None:
    """Velocity of the trunk in the level frame."""
    body, gravity = memory.body, settings.robot.gravity
    accel, velocity, yaw_rate = body.accel, body.velocity, yaw_rate_of(body)
    sx, sy, sz, count = _said_by_legs(settings, memory)
    velocity[0], velocity[1] = velocity[0] + dt * yaw_rate * velocity[1], velocity[1] - dt * yaw_rate * velocity[0]
    push = to_level(body.rotation, accel[0], accel[1], accel[2])
    said = to_level(body.rotation, sx, sy, sz)
    for i in range(3):
        velocity[i] += dt * (push[i] - (gravity if i == 2 else 0.0))
        if count > 0.0:
            velocity[i] += min(gain * dt, 1.0) * (said[i] / count - velocity[i])
        else:
            velocity[i] -= min(dt, 1.0) * velocity[i]


@kernel
def estimate(clock: Any, settings: Any, gains: Any, measured: Any, walking: bool, memory: Any) -> None:
    """One step of all the above."""
    dt, robot = clock.period, settings.robot
    _sense(robot, measured, memory)
    if clock.first > 0.5:
        _begin(robot, memory)
    _tilt(gains.tilt_trust, dt, memory)
    _attitude(clock, robot.time, memory)
    read_efforts(settings, measured, memory)
    part = min(dt / (_FELT * robot.time), 1.0)
    for number in range(int(robot.legs)):
        limb, leg = settings.limbs[number], memory.legs[number]
        read_leg(clock, limb, measured.joints, robot.gravity, memory.body, leg)
        carry(limb, memory.efforts, part, leg)
    feel_loads(settings, gains.contact_force * robot.mass * robot.gravity / robot.legs, memory)
    _heading_bias(settings, gains.heading_trust * (1.0 if walking else 5.0), dt, memory)
    _velocity(settings, gains.speed_trust / robot.time, dt, memory)
    keep_footholds(clock, int(robot.legs), memory)
    find_slope(clock, robot, memory)
    find_height(clock, settings, memory)
    find_centre_of_mass(settings, memory)
    velocity = memory.body.velocity
    memory.vx, memory.vy, memory.vz = velocity[0], velocity[1], velocity[2]
