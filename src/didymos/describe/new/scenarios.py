"""Scenarios that show a new twin at work: it holds and moves its joints, stands and trots, drives a circle and a square."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from didymos.describe.description import Description, Joint, JointKind
from didymos.describe.new.drives import Drives
from didymos.describe.new.placing import Placement
from didymos.describe.new.program import Program

__all__ = ["HELD", "make_scenarios"]

HELD = 0.05  # [rad, m] that a joint which holds its posture may be off
MOVED = 0.01  # [rad] of one that has come to rest
_WAY = 0.3  # [rad] that a joint is moved by
_MOVED = 3  # joints
_WATCHED = 8  # joints
_LOW = 0.05  # [m]

_REST = {"rest": {"title": "Let go and see", "seconds": 2}}
_UPRIGHT = {"name": "tilt", "signal": "truth.tilt", "measure": "max", "high": 0.35}
_STAND = {"title": "Stand", "seconds": 3, "setpoints": {"mode": 1}}
_TROT = {
    "title": "Stand, then trot ahead at 0.3 m/s", "seconds": 10, "stimuli": [
        {"target": "setpoints.mode", "kind": "step", "at": 1, "from": 1, "to": 3},
        {"target": "setpoints.vx", "kind": "step", "at": 2, "to": 0.3},
    ],
}  # fmt: skip
_SPEED = {"name": "speed", "signal": "truth.velocity.x", "measure": "mean", "after": 4}
_TURN = {"name": "turn", "signal": "truth.angular_velocity.z", "measure": "mean", "after": 4, "low": 0.45, "high": 0.55}
_PARK = {"title": "Stand still on its wheels", "seconds": 2}
_CIRCLE = {"title": "Drive a circle, 0.3 m/s and 0.5 rad/s", "seconds": 14, "setpoints": {"vx": 0.3, "wz": 0.5}}
_SQUARE = {
    "title": "Drive 1 m ahead and turn left, four times", "seconds": 24, "stimuli": [
        item
        for corner in range(4)
        for item in (
            {"target": "setpoints.vx", "kind": "pulse", "start": 6 * corner, "end": 6 * corner + 2.5, "value": 0.4},
            {"target": "setpoints.wz", "kind": "pulse", "start": 6 * corner + 3, "end": 6 * corner + 5, "value": 0.785398},
        )
    ],
}  # fmt: skip

Scenarios = dict[str, Mapping[str, Any]]


def make_scenarios(
    description: Description, program: Program, drives: Drives, placement: Placement, *, floating: bool
) -> Scenarios:
    """Scenarios by name; the first is that in which nothing is asked for but to stay."""
    if program.name == "wheeled":
        return _wheeled(program)
    if program.name == "legged":
        upright = [_UPRIGHT, *_height(placement)]
        ahead = {**_SPEED, "low": 0.25, "high": 0.35}
        return {"stand": {**_STAND, "expect": upright}, "trot": {**_TROT, "expect": [*upright, ahead]}}
    return _joints(description, drives, placement, floating) if program.name is not None else dict(_REST)


def _wheeled(program: Program) -> Scenarios:
    """Of a base that skids its yaw rate is not foreseen: it slips."""
    wheels = program.wheels
    assert wheels is not None
    skids = wheels.kind == "differential" and len(wheels.wheels) > 2
    circle = [_UPRIGHT, {**_SPEED, "low": 0.27, "high": 0.33}, *([] if skids else [_TURN])]
    made: Scenarios = {"park": {**_PARK, "expect": [_UPRIGHT]}, "circle": {**_CIRCLE, "expect": circle}}
    return made if wheels.kind == "ackermann" else {**made, "square": {**_SQUARE, "expect": [_UPRIGHT]}}


def _joints(description: Description, drives: Drives, placement: Placement, floating: bool) -> Scenarios:
    """Hold the posture; of a fixed base also a small move of the first joints that turn."""
    posture = placement.joints
    watched = [_error(name, "max_error", HELD) for name in drives.joints[:_WATCHED]]
    hold: Scenarios = {"hold": {"title": "Hold the posture", "seconds": 2, "expect": watched}}
    turning = [joint for name in drives.joints if (joint := description.joints[name]).kind is not JointKind.PRISMATIC]
    moves = [(joint, _goal(joint, posture.get(joint.name, 0.0))) for joint in turning[:_MOVED]]
    if floating or not moves:
        return hold
    before = {joint.name: round(posture.get(joint.name, 0.0), 6) for joint, _ in moves}
    stimuli = [
        {"target": f"setpoints.{joint.name}", "kind": "step", "at": 0.5, "from": before[joint.name], "to": goal}
        for joint, goal in moves
    ]
    there = [_error(joint.name, "final", MOVED) for joint, _ in moves]
    return {**hold, "move": {"title": "Hold, then move the first joints", "seconds": 4, "stimuli": stimuli, "expect": there}}


def _error(joint: str, measure: str, most: float) -> dict[str, Any]:
    """An expectation on what the program `joints` asks of a joint less what is measured."""
    low = {"low": -most} if measure == "final" else {}
    return {"name": joint, "signal": f"control.error.{joint}", "measure": measure, **low, "high": most}


def _height(placement: Placement) -> list[dict[str, Any]]:
    """That the root stays up at four fifths of its height; none where its origin is near the ground."""
    z = placement.position[2] if placement.position is not None else 0.0
    if z < _LOW:
        return []
    return [{"name": "stays up", "signal": "truth.position.z", "measure": "min", "low": round(0.8 * z, 4)}]


def _goal(joint: Joint, position: float) -> float:
    """A position [rad] a little further on, on the side on which there is more room."""
    low = position - 1.0 if joint.lower is None else joint.lower
    high = position + 1.0 if joint.upper is None else joint.upper
    way = min(_WAY, 0.5 * (high - position)) if high - position >= position - low else -min(_WAY, 0.5 * (position - low))
    return round(position + way, 6)
