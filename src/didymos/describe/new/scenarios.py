"""Scenarios that show a new twin at work: it holds and moves its joints, stands and trots, drives a circle and a square."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from didymos.describe.description import Description, Joint, JointKind
from didymos.describe.new.drives import Drives
from didymos.describe.new.program import Program

__all__ = ["make_scenarios"]

_WAY = 0.3  # [rad] that a joint is moved by
_MOVED = 3  # joints

_REST = {"rest": {"title": "Let go and see", "seconds": 2}}
_HOLD = {"hold": {"title": "Hold the posture", "seconds": 2}}
_STAND = {"title": "Stand", "seconds": 3, "setpoints": {"mode": 1}}
_TROT = {
    "title": "Stand, then trot ahead at 0.3 m/s", "seconds": 10, "stimuli": [
        {"target": "setpoints.mode", "kind": "step", "at": 1, "from": 1, "to": 3},
        {"target": "setpoints.vx", "kind": "step", "at": 2, "to": 0.3},
    ],
}  # fmt: skip
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


def make_scenarios(
    description: Description, program: Program, drives: Drives, posture: Mapping[str, float], *, floating: bool
) -> dict[str, Mapping[str, Any]]:
    """Scenarios by name; the first is that in which nothing is asked for but to stay."""
    if program.name == "wheeled":
        turns_on_the_spot = program.wheels is not None and program.wheels.kind != "ackermann"
        return {"park": _PARK, "circle": _CIRCLE, **({"square": _SQUARE} if turns_on_the_spot else {})}
    if program.name == "legged":
        return {"stand": _STAND, "trot": _TROT}
    if program.name is None:
        return dict(_REST)
    turning = [joint for name in drives.joints if (joint := description.joints[name]).kind is not JointKind.PRISMATIC]
    moves = [(joint, _goal(joint, posture.get(joint.name, 0.0))) for joint in turning[:_MOVED]]
    if floating or not moves:
        return dict(_HOLD)
    before = {joint.name: round(posture.get(joint.name, 0.0), 6) for joint, _ in moves}
    stimuli = [
        {"target": f"setpoints.{joint.name}", "kind": "step", "at": 0.5, "from": before[joint.name], "to": goal}
        for joint, goal in moves
    ]
    return {**_HOLD, "move": {"title": "Hold, then move the first joints", "seconds": 4, "stimuli": stimuli}}


def _goal(joint: Joint, position: float) -> float:
    """A position [rad] a little further on, on the side on which there is more room."""
    low = position - 1.0 if joint.lower is None else joint.lower
    high = position + 1.0 if joint.upper is None else joint.upper
    way = min(_WAY, 0.5 * (high - position)) if high - position >= position - low else -min(_WAY, 0.5 * (position - low))
    return round(position + way, 6)
