"""What a joint bears of what parts drive it with: the effort and velocity limits of its description, in every stage of a step.

    tau = clip(sum of joint_torque - joint_passive of its parts, -effort, effort)
    tau *= clip((1.05 v_max - |v|) / (0.05 v_max), 0, 1)      where tau drives the way that the joint moves

`effort` is the largest torque that drives put through the joint together, as URDF defines it: the motor's, through its gear,
without what the gear's friction takes of it. Gravity, contact, friction and damping are not limited, nor is what acts on the
links, nor what a law calls passive (see `WRENCH`). `velocity` limits commanded motion (ros2_control clamps commands to it,
so motion at the limit has to be possible): all of the torque is there up to it, none from 5 % above, smoothly between, as
a drive folds back; braking is free. Zero means no limit. What is beyond a limit all parts of the joint lose, each in proportion;
one whose belt runs over a second joint loses it on both. Behind a rigid gear the limit is one on the motor; of what a springy
gear passes on, that which the motor backs is limited, and the swing of its rotor is not.

A joint has a row where its description gives a limit, or one was set before the run; only those can be set live.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.describe.twin import Twin

__all__ = ["LIMIT", "LIMITS", "borne", "limited_joints"]

LIMIT = np.dtype(
    [
        ("dof", np.int64),
        ("first_part", np.int64),  # the parts that drive it are among these
        ("last_part", np.int64),
        ("effort", np.float64),  # [N m or N], 0 for none
        ("velocity", np.float64),  # [rad/s or m/s], 0 for none
    ]
)
"""A joint that parts drive and that has a limit."""

LIMITS = ("effort", "velocity")
"""The limits of a joint, by the names of their parameters."""

_FOLD_BACK = 0.05  # of the velocity limit


@kernel
def borne(torque: float, speed: float, limit: Any) -> float:
    """What of a torque [N m or N] a joint bears at a speed [rad/s or m/s]."""
    if limit.effort > 0.0:
        torque = min(max(torque, -limit.effort), limit.effort)
    if abs(speed) > limit.velocity > 0.0 and torque * speed > 0.0:
        torque *= max(1.0 - (abs(speed) - limit.velocity) / (_FOLD_BACK * limit.velocity), 0.0)
    return torque


def limited_joints(twin: Twin) -> tuple[str, ...]:
    """The joints that parts drive and that have a limit: in the description, or set."""
    driven = dict.fromkeys(part.joint for part in twin.file.parts.values() if part.joint is not None)
    return tuple(joint for joint in driven if any(_limits(twin, joint)))


def _limits(twin: Twin, joint: str) -> tuple[bool, ...]:
    """Of each limit, whether there is one."""
    paths = [f"joints.{joint}.{name}" for name in LIMITS]
    return tuple(path in twin.parameters and (twin.parameters[path].live or twin.get(path) > 0.0) for path in paths)
