"""What a program of a base on wheels does at each call: odometry, a twist that the base can do, and commands to its joints."""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.actuation import actuate
from didymos.control.angles import limit
from didymos.control.wheel_kinematics import advance, side_row, steer, twist_of_wheels, wheel_speed

__all__ = ["begin", "command_joints", "follow_wheels", "hold_others", "is_late", "next_twist"]

_WOUND = 3.0  # [rad]: how far the integral of a wheel's speed may be ahead of the wheel
_FREE_BELOW = 0.1  # [rad]: a base speeds up freely with its steering within two thirds of this, hardly beyond twice of it
_CREEP = 0.02  # share of its acceleration that is left then: a steering that is stuck does not hold the base for ever
_REST = 1e-3  # [m/s]: below it an Ackermann base leaves its steering where it is


@kernel
def begin(settings: Any, measured: Any, setpoints: Any, memory: Any) -> None:
    """Where the first call is, the odometry begins."""
    memory.x, memory.y, memory.yaw = 0.0, 0.0, 0.0
    memory.vx, memory.vy, memory.wz = 0.0, 0.0, 0.0
    memory.alive, memory.alive_time, memory.beat, memory.aligned = setpoints.alive, 0.0, 0.0, 1.0
    memory.stamp = measured.stamp
    for i in range(int(settings.count)):
        wheel = settings.wheels[i]
        memory.angle[i], memory.heading[i] = 0.0, 0.0
        if wheel.drive >= 0.0:
            memory.angle[i] = measured.joints[int(wheel.drive)].position
        if wheel.pivot >= 0.0:
            memory.heading[i] = wheel.sign * measured.joints[int(wheel.pivot)].position
        memory.reference[i] = memory.angle[i]
    for i in range(int(settings.held_count)):
        memory.posture[i] = measured.held[i].position
    memory.odom.orientation[0] = 1.0


@kernel
def follow_wheels(settings: Any, measured: Any, memory: Any) -> None:
    """Odometry: what the wheels have turned since the last reading moves the base along an arc."""
    elapsed, begins = measured.stamp - memory.stamp, memory.stamp < 0.0
    count = int(settings.count)
    if elapsed > 0.0:
        memory.stamp = measured.stamp
        for i in range(count):
            wheel = settings.wheels[i]
            if wheel.drive >= 0.0:
                angle = measured.joints[int(wheel.drive)].position
                memory.turned[i] = angle - memory.angle[i]
                memory.angle[i] = angle
            if wheel.pivot >= 0.0:
                memory.steering[i] = wheel.sign * measured.joints[int(wheel.pivot)].position
        if not begins:  # something was read before
            left_over = twist_of_wheels(settings.wheels, count, memory.turned, memory.steering, memory.moved)
            memory.slip = left_over / elapsed
            memory.x, memory.y, memory.yaw = advance(memory.x, memory.y, memory.yaw, memory.moved)
            odom = memory.odom
            odom.position[0], odom.position[1] = memory.x, memory.y
            odom.orientation[0], odom.orientation[3] = math.cos(0.5 * memory.yaw), math.sin(0.5 * memory.yaw)
            odom.velocity[0], odom.velocity[1] = memory.moved[0] / elapsed, memory.moved[1] / elapsed
            odom.angular_velocity[2] = memory.moved[2] / elapsed
    if settings.has_gyro > 0.0:
        up, gyro = settings.up, measured.gyro
        memory.turn_slip = memory.odom.angular_velocity[2] - (up[0] * gyro[0] + up[1] * gyro[1] + up[2] * gyro[2])


@kernel
def is_late(timeout: float, alive: float, time: float, memory: Any) -> bool:
    """Whether the counter of a living commander has stopped for too long."""
    if alive != memory.alive:
        memory.alive = alive
        memory.alive_time = time
    return timeout > 0.0 and time - memory.alive_time > timeout + 1e-9


@kernel
def _possible(settings: Any, vx: float, vy: float, wz: float) -> tuple[float, float, float]:
    """What of a twist the base can do: not sideways on fixed tyres, and not tighter than its steering lets it."""
    if settings.sideways > 0.0:
        return vx, vy, wz
    ax, ay, turn, _ = side_row(settings.wheels, int(settings.count))
    speed = ay * vx - ax * vy  # along f = a x z
    if settings.steers > 0.0:
        tight = (settings.right * speed, settings.left * speed)
        wz = limit(wz, min(tight), max(tight))
    return ay * speed - ax * turn * wz, -ax * speed - ay * turn * wz, wz


@kernel
def next_twist(settings: Any, gains: Any, setpoints: Any, late: bool, period: float, memory: Any) -> None:
    """Move the commanded twist towards the set-points as fast as the base may."""
    c, s = math.cos(settings.ahead), math.sin(settings.ahead)
    vx, vy, wz = c * setpoints.vx - s * setpoints.vy, s * setpoints.vx + c * setpoints.vy, setpoints.wz
    if late:
        vx, vy, wz = 0.0, 0.0, 0.0
    size = math.sqrt(vx * vx + vy * vy)
    part = gains.top_speed / size if size > gains.top_speed else 1.0
    vx, vy, wz = _possible(settings, part * vx, part * vy, limit(wz, -gains.top_turn, gains.top_turn))
    dx, dy, turn = vx - memory.vx, vy - memory.vy, wz - memory.wz
    step, most, share = math.sqrt(dx * dx + dy * dy), gains.top_acceleration * period, 1.0
    if step > most:
        share = most / step
    most = gains.top_turn_acceleration * period
    if abs(turn) * share > most:
        share = most / abs(turn)
    if size > math.sqrt(memory.vx**2 + memory.vy**2) + most or abs(wz) > abs(memory.wz) + most:
        share *= memory.aligned  # faster, but not before the steering is there
    memory.vx, memory.vy, memory.wz = memory.vx + share * dx, memory.vy + share * dy, memory.wz + share * turn


@kernel
def command_joints(settings: Any, gains: Any, measured: Any, period: float, memory: Any, inputs: Any) -> None:
    """Turn every wheel, and its steering, as the commanded twist asks."""
    count = int(settings.count)
    vx, vy, wz = memory.vx, memory.vy, memory.wz
    moves = math.sqrt(vx * vx + vy * vy) > _REST or (settings.sideways > 0.0 and abs(wz) > _REST)
    share, astray = 1.0, 0.0
    for i in range(count):
        wheel = settings.wheels[i]
        if wheel.pivot >= 0.0 and moves:
            goal = steer(wheel, memory.heading[i], vx, vy, wz)
            memory.heading[i] += limit(goal - memory.heading[i], -gains.steer_rate * period, gains.steer_rate * period)
            astray = max(astray, abs(goal - memory.steering[i]))
        memory.speed[i] = wheel_speed(wheel, memory.heading[i], vx, vy, wz)
        if wheel.drive >= 0.0:
            fastest = settings.actuators[int(wheel.drive)].velocity
            if abs(memory.speed[i]) > fastest:
                share = min(share, fastest / abs(memory.speed[i]))
    memory.share, memory.behind = share, 0.0
    memory.aligned = limit(_FREE_BELOW / max(astray, 1e-9) - 0.5, _CREEP, 1.0)
    memory.beat += 1.0
    for i in range(count):
        wheel, speed = settings.wheels[i], share * memory.speed[i]
        if wheel.drive >= 0.0:
            j = int(wheel.drive)
            actuator, joint, kd = settings.actuators[j], measured.joints[j], settings.kd[j] * gains.wheel_damping
            kp = kd * gains.wheel_rate
            wound = min(_WOUND, actuator.effort / kp) if kp > 0.0 else _WOUND
            ahead = limit(memory.reference[i] + speed * period - joint.position, -wound, wound)
            memory.reference[i] = joint.position + ahead
            goal = memory.reference[i]
            memory.behind = max(memory.behind, wheel.radius * abs(speed - joint.velocity))
            actuate(actuator, goal, speed, 0.0, kp, kd, joint.position, joint.velocity, memory.beat, inputs.joints[j])
        if wheel.pivot >= 0.0:
            j = int(wheel.pivot)
            actuator, joint = settings.actuators[j], measured.joints[j]
            goal = wheel.sign * memory.heading[i]
            kp, kd = settings.kp[j], settings.kd[j]
            actuate(actuator, goal, 0.0, 0.0, kp, kd, joint.position, joint.velocity, memory.beat, inputs.joints[j])


@kernel
def hold_others(settings: Any, measured: Any, memory: Any, inputs: Any) -> None:
    """Hold all driven joints that are neither wheels nor steering where they were at first: an arm, a torso, a head."""
    for i in range(int(settings.held_count)):
        joint, kp, kd = measured.held[i], settings.held_kp[i], settings.held_kd[i]
        goal, beat = memory.posture[i], memory.beat
        actuate(settings.held[i], goal, 0.0, 0.0, kp, kd, joint.position, joint.velocity, beat, inputs.held[i])
