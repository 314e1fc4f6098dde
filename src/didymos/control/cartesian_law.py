"""The law of the program `cartesian`, piece by piece; its equations stand in `cartesian.py`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.joint_goal import begin_goal
from didymos.control.path_layout import path_point
from didymos.control.pose_goal import begin_pose, difference, follow_pose, matrix_quaternion, quaternion_of
from didymos.control.task_space import AXES
from didymos.model import (
    frame_drift,
    frame_position,
    frame_rotation,
    frame_velocity,
    jacobian,
    mass_matrix,
    place,
    read,
)

__all__ = [
    "CARRIED_JOINT", "TASK", "aim", "aim_at", "chain_inertia", "goal_rates", "keep_posture", "look", "task_force", "turn_back",
]  # fmt: skip

_MARGIN = 0.05  # [rad or m] before a limit
_REACH = 0.05  # [m or rad] that the integral of an error may reach
_FASTEST = 150.0  # [rad/s^2 or m/s^2] of a joint, by the pull of errors
_LEASH = 0.1  # [m] that a goal may be ahead of the end effector
_FAR = 0.5  # [rad] of an orientation's error that counts
_SMOOTH = 6.0  # of the bandwidth, at which measured velocities are smoothed
_TOUCH = 0.1  # of a force that is asked for: from there on it counts as touching

CARRIED_JOINT = np.dtype(
    [
        ("q", np.float64),  # where in the model's q and v
        ("dof", np.float64),
        ("column", np.float64),  # in the chain; -1 for a joint that only holds
        ("posture", np.float64),
        ("inertia", np.float64),  # of the rotor, and of a damping of its own that the program takes back one latency later
        ("kp", np.float64),  # of a joint that only holds
        ("kd", np.float64),
    ]
)
TASK = np.dtype(
    [
        ("frame", np.float64),
        ("bandwidth", np.float64),  # [rad/s]
        ("null_bandwidth", np.float64),
        ("damping_ratio", np.float64),
        ("integral", np.float64),  # [1/s] w_i
        ("on", np.float64, AXES),  # 1 for an axis of the task
        ("force", np.float64, AXES),  # 1 for an axis of force
        ("stiffness", np.float64, AXES),  # negative where the bandwidth makes it
        ("velocity", np.float64),  # limits of the goal
        ("acceleration", np.float64),
        ("rate", np.float64),
        ("rate_change", np.float64),
        ("sensor_frame", np.float64),  # of the force sensor; -1 without one
        ("sensor_weight", np.float64),  # [N] of what hangs on it
        ("force_integral", np.float64),  # [1/s]
    ]
)


@kernel
def _read_force(settings: Any, measured: Any, out: Any) -> None:
    """The force [N] that the end effector exerts, along the axes of the world, into `out`."""
    rotation = np.zeros((3, 3))
    frame_rotation(settings.model, int(settings.task.sensor_frame), rotation)
    for i in range(3):
        out[i] = 0.0
        for k in range(3):
            out[i] += rotation[i, k] * measured.force[k]
    out[2] -= settings.task.sensor_weight


@kernel
def aim(clock: Any, settings: Any, gains: Any, setpoints: Any, memory: Any, here: Any) -> None:
    """The pose to be reached at the next call."""
    goal, task = memory.goal, settings.task
    memory.path_time += gains.pace * clock.period
    wish = np.zeros(AXES)
    for axis in range(AXES):
        wish[axis] = setpoints.pose[axis]
    if settings.path.stretches > 0.5:
        rates = np.zeros(3)
        for axis in range(AXES):
            x, v, a = path_point(settings.path, axis, memory.path_time)
            wish[axis] = x
            if axis < 3:
                goal.axes[axis].position, goal.axes[axis].velocity = x, v * gains.pace
                goal.axes[axis].acceleration = a * gains.pace * gains.pace
        q = quaternion_of(wish[3], wish[4], wish[5])
        o = goal.orientation
        rates[0], rates[1], rates[2] = difference(q, (o[0], o[1], o[2], o[3]))
        for k in range(3):
            goal.rate[k] = rates[k] / clock.period
        o[0], o[1], o[2], o[3] = q
        _leash(task, goal, here)
    else:
        aim_at(clock, task, goal, wish, quaternion_of(wish[3], wish[4], wish[5]), here)


@kernel
def aim_at(clock: Any, task: Any, goal: Any, position: Any, orientation: Any, here: Any) -> None:
    """One period of the goal on its way to a pose that may jump: position [3], unit quaternion, w first."""
    follow_pose(goal, position, orientation, task, clock.period)
    _leash(task, goal, here)


@kernel
def _leash(task: Any, goal: Any, here: Any) -> None:
    """Keep the goal near the end effector."""
    for k in range(3):
        leash = 0.0 if task.force[k] > 0.5 else _LEASH  # along an axis of force, where it is pushed to
        held = min(max(goal.axes[k].position, here[k] - leash), here[k] + leash)
        if held != goal.axes[k].position:
            begin_goal(goal.axes[k], held, goal.axes[k].reference)


@kernel
def _press(clock: Any, task: Any, asked: float, axis: int, memory: Any) -> float:
    """The force along an axis of force [N]: what is asked for, and what a sensor says that is missing while it touches."""
    if task.sensor_frame < 0.0:
        return asked
    found, gain = memory.exerted[axis], clock.period * task.force_integral
    if found * asked > _TOUCH * asked * asked:
        missing = memory.force_integral[axis] + gain * (asked - found)
        memory.force_integral[axis] = min(max(missing, -abs(asked)), abs(asked))
    else:
        memory.force_integral[axis] *= 1.0 - min(gain, 1.0)
    return asked + memory.force_integral[axis]


@kernel
def task_force(
    clock: Any, settings: Any, gains: Any, force: Any, memory: Any, twist: Any, through: Any, inertia: Any, out: Any
) -> None:
    """F of the task into `out`: `memory.error` holds e, `inertia` Lambda, `through` M^-1 J^T, `twist` x'."""
    task, goal = settings.task, memory.goal
    w, z = task.bandwidth * gains.bandwidth, task.damping_ratio
    drive, pull, drift = np.zeros(AXES), np.zeros(AXES), np.zeros(AXES)
    frame_drift(settings.model, int(task.frame), drift)
    for axis in range(AXES):
        own, given = inertia[axis, axis], task.stiffness[axis]
        slip = (goal.axes[axis].velocity if axis < 3 else goal.rate[axis - 3]) - twist[axis]
        if task.on[axis] < 0.5:
            continue
        if task.force[axis] > 0.5:
            out[axis] += _press(clock, task, force[axis], axis, memory) - 2.0 * z * w * own * twist[axis]
            if task.sensor_frame < 0.0:
                memory.exerted[axis] = out[axis]
        elif given >= 0.0:
            out[axis] += given * memory.error[axis] + 2.0 * z * math.sqrt(given * own) * slip
        else:
            pull[axis] = w * w * (memory.error[axis] + memory.integral[axis])
            drive[axis] = 2.0 * z * w * slip - drift[axis] + (goal.axes[axis].acceleration if axis < 3 else 0.0)
    share = _bearable(settings, pull, through, inertia)
    for axis in range(AXES):
        if task.on[axis] > 0.5 and task.force[axis] < 0.5 and task.stiffness[axis] < 0.0:
            if share == 1.0:
                integral = memory.integral[axis] + clock.period * task.integral * memory.error[axis]
                memory.integral[axis] = min(max(integral, -_REACH), _REACH)
            for k in range(AXES):
                out[axis] += inertia[axis, k] * (drive[k] + share * pull[k])  # not into forces that were asked for


@kernel
def _bearable(settings: Any, pull: Any, through: Any, inertia: Any) -> float:
    """How much of a task acceleration leaves all joints below `_FASTEST`: near a singularity small errors ask for large ones."""
    most = _FASTEST
    for a in range(int(settings.chain)):
        joint = 0.0
        for axis in range(AXES):
            for k in range(AXES):
                joint += through[a, axis] * inertia[axis, k] * pull[k]
        most = max(most, abs(joint))
    return _FASTEST / most


@kernel
def look(clock: Any, settings: Any, measured: Any, memory: Any, here: Any, twist: Any) -> None:
    """Put the model where the encoders say; position and twist of the end effector, its error, its force."""
    model, frame = settings.model, int(settings.task.frame)
    q, v, rotation = np.zeros(int(model.nq)), np.zeros(int(model.nv)), np.zeros((3, 3))
    read(model, measured.state, q, v)
    share = 1.0 if clock.first > 0.5 else 1.0 - math.exp(-_SMOOTH * settings.task.bandwidth * clock.period)
    for k in range(int(model.nv)):
        memory.velocity[k] += share * (v[k] - memory.velocity[k])
        v[k] = memory.velocity[k]
    place(model, q, v)
    here[0], here[1], here[2] = frame_position(model, frame)
    frame_velocity(model, frame, twist)
    frame_rotation(model, frame, rotation)
    turn = matrix_quaternion(rotation)
    if clock.first > 0.5:
        begin_pose(memory.goal, here, turn)
    for k in range(3):
        memory.error[k] = memory.goal.axes[k].position - here[k]
        if settings.task.force[k] > 0.5:
            memory.error[k] = 0.0
    o = memory.goal.orientation
    x, y, z = difference((o[0], o[1], o[2], o[3]), turn)
    near = min(1.0, _FAR / max(math.sqrt(x * x + y * y + z * z), 1e-12))
    memory.error[3], memory.error[4], memory.error[5] = near * x, near * y, near * z
    if settings.task.sensor_frame >= 0.0:
        _read_force(settings, measured, memory.exerted)


@kernel
def chain_inertia(settings: Any, columns: Any, mass: Any) -> None:
    """Jacobian [6, chain] and mass matrix [chain, chain] of the joints that carry the end effector."""
    model, count = settings.model, int(settings.count)
    nv = int(model.nv)
    every, whole = np.zeros((AXES, nv)), np.zeros((nv, nv))
    jacobian(model, int(settings.task.frame), every)
    mass_matrix(model, whole)
    for i in range(count):
        a, row = int(settings.links[i].column), int(settings.links[i].dof)
        if a >= 0:
            for axis in range(AXES):
                columns[axis, a] = every[axis, row]
            for k in range(count):
                b = int(settings.links[k].column)
                if b >= 0:
                    mass[a, b] = whole[row, int(settings.links[k].dof)]
            mass[a, a] += settings.links[i].inertia


@kernel
def keep_posture(settings: Any, measured: Any, mass: Any, out: Any) -> None:
    """Efforts [chain] that lead the joints to the posture of the start, before they are kept off the task."""
    w, size = settings.task.null_bandwidth, int(settings.chain)
    wishes = np.zeros(size)
    for i in range(int(settings.count)):
        a, state = int(settings.links[i].column), measured.joint[i]
        if a >= 0:
            wishes[a] = w * w * (settings.links[i].posture - state.position) - 2.0 * w * state.velocity
    for a in range(size):
        for b in range(size):
            out[a] += mass[a, b] * wishes[b]


@kernel
def goal_rates(settings: Any, memory: Any, through: Any, inertia: Any, out: Any) -> None:
    """Velocities of the chain's joints that move the end effector as its goal does: friction is compensated along them."""
    task, rates = settings.task, np.zeros(AXES)
    for axis in range(AXES):
        if task.on[axis] > 0.5:
            rates[axis] = memory.goal.axes[axis].velocity if axis < 3 else memory.goal.rate[axis - 3]
    for axis in range(AXES):
        moved = 0.0
        for k in range(AXES):
            moved += inertia[axis, k] * rates[k]
        for a in range(int(settings.chain)):
            out[a] += through[a, axis] * moved


@kernel
def turn_back(actuator: Any, state: Any, bandwidth: float, inertia: float, effort: float) -> float:
    """An effort, kept from pushing a joint on that is near its limit, with one that turns it back."""
    lower, upper = actuator.lower + _MARGIN, actuator.upper - _MARGIN
    beyond = min(state.position - lower, 0.0) + max(state.position - upper, 0.0) if lower < upper else 0.0
    if beyond == 0.0:
        return effort
    back = inertia * (-bandwidth * bandwidth * beyond - 2.0 * bandwidth * state.velocity)
    return back if effort * beyond > 0.0 else effort + back


