"""Joints: every joint that something drives, by position, velocity, effort or impedance, with what the robot's model knows.

    tau = kp (q* - q) + kd (v* - v) + tau_ff                  where the actuator closes a loop, or gains are given
    tau = M (w^2 (q* - q) + 2 w (v* - v)) + tau_ff            where it takes an effort: the program closes the loop
    tau_ff = M a* + h + F tanh(v* / v_0) + b v*               inertia, gravity and Coriolis, friction

| mode | `setpoints.JOINT` | loop |
|---|---|---|
| position | q* [rad or m], followed within the limits of velocity and acceleration | kp, kd |
| velocity | v*, followed within the limit of acceleration, brought to rest before a limit of position | kd |
| effort | added to tau_ff | none |
| impedance | q* as in position | soft: kp = (10 rad/s)^2 M_ii unless `stiffness` says otherwise |

Set-points bear the names of the joints, whatever those are; one of position that nobody sets is the posture at the start, so that
the robot stays where it is. With way-points the joints that they name follow a spline through them (`control/waypoints.py`), in
a time that the gain `pace` scales, and have no set-point. M and h are those of the description (`robot.model`) at the goal, or at
the measured state where a joint is not held by position; a program that closes a loop does so at a bandwidth w that its
rate and its encoders bear. Commands are those of the middle of a period; a servo, a drive or an actuator of an MJCF takes them as
`control/actuation.py` says. `control.error.JOINT` is what was asked for less what is measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from didymos.contract import command, measurement, memory, report, setpoint, setting
from didymos.control.actuation import (
    ACTUATION,
    JOINT_COMMAND,
    JOINT_GOAL,
    JOINT_STATE,
    MOST_JOINTS,
    Actuation,
    actuate,
    share_belts,
)
from didymos.control.compiled_controller import CompiledController, program
from didymos.control.controller import Gain, Robot
from didymos.control.joint_goal import GOAL
from didymos.control.joint_law import CONTROLLED_JOINT, EFFORT, VELOCITY, aim_joint, compensate, compensate_motors
from didymos.control.joint_options import MODES, PerJoint, check_names, compensations, loops, model_rows, of_joint
from didymos.control.path_layout import PATH
from didymos.control.waypoints import SPLINES, plan_path, read_waypoints
from didymos.errors import InputError
from didymos.model import MODEL, READING

__all__ = ["Joints"]

_DRIVE = 1.0  # of ACTUATION.way


class Joints(CompiledController):
    """Moves joints to the set-points that bear their names, or along way-points."""

    rate = 500.0
    stiffness = Gain(1.0, low=0, high=100, doc="times every stiffness")
    damping = Gain(1.0, low=0, high=100, doc="times every damping")
    pace = Gain(1.0, low=0, high=1, doc="times the speed of the path through way-points")
    position = setpoint(count=MOST_JOINTS, unit="rad")
    velocity = setpoint(count=MOST_JOINTS, unit="rad/s")
    effort = setpoint(count=MOST_JOINTS, unit="N m")
    joint = measurement(count=MOST_JOINTS, layout=JOINT_STATE)
    state = measurement(layout=READING)
    count = setting(doc="how many joints")
    gravity = setting(doc="1 where gravity and Coriolis forces are compensated")
    inertia = setting(doc="1 where inertia is")
    friction = setting(doc="1 where friction is")
    joints = setting(count=MOST_JOINTS, layout=CONTROLLED_JOINT)
    actuators = setting(count=MOST_JOINTS, layout=ACTUATION)
    path = setting(layout=PATH)
    model = setting(layout=MODEL)
    error = report(count=MOST_JOINTS, unit="rad", doc="asked for less measured")
    goals = memory(count=MOST_JOINTS, layout=GOAL)
    path_time = memory(unit="s", doc="of the path")
    beat = memory(doc="commands sent")
    told = command(count=MOST_JOINTS, layout=JOINT_COMMAND)

    @program
    def step(clock: Any, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
        memory.beat += 1.0
        count = int(settings.count)
        memory.path_time += gains.pace * clock.period
        wishes = np.zeros(count, dtype=JOINT_GOAL)
        for i in range(count):
            joint, goal, state, wish = settings.joints[i], memory.goals[i], measured.joint[i], wishes[i]
            before, velocity_before = goal.position, goal.velocity
            aim_joint(clock, settings, i, state, setpoints, memory.path_time, goal)
            if joint.axis >= 0.0:
                goal.velocity *= gains.pace
                goal.acceleration *= gains.pace * gains.pace
            if clock.first > 0.5:
                before, velocity_before = goal.position, goal.velocity
            memory.error[i] = before - state.position
            if joint.mode == VELOCITY:
                memory.error[i] = goal.velocity - state.velocity
            wish.position, wish.velocity = 0.5 * (before + goal.position), 0.5 * (velocity_before + goal.velocity)
            if settings.actuators[i].way == _DRIVE or joint.by_program > 0.5:
                wish.position = before
            wish.kp, wish.kd = gains.stiffness, gains.damping
            if joint.by_program < 0.5:
                wish.kp, wish.kd = gains.stiffness * joint.kp, gains.damping * joint.kd
            if joint.mode == EFFORT:
                wish.effort, memory.error[i] = goal.reference, 0.0
        accelerations = np.zeros(count)
        compensate(settings, measured, memory.goals, wishes, accelerations)
        share_belts(count, settings.actuators, wishes, measured.joint)
        compensate_motors(settings, wishes, accelerations)
        for i in range(count):
            wish, state = wishes[i], measured.joint[i]
            kp, kd = wish.kp, wish.kd
            if settings.joints[i].by_program > 0.5:
                kp, kd = 0.0, 0.0
            actuate(
                settings.actuators[i], wish.position, wish.velocity, wish.effort, kp, kd, state.position, state.velocity,
                memory.beat, inputs.told[i],
            )  # fmt: skip

    def __init__(
        self,
        joints: list[str] | None = None,
        mode: str | dict[str, str] = "position",
        stiffness: float | dict[str, float] | None = None,
        damping: float | dict[str, float] | None = None,
        damping_ratio: float = 1.0,
        velocity_limit: float | dict[str, float] | None = None,
        acceleration_limit: float | dict[str, float] | None = None,
        direct: bool = False,
        compensate: tuple[str, ...] | list[str] = ("gravity", "inertia", "friction"),
        waypoints: list[dict[str, Any]] | str | None = None,
        spline: str = "quintic",
        repeat: bool = False,
    ) -> None:
        """`waypoints` [{time: s, positions: {JOINT: rad}}, ...] or a CSV file with the columns time, JOINT, ...; `direct`
        set-points pass without limits of velocity and acceleration."""
        if spline not in SPLINES:
            raise InputError(f"found {spline!r}, expected {' or '.join(SPLINES)}", path="control.options.spline")
        self._names, self._modes = joints, mode
        self._per_joint: dict[str, PerJoint] = {
            "stiffness": stiffness, "damping": damping,
            "velocity_limit": velocity_limit, "acceleration_limit": acceleration_limit,
        }  # fmt: skip
        self._ratio, self._direct, self._spline, self._repeat = damping_ratio, direct, spline, repeat
        self._waypoints = waypoints
        self.settings["gravity"], self.settings["inertia"], self.settings["friction"] = compensations(compensate)
        self.names: tuple[str, ...] = ()
        self.modes: dict[str, str] = {}

    def name_joints(self, joints: Sequence[str], folder: Path) -> None:
        """Set-points of the joints that the options name, or of all that are driven, by their modes."""
        check_names("joints", dict.fromkeys(self._names or ()), joints)
        self.names = tuple(self._names if self._names is not None else joints)
        for option, value in {"mode": self._modes, **self._per_joint}.items():
            check_names(option, value, self.names)
        if isinstance(self._waypoints, str):
            self._waypoints = read_waypoints(folder, self._waypoints, "control.options.waypoints")
        self.modes = {name: str(of_joint(self._modes, name, "position")) for name in self.names}
        for name, mode in self.modes.items():
            if mode not in MODES:
                raise InputError(f"found {mode!r} for joint {name!r}, expected {', '.join(MODES)}", path="control.options.mode")
        self._moving = self._path_joints()
        for kind, modes in (("position", ("position", "impedance")), ("velocity", ("velocity",)), ("effort", ("effort",))):
            self.name_setpoints(kind, [name for name in self.names if self.modes[name] in modes and name not in self._moving])
        if self.names:
            self.name_reports("error", self.names)

    def _path_joints(self) -> tuple[str, ...]:
        """The joints that way-points move, in the order of the program's."""
        named: set[str] = set()
        for index, point in enumerate(self._waypoints if isinstance(self._waypoints, list) else ()):
            where = f"waypoints.{index}"
            for key in point:
                if key not in ("time", "positions"):
                    raise InputError(f"found {key!r}, expected time or positions", path=f"control.options.{where}")
            positions = point.get("positions")
            if not isinstance(positions, dict) or not all(_is_number(value) for value in positions.values()):
                what = "expected positions, a number for each of some joints"
                raise InputError(what, path=f"control.options.{where}.positions")
            if not _is_number(point.get("time", 0.0)):
                raise InputError("expected a time in seconds, or none", path=f"control.options.{where}.time")
            check_names(f"{where}.positions", positions, self.names)
            for name in positions:
                if self.modes[name] not in ("position", "impedance"):
                    what = f"joint {name!r} is controlled by {self.modes[name]}, expected position or impedance"
                    raise InputError(what, path=f"control.options.{where}.positions.{name}")
            named |= set(positions)
        return tuple(name for name in self.names if name in named)

    def start(self, robot: Robot) -> None:
        """Find encoders and actuators, gains and limits, and plan the path."""
        chain = Actuation.of(robot, self.names)
        self.reads = {"joint": chain.reads, **robot.model.reads("state")}
        self.writes = {"told": chain.writes}
        self.settings["count"] = len(self.names)
        self.settings["model"] = robot.model.record()
        chain.fill(self.settings["actuators"])
        found = loops(robot, chain, 1.0 / self.rate, self.modes, damping_ratio=self._ratio, **self._per_joint)
        order = {mode: [n for n in self.names if self._kind(n) == mode and n not in self._moving] for mode in MODES[:3]}
        for row, name, loop, (q, dof) in zip(
            self.settings["joints"], self.names, found, model_rows(robot.model, self.names), strict=False
        ):
            free = name not in self._moving
            row["mode"], row["q"], row["dof"] = MODES.index(loop.mode), q, dof
            row["setpoint"] = order[self._kind(name)].index(name) if free else -1
            row["axis"] = -1 if free else self._moving.index(name)
            row["by_program"], row["kp"], row["kd"], row["bandwidth"] = loop.by_program, loop.kp, loop.kd, loop.bandwidth
            row["velocity"] = loop.velocity
            row["acceleration"] = math.inf if self._direct else loop.acceleration
            if loop.mode in ("position", "impedance"):
                self.initial[name] = robot.posture.get(name, 0.0)
        if self._moving:
            self._plan(robot, chain, [found[self.names.index(name)] for name in self._moving])

    def _kind(self, name: str) -> str:
        return "position" if self.modes[name] == "impedance" else self.modes[name]

    def _plan(self, robot: Robot, chain: Actuation, moving: Sequence[Any]) -> None:
        points = []
        limits = {actuator.joint: (actuator.lower, actuator.upper) for actuator in chain.actuators}
        assert isinstance(self._waypoints, list)
        for index, point in enumerate(self._waypoints):
            axes = {}
            for name, value in point["positions"].items():
                lower, upper = limits[name]
                if not lower - 1e-9 <= value <= upper + 1e-9:
                    what = f"found {value:g}, expected a position from {lower:g} to {upper:g}"
                    raise InputError(what, path=f"control.options.waypoints.{index}.positions.{name}")
                axes[self._moving.index(name)] = float(value)
            points.append((point.get("time"), axes))
        self.settings["path"] = plan_path(
            [robot.posture.get(name, 0.0) for name in self._moving], points, [loop.velocity for loop in moving],
            [loop.acceleration for loop in moving], spline=self._spline, repeat=self._repeat, names=self._moving,
        )  # fmt: skip


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
