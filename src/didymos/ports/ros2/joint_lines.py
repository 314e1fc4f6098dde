"""What can be commanded of each joint of a robot in a run, and by which of its handles.

Where the program that runs has a set-point that bears the name of a driven joint, that is the joint's line, and the set-point's
unit says what it takes: [rad] a position, [rad/s] a velocity, [N m] an effort. Where no program runs (`idle`), the line is the
actuator itself (`control/actuator.py`):

| way | position | velocity | effort |
|---|---|---|---|
| impedance, drive | kp > 0: q*, v*, both scales 1 | kd > 0: v*, scales 0 and 1 | tau, both scales 0 |
| affine, u = (tau - offset - position_gain q* - velocity_gain v*) / gain | position_gain < 0 | velocity_gain < 0 | neither |
| speed | | u = v* | |

What an actuator cannot do by itself is no line of it: a joint that takes an effort only needs a program for its position.
A program that has no set-points for joints moves them as it likes, and then no joint has a line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from didymos.control.actuator import Actuator
from didymos.control.idle import Idle
from didymos.control.position_command import PositionCommand
from didymos.describe.joint_units import program_setpoints
from didymos.parts.drive import POSITION

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun

__all__ = ["KINDS", "JointGoal", "JointLine", "joint_lines", "share_belts"]

KINDS = ("position", "velocity", "effort")
"""What ros2_control can command a joint by, in the order of `JointLine.kinds`."""

_OF_UNIT = {"rad": "position", "m": "position", "rad/s": "velocity", "m/s": "velocity", "N m": "effort", "N": "effort"}
_TURN = 2.0 * math.pi


@dataclass(frozen=True)
class JointGoal:
    """What a joint shall do: q* [rad or m], v*, effort, and the scales of its own loop's gains."""

    position: float = 0.0
    velocity: float = 0.0
    effort: float = 0.0
    stiffness_scale: float = 1.0
    damping_scale: float = 1.0

    @classmethod
    def of(cls, kind: str, value: float, velocity: float = 0.0) -> JointGoal:
        """A goal of one kind; `velocity` goes along with a position."""
        if kind == "position":
            return cls(value, velocity)
        return cls(0.0, value, 0.0, 0.0, 1.0) if kind == "velocity" else cls(0.0, 0.0, value, 0.0, 0.0)


@dataclass(frozen=True)
class JointLine:
    """How a joint is reached. `kinds` are the command interfaces that it has; limits are the joint's [rad or m]."""

    joint: str
    kinds: tuple[str, ...]
    actuator: Actuator
    setpoints: Mapping[str, tuple[str, float]]
    """Of a program: handle by kind, and how much of it is one unit at the joint. Empty where the actuator is the line."""

    @property
    def endless(self) -> bool:
        """Whether it turns without limits, so that a turn more or less is the same place."""
        return math.isinf(self.actuator.lower) and math.isinf(self.actuator.upper) and not self.actuator.prismatic

    @property
    def beats(self) -> bool:
        """Whether a command counts once and has to be repeated, as a drive with a watchdog needs it."""
        return not self.setpoints and "beat" in self.actuator.inputs

    def handles(self, goal: JointGoal, beat: float) -> Iterator[tuple[str, float]]:
        """The handles that a goal sets, each with its value; `beat` counts commands."""
        if self.setpoints:
            for kind, (handle, factor) in self.setpoints.items():
                yield handle, factor * float(getattr(goal, kind))
            return
        fields = self._fields(goal, beat)
        for field, name in self.actuator.inputs.items():
            if field in fields:
                yield f"inputs.{name}", fields[field]

    def _fields(self, goal: JointGoal, beat: float) -> dict[str, float]:
        """Fields of a joint command (`control/actuation.py: JOINT_COMMAND`) with nothing measured in them."""
        actuator = self.actuator
        if actuator.way == "speed":
            return {"velocity": _within(goal.velocity, -actuator.velocity, actuator.velocity, *actuator.input_range)}
        if actuator.way == "affine":
            effort = min(max(goal.effort, -actuator.effort), actuator.effort) - actuator.offset
            effort -= actuator.position_gain * goal.position + actuator.velocity_gain * goal.velocity
            return {"effort": _within(effort / actuator.gain, *actuator.input_range)}
        turns, gear, ahead = 1.0, 1.0, goal.position
        if actuator.way == "drive":
            turns, gear, ahead = actuator.ratio / _TURN, actuator.ratio, goal.position + actuator.delay * goal.velocity
        return {
            "position": turns * ahead, "velocity": turns * goal.velocity, "effort": goal.effort / gear,
            "stiffness_scale": goal.stiffness_scale, "damping_scale": goal.damping_scale, "mode": POSITION, "beat": beat,
        }  # fmt: skip


def joint_lines(robot: RobotRun) -> dict[str, JointLine]:
    """Every joint of a robot in a run that can be commanded from elsewhere, in the order of its actuators."""
    first: dict[str, Actuator] = {}
    for actuator in robot.robot.actuators:
        first.setdefault(actuator.joint, actuator)
    if isinstance(robot.program, Idle | None):
        own = ((joint, JointLine(joint, _kinds(actuator), actuator, {})) for joint, actuator in first.items())
        return {joint: line for joint, line in own if line.kinds}
    if isinstance(robot.program, PositionCommand):
        return _of_position_command(robot.program, first)
    units = program_setpoints(robot.twin.description, robot.program)
    return {
        joint: JointLine(joint, (_OF_UNIT[units[joint]],), actuator, {_OF_UNIT[units[joint]]: (f"setpoints.{joint}", 1.0)})
        for joint, actuator in first.items()
        if units.get(joint) in _OF_UNIT
    }


def share_belts(
    lines: Mapping[str, JointLine], goals: Mapping[str, JointGoal], positions: Mapping[str, float]
) -> dict[str, JointGoal]:
    """Goals of joints as goals of motors: a belt turns the sum of two angles and loads both; `positions` are where joints are."""
    made = dict(goals)
    for joint, goal in goals.items():
        over = lines[joint].actuator.belt
        if over is None or lines[joint].setpoints:
            continue
        under = goals.get(over, JointGoal(positions.get(over, 0.0)))
        made[joint] = replace(made[joint], position=goal.position + under.position, velocity=goal.velocity + under.velocity)
        if over in made:
            made[over] = replace(made[over], effort=made[over].effort - goal.effort)
    return made


def _kinds(actuator: Actuator) -> tuple[str, ...]:
    if actuator.way == "speed":
        return ("velocity",)
    if actuator.way == "affine":
        if actuator.gain == 0.0:
            return ()
        if actuator.position_gain < 0.0:
            return ("position",)
        return ("velocity",) if actuator.velocity_gain < 0.0 else ("effort",)
    able = {"position": actuator.kp > 0.0, "velocity": actuator.kd > 0.0, "effort": True}
    return tuple(kind for kind in KINDS if able[kind])


def _of_position_command(program: PositionCommand, first: Mapping[str, Actuator]) -> dict[str, JointLine]:
    """Drives whose set-points are positions of their motors, in revolutions or radians at the output."""
    lines = {}
    for joint, actuator in first.items():
        if actuator.name in program.names:
            many = len(program.names) > 1
            turns = actuator.ratio / _TURN / float(program.settings["scale"])
            told = {"position": ("position", turns), "velocity": ("velocity", turns)}
            told["effort"] = ("feedforward", 1.0 / actuator.ratio)
            before = f"setpoints.{actuator.name}_" if many else "setpoints."
            handles = {kind: (before + own, factor) for kind, (own, factor) in told.items()}
            lines[joint] = JointLine(joint, ("position",), actuator, handles)
    return lines


def _within(value: float, *limits: float) -> float:
    """A value within pairs of limits."""
    for low, high in zip(limits[::2], limits[1::2], strict=True):
        value = min(max(value, low), high)
    return value
