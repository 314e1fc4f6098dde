"""The action `SimulateSteps` as a node offers it: goals, feedback after each step, cancelling, results.

A goal that cannot be followed is accepted and aborted at once, so that its result says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from didymos.ports.ros2.action_server import ABORTED, CANCELED, CANCELING, SUCCEEDED, ActionServer, Goal
from didymos.ports.ros2.services import Reply
from didymos.ports.ros2.simulation_types import ACTION, Results, snake
from didymos.ports.ros2.time_control import Refused, Steps
from didymos.ports.ros2.types import message_type

if TYPE_CHECKING:
    from didymos.engine.run import Run
    from didymos.ports.ros2.outlets import Owner
    from didymos.ports.ros2.time_control import TimeControl

__all__ = ["StepAction"]

_TYPE = f"simulation_interfaces/action/{ACTION}"


class StepAction:
    """Takes goals for `TimeControl`."""

    def __init__(self, owner: Owner, control: TimeControl) -> None:
        self._control = control
        self._server = ActionServer(owner, f"{owner.name}/{snake(ACTION)}", _TYPE, self._accept, self._cancel)
        self.services = self._server.services
        self._going: list[tuple[Goal, Steps]] = []

    def _accept(self, _run: Run, goal: Goal, message: Any) -> bool:
        steps = Steps(message.steps)
        steps.told = lambda _: self._server.feed_back(goal, _feedback(steps))
        self._going.append((goal, steps))
        try:
            self._control.begin_steps(steps)
        except Refused as refusal:
            self._end(goal, ABORTED, refusal.code, refusal.text)
        return True

    def _cancel(self, _run: Run, goal: Goal) -> None:
        for own, steps in self._going:
            if own is goal and self._control.steps is steps:
                steps.left = 0  # it ends with the step that it has reached

    def finish(self, steps: Steps) -> Iterable[Reply]:
        """A goal is over whose steps are through, cut off by the end of the run, or by a client; answers that waited for it."""
        for goal in [own for own, going in self._going if going is steps]:
            if goal.status == CANCELING:
                self._end(goal, CANCELED, Results.OPERATION_FAILED, f"cancelled after {steps.done} steps")
            elif steps.left:
                self._end(goal, ABORTED, Results.OPERATION_FAILED, f"the run ended after {steps.done} steps")
            else:
                self._end(goal, SUCCEEDED, Results.OK, "")
        due, self._server.replies = self._server.replies, []
        return due

    def _end(self, goal: Goal, status: int, code: int, text: str) -> None:
        self._going = [item for item in self._going if item[0] is not goal]
        inner = message_type("simulation_interfaces/msg/Result")(result=code, error_message=text)
        self._server.end(goal, status, message_type(f"{_TYPE}_Result")(result=inner))


def _feedback(steps: Steps) -> Any:
    return message_type(f"{_TYPE}_Feedback")(completed_steps=steps.done, remaining_steps=steps.left)
