"""ros2_control's surface of a robot: its controllers, each on its topics, and the manager that switches them.

It is there where a joint can be commanded (`joint_lines.py`). Controllers run in cycles between slices of ticks: at the rate of
the program whose set-points they move, which sees each of them once, and at 500 Hz where they move actuators themselves. What
they command are interventions, so that a recorded run can be repeated without them.
"""

from __future__ import annotations

from collections.abc import Iterable

from didymos.engine.run import Run
from didymos.ports.ros2.control_types import INTERFACES
from didymos.ports.ros2.controller_manager import ControllerManager
from didymos.ports.ros2.controllers import Controllers, Switch, plan_controllers
from didymos.ports.ros2.group_controller import GroupController
from didymos.ports.ros2.hardware import Hardware
from didymos.ports.ros2.interfaces import register
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.services import Listening, Reply, Service
from didymos.ports.ros2.trajectory_action import TrajectoryAction

__all__ = ["Control"]

_CYCLE = 0.002  # [s] of controllers that move actuators themselves


class Control:
    """The controllers of one robot in a run."""

    def __init__(self, owner: Owner, hardware: Hardware) -> None:
        assert owner.robot is not None
        register(INTERFACES)
        lines, robot = hardware.lines, owner.robot
        plans = plan_controllers(lines, robot.twin.file.ros2.controllers, [item.joint for item in robot.robot.actuators])
        held = any(line.setpoints for line in lines.values())
        self.controllers = Controllers(plans, held=held)
        period, every = robot.period, max(1, int(robot.context.robot.control_every))
        self._every = every if held else max(1, round(_CYCLE / period))
        self._cycle, self._next, self._last = self._every * period, 0, 0
        self._runners: dict[str, TrajectoryAction | GroupController] = {
            name: (TrajectoryAction if plan.kind == "trajectory" else GroupController)(owner, hardware, plan)
            for name, plan in plans.items()
            if plan.kind != "broadcast"
        }
        for name, runner in self._runners.items():
            runner.active = name in self.controllers.active
        manager = ControllerManager(owner, hardware, self.controllers, 1.0 / self._cycle, self._switched)
        self._actions = [runner for runner in self._runners.values() if isinstance(runner, TrajectoryAction)]
        self.services: list[Service] = [*manager.services, *(item for action in self._actions for item in action.server.services)]
        self.topics: list[Listening] = [topic for runner in self._runners.values() for topic in runner.topics]

    @property
    def busy(self) -> bool:
        """Whether a controller has something to do in every slice."""
        return any(runner.busy for runner in self._runners.values())

    def tend(self, run: Run) -> Iterable[Reply]:
        """One cycle of all controllers, where it is due; results of goals that have ended."""
        tick = run.simulation.tick
        if tick < self._last:  # the run was reset
            self._next = 0
            for runner in self._runners.values():
                runner.restart()
        self._last = tick
        if tick >= self._next:
            self._next = tick - tick % self._every + self._every
            for runner in self._runners.values():
                runner.update(run, self._cycle)
        due: list[Reply] = []
        for action in self._actions:
            due += action.server.replies
            action.server.replies.clear()
        return due

    def _switched(self, run: Run, switch: Switch) -> None:
        for name in switch.off:
            self._runners[name].deactivate(run)
        for name in switch.on:
            self._runners[name].activate(run)
