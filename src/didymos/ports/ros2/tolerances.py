"""How far joints may be from a trajectory: what the controller has, and what a goal says instead.

A tolerance of 0 is none. In a goal 0 leaves the controller's, -1 takes it away; a goal with any other negative number or with an
unknown joint has none of its tolerances used, as joint_trajectory_controller does it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["QUANTITIES", "Tolerances", "of_goal", "violation"]

QUANTITIES = ("position", "velocity", "acceleration")
_ERASE = -1.0


@dataclass(frozen=True)
class Tolerances:
    """Of the path and of its end, shape [3, joints] each: position, velocity, acceleration; `goal_time` [s], 0 for any time."""

    path: NDArray[np.float64]
    goal: NDArray[np.float64]
    goal_time: float = 0.0

    @classmethod
    def of(cls, joints: Sequence[str], path: Mapping[str, float], goal: Mapping[str, float], goal_time: float) -> Tolerances:
        """Of positions alone, by joint."""
        rows = [np.array([[told.get(joint, 0.0) for joint in joints]] + [[0.0] * len(joints)] * 2) for told in (path, goal)]
        return cls(rows[0], rows[1], goal_time)


def of_goal(own: Tolerances, goal: Any, joints: Sequence[str]) -> tuple[Tolerances, str]:
    """The tolerances of a FollowJointTrajectory goal, and why they are not used, where they are not."""
    made = {"path": own.path.copy(), "goal": own.goal.copy()}
    for which, told in (("path", goal.path_tolerance), ("goal", goal.goal_tolerance)):
        for item in told:
            if item.name not in joints:
                return own, f"no {which} tolerance is used: there is no joint {item.name[:40]!r}"
            column = list(joints).index(item.name)
            for row, quantity in enumerate(QUANTITIES):
                value = float(getattr(item, quantity))
                if value < 0.0 and value != _ERASE:
                    return own, f"no {which} tolerance is used: found {value:g} for the {quantity} of {item.name}"
                if value > 0.0 or value == _ERASE:
                    made[which][row, column] = max(value, 0.0)
    lasts = goal.goal_time_tolerance
    goal_time = max(0.0, lasts.sec + 1e-9 * lasts.nanosec) if lasts.sec or lasts.nanosec else own.goal_time
    return replace(own, path=made["path"], goal=made["goal"], goal_time=goal_time), ""


def violation(errors: NDArray[np.float64], tolerances: NDArray[np.float64], joints: Sequence[str]) -> str:
    """The first error, shape [3, joints], beyond its tolerance, in words; empty where there is none."""
    beyond = np.argwhere((tolerances > 0.0) & ~(np.abs(errors) <= tolerances))
    if not len(beyond):
        return ""
    row, column = beyond[0]
    return f"{QUANTITIES[row]} of {joints[column]} is off by {abs(errors[row, column]):g}, allowed {tolerances[row, column]:g}"
