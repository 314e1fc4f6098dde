"""A group controller on the wire: one number per joint, a position, a velocity or an effort, which holds until the next one.

    NAME/commands    std_msgs/Float64MultiArray, in the order of the controller's joints

It commands nothing before its first message. Switched off it leaves positions as they are, and takes velocities and efforts back.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.engine.run import Run
from didymos.errors import InputError
from didymos.ports.ros2.control_types import GROUP
from didymos.ports.ros2.controllers import ControllerPlan
from didymos.ports.ros2.hardware import Hardware
from didymos.ports.ros2.joint_lines import JointGoal
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.services import Listening

__all__ = ["GroupController"]

_REFRESH = 0.02  # [s] after which a command is repeated to a drive with a watchdog


class GroupController:
    """One group controller of a robot; `active` is what the controller manager says."""

    def __init__(self, owner: Owner, hardware: Hardware, plan: ControllerPlan) -> None:
        self._hardware, self.plan, self.active = hardware, plan, False
        self._beats = any(hardware.lines[joint].beats for joint in plan.joints)
        self._values: list[float] | None = None
        self._sent = -np.inf
        self.topics = [Listening(f"{owner.namespace}/{plan.name}/commands", GROUP, self._take)]

    @property
    def busy(self) -> bool:
        """Whether it has something to do in every slice."""
        return self.active and self._beats and self._values is not None

    def activate(self, _run: Run) -> None:
        """Listen to commands."""
        self.active = True

    def deactivate(self, run: Run) -> None:
        """Command nothing any more."""
        if self._values is not None and self.plan.kind != "position":
            self._command(run, [0.0] * len(self.plan.joints))
        self.active = False
        self.restart()

    def restart(self) -> None:
        """Forget what was asked for."""
        self._values, self._sent = None, -np.inf

    def update(self, run: Run, _period: float) -> None:
        """One cycle of the controller."""
        if self.busy and self._values is not None and run.simulation.time >= self._sent + _REFRESH:
            self._command(run, self._values)

    def _take(self, run: Run, message: Any) -> None:
        joints = self.plan.joints
        if not self.active:
            raise InputError(f"the controller {self.plan.name} is not active")
        if len(message.data) != len(joints):
            raise InputError(f"found {len(message.data)} numbers, expected {len(joints)}: {', '.join(joints)}")
        if not all(map(math.isfinite, message.data)):
            raise InputError("found a number that is not finite")
        self._values = [float(value) for value in message.data]
        self._command(run, self._values)

    def _command(self, run: Run, values: list[float]) -> None:
        self._sent = run.simulation.time
        goals = {joint: JointGoal.of(self.plan.kind, value) for joint, value in zip(self.plan.joints, values, strict=True)}
        self._hardware.command(run, goals)
