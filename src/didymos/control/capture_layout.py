"""Records of the capture program: what it reads, what it is set to and what it remembers.

A pose lies in the plane: x [m], y [m] and an angle [rad] in the world. Joints are shoulder, elbow and wrist, in this order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = [
    "APPROACH_START", "ENCODERS", "ESTIMATE", "FORCE_FILTER", "JOINT", "JOINTS", "MODEL", "POSE", "POSES", "STAGE_START",
    "WINDOW", "Pose",
]  # fmt: skip

POSES = ("base", "tool", "port")
JOINTS = ("shoulder", "elbow", "wrist")
WINDOW = 64
"""Longest moving average of the force, in readings."""

POSE = np.dtype(
    [("position", np.float64, 2), ("orientation_w", np.float64), ("orientation_z", np.float64), ("stamp", np.float64)]
)
"""A pose as motion capture reads it: x, y [m], the two parts of a quaternion that are not zero, when it was sampled [s]."""

ENCODERS = np.dtype([("position", np.float64, 3), ("stamp", np.float64)])
"""The joints as their encoders read them [rad], and when [s]."""

JOINT = np.dtype([("low", np.float64), ("high", np.float64), ("home", np.float64), ("start", np.float64)])
"""A joint [rad]: ends of its travel, where its encoder is set, where the approach begins."""

_TRACK = np.dtype([("position", np.float64, 3), ("velocity", np.float64, 3), ("stamp", np.float64), ("lag", np.float64)])

ESTIMATE = np.dtype([(name, _TRACK) for name in (*POSES, "joints")])
"""What is tracked: poses of base, end effector (`tool`) and port, and the joints. `stamp` [s] of the last reading, which is
`lag` [s] old now; position and velocity are of then."""

FORCE_FILTER = np.dtype([("count", np.float64), ("stamp", np.float64), ("tare", np.float64), ("ring", np.float64, WINDOW)])
"""Readings so far, when the last one was taken [s], the sensor's zero [N], the last readings [N]."""

STAGE_START = np.dtype([("time", np.float64), ("joints", np.float64, 3), ("joint_rates", np.float64, 3)])
"""When the present stage began [s]; the joints [rad] and their rates [rad/s] when the last of unfold, hold and retreat did."""

APPROACH_START = np.dtype([("base_position", np.float64, 2), ("offset", np.float64, 3), ("joints", np.float64, 3)])
"""When the approach began: where the base was [m], how far the tool was from the path's end (x, y, turn), the joints [rad]."""

MODEL: dict[str, tuple[str | int, ...]] = {
    "m0": ("robot", "base", "mass"), "i0": ("robot", "base", "inertia"),
    "r0x": ("robot", "base", "shoulder_x"), "r0y": ("robot", "base", "shoulder_y"),
    **{
        f"{letter}{i + 1}": ("robot", "links", i, name)
        for i in range(3)
        for letter, name in (("m", "mass"), ("i", "inertia"), ("l", "to_center"), ("r", "to_end"))
    },
    "mt": ("target", "mass"), "it": ("target", "inertia"), "dt": ("target", "ahead"),
    **{f"{joint}_{name}": ("joints", i, name) for name in JOINT.names or () for i, joint in enumerate(JOINTS)},
}  # fmt: skip
"""The numbers of the model by the original's letters, which twin files say, and which setting each of them is."""


class Pose(NamedTuple):
    """A pose in the plane, or its rate, or its acceleration."""

    x: float
    y: float
    angle: float
