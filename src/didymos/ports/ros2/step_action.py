"""The action `SimulateSteps`: a goal lets so many ticks pass while the run is paused, and tells after each.

A goal that cannot be followed is accepted and aborted at once, so that its result says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from didymos.ports.ros2.action_server import ABORTED, CANCELED, SUCCEEDED, ActionServer, Goal
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
    """Takes goals for `TimeControl`, one at a time."""

    def __init__(self, owner: Owner, control: TimeControl) -> None:
        self._control = control
        self._server = ActionServer(owner, f"{owner.name}/{snake(ACTION)}", _TYPE, self._accept, self._cancel)
        self.services = self._server.services
        self._goal: Goal | None = None
        self._cancelled = False

    def _accept(self, _run: Run, goal: Goal, asked: Any) -> bool:
        try:
            self._control.begin_steps(Steps(asked.steps, self._tell))
            self._goal, self._cancelled = goal, False
        except Refused as refusal:
            self._server.end(goal, ABORTED, _result(refusal.code, refusal.text))
        return True

    def _cancel(self, _run: Run, goal: Goal) -> None:
        """It ends with the step that it has reached."""
        if goal is self._goal and self._control.steps is not None:
            self._cancelled, self._control.steps.left = True, 0

    def finish(self, steps: Steps) -> Iterable[Reply]:
        """The goal is over: its steps are through, or cut off by a client or the end of the run; answers that waited for it."""
        goal, self._goal = self._goal, None
        if goal is not None:
            if self._cancelled:
                self._server.end(goal, CANCELED, _result(Results.OPERATION_FAILED, f"cancelled after {steps.done} steps"))
            elif steps.left:
                self._server.end(goal, ABORTED, _result(Results.OPERATION_FAILED, f"the run ended after {steps.done} steps"))
            else:
                self._server.end(goal, SUCCEEDED, _result(Results.OK, ""))
        due, self._server.replies = self._server.replies, []
        return due

    def _tell(self, steps: Steps) -> None:
        if self._goal is not None and self._server.heard:
            feedback = message_type(f"{_TYPE}_Feedback")(completed_steps=steps.done, remaining_steps=steps.left)
            self._server.feed_back(self._goal, feedback)


def _result(code: int, text: str) -> Any:
    result = message_type("simulation_interfaces/msg/Result")(result=int(code), error_message=text)
    return message_type(f"{_TYPE}_Result")(result=result)
