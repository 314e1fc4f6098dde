"""The action `SimulateSteps` as a node offers it: goals, feedback after each step, cancelling, results.

An action is three services and two topics below its name: `send_goal`, `get_result`, `cancel_goal`; `feedback`, `status`.
A goal that cannot be followed is accepted and aborted at once, so that its result says why.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from didymos.ports.ros2.names import dds_topic
from didymos.ports.ros2.services import Reply, Request, Service
from didymos.ports.ros2.simulation_types import ACTION, Results, snake
from didymos.ports.ros2.time_control import Refused, Steps
from didymos.ports.ros2.types import message_type

if TYPE_CHECKING:
    from didymos.engine.run import Run
    from didymos.ports.ros2.outlets import Owner
    from didymos.ports.ros2.time_control import TimeControl

__all__ = ["StepAction"]

_EXECUTING, _CANCELING, _SUCCEEDED, _CANCELED, _ABORTED = 2, 3, 4, 5, 6  # action_msgs/msg/GoalStatus
_NONE, _UNKNOWN_GOAL, _TERMINATED = 0, 2, 3  # action_msgs/srv/CancelGoal
_KEPT = 100  # goals whose results can still be asked for
_TYPE = f"simulation_interfaces/action/{ACTION}"


@dataclass
class _Goal:
    """A goal; `waiting` are requests for its result that came before it."""

    key: bytes
    stamp: int  # [ns]
    status: int
    steps: Steps
    code: int = Results.OK
    text: str = ""
    waiting: list[Request] = field(default_factory=list)


class StepAction:
    """Takes goals for `TimeControl`."""

    def __init__(self, owner: Owner, control: TimeControl) -> None:
        name = f"{owner.name}/{snake(ACTION)}/_action"
        self._control = control
        self.services = [
            Service(f"{name}/send_goal", f"{_TYPE}_SendGoal", self._send_goal),
            Service(f"{name}/get_result", f"{_TYPE}_GetResult", self._get_result),
            Service(f"{name}/cancel_goal", "action_msgs/srv/CancelGoal", self._cancel),
        ]
        self._feedback_type = message_type(f"{_TYPE}_FeedbackMessage")
        self._feedback = owner.node.writer(dds_topic(f"{name}/feedback"), self._feedback_type)
        self._status_type = message_type("action_msgs/msg/GoalStatusArray")
        self._status = owner.node.writer(dds_topic(f"{name}/status"), self._status_type, depth=1, lasting=True)
        self._goals: dict[bytes, _Goal] = {}

    def _send_goal(self, run: Run, request: Request) -> dict[str, Any]:
        message = request.message
        key = bytes(message.goal_id.uuid)
        now = time.time_ns()
        if key in self._goals:
            return {"accepted": False, "stamp": _stamp(0)}
        over = [one for one, goal in self._goals.items() if goal.status > _CANCELING]
        for one in over[: max(0, len(self._goals) - _KEPT + 1)]:
            del self._goals[one]
        goal = self._goals[key] = _Goal(key, now, _EXECUTING, Steps(message.goal.steps))
        goal.steps.told = lambda _: self._tell(goal)
        try:
            self._control.begin_steps(goal.steps)
        except Refused as refusal:
            goal.status, goal.code, goal.text = _ABORTED, refusal.code, refusal.text
        self._tell_status()
        return {"accepted": True, "stamp": _stamp(now)}

    def _get_result(self, run: Run, request: Request) -> dict[str, Any] | None:
        goal = self._goals.get(bytes(request.message.goal_id.uuid))
        if goal is not None and goal.status <= _CANCELING:
            goal.waiting.append(request)
            return None
        return self._result(goal)

    def _cancel(self, run: Run, request: Request) -> dict[str, Any]:
        """One goal by its number, those before a time, or, with neither, all."""
        info = request.message.goal_info
        key, before = bytes(info.goal_id.uuid), info.stamp.sec * 1_000_000_000 + info.stamp.nanosec
        everybody = not any(key) and not before
        meant = [goal for goal in self._goals.values() if everybody or goal.key == key or (before and goal.stamp <= before)]
        going = [goal for goal in meant if goal.status == _EXECUTING]
        for goal in going:
            goal.status = _CANCELING
            if self._control.steps is goal.steps:
                goal.steps.left = 0  # it ends with the step that it has reached
        if going:
            self._tell_status()
            code = _NONE
        elif any(key):
            code = _TERMINATED if key in self._goals else _UNKNOWN_GOAL
        else:
            code = _NONE
        return {"return_code": code, "goals_canceling": [self._info(goal) for goal in going]}

    def finish(self, steps: Steps) -> Iterable[Reply]:
        """A goal is over whose steps are through, cut off by the end of the run, or by a client; answers that waited for it."""
        for goal in self._goals.values():
            if goal.steps is steps:
                if goal.status == _CANCELING:
                    goal.status, goal.code = _CANCELED, Results.OPERATION_FAILED
                    goal.text = f"cancelled after {steps.done} steps"
                elif steps.left:
                    goal.status, goal.code = _ABORTED, Results.OPERATION_FAILED
                    goal.text = f"the run ended after {steps.done} steps"
                else:
                    goal.status = _SUCCEEDED
                self._tell_status()
                waiting, goal.waiting = goal.waiting, []
                return [request.reply(self._result(goal)) for request in waiting]
        return ()

    def _result(self, goal: _Goal | None) -> dict[str, Any]:
        result, inner = message_type(f"{_TYPE}_Result"), message_type("simulation_interfaces/msg/Result")
        if goal is None:
            return {"status": 0, "result": result(result=inner(result=Results.NOT_FOUND, error_message="there is no such goal"))}
        return {"status": goal.status, "result": result(result=inner(result=goal.code, error_message=goal.text))}

    def _tell(self, goal: _Goal) -> None:
        feedback = message_type(f"{_TYPE}_Feedback")(completed_steps=goal.steps.done, remaining_steps=goal.steps.left)
        self._feedback.write(self._feedback_type(goal_id=_uuid(goal.key), feedback=feedback))

    def _tell_status(self) -> None:
        kind = message_type("action_msgs/msg/GoalStatus")
        listed = [kind(goal_info=self._info(goal), status=goal.status) for goal in self._goals.values()]
        self._status.write(self._status_type(status_list=listed))

    def _info(self, goal: _Goal) -> Any:
        return message_type("action_msgs/msg/GoalInfo")(goal_id=_uuid(goal.key), stamp=_stamp(goal.stamp))


def _uuid(key: bytes) -> Any:
    return message_type("unique_identifier_msgs/msg/UUID")(uuid=list(key))


def _stamp(nanoseconds: int) -> Any:
    seconds, rest = divmod(nanoseconds, 1_000_000_000)
    return message_type("builtin_interfaces/msg/Time")(sec=seconds, nanosec=rest)
