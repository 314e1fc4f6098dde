"""Joint trajectory: joints follow the angles they are asked for, by their drives' position law and what is known of their load.

    drive <- x* = w + w' T,  v* = w',  feed-forward (I + J) w'' + n F tanh(w' / v_0) + G,   both scales 1

w the angle that a joint is asked for [rad] (`setpoints.NAME` of its drive), w' and w'' from its change between calls; T the delay
of the bus, so that a command holds when it arrives; I the inertia of the limb and J of the rotor at the joint, F the friction at
the motor, n the ratio, G what holds the limb. The drive closes the loop with its own kp, ki and kd. With a belt over the joint
before it (knee over hip) a drive turns the sum of both angles, and the torque of the one before is less by its own.
`control.error.NAME` is the angle asked for at the call before less the angle measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from didymos.compiled import kernel
from didymos.contract import command, measurement, memory, report, setpoint, setting
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Robot
from didymos.control.drive_command import DRIVE_COMMAND, MOST_DRIVES, REVOLUTION, command_position, drive_inputs
from didymos.errors import InputError

__all__ = ["JointTrajectory"]

_SLIDING = 0.05  # [rad/s] v_0, over which friction changes sign

_GOAL = np.dtype([("angle", np.float64), ("velocity", np.float64), ("acceleration", np.float64)])  # [rad], [rad/s], [rad/s^2]
_LIMB = np.dtype(
    [
        ("inertia", np.float64),  # [kg m^2] about the joint
        ("hold", np.float64),  # [N m] that holds the limb where it begins
        ("belt", np.float64),  # 1 where the drive's belt runs over the joint before
    ]
)


@kernel
def _follow(clock: Any, angle: float, calls: float, goal: Any) -> None:
    """The angle asked for, and its derivatives from its change since the last call; the second one needs three calls."""
    velocity = (angle - goal.angle) / clock.period
    goal.acceleration = (velocity - goal.velocity) / clock.period if calls > 2.5 else 0.0
    goal.angle, goal.velocity = angle, velocity


@kernel
def _drive(settings: Any, goals: Any, i: int, beat: float, command: Any) -> None:
    """The command for the drive of joint i."""
    limb, ratio = settings.limbs[i], settings.ratio
    angle, velocity, acceleration = goals[i].angle, goals[i].velocity, goals[i].acceleration
    torque = limb.inertia * acceleration + limb.hold
    if i + 1 < int(settings.count) and settings.limbs[i + 1].belt > 0.5:
        torque -= settings.limbs[i + 1].inertia * goals[i + 1].acceleration + settings.limbs[i + 1].hold
    if limb.belt > 0.5:
        before = goals[i - 1]
        angle, velocity, acceleration = angle + before.angle, velocity + before.velocity, acceleration + before.acceleration
    torque += settings.rotor * acceleration + ratio * settings.friction * math.tanh(velocity / _SLIDING)
    position = (angle + settings.delay * velocity) * ratio / REVOLUTION
    command_position(command, position, velocity * ratio / REVOLUTION, torque / ratio, 1.0, 1.0, beat)


class JointTrajectory(CompiledController):
    """Drives joints along the angles they are asked for; joint NAME_joint is turned by drive NAME."""

    angle = setpoint(count=MOST_DRIVES, unit="rad")
    position = measurement(count=MOST_DRIVES, unit="rad")
    count = setting(doc="how many joints")
    ratio = setting(doc="n, of every drive")
    friction = setting(unit="N m", doc="F, at the motor")
    delay = setting(unit="s", doc="T, of the bus")
    rotor = setting(unit="kg m^2", doc="J, at the joint")
    limbs = setting(count=MOST_DRIVES, layout=_LIMB)
    error = report(count=MOST_DRIVES, unit="rad")
    goals = memory(count=MOST_DRIVES, layout=_GOAL)
    beat = memory(doc="commands sent")
    drives = command(count=MOST_DRIVES, layout=DRIVE_COMMAND)

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        memory.beat += 1.0
        for i in range(int(settings.count)):
            if clock.first > 0.5:
                memory.goals[i].angle = setpoints.angle[i]
            memory.error[i] = memory.goals[i].angle - measured.position[i]
            _follow(clock, setpoints.angle[i], memory.beat, memory.goals[i])
        for i in range(int(settings.count)):
            _drive(settings, memory.goals, i, memory.beat, inputs.drives[i])

    def __init__(
        self,
        drives: Sequence[str],
        ratio: float,
        friction: float = 0.0,
        delay: float = 0.0,
        rotor: float = 0.0,
        inertia: Sequence[float] = (),
        hold: Sequence[float] = (),
        belts: Sequence[str] = (),
        encoders: str = "encoders",
    ) -> None:
        """`rotor` and `inertia` of the limbs [kg m^2] and the torque that holds them where they begin [N m], at the joint; the
        last two of all joints or of as many as repeat. `belts`: drives whose belt runs over the joint before."""
        if not drives:
            raise InputError("expected at least one drive", path="control.options.drives")
        self.names, self.encoders = tuple(drives), encoders
        unknown = [name for name in belts if name not in self.names[1:]]
        if unknown:
            raise InputError(f"found {unknown[0]!r}, expected a drive with another one before it", path="control.options.belts")
        self.name_setpoints("angle", self.names)
        self.name_reports("error", self.names)
        self.settings["count"] = len(self.names)
        self.settings["ratio"], self.settings["friction"] = ratio, friction
        self.settings["delay"], self.settings["rotor"] = delay, rotor
        for i, name in enumerate(self.names):
            own = [float(values[i % len(values)]) if values else 0.0 for values in (inertia, hold)]
            self.settings["limbs"][i] = (*own, float(name in belts))

    def start(self, robot: Robot) -> None:
        """Find the encoders and the drives."""
        self.reads = {"position": [f"{self.encoders}.{name}_joint.position" for name in self.names]}
        self.writes = {"drives": drive_inputs(self.names)}
        for names, known, what in (
            (self.reads["position"], robot.measured, "reading"),
            (self.writes["drives"], robot.inputs, "input"),
        ):
            missing = [name for name in names if name not in known]
            if missing:
                raise InputError(f"joint_trajectory needs the {what} {missing[0]!r}, which there is not", path="control.options")
