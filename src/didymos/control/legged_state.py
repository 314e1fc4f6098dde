"""What a legged robot knows of itself from its IMU, encoders and the efforts of its joints.

Tilt: `up`, the direction of "up" in the trunk's frame, follows the gyro and leans on the accelerometer (Mahony's filter)

    w = gyro - b + k (a x up),    up' = -w x up,    b' = -k_b (a x up),    a = accel / |accel|

Velocity: the accelerometer integrated, corrected by the legs that stand. A round foot at p rolls with its limb (rate W), so

    v = r W x up - (J q' + w x p) = s_i,    v' = accel - g up - w x v + k_v (mean of the legs - v)

Heading: the same legs tell how fast they turn about "up", which no accelerometer sees; the gyro's bias about it follows from

    w_z = -sum (p - p_m) x (J q' - r W x up) / sum |p - p_m|^2,    b_z' = k_h (gyro_z - b_z - w_z)

Contact: the force of the ground on a foot along "up" follows from the efforts of its joints, less what accelerates rotors and
leg, what friction takes and what holds the leg, f = -(J^T)^-1 (tau - I q'' - F sgn q' - G), low-passed, beside a threshold. A
motor whose belt runs over the joint before acts on both. Where no effort is read, the one that was asked for counts.
Slope: a plane through the points where the feet stood last.

Valid while the feet slip little and the trunk's mean acceleration over a few seconds is small. References: Mahony et al., IEEE
TAC 53 (2008); Bloesch et al., RSS 2012, for leg odometry. Times are in units of the robot's own, T = sqrt(l / g).
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.leg import SLIDING, foot_force, pose_leg, to_level, weigh_leg

__all__ = ["estimate", "stands"]

_STEADY = 0.1  # of g: a specific force further from gravity says nothing about the first tilt
_FELT = 0.048  # [T] low-pass of the efforts, and of what accelerates the joints
_TILT_TIME = 0.5  # [T] low-pass of the tilt by which legs swing: one that followed every shake would shake the trunk back
_SLOPE_TIME = 1.93  # [T] low-pass of the slope
_HEIGHT_TIME = 0.145  # [T] low-pass of the height
_BIAS_RATE = 0.1  # of the tilt's gain, for the gyro's bias
_SMALLEST = 0.48  # [l]: a stance shorter or narrower than this tells less of the slope
_STEEPEST = 0.6


@kernel
def stands(leg: int, memory: Any) -> bool:
    """Whether a leg shall stand and its efforts say that it does."""
    return bool(memory.legs[leg].swings < 0.5 and memory.contact[leg] > 0.5)


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
def _rotate(roll: float, pitch: float, rotation: Any) -> None:
    """The rotation from the trunk's to the level frame."""
    sr, cr, sp, cp = math.sin(roll), math.cos(roll), math.sin(pitch), math.cos(pitch)
    rotation[0, 0], rotation[0, 1], rotation[0, 2] = cp, sp * sr, sp * cr
    rotation[1, 0], rotation[1, 1], rotation[1, 2] = 0.0, cr, -sr
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = -sp, cp * sr, cp * cr


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
def _read_leg(clock: Any, limb: Any, readings: Any, gravity: float, body: Any, leg: Any) -> None:
    """Where a leg and its foot are and how its joints move."""
    first = int(limb.first)
    for i in range(int(limb.count)):
        reading = readings[first + i]
        leg.angle[i] = reading.position
        leg.acceleration[i] = 0.0 if clock.first > 0.5 else (reading.velocity - leg.velocity[i]) / clock.period
        leg.velocity[i] = reading.velocity
    pose_leg(limb, leg.angle, leg.pose)
    weigh_leg(limb, gravity, body.up, leg.pose)
    level = to_level(body.rotation, leg.pose.foot[0], leg.pose.foot[1], leg.pose.foot[2])
    for i in range(3):
        leg.foot_level[i] = level[i]


@kernel
def _efforts(settings: Any, measured: Any, memory: Any) -> None:
    """The efforts of the motors at the joints of the legs: as read, or as asked for at the last call."""
    for number in range(int(settings.robot.legs)):
        limb = settings.limbs[number]
        for i in range(int(limb.count)):
            at, felt = int(limb.first) + i, limb.joints[i].felt
            memory.efforts[at] = felt * measured.efforts[at]
            if felt == 0.0:
                goal, state, most = memory.goals[at], measured.joints[at], settings.actuators[at].effort
                asked = goal.effort + goal.kp * (goal.position - state.position) + goal.kd * (goal.velocity - state.velocity)
                memory.efforts[at] = min(max(asked, -most), most)


@kernel
def _carried(limb: Any, efforts: Any, part: float, leg: Any) -> None:
    """The efforts that the joints of a leg carry to the ground."""
    first, count = int(limb.first), int(limb.count)
    over = 0.0  # [N m] of the motor of the joint behind, where its belt runs over this one
    for i in range(count - 1, -1, -1):
        joint = limb.joints[i]
        velocity, acceleration = leg.velocity[i], leg.acceleration[i]
        if joint.belt > 0.5:
            velocity, acceleration = velocity + leg.velocity[i - 1], acceleration + leg.acceleration[i - 1]
        net = efforts[first + i] - joint.friction * math.tanh(velocity / SLIDING) - joint.rotor * acceleration
        inertia = 0.0
        for j in range(count):
            inertia += limb.inertia[i, j] * leg.acceleration[j]
        leg.effort[i] += (net + over - inertia - leg.pose.weight[i] - leg.effort[i]) * part
        over = net if joint.belt > 0.5 else 0.0


@kernel
def _loads(settings: Any, threshold: float, memory: Any) -> None:
    """The forces of the ground that these efforts tell of, and which feet stand; one that does is believed for longer."""
    for i in range(int(settings.robot.legs)):
        leg = memory.legs[i]
        memory.load[i] = foot_force(settings.limbs[i], leg.pose, leg.effort, memory.body.up)
        felt = memory.load[i] > (0.6 * threshold if memory.contact[i] > 0.5 else threshold)
        memory.contact[i] = 1.0 if felt else 0.0


@kernel
def _slip(limb: Any, body: Any, leg: Any) -> tuple[float, float, float]:
    """Velocity [m/s] of a foot against the trunk, trunk frame, less that of its centre when it rolls: J q' - r W x up."""
    pose = leg.pose
    x, y, z = 0.0, 0.0, 0.0
    wx, wy, wz = body.rate[0], body.rate[1], body.rate[2]  # W, of the last link
    for i in range(int(limb.count)):
        velocity = leg.velocity[i]
        x, y, z = x + pose.jacobian[0, i] * velocity, y + pose.jacobian[1, i] * velocity, z + pose.jacobian[2, i] * velocity
        if limb.joints[i].slides < 0.5:
            wx, wy, wz = wx + pose.axis[i, 0] * velocity, wy + pose.axis[i, 1] * velocity, wz + pose.axis[i, 2] * velocity
    up, radius = body.up, limb.radius
    return (
        x - radius * (wy * up[2] - wz * up[1]),
        y - radius * (wz * up[0] - wx * up[2]),
        z - radius * (wx * up[1] - wy * up[0]),
    )


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
            x, y, z = _slip(settings.limbs[number], memory.body, leg)
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
            x, y, _ = _slip(settings.limbs[number], memory.body, leg)
            p = leg.pose.foot
            count, px, py, vx, vy = count + 1.0, px + p[0], py + p[1], vx + x, vy + y
            turn, size = turn + p[0] * y - p[1] * x, size + p[0] ** 2 + p[1] ** 2
    if count > 1.5:
        turn, size = turn - (px * vy - py * vx) / count, size - (px * px + py * py) / count
        if size > (0.3 * settings.robot.length) ** 2:
            rate = -turn / size
            memory.body.gyro_bias[2] += min(gain * dt, 1.0) * (memory.body.rate[2] - rate)


@kernel
def _yaw_rate(body: Any) -> float:
    """[rad/s] about the level frame's z."""
    _, _, rate = to_level(body.rotation, body.rate[0], body.rate[1], body.rate[2])
    return rate


@kernel
def _velocity(settings: Any, gain: float, dt: float, memory: Any) -> None:
    """Velocity of the trunk in the level frame."""
    body, gravity = memory.body, settings.robot.gravity
    accel, velocity, yaw_rate = body.accel, body.velocity, _yaw_rate(body)
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
def _footholds(clock: Any, count: int, memory: Any) -> None:
    """Where the feet stood last; these points stay while the trunk moves on."""
    dt, velocity, yaw_rate = clock.period, memory.body.velocity, _yaw_rate(memory.body)
    for number in range(count):
        leg = memory.legs[number]
        x, y = leg.foothold[0], leg.foothold[1]
        leg.foothold[0] += dt * (yaw_rate * y - velocity[0])
        leg.foothold[1] -= dt * (yaw_rate * x + velocity[1])
        leg.foothold[2] -= dt * velocity[2]
        if clock.first > 0.5 or stands(number, memory):
            for i in range(3):
                leg.foothold[i] = leg.foot_level[i]


@kernel
def _slope(clock: Any, robot: Any, memory: Any) -> None:
    """The slope of a plane through these points, by least squares."""
    count = int(robot.legs)
    mx, my, mz = 0.0, 0.0, 0.0
    for number in range(count):
        point = memory.legs[number].foothold
        mx, my, mz = mx + point[0] / count, my + point[1] / count, mz + point[2] / count
    xx, xy, yy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0
    for number in range(count):
        point = memory.legs[number].foothold
        x, y, z = point[0] - mx, point[1] - my, point[2] - mz
        xx, xy, yy, xz, yz = xx + x * x, xy + x * y, yy + y * y, xz + x * z, yz + y * z
    least = 0.25 * count * (_SMALLEST * robot.length) ** 2
    xx, yy = max(xx, least), max(yy, least)
    det = xx * yy - xy * xy
    part = 1.0 if clock.first > 0.5 else min(clock.period / (_SLOPE_TIME * robot.time), 1.0)
    rise_x, rise_y = (yy * xz - xy * yz) / det, (xx * yz - xy * xz) / det
    memory.slope[0] += part * (min(max(rise_x, -_STEEPEST), _STEEPEST) - memory.slope[0])
    memory.slope[1] += part * (min(max(rise_y, -_STEEPEST), _STEEPEST) - memory.slope[1])


@kernel
def _height(clock: Any, settings: Any, memory: Any) -> None:
    """The height of the trunk above the plane that the feet stand on."""
    first, slope, velocity = clock.first > 0.5, memory.slope, memory.body.velocity
    height, count = 0.0, 0.0
    for number in range(int(settings.robot.legs)):
        if first or stands(number, memory):
            point = memory.legs[number].foot_level
            height += slope[0] * point[0] + slope[1] * point[1] - point[2] + settings.limbs[number].radius
            count += 1.0
    if count > 0.0:
        part = 1.0 if first else min(clock.period / (_HEIGHT_TIME * settings.robot.time), 1.0)
        memory.height += part * (height / count - memory.height)
    memory.height += 0.0 if first else clock.period * (velocity[2] - slope[0] * velocity[0] - slope[1] * velocity[1])


@kernel
def _centre_of_mass(settings: Any, memory: Any) -> None:
    """Where the centre of mass is now."""
    robot, body = settings.robot, memory.body
    x, y, z = robot.trunk_centre[0], robot.trunk_centre[1], robot.trunk_centre[2]
    x, y, z = robot.trunk_mass * x, robot.trunk_mass * y, robot.trunk_mass * z
    for number in range(int(robot.legs)):
        moment = memory.legs[number].pose.moment
        x, y, z = x + moment[0], y + moment[1], z + moment[2]
    level = to_level(body.rotation, x / robot.mass, y / robot.mass, z / robot.mass)
    for i in range(3):
        body.centre[i] = level[i]


@kernel
def estimate(clock: Any, settings: Any, gains: Any, measured: Any, walking: bool, memory: Any) -> None:
    """One step of all the above."""
    dt, robot = clock.period, settings.robot
    _sense(robot, measured, memory)
    if clock.first > 0.5:
        _begin(robot, memory)
    _tilt(gains.tilt_trust, dt, memory)
    _attitude(clock, robot.time, memory)
    _efforts(settings, measured, memory)
    part = min(dt / (_FELT * robot.time), 1.0)
    for number in range(int(robot.legs)):
        limb, leg = settings.limbs[number], memory.legs[number]
        _read_leg(clock, limb, measured.joints, robot.gravity, memory.body, leg)
        _carried(limb, memory.efforts, part, leg)
    _loads(settings, gains.contact_force * robot.mass * robot.gravity / robot.legs, memory)
    _heading_bias(settings, gains.heading_trust * (1.0 if walking else 5.0), dt, memory)
    _velocity(settings, gains.speed_trust / robot.time, dt, memory)
    _footholds(clock, int(robot.legs), memory)
    _slope(clock, robot, memory)
    _height(clock, settings, memory)
    _centre_of_mass(settings, memory)
    velocity = memory.body.velocity
    memory.vx, memory.vy, memory.vz = velocity[0], velocity[1], velocity[2]
