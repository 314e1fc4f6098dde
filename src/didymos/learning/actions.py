"""What actions act on: inputs, set-points of the program, targets of joints; where each lies, and what -1 and 1 stand for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from didymos.control.compiled_controller import as_compiled
from didymos.describe.path_patterns import is_pattern, tied_paths
from didymos.describe.task_file import ActSpec
from didymos.engine.robot_run import RobotRun
from didymos.errors import InputError, nearest

__all__ = ["Action", "default_act", "find_actions"]

_UNLIMITED = 1e6  # a range beyond is none
_JOINT_SPAN = 0.5  # [rad or m] to both sides of the posture, of a joint without limits
_WHEEL_SPEED = 10.0  # [rad/s] of a wheel whose drive has no limit


@dataclass(frozen=True)
class Action:
    """One number of an action: its target, its robot, where in the state it goes, what -1 and 1 stand for."""

    target: str
    """`inputs.motor1`, `setpoints.vx`, `joints.elbow`."""
    robot: RobotRun
    index: int
    low: float
    high: float

    @property
    def name(self) -> str:
        """Its name among the numbers of an action."""
        return self.target.partition(".")[2]


def _targets(robot: RobotRun) -> dict[str, int]:
    """All that can be acted on, and where in the state it lies."""
    tables, known = robot.context.stimuli, robot.robot
    rows = zip(known.inputs, robot.context.inputs.inputs, strict=True)
    found = {f"inputs.{name}": int(row["command"]) for name, row in rows}
    found |= {f"setpoints.{name}": tables.override + i for i, name in enumerate(known.setpoints)}
    driven = {actuator.joint for actuator in known.actuators}
    found |= {f"joints.{name}": tables.override + i for i, name in enumerate(known.setpoints) if name in driven}
    return found


def find_actions(robot: RobotRun, act: Mapping[str, ActSpec], path: str) -> Iterator[Action]:
    """The numbers of an action on a robot; an `InputError` below `path` names what is not there, or has no range."""
    known = _targets(robot)
    found: dict[str, ActSpec] = {}
    for pattern, spec in act.items():
        tied = tied_paths(pattern, tuple(known))
        if not tied:
            what = (
                "no input, set-point or driven joint matches"
                if is_pattern(pattern)
                else "there is no input, set-point or driven joint"
            )
            raise InputError(f"{what} {pattern!r}{nearest(pattern, known)}", path=f"{path}.act")
        found |= dict.fromkeys(tied, spec)
    _check_program(robot, found, path)
    for target, spec in found.items():
        low, high = _range(robot, target, spec)
        if not (abs(low) < _UNLIMITED and abs(high) < _UNLIMITED) or low == high:
            raise InputError(f"has no range of its own, expected [low, high] for {target!r}", path=f"{path}.act")
        yield Action(target, robot, known[target], low, high)


def _check_program(robot: RobotRun, found: Mapping[str, ActSpec], path: str) -> None:
    """Refuse inputs that a program writes whose set-points are acted on."""
    compiled = as_compiled(robot.program)
    if not any(target.startswith(("setpoints.", "joints.")) for target in found):
        return
    written = set(robot.robot.inputs) if compiled is None else {name for name, _ in compiled.write_offsets}
    for target in found:
        if target.startswith("inputs.") and target.partition(".")[2] in written:
            raise InputError(f"{target!r} is written by the program whose set-points are acted on", path=f"{path}.act")


def _range(robot: RobotRun, target: str, spec: ActSpec) -> tuple[float, float]:
    head, _, name = target.partition(".")
    low, high = -math.inf, math.inf
    if head == "inputs":
        low, high = robot.robot.input_ranges[name]
    elif head == "joints":
        actuator = next(item for item in robot.robot.actuators if item.joint == name)
        low, high, rest = actuator.lower, actuator.upper, robot.robot.posture.get(name, 0.0)
        span = spec.span if spec.span is not None else math.inf if math.isfinite(high - low) else _JOINT_SPAN
        if math.isfinite(span):
            low, high = max(low, rest - span), min(high, rest + span)
    return (low if spec.low is None else spec.low), (high if spec.high is None else spec.high)


def default_act(robot: RobotRun) -> dict[str, ActSpec]:
    """What a policy acts on where the task does not say it: every input that has a range, and joints through their drives.

    The second where a drive closes a loop of its own, and encoders read its joints; a wheel that takes a speed gets it as input.
    Where there is nothing of all that, the program's set-points, from -1 to 1.
    """
    known = robot.robot
    held = [item for item in known.actuators if item.way in ("impedance", "drive") or (item.way == "affine" and item.kp > 0.0)]
    readable = all(any(name.endswith(f".{item.joint}.position") for name in known.measured) for item in known.actuators)
    act: dict[str, ActSpec] = {}
    taken: set[str] = set()
    if held and readable:
        act |= {f"joints.{item.joint}": ActSpec() for item in known.actuators}
        taken = {name for item in known.actuators for name in item.inputs.values()}
        taken |= {name for name in known.inputs for item in known.actuators if name.startswith(f"{item.name}.")}
    for item in known.actuators:
        if item.way == "speed" and "velocity" in item.inputs and item.inputs["velocity"] not in taken:
            most = item.velocity if math.isfinite(item.velocity) else _WHEEL_SPEED
            act[f"inputs.{item.inputs['velocity']}"] = ActSpec(low=-most, high=most)
    for name in known.inputs:
        low, high = known.input_ranges[name]
        if name not in taken and f"inputs.{name}" not in act and max(abs(low), abs(high)) < _UNLIMITED and low < high:
            act[f"inputs.{name}"] = ActSpec()
    return act or {f"setpoints.{name}": ActSpec(low=-1.0, high=1.0) for name in known.setpoints}
