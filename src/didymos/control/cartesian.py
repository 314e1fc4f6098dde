"""Cartesian: pose and force of an end effector, any link or frame of the robot, by the efforts of the joints that carry it.

    F = Lambda (x''* - J' v) + K e + D (x'* - x') + I            e = x* - x, rotations as vectors along the axes of the world
    K = w^2 Lambda, D = 2 z w Lambda,  I = w^2 Lambda w_i integral of e      where no stiffness is given
    K = diag(stiffness), D = 2 z sqrt(K Lambda_ii)                           where one is: an impedance
    F = f* + w_f integral of (f* - f) - D x'                                 along axes of force
    tau = J^T F + h + N^T M (w_n^2 (q_0 - q) - 2 w_n v) + friction

Lambda, N see `task_space.py`; h gravity and Coriolis forces; M, J, h of the description (`robot.model`) at what the encoders say.
The null space of a redundant arm keeps the posture q_0 of the start. A joint that comes nearer to its limit than a margin is
turned back. The bandwidth w follows from the program's rate and its encoders (`control.gains.bandwidth` scales it).

Set-points: `x`, `y`, `z` [m], `roll`, `pitch`, `yaw` [rad] of the end effector in the world; those that nobody sets are the pose
at the start. They may jump: the goal follows within limits of velocity and acceleration, or along way-points. Along an axis of the
option `force_axes` the pose is free and `force_x`, ... [N] is the force that the end effector exerts on its surroundings; until
it touches something it moves that way, slowly, against the damping. f is measured by a sensor of kind `force_torque` on a link of
the chain (less the weight of what hangs on it), or, without one, what the efforts of the joints say that it is, f*: then friction
of joints is an error of f.

Valid for a base that stands; joints that do not carry the end effector hold the posture of the start by their own gains.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.contract import command, measurement, memory, report, setpoint, setting
from didymos.control.actuation import ACTUATION, JOINT_COMMAND, JOINT_STATE, MOST_JOINTS, Actuation, actuate
from didymos.control.cartesian_options import CartesianPlan, plan_cartesian
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.path_layout import PATH, path_point
from didymos.control.pose_goal import POSE_GOAL, begin_pose, difference, follow_pose, quaternion_of
from didymos.control.small_linear import factor, solve
from didymos.control.task_space import AXES, project, task_inertia
from didymos.model import (
    MODEL,
    READING,
    bias,
    frame_drift,
    frame_position,
    frame_rotation,
    frame_velocity,
    jacobian,
    mass_matrix,
    place,
    read,
)
from didymos.model.layout import MOST_DOFS

__all__ = ["Cartesian"]

_SLIDING = 0.02  # [rad/s or m/s] over which friction changes sign
_MARGIN = 0.05  # [rad or m] before a limit
_SMOOTH = 6.0  # of the bandwidth, at which measured velocities are smoothed
_TOUCH = 0.1  # of a force that is asked for: from there on it counts as touching
_POSE = ("x", "y", "z", "roll", "pitch", "yaw")

_LINK = np.dtype(
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
_TASK = np.dtype(
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
def _matrix_quaternion(r: Any) -> tuple[float, float, float, float]:
    """The unit quaternion, w first, of a rotation [3, 3]."""
    w = math.sqrt(max(0.0, 1.0 + r[0, 0] + r[1, 1] + r[2, 2])) / 2.0
    x = math.copysign(math.sqrt(max(0.0, 1.0 + r[0, 0] - r[1, 1] - r[2, 2])) / 2.0, r[2, 1] - r[1, 2])
    y = math.copysign(math.sqrt(max(0.0, 1.0 - r[0, 0] + r[1, 1] - r[2, 2])) / 2.0, r[0, 2] - r[2, 0])
    z = math.copysign(math.sqrt(max(0.0, 1.0 - r[0, 0] - r[1, 1] + r[2, 2])) / 2.0, r[1, 0] - r[0, 1])
    n = math.sqrt(w * w + x * x + y * y + z * z)
    return w / n, x / n, y / n, z / n


@kernel
def _aim(clock: Any, settings: Any, gains: Any, setpoints: Any, memory: Any, here: Any, turn: Any) -> None:
    """The pose to be reached at the next call."""
    goal, task = memory.goal, settings.task
    if clock.first > 0.5:
        begin_pose(goal, here, turn)
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
    else:
        follow_pose(goal, wish, quaternion_of(wish[3], wish[4], wish[5]), task, clock.period)
    for k in range(3):
        if task.force[k] > 0.5:  # where it is pushed to
            goal.axes[k].position, goal.axes[k].velocity, goal.axes[k].acceleration = here[k], 0.0, 0.0


@kernel
def _task_force(clock: Any, settings: Any, gains: Any, setpoints: Any, memory: Any, twist: Any, inverse: Any, out: Any) -> None:
    """F of the task into `out`: `memory.error` holds e, `inverse` the factor of Lambda^-1, `twist` x'."""
    task, goal = settings.task, memory.goal
    w, z = task.bandwidth * gains.bandwidth, task.damping_ratio
    drive, inertia = np.zeros(AXES), np.zeros(AXES)
    for axis in range(AXES):
        for k in range(AXES):
            inertia[k] = 1.0 if k == axis else 0.0
        solve(inverse, AXES, inertia, inertia)
        own = inertia[axis]  # Lambda_ii
        rate = goal.axes[axis].velocity if axis < 3 else goal.rate[axis - 3]
        slip = rate - twist[axis]
        given = task.stiffness[axis]
        if task.on[axis] < 0.5:
            continue
        if task.force[axis] > 0.5:
            asked, found = setpoints.force[axis], memory.exerted[axis]
            touching = abs(found) > _TOUCH * abs(asked) and found * asked > 0.0
            if task.sensor_frame >= 0.0 and touching:
                change = clock.period * task.force_integral * (asked - found)
                memory.force_integral[axis] = min(max(memory.force_integral[axis] + change, -abs(asked)), abs(asked))
            elif not touching:
                memory.force_integral[axis] *= 1.0 - min(clock.period * task.force_integral, 1.0)
            out[axis] += asked + memory.force_integral[axis] - 2.0 * z * w * own * twist[axis]
        elif given >= 0.0:
            out[axis] += given * memory.error[axis] + 2.0 * z * math.sqrt(given * own) * slip
        else:
            memory.integral[axis] += clock.period * task.integral * memory.error[axis]
            memory.integral[axis] = min(max(memory.integral[axis], -memory.reach), memory.reach)
            drive[axis] = w * w * (memory.error[axis] + memory.integral[axis]) + 2.0 * z * w * slip
        if axis < 3 and given < 0.0:
            drive[axis] += goal.axes[axis].acceleration
    drift = np.zeros(AXES)
    frame_drift(settings.model, int(task.frame), drift)
    for axis in range(AXES):
        if task.on[axis] > 0.5 and task.force[axis] < 0.5 and task.stiffness[axis] < 0.0:
            drive[axis] -= drift[axis]
        else:
            drive[axis] = 0.0
    solve(inverse, AXES, drive, drive)
    for axis in range(AXES):
        if task.on[axis] > 0.5 and task.force[axis] < 0.5 and task.stiffness[axis] < 0.0:
            out[axis] += drive[axis]  # coupled inertia is not let into forces that were asked for


@kernel
def _turn_back(actuator: Any, state: Any, bandwidth: float) -> float:
    """Acceleration that turns a joint back before a limit."""
    lower, upper = actuator.lower + _MARGIN, actuator.upper - _MARGIN
    if lower > upper:
        return 0.0
    beyond = min(state.position - lower, 0.0) + max(state.position - upper, 0.0)
    if beyond == 0.0:
        return 0.0
    return -bandwidth * bandwidth * beyond - 2.0 * bandwidth * state.velocity


class Cartesian(CompiledController):
    """Moves an end effector to a pose, and presses with a force."""

    rate = 500.0
    bandwidth = Gain(1.0, low=0, high=10, doc="times the bandwidth of the pose")
    pace = Gain(1.0, low=0, high=1, doc="times the speed of the path through way-points")
    pose = setpoint(count=AXES, unit="m")
    force_setpoint = setpoint("force", count=AXES, unit="N")
    joint = measurement(count=MOST_JOINTS, layout=JOINT_STATE)
    state = measurement(layout=READING)
    force = measurement(columns="xyz", unit="N", doc="of the force sensor, in its frame")
    count = setting(doc="how many joints")
    chain = setting(doc="how many of them carry the end effector")
    task = setting(layout=_TASK)
    links = setting(count=MOST_JOINTS, layout=_LINK)
    actuators = setting(count=MOST_JOINTS, layout=ACTUATION)
    path = setting(layout=PATH)
    model = setting(layout=MODEL)
    error = report(columns=_POSE, unit="m", doc="asked for less measured; rotations as a vector [rad]")
    exerted = report(columns="xyz", unit="N", doc="the force that the end effector exerts, as far as it is known")
    goal = memory(layout=POSE_GOAL)
    integral = memory(count=AXES, doc="w_i integral of e")
    force_integral = memory(count=AXES, unit="N")
    reach = memory(doc="bound of the integral")
    path_time = memory(unit="s")
    velocity = memory(count=MOST_DOFS, doc="v, smoothed")
    beat = memory(doc="commands sent")
    told = command(count=MOST_JOINTS, layout=JOINT_COMMAND)

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        memory.beat += 1.0
        memory.reach = 0.05
        model, task = settings.model, settings.task
        nv, count, size = int(model.nv), int(settings.count), int(settings.chain)
        q, v, force = np.zeros(int(model.nq)), np.zeros(nv), np.zeros(nv)
        read(model, measured.state, q, v)
        share = 1.0 if clock.first > 0.5 else 1.0 - math.exp(-_SMOOTH * task.bandwidth * clock.period)
        for k in range(nv):
            memory.velocity[k] += share * (v[k] - memory.velocity[k])
            v[k] = memory.velocity[k]
        place(model, q, v)
        # where the end effector is, and where it shall be
        frame = int(task.frame)
        here, twist, rotation, all_columns = np.zeros(3), np.zeros(AXES), np.zeros((3, 3)), np.zeros((AXES, nv))
        here[0], here[1], here[2] = frame_position(model, frame)
        frame_velocity(model, frame, twist)
        frame_rotation(model, frame, rotation)
        turn = _matrix_quaternion(rotation)
        if clock.first > 0.5:
            begin_pose(memory.goal, here, turn)
        for k in range(3):
            memory.error[k] = memory.goal.axes[k].position - here[k]
        o = memory.goal.orientation
        memory.error[3], memory.error[4], memory.error[5] = difference((o[0], o[1], o[2], o[3]), turn)
        if task.sensor_frame >= 0.0:
            _read_force(settings, measured, memory.exerted)
        # inertia of the chain and of the task
        jacobian(model, frame, all_columns)
        mass, columns = np.zeros((nv, nv)), np.zeros((AXES, size))
        mass_matrix(model, mass)
        bias(model, force)
        own, kept = np.zeros((size, size)), np.zeros((size, size))
        for i in range(count):
            a = int(settings.links[i].column)
            if a >= 0:
                row = int(settings.links[i].dof)
                for axis in range(AXES):
                    columns[axis, a] = all_columns[axis, row]
                for k in range(count):
                    b = int(settings.links[k].column)
                    if b >= 0:
                        own[a, b] = mass[row, int(settings.links[k].dof)]
                own[a, a] += settings.links[i].inertia
        for a in range(size):
            for b in range(size):
                kept[a, b] = own[a, b]
        factor(own, size)
        through, inverse = np.zeros((size, AXES)), np.zeros((AXES, AXES))
        task_inertia(columns, task.on, own, size, through, inverse)
        pull = np.zeros(AXES)
        _task_force(clock, settings, gains, setpoints, memory, twist, inverse, pull)
        if task.sensor_frame < 0.0:
            for k in range(3):
                memory.exerted[k] = pull[k] if task.force[k] > 0.5 else 0.0
        # what remains for the posture, and what joints near their limits need
        w = task.null_bandwidth
        wishes, rest, sliding = np.zeros(size), np.zeros(size), np.zeros(size)
        goal_twist = np.zeros(AXES)
        for axis in range(AXES):
            if task.on[axis] > 0.5:
                goal_twist[axis] = memory.goal.axes[axis].velocity if axis < 3 else memory.goal.rate[axis - 3]
        solve(inverse, AXES, goal_twist, goal_twist)
        for i in range(count):
            a = int(settings.links[i].column)
            if a >= 0:
                state = measured.joint[i]
                wishes[a] = w * w * (settings.links[i].posture - state.position) - 2.0 * w * state.velocity
                for axis in range(AXES):
                    if task.on[axis] > 0.5:
                        sliding[a] += through[a, axis] * goal_twist[axis]
        for a in range(size):
            for b in range(size):
                rest[a] += kept[a, b] * wishes[b]
        project(columns, task.on, through, inverse, size, rest)
        _aim(clock, settings, gains, setpoints, memory, here, turn)
        for i in range(count):
            link, actuator, state = settings.links[i], settings.actuators[i], measured.joint[i]
            a = int(link.column)
            effort, kp, kd, position = force[int(link.dof)], link.kp, link.kd, link.posture
            if a >= 0:
                kp, kd = 0.0, 0.0
                effort += rest[a] + kept[a, a] * _turn_back(actuator, state, task.bandwidth)
                for axis in range(AXES):
                    if task.on[axis] > 0.5:
                        effort += columns[axis, a] * pull[axis]
                effort += actuator.friction * math.tanh(sliding[a] / _SLIDING) + actuator.viscous * sliding[a]
                effort = min(max(effort, -actuator.effort), actuator.effort)
            actuate(
                actuator, position, 0.0, effort, kp, kd, state.position, state.velocity, memory.beat, inputs.told[i]
            )

    def __init__(
        self,
        end_effector: str | None = None,
        axes: list[str] | None = None,
        stiffness: float | dict[str, float] | None = None,
        damping_ratio: float = 1.0,
        force_axes: list[str] | None = None,
        force_sensor: str | None = None,
        velocity_limit: float = 0.25,
        acceleration_limit: float = 1.0,
        rate_limit: float = 1.0,
        rate_change_limit: float = 4.0,
        waypoints: list[dict[str, Any]] | None = None,
        spline: str = "quintic",
        repeat: bool = False,
    ) -> None:
        """Limits of the goal in m/s, m/s^2, rad/s, rad/s^2; `waypoints` [{time: s, x: m, ..., yaw: rad}, ...], what is left out
        stays as it was."""
        self.plan = CartesianPlan(
            end_effector, axes, stiffness, damping_ratio, force_axes or [], force_sensor,
            (velocity_limit, acceleration_limit, rate_limit, rate_change_limit), waypoints or [], spline, repeat,
        )  # fmt: skip
        self.name_setpoints("pose", _POSE)
        self.name_setpoints("force", ["force_x", "force_y", "force_z"])

    def start(self, robot: Robot) -> None:
        """Find the chain, its encoders and actuators, and the force sensor."""
        chain = Actuation.of(robot)
        found = plan_cartesian(self.plan, robot, chain, 1.0 / self.rate)
        self.reads = {"joint": chain.reads, **robot.model.reads("state"), **found.reads}
        self.writes = {"told": chain.writes}
        self.settings["count"], self.settings["chain"] = len(chain.joints), len(found.joints)
        self.settings["model"] = robot.model.record()
        chain.fill(self.settings["actuators"])
        for name, value in found.task.items():
            self.settings["task"][name] = value
        for row, values in zip(self.settings["links"], found.links, strict=False):
            for name, value in values.items():
                row[name] = value
        if found.path is not None:
            self.settings["path"] = found.path
        self.initial = dict(zip(_POSE, found.pose, strict=True))
