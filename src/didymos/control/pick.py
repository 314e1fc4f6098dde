"""Pick: an arm with fingers takes an object that a sensor sees, lifts it and holds it.

Stages and what leads from one to the next stand in `pick_stages.py`, the law in `pick_law.py`; the end effector follows its goal
by the law of `cartesian.py`. The object's pose comes from a sensor, relative to a link of the robot or to the world, with all its
errors: it is smoothed, followed while the tool comes down, and has to stand relative to the robot before the robot begins. So an
arm on a base that drives waits by itself until the base has stopped, wherever that is.

Frames: the object is grasped from above, at `offset` in its own frame. The tool's z axis points out of the hand (as `tool0` and
`tcp` do); it is turned downward, its x axis `turn` from the object's x axis about the vertical, or some equal parts of a turn
on (`symmetry` says how many there are), whichever is nearest. Up is the z axis of the robot's root link: the base is level.

Fingers are the joints beyond the end effector that something drives, or those of the option. Their grip is the set-point `grip`
[N] by the stiffness of their actuators; the set-point `grasp` is 1 for an object that is wanted, 0 to set it down where it was.

Valid for objects that two fingers (or more, that close against each other) hold by friction, on a robot whose base stands while
it picks. It does not look for ways around other things: what lies between the start, the place above the object and the object is
free.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from didymos.contract import measurement, memory, report, setpoint, setting
from didymos.control.actuation import MOST_JOINTS, Actuation
from didymos.control.cartesian_law import aim_at
from didymos.control.cartesian_options import CartesianPlan
from didymos.control.compiled_controller import program
from didymos.control.controller import Gain, Robot
from didymos.control.end_effector import EndEffector, follow_goal
from didymos.control.pick_law import (
    FINGER,
    GRASP,
    OBJECT,
    command_fingers,
    has_arrived,
    lead,
    look_at_object,
    move_fingers,
    object_stands,
    room_left,
)
from didymos.control.pick_stages import APPROACH, RELEASE, STAGES, WAIT, holds, next_stage
from didymos.control.task_space import AXES
from didymos.errors import InputError, nearest
from didymos.model import frame_rotation

__all__ = ["Pick"]


class Pick(EndEffector):
    """Takes an object from above, lifts it and holds it."""

    clearance = Gain(0.12, low=0, high=1, unit="m", doc="of the tool above where it grasps, before it comes down")
    descend_speed = Gain(0.08, low=0.001, high=1, unit="m/s", path="descend.speed")
    lift_height = Gain(0.15, low=0, high=2, unit="m", path="lift.height")
    lift_speed = Gain(0.1, low=0.001, high=1, unit="m/s", path="lift.speed")
    close_speed = Gain(0.04, low=0.0001, high=1, unit="m/s", path="close.speed", doc="of a finger [m/s or rad/s]")
    close_time = Gain(0.3, low=0, high=10, unit="s", path="close.time", doc="of pressing, before it lifts")
    smoothing = Gain(0.3, low=0.001, high=10, unit="s", doc="T, over which readings of the object are averaged")
    still_speed = Gain(0.005, low=0, high=1, unit="m/s", path="still.speed", doc="below which the object stands")
    still_time = Gain(0.5, low=0, high=60, unit="s", path="still.time", doc="for which it has to")
    reach = Gain(1.0, low=0, high=100, unit="m", doc="from the frame in which it is measured, within which it is grasped")
    sight_patience = Gain(0.5, low=0.001, high=60, unit="s", path="patience.sight", doc="without a reading")
    stage_patience = Gain(10.0, low=0.1, high=600, unit="s", path="patience.stage", doc="after which a stage is given up")
    arrived_distance = Gain(0.003, low=0, high=1, unit="m", path="arrived.distance", doc="of the tool from its goal")
    arrived_angle = Gain(0.02, low=0, high=3.2, unit="rad", path="arrived.angle")
    grasp_setpoint = setpoint("grasp", doc="1: take the object and hold it; 0: set it down")
    grip_setpoint = setpoint("grip", unit="N", doc="of each finger [N or N m]")
    object_position = measurement(columns="xyz", unit="m")
    object_orientation = measurement(columns="wxyz")
    object_stamp = measurement(unit="s")
    grasp = setting(layout=GRASP)
    fingers = setting(count=MOST_JOINTS, layout=FINGER)
    no_force = setting(count=AXES, unit="N", doc="none of its axes is one of force")
    stage = report(labels=STAGES)
    misses = report(doc="how often fingers closed on nothing or lost the object, or it did not get there")
    pressed = report(unit="N", doc="by the fingers, on average, as far as their springs say")
    room = report(unit="rad", doc="of the arm's joints, left to the nearest limit [rad or m]")
    object_speed = report(unit="m/s", doc="relative to the robot, smoothed")
    target = report(columns="xyz", unit="m", doc="where the tool shall be, along the axes of the robot's model")
    seen = memory(layout=OBJECT)
    stage_since = memory(unit="s")
    still_since = memory(unit="s")
    pressing_since = memory(unit="s")
    opened = memory(doc="1 while all fingers are open")
    height = memory(unit="m", doc="of the tool above where it grasps")
    short_of = memory(unit="m", doc="how far that is from where it shall end")
    foot = memory(columns="xyz", unit="m", doc="where it grasps")
    yaw = memory(unit="rad", doc="of the tool")
    turn = memory(columns="wxyz", doc="orientation of the tool")
    finger = memory(count=MOST_JOINTS, doc="where each finger is told to be [m or rad]")

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        here = np.zeros(3)
        if clock.first > 0.5:
            memory.seen.stamp = -1.0
        follow_goal(clock, settings, gains, measured, settings.no_force, memory, inputs, here)
        if clock.first > 0.5:  # it stays as it is
            rotation = np.zeros((3, 3))
            frame_rotation(settings.model, int(settings.task.frame), rotation)
            memory.yaw = math.atan2(rotation[1, 0], rotation[0, 0])
            for i in range(3):
                memory.target[i] = here[i]
            for i in range(4):
                memory.turn[i] = memory.goal.orientation[i]
            for i in range(int(settings.grasp.fingers)):
                memory.finger[i] = measured.joint[int(settings.fingers[i].joint)].position
        look_at_object(settings, gains, measured, memory)
        still, gone = object_stands(clock, gains, memory)
        pressing, empty = move_fingers(clock, settings, gains, measured, setpoints, memory)
        before, asked = int(memory.stage), setpoints.grasp > 0.5
        arrived = has_arrived(gains, memory, here)
        late = clock.time - memory.stage_since > gains.stage_patience
        stage = next_stage(before, asked, still, gone, arrived, pressing, empty, memory.opened > 0.5, late)
        if stage != before:
            memory.stage, memory.stage_since = stage, clock.time
            memory.misses += 1.0 if (holds(before) and empty) or (late and before != RELEASE) else 0.0
            memory.pressing_since = clock.time
            if stage in (WAIT, APPROACH, RELEASE):
                memory.still_since = clock.time
        lead(clock, settings, gains, memory)
        command_fingers(settings, measured, memory, inputs)
        memory.room = room_left(settings, measured)
        turn = (memory.turn[0], memory.turn[1], memory.turn[2], memory.turn[3])
        aim_at(clock, settings.task, memory.goal, memory.target, turn, here)

    def __init__(
        self,
        object: str = "object",
        seen_from: str | None = None,
        offset: Sequence[float] = (0.0, 0.0, 0.0),
        turn: float = 0.0,
        symmetry: int = 2,
        grip: float = 30.0,
        fingers: Mapping[str, Sequence[float]] | None = None,
        end_effector: str | None = None,
        velocity_limit: float = 0.25,
        acceleration_limit: float = 0.5,
        rate_limit: float = 1.0,
        rate_change_limit: float = 2.0,
    ) -> None:
        """`object`: the sensor that says where it is, relative to the link `seen_from` or to the world; `offset` [m], `turn`
        [rad], `symmetry` see the module; `grip` [N] where nobody sets it; `fingers`: {JOINT: [closed, open]}; limits of the goal
        in m/s, m/s^2, rad/s, rad/s^2."""
        self.sensor, self.seen_from, self.fingers_by_joint = object, seen_from, fingers
        if len(offset) != 3:
            raise InputError(f"found {len(offset)} numbers, expected three", path="control.options.offset")
        if symmetry < 1:
            raise InputError(f"found {symmetry}, expected 1 or more", path="control.options.symmetry")
        self.settings["grasp"]["offset"] = offset
        self.settings["grasp"]["turn"], self.settings["grasp"]["symmetry"] = turn, symmetry
        self.plan = CartesianPlan(
            end_effector, None, None, 1.0, [], None,
            (velocity_limit, acceleration_limit, rate_limit, rate_change_limit), [], "quintic", False,
        )  # fmt: skip
        self.initial = {"grasp": 1.0, "grip": grip}

    def start(self, robot: Robot) -> None:
        """Find the arm, its fingers, and the sensor that sees the object."""
        chain, found = self.find_chain(robot, self.plan)
        names = [f"{self.sensor}.{what}" for what in ("position.x", "orientation.w", "stamp")]
        if any(name not in robot.measured for name in names):
            known = f"{nearest(self.sensor, robot.sensors)} (sensors: {', '.join(robot.sensors) or 'none'})"
            what = f"expected a sensor that measures position and orientation, found {self.sensor!r}{known}"
            raise InputError(what, path="control.options.object")
        self.reads = {
            **self.reads,
            "object_position": [f"{self.sensor}.position.{axis}" for axis in "xyz"],
            "object_orientation": [f"{self.sensor}.orientation.{axis}" for axis in "wxyz"],
            "object_stamp": [f"{self.sensor}.stamp"],
        }
        grasp = self.settings["grasp"]
        grasp["frame"] = -1.0
        if self.seen_from is not None:
            if self.seen_from not in robot.model.frames:
                what = f"there is no link or frame {self.seen_from!r}{nearest(self.seen_from, robot.model.frames)}"
                raise InputError(what, path="control.options.seen_from")
            grasp["frame"] = robot.model.frame(self.seen_from)
        fingers = _fingers(robot, chain, found.joints, self.fingers_by_joint)
        grasp["fingers"] = len(fingers)
        for row, (joint, (closed, opened)) in zip(self.settings["fingers"], fingers.items(), strict=False):
            row["joint"], row["closed"], row["open"] = chain.joints.index(joint), closed, opened


def _fingers(
    robot: Robot, chain: Actuation, carried: Sequence[str], given: Mapping[str, Sequence[float]] | None
) -> dict[str, tuple[float, float]]:
    """Where each finger's joint is closed and open: as given, or its lower and upper limit."""
    path = "control.options.fingers"
    if given is None:
        free = [name for name in chain.joints if name not in carried]
        given = {name: (robot.model.joint(name).lower, robot.model.joint(name).upper) for name in free}
    found: dict[str, tuple[float, float]] = {}
    for name, ends in given.items():
        if name not in chain.joints or name in carried:
            free = [name for name in chain.joints if name not in carried]
            what = f"there is no driven joint {name!r} beyond the end effector{nearest(name, free)}"
            raise InputError(what, path=f"{path}.{name}")
        if len(ends) != 2 or not all(math.isfinite(end) for end in ends) or ends[0] == ends[1]:
            raise InputError(f"found {list(ends)}, expected where it is closed and where it is open", path=f"{path}.{name}")
        found[name] = (float(ends[0]), float(ends[1]))
    if not found:
        raise InputError("no joint beyond the end effector is driven: expected fingers", path=path)
    return found
