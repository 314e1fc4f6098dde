"""What a joint bears of what parts drive it with: the effort and velocity limits of its description, in every stage of a step.

    tau = clip(sum of the joint torques of its parts, -effort, effort)
    tau *= clip((1.05 v_max - |v|) / (0.05 v_max), 0, 1)      where tau drives the way that the joint moves

`effort` is the largest torque that drives put through the joint together, as URDF defines it; gravity, contact, friction and
damping are not limited, nor is what acts on the links. `velocity` limits commanded motion (ros2_control clamps commands to it,
so motion at the limit has to be possible): all of the torque is there up to it, none from 5 % above, smoothly between, as
a drive folds back; braking is free. Zero means no limit. A part whose belt runs over a second joint loses the same on both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from didymos.compiled import kernel

__all__ = ["LIMIT", "borne"]

LIMIT = np.dtype(
    [
        ("dof", np.int64),
        ("belt_dof", np.int64),  # of its parts, -1 without a belt
        ("effort", np.float64),  # [N m or N], 0 for none
        ("velocity", np.float64),  # [rad/s or m/s], 0 for none
    ]
)
"""A joint that parts drive."""

_FOLD_BACK = 0.05  # of the velocity limit


@kernel
def borne(torque: float, speed: float, limit: Any) -> float:
    """What of a torque [N m or N] a joint bears at a speed [rad/s or m/s]."""
    if limit.effort > 0.0:
        torque = min(max(torque, -limit.effort), limit.effort)
    if limit.velocity > 0.0 and torque * speed > 0.0:
        left = 1.0 + (limit.velocity - abs(speed)) / (_FOLD_BACK * limit.velocity)
        torque *= min(max(left, 0.0), 1.0)
    return torque
