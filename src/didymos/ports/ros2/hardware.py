"""The joints of a robot in a run as ros2_control's hardware: what can be commanded, what is read, and who has claimed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.describe.names import part_inputs
from didymos.engine.run import Run
from didymos.ports.ros2.joint_lines import JointGoal, JointLine, joint_lines, share_belts
from didymos.sensors.motion import Joints

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun

__all__ = ["Hardware", "steer"]

Numbers = NDArray[np.float64]


def steer(run: Run, robot: RobotRun, handle: str, *values: float) -> None:
    """Hold a set-point, an input or all inputs of a part of a robot; a command that changes nothing is no intervention."""
    if robot.overrides.held(handle) != values:
        run.intervene("steer", f"{robot.name}.{handle}" if robot.name else handle, *values)


class Hardware:
    """The joints that can be commanded, and what encoders say of them; without encoders, what is true."""

    def __init__(self, robot: RobotRun) -> None:
        self.robot = robot
        self.lines: dict[str, JointLine] = joint_lines(robot)
        self.joints = tuple(self.lines)
        self._beat, self._belted = 0.0, any(line.actuator.belt for line in self.lines.values())
        self._parts = self._part_places()
        self._index = {joint: i for i, joint in enumerate(self.joints)}
        self._state, self._data = robot.built.data.plugin_state, robot.built.data
        encoders = [name for name, spec in robot.robot.sensors.items() if issubclass(spec.contract, Joints)]
        known, model = robot.built.measured, robot.built.assembly.model
        found = {joint: [name for name in encoders if f"{name}.{joint}.position" in known] for joint in self.joints}
        own = [found[joint][0] if found[joint] else "" for joint in self.joints]
        self._read = np.array([bool(name) for name in own], dtype=bool)
        self._places = np.array(
            [[known.get(f"{name}.{joint}.{what}", 0) for name, joint in zip(own, self.joints, strict=True)]
             for what in ("position", "velocity")], dtype=int,
        ).reshape(2, -1)  # fmt: skip
        self._stamps = np.array([known.get(f"{name}.stamp", 0) for name in own], dtype=int)
        engine = [model.joint(robot.twin.description.joints[joint].engine_joints[0]) for joint in self.joints]
        self._true = np.array([[int(item.qposadr[0]) for item in engine], [int(item.dofadr[0]) for item in engine]], dtype=int)

    def read(self) -> tuple[Numbers, Numbers]:
        """Positions [rad or m] and velocities of all joints, shape [joints]."""
        true = (self._data.qpos[self._true[0]], self._data.qvel[self._true[1]])
        heard = self._read & (self._state[self._stamps] >= 0.0)  # an encoder with a delay says nothing at first
        q, v = (np.where(heard, self._state[places], own) for places, own in zip(self._places, true, strict=True))
        return q, v

    def index(self, joints: Sequence[str]) -> NDArray[np.int64]:
        """Where joints stand in what `read` gives."""
        return np.array([self._index[joint] for joint in joints], dtype=np.int64)

    def held(self, joint: str) -> float | None:
        """The position that a joint is held at by a set-point; None where no set-point of position holds it."""
        line = self.lines[joint]
        if "position" not in line.setpoints:
            return None
        handle, factor = line.setpoints["position"]
        return self.robot.overrides.held(handle)[0] / factor

    def command(self, run: Run, goals: Mapping[str, JointGoal]) -> None:
        """Let joints pursue goals from the next tick on."""
        self._beat += 1.0
        if self._belted:
            goals = share_belts(self.lines, goals, dict(zip(self.joints, self.read()[0].tolist(), strict=True)))
        for joint, goal in goals.items():
            told = self.lines[joint].handles(goal, self._beat)
            part, places = self._parts.get(joint, ("", {}))
            if part:  # all inputs of a part at once: one intervention
                row = list(self.robot.overrides.held(part))
                for handle, value in told:
                    row[places[handle]] = value
                steer(run, self.robot, part, *row)
            else:
                for handle, value in told:
                    steer(run, self.robot, handle, value)

    def _part_places(self) -> dict[str, tuple[str, dict[str, int]]]:
        """By joint that a part moves by itself: the part's handle, and where each of its inputs stands among them."""
        found = {}
        for joint, line in self.lines.items():
            if not line.setpoints and len(line.actuator.inputs) > 1:
                own = [(name, index) for name, part, index in part_inputs(self.robot.twin) if part == line.actuator.name]
                found[joint] = (f"inputs.{line.actuator.name}", {f"inputs.{name}": index for name, index in own})
        return found
