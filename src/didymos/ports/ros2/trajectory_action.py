"""A trajectory controller on the wire: its action, its topic and what it tells about itself.

    NAME/follow_joint_trajectory    control_msgs/action/FollowJointTrajectory
    NAME/joint_trajectory           trajectory_msgs/JointTrajectory, without an answer
    NAME/controller_state           control_msgs/JointTrajectoryControllerState at 50 Hz

A trajectory that comes while another is on its way takes its place, and ends the goal that brought it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.engine.run import Run
from didymos.errors import InputError
from didymos.ports.ros2.action_server import ABORTED, CANCELED, SUCCEEDED, ActionServer, Goal, ros_time, write
from didymos.ports.ros2.control_types import ACTION, CONTROLLER_STATE, TRAJECTORY
from didymos.ports.ros2.controllers import ControllerPlan
from didymos.ports.ros2.hardware import Hardware
from didymos.ports.ros2.joint_lines import JointGoal
from didymos.ports.ros2.names import dds_topic
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.services import Listening
from didymos.ports.ros2.spline import Moment, Point
from didymos.ports.ros2.tolerances import Tolerances, of_goal
from didymos.ports.ros2.trajectory_controller import INVALID_GOAL, SUCCESSFUL, Outcome, TrajectoryController
from didymos.ports.ros2.types import blank, message_type, type_hash

__all__ = ["TrajectoryAction"]

_FEEDBACK, _TELL = 0.05, 0.02  # [s] of the twin's clock between two messages
_REFRESH = 0.02  # [s] after which a command that has not changed is repeated to a drive with a watchdog
_ON_THE_WAY = 1e-9  # [s]

Numbers = NDArray[np.float64]


class TrajectoryAction:
    """One trajectory controller of a robot; `active` is what the controller manager says."""

    def __init__(self, owner: Owner, hardware: Hardware, plan: ControllerPlan) -> None:
        assert plan.spec is not None
        self._hardware, self.plan, self.active = hardware, plan, False
        self._index = hardware.index(plan.joints)
        lines = [hardware.lines[joint] for joint in plan.joints]
        self._beats = any(line.beats for line in lines)
        self._direct = not any(line.setpoints for line in lines)
        tolerances = Tolerances.of(plan.joints, plan.spec.path_tolerance, plan.spec.goal_tolerance, plan.spec.goal_time)
        partial = plan.spec.allow_partial_joints_goal
        self.controller = TrajectoryController(plan.joints, [line.endless for line in lines], tolerances, partial=partial)
        name = f"{owner.namespace}/{plan.name}"
        self.server = ActionServer(owner, f"{name}/follow_joint_trajectory", ACTION, self._accept, self._cancel)
        self.topics = [Listening(f"{name}/joint_trajectory", TRAJECTORY, self._take)]
        about = f"typehash={type_hash(CONTROLLER_STATE)};"
        self._teller = owner.node.writer(dds_topic(f"{name}/controller_state"), message_type(CONTROLLER_STATE), about=about)
        self._goal: Goal | None = None
        self._note = ""
        self._sent: Moment | None = None
        self._fed = self._told = self._refreshed = -np.inf

    @property
    def busy(self) -> bool:
        """Whether it has something to do in every slice."""
        due = self.controller.moving or self.controller.fresh
        return self.active and (due or (self._beats and self.controller.commands))

    def activate(self, run: Run) -> None:
        """Hold the joints where they are, or where they are held already."""
        self.active = True
        self.controller.hold(self._held(), run.simulation.time)

    def deactivate(self, _run: Run) -> None:
        """Command nothing any more; the last command stays."""
        self.active = False
        self._end(CANCELED, Outcome(INVALID_GOAL, "Current goal cancelled during deactivate transition."))
        self.restart()

    def restart(self) -> None:
        """Forget what was asked for, as after a reset of the run."""
        self._end(ABORTED, Outcome(INVALID_GOAL, "Time went back."))
        self.controller.release()
        self._sent = None
        self._fed = self._told = self._refreshed = -np.inf

    def update(self, run: Run, period: float) -> None:
        """One cycle of the controller, `period` [s] before the next one."""
        now = run.simulation.time
        if not self.active:
            return
        state = self._state(now)
        goal, outcome = self._goal, self.controller.update(now, state)
        if goal is not None and now >= self._fed + _FEEDBACK - _ON_THE_WAY and self.server.heard:
            self._fed = now
            self.server.feed_back(goal, self._feedback(now, state))
        if outcome is not None:
            self._end(SUCCEEDED if outcome.code == SUCCESSFUL else ABORTED, outcome)
        moment = self.controller.command(now + 0.5 * period if self._direct else now)
        if moment is not None:
            self._command(run, now, moment)
        self._tell(now, state)

    def _command(self, run: Run, now: float, moment: Moment) -> None:
        """A position is that of the middle of a cycle where an actuator holds it; a program leads on by itself."""
        last = self._sent
        same = last is not None and (moment.positions == last.positions).all() and (moment.velocities == last.velocities).all()
        if same and not (self._beats and now >= self._refreshed + _REFRESH - _ON_THE_WAY):
            return
        self._sent, self._refreshed = moment, now
        asked = zip(self.plan.joints, moment.positions.tolist(), moment.velocities.tolist(), strict=True)
        self._hardware.command(run, {joint: JointGoal(q, 0.0 if moment.over else v) for joint, q, v in asked})

    def _state(self, now: float) -> Point:
        q, v = self._hardware.read()
        return Point(now, q[self._index], v[self._index])

    def _held(self) -> Numbers:
        """Where the joints are held: the last command, else the set-point of a program, else where they are."""
        if self._sent is not None:
            return self._sent.positions
        q = self._hardware.read()[0][self._index]
        held = [self._hardware.held(joint) for joint in self.plan.joints]
        return np.array([at if item is None else item for item, at in zip(held, q, strict=True)])

    def _accept(self, run: Run, goal: Goal, message: Any) -> bool:
        now = run.simulation.time
        if not self.active or self.controller.fault(message.trajectory, now):
            return False
        self._end(CANCELED, Outcome(INVALID_GOAL, "Current goal cancelled due to new incoming action."))
        tolerances, self._note = of_goal(self.controller.own_tolerances, message, self.plan.joints)
        self.controller.take(message.trajectory, now, self._state(now), self._held(), tolerances)
        self._goal, self._fed = goal, now
        return True

    def _cancel(self, run: Run, goal: Goal) -> None:
        now = run.simulation.time
        if goal is self._goal:
            self.controller.hold(self._state(now).positions, now)
        self._end(CANCELED, Outcome(SUCCESSFUL))

    def _take(self, run: Run, message: Any) -> None:
        now = run.simulation.time
        why = self.controller.fault(message, now) if self.active else f"the controller {self.plan.name} is not active"
        if why:
            raise InputError(why)
        self._end(CANCELED, Outcome(INVALID_GOAL, "Current goal cancelled due to new incoming trajectory."))
        self.controller.take(message, now, self._state(now), self._held())

    def _end(self, status: int, outcome: Outcome) -> None:
        if self._goal is not None:
            goal, self._goal = self._goal, None
            words = "; ".join(text for text in (outcome.text, self._note) if text)
            self.server.end(goal, status, message_type(f"{ACTION}_Result")(error_code=outcome.code, error_string=words))

    def _feedback(self, now: float, state: Point) -> Any:
        made = blank(f"{ACTION}_Feedback")
        made.header.stamp, made.joint_names = ros_time(now), list(self.plan.joints)
        made.desired, made.actual, made.error = self._points(state)
        return made

    def _tell(self, now: float, state: Point) -> None:
        if now < self._told + _TELL - _ON_THE_WAY:
            return
        self._told = now
        if not self._teller.get_publication_matched_status().current_count:
            return
        made = blank(CONTROLLER_STATE)
        made.header.stamp, made.joint_names, made.speed_scaling_factor = ros_time(now), list(self.plan.joints), 1.0
        made.reference, made.feedback, made.error = self._points(state)
        if self._sent is not None:
            made.output = _point(self._sent.positions)
        write(self._teller, made)

    def _points(self, state: Point) -> tuple[Any, Any, Any]:
        """What is asked for, what is, and the difference."""
        desired = self.controller.desired
        actual = _point(state.positions, state.velocities)
        if desired is None:
            return _point(self._held()), actual, _point(self._held() - state.positions)
        asked = _point(desired.positions, desired.velocities, desired.accelerations)
        return asked, actual, _point(self.controller.error[0], self.controller.error[1])


def _point(positions: Numbers, velocities: Numbers | None = None, accelerations: Numbers | None = None) -> Any:
    made = blank("trajectory_msgs/msg/JointTrajectoryPoint")
    made.positions = positions.tolist()
    made.velocities = [] if velocities is None else velocities.tolist()
    made.accelerations = [] if accelerations is None else accelerations.tolist()
    return made
