"""The posture that a new twin starts in: every joint within its limits, a keyframe of MJCF where there is one."""

from __future__ import annotations

import mujoco

from didymos.describe.description import Description, Joint
from didymos.describe.names import movable_joints

__all__ = ["keyframe", "rest_position", "rest_positions"]

_KEYFRAMES = ("home", "stand", "standing", "init", "default", "qpos0")


def rest_positions(description: Description) -> dict[str, float]:
    """Positions [rad] or [m] of all joints that turn or slide: those of a keyframe, else `rest_position`."""
    at_rest = {name: rest_position(description.joints[name]) for name in movable_joints(description)}
    key = keyframe(description)
    if key is not None:
        model = description.spec.copy().compile()
        for name in at_rest:
            at_rest[name] = float(key.qpos[model.joint(description.joints[name].engine_joints[0]).qposadr[0]])
    return at_rest


def rest_position(joint: Joint) -> float:
    """Zero where the limits of a joint allow it, else the middle between them [rad] or [m]."""
    low = -float("inf") if joint.lower is None else joint.lower
    high = float("inf") if joint.upper is None else joint.upper
    if low <= 0.0 <= high:
        return 0.0
    return (low + high) / 2 if high - low < float("inf") else (low if low > 0.0 else high)


def keyframe(description: Description) -> mujoco.MjsKey | None:
    """The keyframe of MJCF that a robot starts in: by its name, or else the first; None where there is none."""
    keys = [key for key in description.spec.keys if len(key.qpos)]
    named = [key for word in _KEYFRAMES for key in keys if key.name.lower() == word]
    return next(iter(named + keys), None)
