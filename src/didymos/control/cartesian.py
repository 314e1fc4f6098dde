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
at the start. They may jump: the goal follows within limits of velocity and acceleration, or along way-points. Along an axis of
the option `force_axes` the pose is free and `force_x`, ... [N] is the force that the end effector exerts on its surroundings;
until it touches something it moves that way, slowly, against the damping. f is measured by a sensor of kind `force_torque` on a
link of the chain (less the weight of what hangs on it), or, without one, what the efforts of the joints say that it is, f*: then
friction of joints is an error of f.

Valid for a base that stands; joints that do not carry the end effector hold the posture of the start by their own gains.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.contract import command, measurement, memory, report, setpoint, setting
from didymos.control.actuation import ACTUATION, JOINT_COMMAND, JOINT_STATE, MOST_JOINTS, Actuation, actuate
from didymos.control.cartesian_law import (
    CARRIED_JOINT,
    TASK,
    aim,
    chain_inertia,
    goal_rates,
    keep_posture,
    look,
    task_force,
    turn_back,
)
from didymos.control.cartesian_options import POSE, CartesianPlan, plan_cartesian
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.path_layout import PATH
from didymos.control.pose_goal import POSE_GOAL
from didymos.control.small_linear import factor
from didymos.control.task_space import AXES, project, task_inertia
from didymos.model import MODEL, READING, bias
from didymos.model.layout import MOST_DOFS

__all__ = ["Cartesian"]

_SLIDING = 0.02  # [rad/s or m/s] over which friction changes sign


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
    task = setting(layout=TASK)
    links = setting(count=MOST_JOINTS, layout=CARRIED_JOINT)
    actuators = setting(count=MOST_JOINTS, layout=ACTUATION)
    path = setting(layout=PATH)
    model = setting(layout=MODEL)
    error = report(columns=POSE, unit="m", doc="asked for less measured; rotations as a vector [rad]")
    exerted = report(columns="xyz", unit="N", doc="the force that the end effector exerts, as far as it is known")
    goal = memory(layout=POSE_GOAL)
    integral = memory(count=AXES, doc="w_i integral of e")
    force_integral = memory(count=AXES, unit="N")
    path_time = memory(unit="s")
    velocity = memory(count=MOST_DOFS, doc="v, smoothed")
    beat = memory(doc="commands sent")
    told = command(count=MOST_JOINTS, layout=JOINT_COMMAND)

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        memory.beat += 1.0
        model, task, nv, size = settings.model, settings.task, int(settings.model.nv), int(settings.chain)
        here, twist, force = np.zeros(3), np.zeros(AXES), np.zeros(nv)
        look(clock, settings, measured, memory, here, twist)
        bias(model, force)
        columns, mass = np.zeros((AXES, size)), np.zeros((size, size))
        chain_inertia(settings, columns, mass)
        lower = mass.copy()
        factor(lower, size)
        through, inertia = np.zeros((size, AXES)), np.zeros((AXES, AXES))
        task_inertia(columns, task.on, lower, size, through, inertia)
        pull, rest, rates = np.zeros(AXES), np.zeros(size), np.zeros(size)
        task_force(clock, settings, gains, setpoints, memory, twist, through, inertia, pull)
        keep_posture(settings, measured, mass, rest)
        project(columns, through, inertia, size, rest)
        goal_rates(settings, memory, through, inertia, rates)
        for i in range(int(settings.count)):
            link, actuator, state = settings.links[i], settings.actuators[i], measured.joint[i]
            a, effort, kp, kd = int(link.column), force[int(link.dof)], link.kp, link.kd
            if a >= 0:
                kp, kd = 0.0, 0.0
                task_effort = rest[a]
                for axis in range(AXES):
                    task_effort += columns[axis, a] * pull[axis]
                effort += turn_back(actuator, state, task.bandwidth, mass[a, a], task_effort)
                effort += actuator.friction * math.tanh(rates[a] / _SLIDING) + actuator.viscous * rates[a]
                effort = min(max(effort, -actuator.effort), actuator.effort)
            actuate(
                actuator, link.posture, 0.0, effort, kp, kd, state.position, state.velocity, memory.beat, inputs.told[i]
            )
        aim(clock, settings, gains, setpoints, memory, here)

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
        self.name_setpoints("pose", POSE)
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
        self.initial = dict(zip(POSE, found.pose, strict=True))
