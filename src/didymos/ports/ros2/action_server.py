"""An action of ROS 2: goals that take time, told apart by their ids, as `rcl_action` speaks it.

    NAME/_action/send_goal      accepts a goal or not              NAME/_action/status     of all goals, transient local
    NAME/_action/cancel_goal    one goal, or all until a time      NAME/_action/feedback   of a goal on its way
    NAME/_action/get_result     answered when the goal has ended
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cyclonedds.core import DDSException

from didymos.engine.run import Run
from didymos.ports.ros2.interfaces import register
from didymos.ports.ros2.names import dds_topic
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.services import Reply, Request, Service
from didymos.ports.ros2.types import blank, message_type, type_hash

__all__ = ["ABORTED", "CANCELED", "SUCCEEDED", "ActionServer", "Goal", "ros_time", "write"]

UNKNOWN, EXECUTING, CANCELING, SUCCEEDED, CANCELED, ABORTED = 0, 2, 3, 4, 5, 6  # of action_msgs/msg/GoalStatus
_NONE, _REJECTED, _UNKNOWN_GOAL, _TERMINATED = 0, 1, 2, 3  # of action_msgs/srv/CancelGoal
_KEPT = 100  # goals that have ended whose results can still be asked for
_WAITING = 100  # requests for the result of one goal that wait for its end
_NO_ID = bytes(16)
_CANCEL = {"action_msgs/srv/CancelGoal": "GoalInfo goal_info\n---\nint8 return_code\nGoalInfo[] goals_canceling"}


def ros_time(time: float) -> Any:
    """A time [s] as ROS 2 has it."""
    nanoseconds = round(time * 1e9)
    return message_type("builtin_interfaces/msg/Time")(sec=nanoseconds // 10**9, nanosec=nanoseconds % 10**9)


@dataclass
class Goal:
    """A goal that was accepted, at a time [s]; `result` once it has ended."""

    id: bytes
    stamp: float
    status: int = EXECUTING
    result: Any = None
    waiting: list[Request] = field(default_factory=list)

    @property
    def ended(self) -> bool:
        """Whether it has a result."""
        return self.status in (SUCCEEDED, CANCELED, ABORTED)


class ActionServer:
    """An action of a node: `services` are what it offers, `replies` answers that are due.

    Args:
        owner: whose it is.
        name: `/controller/follow_joint_trajectory`, in the owner's namespace already.
        type_name: of the action, registered.
        accept: whether a goal is accepted; what else that means is its business. It may end other goals.
        cancel: stop a goal that runs; what it has come to is told by `end`.
    """

    def __init__(
        self,
        owner: Owner,
        name: str,
        type_name: str,
        accept: Callable[[Run, Goal, Any], bool],
        cancel: Callable[[Run, Goal], None],
    ) -> None:
        register(_CANCEL)
        self._accept, self._cancel = accept, cancel
        self._goals: dict[bytes, Goal] = {}
        self.replies: list[Reply] = []
        self._empty_result = blank(f"{type_name}_Result")
        below = f"{name}/_action"
        self.services = [
            Service(f"{below}/send_goal", f"{type_name}_SendGoal", self._send_goal),
            Service(f"{below}/cancel_goal", "action_msgs/srv/CancelGoal", self._cancel_goals),
            Service(f"{below}/get_result", f"{type_name}_GetResult", self._get_result),
        ]
        self._feedback_type = message_type(f"{type_name}_FeedbackMessage")
        about = f"typehash={type_hash(f'{type_name}_FeedbackMessage')};"
        self._feedback = owner.node.writer(dds_topic(f"{below}/feedback"), self._feedback_type, depth=10, about=about)
        kind = message_type("action_msgs/msg/GoalStatusArray")
        about = f"typehash={type_hash('action_msgs/msg/GoalStatusArray')};"
        self._status = owner.node.writer(dds_topic(f"{below}/status"), kind, depth=1, lasting=True, about=about)

    @property
    def heard(self) -> bool:
        """Whether anybody reads feedback."""
        return bool(self._feedback.get_publication_matched_status().current_count)

    def feed_back(self, goal: Goal, feedback: Any) -> None:
        """Tell how a goal goes."""
        write(self._feedback, self._feedback_type(goal_id=_uuid(goal.id), feedback=feedback))

    def end(self, goal: Goal, status: int, result: Any) -> None:
        """A goal has ended; whoever waits for its result gets it."""
        goal.status, goal.result = status, result
        self.replies += [request.reply({"status": status, "result": result}) for request in goal.waiting]
        goal.waiting.clear()
        ended = [item.id for item in self._goals.values() if item.ended]
        for id_ in ended[: max(0, len(ended) - _KEPT)]:
            del self._goals[id_]
        self._tell()

    def _send_goal(self, run: Run, request: Request) -> Mapping[str, Any]:
        now = run.simulation.time
        goal = Goal(bytes(request.message.goal_id.uuid), now)
        accepted = goal.id not in self._goals and self._accept(run, goal, request.message.goal)
        if accepted:
            self._goals[goal.id] = goal
            self._tell()
        return {"accepted": accepted, "stamp": ros_time(now)}

    def _get_result(self, _run: Run, request: Request) -> Mapping[str, Any] | None:
        goal = self._goals.get(bytes(request.message.goal_id.uuid))
        if goal is None or (not goal.ended and len(goal.waiting) >= _WAITING):
            return {"status": UNKNOWN, "result": self._empty_result}
        if goal.ended:
            return {"status": goal.status, "result": goal.result}
        goal.waiting.append(request)
        return None

    def _cancel_goals(self, run: Run, request: Request) -> Mapping[str, Any]:
        """One goal by its id; with a time as well, or alone, all that were accepted until then; with neither, all."""
        told = request.message.goal_info
        wanted, until = bytes(told.goal_id.uuid), told.stamp.sec + 1e-9 * told.stamp.nanosec
        live = [goal for goal in self._goals.values() if not goal.ended]
        if wanted == _NO_ID:
            chosen = [goal for goal in live if until == 0.0 or goal.stamp <= until]
        else:
            chosen = [goal for goal in live if goal.id == wanted or (until > 0.0 and goal.stamp <= until)]
            if wanted not in self._goals and not chosen:
                return {"return_code": _UNKNOWN_GOAL, "goals_canceling": []}
            if wanted in self._goals and self._goals[wanted].ended and not chosen:
                return {"return_code": _TERMINATED, "goals_canceling": []}
        for goal in chosen:
            goal.status = CANCELING
        if chosen:
            self._tell()
        for goal in chosen:
            self._cancel(run, goal)
        return {"return_code": _NONE if chosen else _REJECTED, "goals_canceling": [_info(goal) for goal in chosen]}

    def _tell(self) -> None:
        status = message_type("action_msgs/msg/GoalStatus")
        told = [status(goal_info=_info(goal), status=goal.status) for goal in self._goals.values()]
        write(self._status, message_type("action_msgs/msg/GoalStatusArray")(status_list=told))


def _info(goal: Goal) -> Any:
    return message_type("action_msgs/msg/GoalInfo")(goal_id=_uuid(goal.id), stamp=ros_time(goal.stamp))


def _uuid(raw: bytes) -> Any:
    return message_type("unique_identifier_msgs/msg/UUID")(uuid=list(raw))


def write(writer: Any, message: Any) -> None:
    """Send a message, unless a reader keeps its writer waiting for too long."""
    with contextlib.suppress(DDSException):
        writer.write(message)
