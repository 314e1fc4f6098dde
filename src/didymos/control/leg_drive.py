"""Commands for the drives of a leg: by torque where it stands, by position where it swings.

    stands:  tau = J^T f,                                        x*, v* of no effect, a little damping
    swings:  tau = I q'' + n F tanh(q' / v_0) + J_rotor q'',     x* = q + q' T, v* = q'

Every drive gets position, velocity, torque and the scales of its own stiffness and damping (the joint impedance law of the real
controller). With a belt from the hip to the knee the motor of the knee turns q_k + q_h, so its torque acts on both joints:
tau_h = tau_1 + tau_2, tau_k = tau_2.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.drive_command import REVOLUTION, command_position
from didymos.control.leg import SLIDING, to_trunk, torques

__all__ = ["drive_leg"]


@kernel
def _joint_torques(robot: Any, body: Any, leg: Any) -> tuple[float, float, float]:
    """Torques of the joints [N m]: what their limbs' inertia needs in the air, what the ground shall feel on it."""
    if leg.swings > 0.5:
        push = leg.goal_acceleration
        return robot.inertia_T * push[0], robot.inertia_H * push[1], robot.inertia_K * push[2]
    fx, fy, fz = to_trunk(body.rotation, leg.force[0], leg.force[1], leg.force[2])
    return torques(leg.jacobian, fx, fy, fz)


@kernel
def _swing_command(
    robot: Any, gains: Any, leg: Any, i: int, belt: bool, limp: bool, torque: float, beat: float, command: Any
) -> None:
    """For the drive of joint i of a leg in the air."""
    angle, velocity, acceleration = leg.goal_angle[i], leg.goal_velocity[i], leg.goal_acceleration[i]
    if belt:
        angle, velocity = angle + leg.goal_angle[i - 1], velocity + leg.goal_velocity[i - 1]
        acceleration = acceleration + leg.goal_acceleration[i - 1]
    torque += robot.ratio * robot.friction * math.tanh(velocity / SLIDING) + robot.rotor * acceleration
    position, speed = (angle + robot.delay * velocity) * robot.ratio / REVOLUTION, velocity * robot.ratio / REVOLUTION
    feedforward = 0.0 if limp else torque / robot.ratio
    command_position(command, position, speed, feedforward, gains.swing_stiffness, gains.swing_damping, beat)


@kernel
def drive_leg(settings: Any, gains: Any, number: int, limp: bool, memory: Any, drives: Any) -> None:
    """Commands for the three drives of a leg; one that is limp damps."""
    robot, leg, beat = settings.robot, memory.legs[number], memory.beat
    t, h, k = _joint_torques(robot, memory.body, leg)
    belt = settings.belt > 0.5
    torque = (t, h - k if belt else h, k)
    for i in range(3):
        command = drives[3 * number + i]
        if leg.swings > 0.5:
            _swing_command(robot, gains, leg, i, belt and i == 2, limp, torque[i], beat, command)
        else:
            feedforward, damping = (0.0, 1.0) if limp else (torque[i] / robot.ratio, gains.stance_damping)
            command_position(command, 0.0, 0.0, feedforward, 0.0, damping, beat)
