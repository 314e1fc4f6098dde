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

from typing import Any

import numpy as np

from didymos.contract import memory, setpoint, setting
from didymos.control.cartesian_law import aim
from didymos.control.cartesian_options import POSE, CartesianPlan
from didymos.control.compiled_controller import program
from didymos.control.controller import Gain, Robot
from didymos.control.end_effector import EndEffector, follow_goal
from didymos.control.path_layout import PATH
from didymos.control.task_space import AXES

__all__ = ["Cartesian"]


class Cartesian(EndEffector):
    """Moves an end effector to a pose, and presses with a force."""

    pace = Gain(1.0, low=0, high=1, doc="times the speed of the path through way-points")
    pose = setpoint(count=AXES, unit="m")
    force_setpoint = setpoint("force", count=AXES, unit="N")
    path = setting(layout=PATH)
    path_time = memory(unit="s")

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        here = np.zeros(3)
        follow_goal(clock, settings, gains, measured, setpoints.force, memory, inputs, here)
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
        _, found = self.find_chain(robot, self.plan)
        if found.path is not None:
            self.settings["path"] = found.path
        self.initial = dict(zip(POSE, found.pose, strict=True))
