"""What programs that lead an end effector share: chain of joints, encoders, actuators, and the law that follows a goal.

`cartesian` makes the goal of set-points and way-points, `pick` of an object that it sees. The law stands in `cartesian.py`, its
pieces in `cartesian_law.py`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.contract import command, measurement, memory, report, setting
from didymos.control.actuation import ACTUATION, JOINT_COMMAND, JOINT_STATE, MOST_JOINTS, Actuation, actuate
from didymos.control.cartesian_law import (
    CARRIED_JOINT,
    TASK,
    chain_inertia,
    goal_rates,
    keep_posture,
    look,
    task_force,
    turn_back,
)
from didymos.control.cartesian_options import POSE, CartesianPlan, Planned, plan_cartesian
from didymos.control.compiled_controller import CompiledController
from didymos.control.controller import Gain, Robot
from didymos.control.pose_goal import POSE_GOAL
from didymos.control.small_linear import factor
from didymos.control.task_space import AXES, project, task_inertia
from didymos.model import MODEL, READING, bias
from didymos.model.layout import MOST_DOFS

__all__ = ["EndEffector", "follow_goal"]

_SLIDING = 0.02  # [rad/s or m/s] over which friction changes sign


@kernel
def follow_goal(clock: Any, settings: Any, gains: Any, measured: Any, force: Any, memory: Any, inputs: Any, here: Any) -> None:
    """Command every joint so that the end effector follows `memory.goal`; `here` [3] becomes where it is.

    `force` [6] is asked for along axes of force [N]; records as in a program's step.
    """
    memory.beat += 1.0
    model, task, nv, size = settings.model, settings.task, int(settings.model.nv), int(settings.chain)
    twist, carried = np.zeros(AXES), np.zeros(nv)
    look(clock, settings, measured, memory, here, twist)
    bias(model, carried)
    columns, mass = np.zeros((AXES, size)), np.zeros((size, size))
    chain_inertia(settings, columns, mass)
    lower = mass.copy()
    factor(lower, size)
    through, inertia = np.zeros((size, AXES)), np.zeros((AXES, AXES))
    task_inertia(columns, task.on, lower, size, through, inertia)
    pull, rest, rates = np.zeros(AXES), np.zeros(size), np.zeros(size)
    task_force(clock, settings, gains, force, memory, twist, through, inertia, pull)
    keep_posture(settings, measured, mass, rest)
    project(columns, through, inertia, size, rest)
    goal_rates(settings, memory, through, inertia, rates)
    for i in range(int(settings.count)):
        link, actuator, state = settings.links[i], settings.actuators[i], measured.joint[i]
        a, effort, kp, kd = int(link.column), carried[int(link.dof)], link.kp, link.kd
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


class EndEffector(CompiledController):
    """Base of programs that lead an end effector: a goal in memory, and what it takes to follow it."""

    rate = 500.0
    bandwidth = Gain(1.0, low=0, high=10, doc="times the bandwidth of the pose")
    joint = measurement(count=MOST_JOINTS, layout=JOINT_STATE)
    state = measurement(layout=READING)
    force = measurement(columns="xyz", unit="N", doc="of the force sensor, in its frame")
    count = setting(doc="how many joints")
    chain = setting(doc="how many of them carry the end effector")
    task = setting(layout=TASK)
    links = setting(count=MOST_JOINTS, layout=CARRIED_JOINT)
    actuators = setting(count=MOST_JOINTS, layout=ACTUATION)
    model = setting(layout=MODEL)
    error = report(columns=POSE, unit="m", doc="asked for less measured; rotations as a vector [rad]")
    exerted = report(columns="xyz", unit="N", doc="the force that the end effector exerts, as far as it is known")
    goal = memory(layout=POSE_GOAL)
    integral = memory(count=AXES, doc="w_i integral of e")
    force_integral = memory(count=AXES, unit="N")
    velocity = memory(count=MOST_DOFS, doc="v, smoothed")
    beat = memory(doc="commands sent")
    told = command(count=MOST_JOINTS, layout=JOINT_COMMAND)

    def find_chain(self, robot: Robot, plan: CartesianPlan) -> tuple[Actuation, Planned]:
        """Find the chain, its encoders and actuators, and the force sensor; fills settings, `reads` and `writes`."""
        chain = Actuation.of(robot)
        found = plan_cartesian(plan, robot, chain, 1.0 / self.rate)
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
        return chain, found
