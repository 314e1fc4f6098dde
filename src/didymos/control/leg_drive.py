"""What the joints of a leg shall do: by effort where it stands, by position where it swings.

    stands:  tau = G - J^T f,                                           a little damping
    swings:  tau = G + I q'' + J_rotor q'' + F tanh(q' / v_0) + b q',   stiffness and damping of a frequency about the curve
    limp:    damping alone

G holds the leg's own weight. Stiffness and damping scale with the inertia I_ii + J_rotor that a joint moves: k = I w^2,
d = 2 z I w, w in units of sqrt(g / l). A motor whose belt runs over the joint before turns the sum of both, and its rotor and
friction load both. What becomes of a goal is the business of `actuation.py`.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.leg import SLIDING, to_trunk, torque_of

__all__ = ["drive_leg", "hold_joint"]


@kernel
def _by_effort(gains: Any, robot: Any, limb: Any, body: Any, leg: Any, goals: Any) -> None:
    """Goals of a leg that stands."""
    first = int(limb.first)
    fx, fy, fz = to_trunk(body.rotation, leg.force[0], leg.force[1], leg.force[2])
    for i in range(int(limb.count)):
        goal = goals[first + i]
        goal.position, goal.velocity, goal.kp = leg.angle[i], 0.0, 0.0
        goal.effort = leg.pose.weight[i] + torque_of(leg.pose, i, fx, fy, fz)
        goal.kd = gains.stance_damping * (limb.inertia[i, i] + limb.joints[i].rotor) / robot.time


@kernel
def _by_position(gains: Any, robot: Any, limb: Any, leg: Any, goals: Any) -> None:
    """Goals of a leg in the air."""
    first, count, rate = int(limb.first), int(limb.count), gains.swing_frequency / robot.time
    for i in range(count):
        goal, inertia = goals[first + i], limb.inertia[i, i] + limb.joints[i].rotor
        goal.position, goal.velocity, goal.effort = leg.goal_angle[i], leg.goal_velocity[i], leg.pose.weight[i]
        goal.kp, goal.kd = inertia * rate * rate, 2.0 * gains.swing_damping * inertia * rate
        for j in range(count):
            goal.effort += limb.inertia[i, j] * leg.goal_acceleration[j]
    for i in range(count):
        joint, over = limb.joints[i], limb.joints[i].belt > 0.5
        velocity, acceleration = leg.goal_velocity[i], leg.goal_acceleration[i]
        if over:
            velocity, acceleration = velocity + leg.goal_velocity[i - 1], acceleration + leg.goal_acceleration[i - 1]
        effort = joint.friction * math.tanh(velocity / SLIDING) + joint.viscous * velocity + joint.rotor * acceleration
        goals[first + i].effort += effort
        if over:
            goals[first + i - 1].effort += effort


@kernel
def drive_leg(settings: Any, gains: Any, number: int, limp: bool, memory: Any, goals: Any) -> None:
    """Goals (`JOINT_GOAL`) of the joints of a leg; one that is limp damps."""
    robot, limb, leg = settings.robot, settings.limbs[number], memory.legs[number]
    if limp:
        for i in range(int(limb.count)):
            goal, inertia = goals[int(limb.first) + i], limb.inertia[i, i] + limb.joints[i].rotor
            goal.position, goal.velocity, goal.effort, goal.kp = leg.angle[i], 0.0, 0.0, 0.0
            goal.kd = 2.0 * gains.swing_damping * inertia * gains.swing_frequency / robot.time
    elif leg.swings > 0.5:
        _by_position(gains, robot, limb, leg, goals)
    else:
        _by_effort(gains, robot, limb, memory.body, leg, goals)


@kernel
def hold_joint(hold: Any, limp: bool, goal: Any) -> None:
    """The goal of a joint that belongs to no leg (`HOLD`): to stay where it was."""
    goal.position, goal.velocity = hold.position, 0.0
    goal.effort, goal.kp, goal.kd = (0.0 if limp else hold.effort), (0.0 if limp else hold.kp), hold.kd
