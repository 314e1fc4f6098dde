"""Records of the servicing program: what it reads, what it is set to and what it remembers.

Positions are in the world [m], orientations are unit quaternions from a body to the world, w first. The client's frame stands
in its centre of mass, along its principal axes of inertia.
"""

from __future__ import annotations

import numpy as np

__all__ = [
    "ARM", "CLIENT", "CLIENT_STATE", "MOST_THRUSTERS", "PATH", "PLAN", "ROTOR", "STAGE_START", "TARGET", "THRUSTERS", "WHEELS",
]  # fmt: skip

ARM = 7
"""Joints of the arm."""
WHEELS = 3
MOST_THRUSTERS = 16

TARGET = np.dtype([("position", np.float64, 3), ("orientation", np.float64, 4), ("stamp", np.float64)])
"""The client's grasp frame as it is seen from the base, along the base's axes, and when [s]."""

CLIENT = np.dtype(
    [
        ("mass", np.float64),  # [kg]
        ("inertia", np.float64, 3),  # [kg m^2] principal moments
        ("grasp_position", np.float64, 3),  # [m] of the grasp frame in the client's
        ("grasp_orientation", np.float64, 4),  # grasp frame to the client's
    ]
)
"""What is known of the client."""

CLIENT_STATE = np.dtype(
    [
        ("position", np.float64, 3),  # of its centre of mass
        ("velocity", np.float64, 3),
        ("orientation", np.float64, 4),
        ("rate", np.float64, 3),  # [rad/s], along its own axes
        ("shape", np.float64, 3),  # k of its moments of inertia, see tumbling.py
        ("stamp", np.float64),  # [s] as of when; negative before it was seen
        ("begun", np.float64),  # [s] when it was first seen
    ]
)
"""What is estimated of the client."""

THRUSTERS = np.dtype(
    [
        ("count", np.float64),
        ("thrust", np.float64),  # [N]
        ("period", np.float64),  # [s] of the PWM
        ("least", np.float64),  # duty of the smallest pulse
        ("wrench", np.float64, (6, MOST_THRUSTERS)),  # [N, N m] of an open nozzle on the base, at its origin, along its axes
        ("mixer", np.float64, (MOST_THRUSTERS, 6)),  # duties per wrench
    ]
)
"""The thrusters of the base."""

ROTOR = np.dtype([("dof", np.float64), ("axis", np.float64, 3), ("torque", np.float64), ("speed", np.float64)])
"""A reaction wheel: where in v, its axis in the base's frame, the most that its drive gives [N m] and stands [rad/s]."""

PLAN = np.dtype(
    [
        ("time", np.float64),  # [s] at which the handle is where the tool shall take it
        ("position", np.float64, 3),  # of the base from the client's centre of mass, along the world's axes
        ("orientation", np.float64, 4),  # of the base
        ("angle", np.float64),  # [rad] that the base has to turn
        ("found", np.float64),  # 1 where there is a plan
    ]
)
"""Where the base goes, and when the client is caught."""

PATH = np.dtype(
    [
        ("begin", np.float64),  # [s]
        ("around", np.float64),  # [s] that the way around the client takes
        ("inward", np.float64),  # [s] that the way in takes
        ("offset", np.float64, 3),  # of the base from the client's centre of mass at the beginning
        ("orientation", np.float64, 4),  # of the base at the beginning
        ("goal", np.float64, 3),  # offset at the end
        ("goal_orientation", np.float64, 4),
        ("distance", np.float64),  # [m] of the way around
    ]
)
"""The way of the base."""

STAGE_START = np.dtype(
    [
        ("time", np.float64),  # [s]
        ("joints", np.float64, ARM),
        ("joint_rates", np.float64, ARM),
        ("tool_offset", np.float64, 3),  # of the tool from where it shall be
        ("tool_turn", np.float64, 3),  # rotation vector, the same
        ("base_position", np.float64, 3),
        ("away", np.float64, 3),  # [m] that the base goes from there after an abort
    ]
)
"""How things stood when the present stage began."""
