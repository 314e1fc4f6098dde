"""ros2_control's joint_trajectory_controller: which trajectories it takes, what it asks of the joints, when it gives up.

Its rules are those of Jazzy: a goal names every joint of the controller unless partial goals are allowed (then the others stay),
in any order; times increase; the last velocities are zero; a stamp of zero means now, and a trajectory that ended before now is
refused. Each update compares what is asked for with what is measured: beyond a path tolerance it holds where the joints are.
Times are those of the twin's clock.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.ports.ros2.spline import Moment, Point, Trajectory
from didymos.ports.ros2.tolerances import Tolerances, violation

__all__ = [
    "GOAL_TOLERANCE_VIOLATED", "INVALID_GOAL", "PATH_TOLERANCE_VIOLATED", "SUCCESSFUL", "Outcome", "TrajectoryController",
    "seconds",
]  # fmt: skip

SUCCESSFUL, INVALID_GOAL = 0, -1
PATH_TOLERANCE_VIOLATED, GOAL_TOLERANCE_VIOLATED = -4, -5

_MOST_POINTS = 20_000
_TURN = 2.0 * math.pi
Numbers = NDArray[np.float64]


def seconds(told: Any) -> float:
    """A time or duration of ROS 2 in seconds."""
    return float(told.sec) + 1e-9 * float(told.nanosec)


@dataclass(frozen=True)
class Outcome:
    """How a trajectory ended: an `error_code` of FollowJointTrajectory's result, and words."""

    code: int
    text: str = ""


class TrajectoryController:
    """Follows one trajectory at a time; what it holds at last stays asked for.

    Args:
        joints: in its own order.
        endless: which of them turn without limits, shape [joints]: they take the nearest turn to where they are.
        tolerances: where a goal says nothing else.
        partial: whether a goal may leave joints out.
    """

    fresh: bool
    """Whether what it asks for has changed since its last update."""

    def __init__(self, joints: Sequence[str], endless: Sequence[bool], tolerances: Tolerances, *, partial: bool = False) -> None:
        self.joints = tuple(joints)
        self._endless, self._partial = np.array(endless, dtype=bool), partial
        self.own_tolerances = self._tolerances = tolerances
        self._trajectory: Trajectory | None = None
        self.fresh = self._checked = False
        self.desired: Moment | None = None
        self.error = np.zeros((3, len(self.joints)))

    @property
    def moving(self) -> bool:
        """Whether it follows a trajectory that has not ended."""
        return self._checked

    @property
    def commands(self) -> bool:
        """Whether it asks for anything: not before its first trajectory."""
        return self._trajectory is not None

    def fault(self, message: Any, now: float) -> str:
        """Why a JointTrajectory cannot be followed at a time [s]; empty where it can."""
        names, points = list(message.joint_names), message.points
        if not names:
            return "it names no joints"
        unknown = [name for name in names if name not in self.joints]
        if unknown:
            return f"{unknown[0][:40]!r} is no joint of this controller ({', '.join(self.joints)})"
        if len(set(names)) != len(names):
            return "it names a joint twice"
        if len(names) != len(self.joints) and not self._partial:
            return f"it names {len(names)} of the {len(self.joints)} joints of this controller, which takes all or none"
        if not 0 < len(points) <= _MOST_POINTS:
            return "it has no points" if not points else f"it has {len(points)} points, more than {_MOST_POINTS}"
        return self._point_fault(points, len(names)) or self._time_fault(message, now)

    def _point_fault(self, points: Any, count: int) -> str:
        for i, point in enumerate(points):
            if len(point.positions) != count:
                return f"point {i} has {len(point.positions)} positions for {count} joints"
            for what in ("velocities", "accelerations"):
                if len(getattr(point, what)) not in (0, count):
                    return f"point {i} has {len(getattr(point, what))} {what} for {count} joints"
            if len(point.effort):
                return f"point {i} has efforts, which a controller of positions does not take"
            if not all(map(math.isfinite, (*point.positions, *point.velocities, *point.accelerations))):
                return f"point {i} has a number that is not finite"
        if any(points[-1].velocities):
            return "the velocity of the last point is not zero"
        return ""

    def _time_fault(self, message: Any, now: float) -> str:
        times = [seconds(point.time_from_start) for point in message.points]
        if times[0] < 0.0 or any(later <= earlier for earlier, later in pairwise(times)):
            return "the times of its points do not increase from 0 on"
        start = seconds(message.header.stamp)
        if start != 0.0 and start + times[-1] < now:
            return f"it ended at {start + times[-1]:g} s, and it is {now:g} s"
        return ""

    def take(self, message: Any, now: float, state: Point, held: Numbers, tolerances: Tolerances | None = None) -> None:
        """Follow a trajectory without fault from the next update on.

        `state` is where the joints are; `held` [joints] is where those that it does not name stay.
        """
        column = np.array([self.joints.index(name) for name in message.joint_names])
        start = seconds(message.header.stamp) or now
        points: list[Point] = []
        turn = np.zeros(len(self.joints))
        for point in message.points:
            positions = held.copy()
            positions[column] = point.positions
            if not points:
                turn = np.where(self._endless, _TURN * np.round((state.positions - positions) / _TURN), 0.0)
            rates = (self._spread(getattr(point, what), column) for what in ("velocities", "accelerations"))
            points.append(Point(start + seconds(point.time_from_start), positions + turn, *rates))
        self._trajectory = Trajectory(state, points)
        self._tolerances = self.own_tolerances if tolerances is None else tolerances
        self.fresh = self._checked = True

    def _spread(self, values: Sequence[float], column: NDArray[np.int64]) -> Numbers | None:
        """Rates of some joints as those of all; the others are at rest. None where there are none."""
        if not len(values):
            return None
        full = np.zeros(len(self.joints))
        full[column] = values
        return full

    def hold(self, positions: Numbers, now: float) -> None:
        """Stay at positions, shape [joints]."""
        self._trajectory = Trajectory(Point(now, positions), [Point(now, positions)])
        self.fresh, self._checked = True, False

    def release(self) -> None:
        """Ask for nothing any more."""
        self._trajectory, self.fresh, self._checked, self.desired = None, False, False, None

    def update(self, now: float, state: Point) -> Outcome | None:
        """Compare what is asked for with what is; how the trajectory ended, if it does."""
        if self._trajectory is None:
            return None
        self.desired = moment = self._trajectory.at(now)
        assert state.velocities is not None
        self.error[:2] = moment.positions - state.positions, moment.velocities - state.velocities
        fresh, self.fresh = self.fresh, False
        if not self._checked:
            return None
        if not moment.over or fresh:
            off = violation(self.error, self._tolerances.path, self.joints)
            if off:
                self.hold(state.positions, now)
                return Outcome(PATH_TOLERANCE_VIOLATED, f"Aborted due to path tolerance violation: {off}")
        if moment.over:
            off = violation(self.error, self._tolerances.goal, self.joints)
            if not off:
                self._checked = False
                return Outcome(SUCCESSFUL, "Goal successfully reached!")
            late = now - self._trajectory.end
            if 0.0 < self._tolerances.goal_time < late:
                self.hold(state.positions, now)
                words = f"Aborted due to goal_time_tolerance exceeding by {late - self._tolerances.goal_time:f} seconds: {off}"
                return Outcome(GOAL_TOLERANCE_VIOLATED, words)
        return None

    def command(self, time: float) -> Moment | None:
        """What is asked of the joints at a time [s]."""
        return None if self._trajectory is None else self._trajectory.at(time)
