"""One command per joint, whatever drives it: q*, v*, a feed-forward and the gains of an impedance.

    tau = kp (q* - q) + kd (v* - v) + tau_ff

| way | what becomes of it |
|---|---|
| impedance (`servo`) | the set-points and tau_ff go through, kp and kd as scales of its own: closed in the physics step |
| drive (`drive`) | the same, in revolutions of the motor, ahead by the delay of its bus |
| affine (`joint_drive`, actuators of an MJCF) | u = (tau - offset - position_gain q - velocity_gain v) / gain |
| speed (`wheel_servo`, `kinematic_wheel`) | u = v* + (kp / kd) (q* - q); no tau_ff |

What of the gains an affine actuator closes itself cancels out of u; the rest is closed with the measured q and v, once per call
of the program, and so is what a loop of another way cannot give (a stiffness where its own kp is zero). An affine actuator that
damps far more than it is asked to (a velocity servo as a weak spring) feels heavier than it is, by (own kd - kd) times the step.

A program declares

    joints = setting(count=MOST_JOINTS, layout=ACTUATION)
    read = measurement(count=MOST_JOINTS, layout=JOINT_STATE)
    told = command(count=MOST_JOINTS, layout=JOINT_COMMAND)

and in `start` takes `chain = Actuation.of(robot, names)`: `self.reads = {"read": chain.reads}`, `self.writes = {"told":
chain.writes}`, `chain.fill(self.settings["joints"])`; then calls `actuate(...)` per joint. With a belt over another joint of the
program (`ACTUATION.belt`), `share_belts` first makes goals of joints goals of motors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.control.actuator import Actuator
from didymos.control.controller import Robot
from didymos.errors import InputError, nearest
from didymos.parts.drive import POSITION
from didymos.sensors.motion import Joints

__all__ = ["ACTUATION", "JOINT_COMMAND", "JOINT_GOAL", "JOINT_STATE", "MOST_JOINTS", "Actuation", "actuate", "share_belts"]

MOST_JOINTS = 64
"""Joints that a program can command."""

_FIELDS = ("position", "velocity", "effort", "stiffness_scale", "damping_scale", "mode", "beat")
JOINT_COMMAND = np.dtype([(name, np.float64) for name in _FIELDS])
"""Memory layout of a command: the inputs of any actuator; what one does not have goes nowhere."""

JOINT_STATE = np.dtype([("position", np.float64), ("velocity", np.float64)])
"""Memory layout of what encoders say of a joint: [rad or m], [rad/s or m/s]."""

JOINT_GOAL = np.dtype([(name, np.float64) for name in ("position", "velocity", "effort", "kp", "kd")])
"""Memory layout of what a joint shall do: q*, v*, tau_ff, kp, kd, all at the joint."""

ACTUATION = np.dtype(
    [
        ("way", np.float64),  # 0 impedance, 1 drive, 2 affine, 3 speed
        ("kp", np.float64),  # of its own loop
        ("kd", np.float64),
        ("effort", np.float64),  # limits, infinite for none
        ("velocity", np.float64),
        ("lower", np.float64),
        ("upper", np.float64),
        ("low_input", np.float64),
        ("high_input", np.float64),
        ("gain", np.float64),
        ("offset", np.float64),
        ("position_gain", np.float64),
        ("velocity_gain", np.float64),
        ("ratio", np.float64),
        ("delay", np.float64),
        ("armature", np.float64),  # of motor and gear
        ("friction", np.float64),
        ("viscous", np.float64),
        ("belt", np.float64),  # index among the program's joints of the one that the belt runs over; -1 for none
    ]
)
"""Memory layout of an actuator (`control/actuator.py`), as compiled programs read it."""

_WAYS = ("impedance", "drive", "affine", "speed")
_IMPEDANCE, _DRIVE, _AFFINE, _SPEED = 0.0, 1.0, 2.0, 3.0
_TURN = 2.0 * math.pi


@dataclass(frozen=True)
class Actuation:
    """The actuators of some joints of a robot, in their order, and the names by which a compiled program reaches them."""

    actuators: tuple[Actuator, ...]
    reads: tuple[str, ...]
    """Readings, two per joint, for an array of `JOINT_STATE`."""

    @classmethod
    def of(cls, robot: Robot, joints: Sequence[str] | None = None, *, path: str = "control.options.joints") -> Actuation:
        """Of these joints, or of all that are driven; an `InputError` at `path` says what is missing."""
        first: dict[str, Actuator] = {}
        for actuator in robot.actuators:
            first.setdefault(actuator.joint, actuator)
        names = tuple(first) if joints is None else tuple(joints)
        if not names:
            raise InputError("no joint is driven: expected a part of kind servo, or another actuator, on a joint", path="parts")
        if len(names) > MOST_JOINTS:
            raise InputError(f"found {len(names)} joints, expected at most {MOST_JOINTS}", path=path)
        for name in names:
            if name not in first:
                known = f"{nearest(name, first)} (driven: {', '.join(first) or 'none'})"
                raise InputError(f"nothing drives a joint {name!r}{known}", path=path)
        return cls(tuple(first[name] for name in names), tuple(_reads(robot, names)))

    @property
    def joints(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(actuator.joint for actuator in self.actuators)

    @property
    def writes(self) -> tuple[str, ...]:
        """Inputs for an array of `JOINT_COMMAND`; empty where an actuator has no such input."""
        return tuple(actuator.inputs.get(field, "") for actuator in self.actuators for field in _FIELDS)

    def fill(self, settings: Any) -> None:
        """Write the actuators into the first rows of an array of `ACTUATION`."""
        for row, actuator in zip(settings, self.actuators, strict=False):
            row["way"], row["low_input"], row["high_input"] = _WAYS.index(actuator.way), *actuator.input_range
            row["belt"] = self.joints.index(actuator.belt) if actuator.belt in self.joints else -1
            for name in ACTUATION.names or ():
                if name not in ("way", "low_input", "high_input", "belt"):
                    row[name] = getattr(actuator, name)


def _reads(robot: Robot, joints: Sequence[str]) -> list[str]:
    """Position and velocity of each joint, by the first sensor of kind joints that has it."""
    encoders = [name for name, spec in robot.sensors.items() if issubclass(spec.contract, Joints)]
    known, found = set(robot.measured), []
    for joint in joints:
        sensor = next((name for name in encoders if f"{name}.{joint}.position" in known), None)
        if sensor is None:
            what = f"expected a sensor of kind joints that reads joint {joint!r} (encoders: {{kind: joints, rate: ...}})"
            raise InputError(what, path="sensors")
        found += [f"{sensor}.{joint}.position", f"{sensor}.{joint}.velocity"]
    return found


@kernel
def share_belts(count: int, actuators: Any, goals: Any, states: Any) -> None:
    """Goals and states of joints become those of their motors: a belt turns the sum of two joints and loads both."""
    for i in range(count):
        over = int(actuators[i].belt)
        if over >= 0:
            goals[over].effort -= goals[i].effort
    for i in range(count):
        over = int(actuators[i].belt)
        if over >= 0:
            goals[i].position += goals[over].position
            goals[i].velocity += goals[over].velocity
            states[i].position += states[over].position
            states[i].velocity += states[over].velocity


@kernel
def actuate(
    actuator: Any,
    position: float,
    velocity: float,
    effort: float,
    kp: float,
    kd: float,
    measured_position: float,
    measured_velocity: float,
    beat: float,
    command: Any,
) -> None:
    """Command an actuator (`ACTUATION`) by a record of `JOINT_COMMAND`; `beat` counts commands (a drive takes one per beat)."""
    error, slip = position - measured_position, velocity - measured_velocity
    way = actuator.way
    if way in (_IMPEDANCE, _DRIVE):
        s_p = s_d = 0.0
        if actuator.kp > 0.0:
            s_p = kp / actuator.kp
        else:
            effort += kp * error
        if actuator.kd > 0.0:
            s_d = kd / actuator.kd
        else:
            effort += kd * slip
        command.position, command.velocity, command.effort = position, velocity, effort
        command.stiffness_scale, command.damping_scale = s_p, s_d
        if way == _DRIVE:
            turns = actuator.ratio / _TURN
            command.position = turns * (position + actuator.delay * velocity)
            command.velocity = turns * velocity
            command.effort = effort / actuator.ratio
            command.mode = POSITION
            command.beat = beat
    elif way == _AFFINE:
        wish = effort + kp * error + kd * slip
        wish = min(max(wish, -actuator.effort), actuator.effort)
        wish -= actuator.offset + actuator.position_gain * measured_position + actuator.velocity_gain * measured_velocity
        command.effort = min(max(wish / actuator.gain, actuator.low_input), actuator.high_input)
    else:
        speed = velocity + (kp / kd * error if kd > 0.0 else 0.0)
        speed = min(max(speed, -actuator.velocity), actuator.velocity)
        command.velocity = min(max(speed, actuator.low_input), actuator.high_input)
