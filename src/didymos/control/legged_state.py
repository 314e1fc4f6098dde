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

from didymos.air.atmosphere import GRAVITY
from didymos.compiled import kernel
from didymos.control.leg import SLIDING, foot, foot_force, signs, to_level

__all__ = ["estimate", "stands"]

_STEADY = 1.0  # [m/s^2]: a specific force further from gravity says nothing about the first tilt
_FELT = 0.01  # [s] low-pass of the torques, and of what accelerates the joints
_SLOPE_TIME = 0.4  # [s] low-pass of the slope
_HEIGHT_TIME = 0.03  # [s] low-pass of the height
_BIAS_RATE = 0.1  # of the tilt's gain, for the gyro's bias


@kernel
def stands(leg: int, memory: Any) -> bool:
    """Whether a leg shall stand and its torques say that it does."""
    return bool(memory.legs[leg].swings < 0.5 and memory.contact[leg] > 0.5)


@kernel
def _begin(measured: Any, memory: Any) -> None:
    """A robot that has just been switched on takes the accelerometer's word for up, if that can be true."""
    accel = measured.accel
    size = math.sqrt(accel[0] ** 2 + accel[1] ** 2 + accel[2] ** 2)
    steady = abs(size - GRAVITY) < _STEADY
    for i in range(3):
        memory.body.up[i] = accel[i] / size if steady else (1.0 if i == 2 else 0.0)
    for leg in range(4):
        memory.legs[leg].share = 1.0


@kernel
def _tilt(measured: Any, gain: float, dt: float, memory: Any) -> None:
    """Mahony's filter: the bias of the gyro, the direction of up, roll and pitch."""
    body, accel = memory.body, measured.accel
    up, rate = body.up, body.rate
    ux, uy, uz = up[0], up[1], up[2]
    ax, ay, az = accel[0], accel[1], accel[2]
    size = math.sqrt(ax * ax + ay * ay + az * az)
    ex, ey, ez = 0.0, 0.0, 0.0
    if size > 1.0:
        ex, ey, ez = (ay * uz - az * uy) / size, (az * ux - ax * uz) / size, (ax * uy - ay * ux) / size
    for i, e in enumerate((ex, ey, ez)):
        body.gyro_bias[i] -= _BIAS_RATE * gain * e * dt
        rate[i] = measured.gyro[i] - body.gyro_bias[i]
    wx, wy, wz = rate[0] + gain * ex, rate[1] + gain * ey, rate[2] + gain * ez
    ux, uy, uz = ux - dt * (wy * uz - wz * uy), uy - dt * (wz * ux - wx * uz), uz - dt * (wx * uy - wy * ux)
    size = math.sqrt(ux * ux + uy * uy + uz * uz)
    up[0], up[1], up[2] = ux / size, uy / size, uz / size
    memory.pitch, memory.roll = math.asin(min(max(-ux / size, -1.0), 1.0)), math.atan2(uy, uz)


@kernel
def _attitude(dt: float, memory: Any) -> None:
    """Yaw, and the rotation from the trunk's to the level frame."""
    rate, rotation = memory.body.rate, memory.body.rotation
    sr, cr, sp, cp = math.sin(memory.roll), math.cos(memory.roll), math.sin(memory.pitch), math.cos(memory.pitch)
    memory.yaw += dt * (rate[1] * sr + rate[2] * cr) / max(cp, 0.1)
    rotation[0, 0], rotation[0, 1], rotation[0, 2] = cp, sp * sr, sp * cr
    rotation[1, 0], rotation[1, 1], rotation[1, 2] = 0.0, cr, -sr
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = -sp, cp * sr, cp * cr


@kernel
def _foot(clock: Any, robot: Any, reading: Any, number: int, body: Any, leg: Any) -> None:
    """Where the foot of a leg is and how its joints move."""
    foot(robot, number, reading.angle, leg.foot, leg.jacobian)
    level = to_level(body.rotation, leg.foot[0], leg.foot[1], leg.foot[2])
    for i in range(3):
        leg.foot_level[i] = level[i]
        leg.acceleration[i] = 0.0 if clock.first > 0.5 else (reading.velocity[i] - leg.velocity[i]) / clock.period
        leg.velocity[i] = reading.velocity[i]


@kernel
def _carried(settings: Any, reading: Any, dt: float, leg: Any) -> None:
    """The torques that the joints of a leg carry to the ground."""
    robot, part = settings.robot, min(dt / _FELT, 1.0)
    inertia = (robot.inertia_T, robot.inertia_H, robot.inertia_K)
    over_hip = 0.0  # [N m] of the motor of the knee, where its belt runs over the hip
    for i in range(2, -1, -1):
        belt = 1.0 if i == 2 and settings.belt > 0.5 else 0.0
        velocity, acceleration = leg.velocity[i], leg.acceleration[i]
        if belt > 0.0:
            velocity, acceleration = velocity + leg.velocity[1], acceleration + leg.acceleration[1]
        at_motor = reading.motor_torque[i] - robot.friction * math.tanh(velocity / SLIDING)
        net = robot.ratio * at_motor - robot.rotor * acceleration
        leg.torque[i] += (net + over_hip - inertia[i] * leg.acceleration[i] - leg.torque[i]) * part
        over_hip = belt * net


@kernel
def _loads(threshold: float, memory: Any) -> None:
    """The forces of the ground that these torques tell of, and which feet stand; one that does is believed for longer."""
    for i in range(4):
        leg = memory.legs[i]
        memory.load[i] = foot_force(leg.jacobian, leg.torque, memory.body.up)
        felt = memory.load[i] > (0.6 * threshold if memory.contact[i] > 0.5 else threshold)
        memory.contact[i] = 1.0 if felt else 0.0


@kernel
def _roll(reading: Any, number: int, radius: float, body: Any, leg: Any) -> tuple[float, float, float]:
    """Velocity [m/s], trunk frame, of the centre of a round foot that rolls with its limb: r W x up."""
    wx, wy, wz = body.rate[0], body.rate[1], body.rate[2]
    _, side = signs(number)
    turn, swing = side * leg.velocity[0], -(leg.velocity[1] + leg.velocity[2])  # of the lower limb, about the axes of its joints
    lean = side * reading.angle[0]
    limb_x, limb_y, limb_z = wx + turn, wy + swing * math.cos(lean), wz + swing * math.sin(lean)
    return (
        radius * (limb_y * body.up[2] - limb_z * body.up[1]),
        radius * (limb_z * body.up[0] - limb_x * body.up[2]),
        radius * (limb_x * body.up[1] - limb_y * body.up[0]),
    )


@kernel
def _said_by_legs(measured: Any, radius: float, memory: Any) -> tuple[float, float, float, float]:
    """Velocities of the trunk [m/s], trunk frame, that the legs which stand tell of: their sum, and how many legs they are."""
    rate = memory.body.rate
    wx, wy, wz = rate[0], rate[1], rate[2]
    sx, sy, sz, count = 0.0, 0.0, 0.0, 0.0
    for number in range(4):
        if stands(number, memory):
            leg = memory.legs[number]
            j, p, q = leg.jacobian, leg.foot, leg.velocity
            sx -= j[0, 0] * q[0] + j[0, 1] * q[1] + j[0, 2] * q[2] + wy * p[2] - wz * p[1]
            sy -= j[1, 0] * q[0] + j[1, 1] * q[1] + j[1, 2] * q[2] + wz * p[0] - wx * p[2]
            sz -= j[2, 0] * q[0] + j[2, 1] * q[1] + j[2, 2] * q[2] + wx * p[1] - wy * p[0]
            rolled = _roll(measured.legs[number], number, radius, memory.body, leg)
            sx, sy, sz, count = sx + rolled[0], sy + rolled[1], sz + rolled[2], count + 1.0
    return sx, sy, sz, count


@kernel
def _yaw_rate(body: Any) -> float:
    """[rad/s] about the level frame's z."""
    _, _, rate = to_level(body.rotation, body.rate[0], body.rate[1], body.rate[2])
    return rate


@kernel
def _velocity(measured: Any, radius: float, gain: float, dt: float, memory: Any) -> None:
    """Velocity of the trunk in the level frame."""
    body, accel = memory.body, measured.accel
    velocity, yaw_rate = body.velocity, _yaw_rate(body)
    sx, sy, sz, count = _said_by_legs(measured, radius, memory)
    velocity[0], velocity[1] = velocity[0] + dt * yaw_rate * velocity[1], velocity[1] - dt * yaw_rate * velocity[0]
    push = to_level(body.rotation, accel[0], accel[1], accel[2])
    said = to_level(body.rotation, sx, sy, sz)
    for i in range(3):
        velocity[i] += dt * (push[i] - (GRAVITY if i == 2 else 0.0))
        if count > 0.0:
            velocity[i] += min(gain * dt, 1.0) * (said[i] / count - velocity[i])
        else:
            velocity[i] -= min(dt, 1.0) * velocity[i]


@kernel
def _footholds(clock: Any, memory: Any) -> None:
    """Where the feet stood last; these points stay while the trunk moves on."""
    dt, velocity, yaw_rate = clock.period, memory.body.velocity, _yaw_rate(memory.body)
    for number in range(4):
        leg = memory.legs[number]
        x, y = leg.foothold[0], leg.foothold[1]
        leg.foothold[0] += dt * (yaw_rate * y - velocity[0])
        leg.foothold[1] -= dt * (yaw_rate * x + velocity[1])
        leg.foothold[2] -= dt * velocity[2]
        if clock.first > 0.5 or stands(number, memory):
            for i in range(3):
                leg.foothold[i] = leg.foot_level[i]


@kernel
def _slope(clock: Any, memory: Any) -> None:
    """The slope of a plane through these points."""
    lf, rf, lr, rr = memory.legs[0].foothold, memory.legs[1].foothold, memory.legs[2].foothold, memory.legs[3].foothold
    length = 0.5 * (lf[0] + rf[0] - lr[0] - rr[0])
    width = 0.5 * (lf[1] - rf[1] + lr[1] - rr[1])
    part = 1.0 if clock.first > 0.5 else min(clock.period / _SLOPE_TIME, 1.0)
    rise_x = 0.5 * (lf[2] + rf[2] - lr[2] - rr[2]) / max(length, 0.2)
    rise_y = 0.5 * (lf[2] - rf[2] + lr[2] - rr[2]) / max(width, 0.2)
    memory.slope[0] += part * (min(max(rise_x, -0.6), 0.6) - memory.slope[0])
    memory.slope[1] += part * (min(max(rise_y, -0.6), 0.6) - memory.slope[1])


@kernel
def _height(clock: Any, radius: float, memory: Any) -> None:
    """The height of the trunk above the plane that the feet stand on."""
    first, slope, velocity = clock.first > 0.5, memory.slope, memory.body.velocity
    height, count = 0.0, 0.0
    for number in range(4):
        if first or stands(number, memory):
            point = memory.legs[number].foot_level
            height += slope[0] * point[0] + slope[1] * point[1] - point[2]
            count += 1.0
    if count > 0.0:
        part = 1.0 if first else min(clock.period / _HEIGHT_TIME, 1.0)
        memory.height += part * (height / count + radius - memory.height)
    memory.height += 0.0 if first else clock.period * (velocity[2] - slope[0] * velocity[0] - slope[1] * velocity[1])


@kernel
def estimate(clock: Any, settings: Any, gains: Any, measured: Any, memory: Any) -> None:
    """One step of all the above."""
    dt, robot = clock.period, settings.robot
    if clock.first > 0.5:
        _begin(measured, memory)
    _tilt(measured, gains.tilt_trust, dt, memory)
    _attitude(dt, memory)
    for number in range(4):
        leg, reading = memory.legs[number], measured.legs[number]
        _foot(clock, robot, reading, number, memory.body, leg)
        _carried(settings, reading, dt, leg)
    _loads(gains.contact_force, memory)
    _velocity(measured, robot.foot_radius, gains.speed_trust, dt, memory)
    _footholds(clock, memory)
    _slope(clock, memory)
    _height(clock, robot.foot_radius, memory)
    velocity = memory.body.velocity
    memory.vx, memory.vy, memory.vz = velocity[0], velocity[1], velocity[2]
