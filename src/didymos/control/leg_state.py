"""What a leg knows of itself: where its foot is, how it moves, and how much of the robot it carries.

Contact: the force of the ground on a foot along "up" follows from the efforts of its joints, less what accelerates rotors and
leg, what friction takes and what holds the leg,

    f = -(J^T)^-1 (tau - I q'' - J_rotor q'' - F sgn q' - b q' - G)

low-passed, beside a threshold; a foot that stands is believed for longer. A motor whose belt runs over the joint before acts on
both. Where no effort is read, the one that was asked for counts.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.leg import SLIDING, foot_force, pose_leg, to_level, weigh_leg

__all__ = ["carry", "feel_loads", "read_efforts", "read_leg", "slip", "stands"]


@kernel
def stands(leg: int, memory: Any) -> bool:
    """Whether a leg shall stand and its efforts say that it does."""
    return bool(memory.legs[leg].swings < 0.5 and memory.contact[leg] > 0.5)


@kernel
def read_leg(clock: Any, limb: Any, readings: Any, gravity: float, body: Any, leg: Any) -> None:
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
def read_efforts(settings: Any, measured: Any, memory: Any) -> None:
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
def carry(limb: Any, efforts: Any, part: float, leg: Any) -> None:
    """The efforts that the joints of a leg carry to the ground."""
    first, count = int(limb.first), int(limb.count)
    over = 0.0  # [N m] of the motor of the joint behind, where its belt runs over this one
    for i in range(count - 1, -1, -1):
        joint = limb.joints[i]
        velocity, acceleration = leg.velocity[i], leg.acceleration[i]
        if joint.belt > 0.5:
            velocity, acceleration = velocity + leg.velocity[i - 1], acceleration + leg.acceleration[i - 1]
        net = efforts[first + i] - joint.friction * math.tanh(velocity / SLIDING) - joint.viscous * velocity
        net -= joint.rotor * acceleration
        inertia = 0.0
        for j in range(count):
            inertia += limb.inertia[i, j] * leg.acceleration[j]
        leg.effort[i] += (net + over - inertia - leg.pose.weight[i] - leg.effort[i]) * part
        over = net if joint.belt > 0.5 else 0.0


@kernel
def feel_loads(settings: Any, threshold: float, memory: Any) -> None:
    """The forces of the ground that these efforts tell of, and which feet stand; one that does is believed for longer."""
    for i in range(int(settings.robot.legs)):
        leg = memory.legs[i]
        memory.load[i] = foot_force(settings.limbs[i], leg.pose, leg.effort, memory.body.up)
        felt = memory.load[i] > (0.6 * threshold if memory.contact[i] > 0.5 else threshold)
        memory.contact[i] = 1.0 if felt else 0.0


@kernel
def slip(limb: Any, body: Any, leg: Any) -> tuple[float, float, float]:
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
