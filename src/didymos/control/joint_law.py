"""The law of the program `joints`, piece by piece; its equations stand in `joints.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.joint_goal import begin_goal, follow, follow_velocity
from didymos.control.joint_options import MODES
from didymos.control.path_layout import path_point
from didymos.model import bias, mass_matrix, place, read

__all__ = ["CONTROLLED_JOINT", "EFFORT", "VELOCITY", "aim_joint", "compensate", "compensate_motors"]

_POSITION, VELOCITY, EFFORT = (float(MODES.index(mode)) for mode in MODES[:3])
_SLIDING = 0.02  # [rad/s or m/s] v_0, over which friction changes sign

CONTROLLED_JOINT = np.dtype(
    [
        ("mode", np.float64),
        ("setpoint", np.float64),  # which of the set-points of its mode; -1 for none
        ("axis", np.float64),  # of the path; -1 for none
        ("q", np.float64),  # where in the model's q and v
        ("dof", np.float64),
        ("by_program", np.float64),
        ("kp", np.float64),
        ("kd", np.float64),
        ("bandwidth", np.float64),
        ("velocity", np.float64),  # limits
        ("acceleration", np.float64),
    ]
)


@kernel
def _asked(joint: Any, setpoints: Any) -> float:
    """The set-point of a joint."""
    i = int(joint.setpoint)
    if joint.mode == VELOCITY:
        return setpoints.velocity[i]
    if joint.mode == EFFORT:
        return setpoints.effort[i]
    return setpoints.position[i]


@kernel
def _within(actuator: Any, joint: Any, velocity: float, position: float) -> float:
    """A velocity from which a joint can still stop before its limits."""
    up, down = max(actuator.upper - position, 0.0), max(position - actuator.lower, 0.0)
    return min(max(velocity, -math.sqrt(2.0 * joint.acceleration * down)), math.sqrt(2.0 * joint.acceleration * up))


@kernel
def aim_joint(clock: Any, settings: Any, i: int, state: Any, setpoints: Any, path_time: float, goal: Any) -> None:
    """What a joint shall do at the next call."""
    joint, actuator = settings.joints[i], settings.actuators[i]
    if joint.axis >= 0.0:
        goal.position, goal.velocity, goal.acceleration = path_point(settings.path, int(joint.axis), path_time)
        return
    reference = _asked(joint, setpoints)
    if joint.mode == EFFORT:
        begin_goal(goal, state.position, reference)
        return
    if joint.mode == VELOCITY:
        reference = _within(actuator, joint, reference, state.position)
        follow_velocity(goal, reference, joint.velocity, joint.acceleration, clock.period)
        goal.position = state.position
        return
    reference = min(max(reference, actuator.lower), actuator.upper)
    if clock.first > 0.5:
        begin_goal(goal, state.position, reference)
    follow(goal, reference, joint.velocity, joint.acceleration, clock.period)


@kernel
def compensate(settings: Any, measured: Any, goals: Any, wishes: Any, accelerations: Any) -> None:
    """Efforts of the model into the wishes of joints; what each joint is accelerated by into `accelerations`."""
    model = settings.model
    nv = int(model.nv)
    q, v, acceleration = np.zeros(int(model.nq)), np.zeros(nv), np.zeros(nv)
    read(model, measured.state, q, v)
    for i in range(int(settings.count)):
        joint, goal, state = settings.joints[i], goals[i], measured.joint[i]
        at, dof = int(joint.q), int(joint.dof)
        if settings.inertia > 0.5:
            acceleration[dof] = goal.acceleration
        if joint.by_program > 0.5:
            w = joint.bandwidth
            acceleration[dof] += 2.0 * w * wishes[i].kd * (goal.velocity - state.velocity)
            if joint.mode != VELOCITY:
                acceleration[dof] += w * w * wishes[i].kp * (wishes[i].position - state.position)
        elif joint.mode == _POSITION:
            q[at], v[dof] = wishes[i].position, goal.velocity
    place(model, q, v)
    mass, force = np.zeros((nv, nv)), np.zeros(nv)
    mass_matrix(model, mass)
    if settings.gravity > 0.5:
        bias(model, force)
    for i in range(int(settings.count)):
        dof = int(settings.joints[i].dof)
        effort = force[dof]
        for k in range(nv):
            effort += mass[dof, k] * acceleration[k]
        accelerations[i] = acceleration[dof]
        wishes[i].effort += effort


@kernel
def compensate_motors(settings: Any, wishes: Any, accelerations: Any) -> None:
    """Rotor and friction of motors, which a belt turns with two joints; a drive gets them ahead by the delay of its bus."""
    for i in range(int(settings.count)):
        actuator, wish = settings.actuators[i], wishes[i]
        acceleration, over = accelerations[i], int(actuator.belt)
        if over >= 0:
            acceleration += accelerations[over]
        wish.effort += actuator.armature * acceleration
        if settings.friction > 0.5 and settings.joints[i].mode != EFFORT:
            velocity = wish.velocity + actuator.delay * acceleration
            wish.effort += actuator.friction * math.tanh(velocity / _SLIDING) + actuator.viscous * velocity
