"""Commands in message types of the robot's own: which fields of a message set what.

    /joint_controller/commands:
      type: joint_controller_msgs/msg/JointCommand     # msg/JointCommand.msg of the twin's folder
      names: name                                      # `*` below stands for each joint that this field names, in its order
      fields: {joints.*.position: desired_position, joints.*.stiffness_scale: kp_scale, setpoints.mode: 3}

A field sets a set-point or an input, or a joint (`joints.NAME.position`, `velocity`, `effort`, `stiffness_scale`,
`damping_scale`, all at the joint) by whatever drives it (`joint_lines.py`). A joint without a position has no stiffness unless
the message says so, one without position and velocity no damping. A row that is empty sets nothing; every other message that does
not fit changes nothing at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from didymos.describe.ros2_file import CommandFieldSpec, CommandSpec
from didymos.errors import InputError, nearest
from didymos.ports.ros2.joint_lines import JointGoal
from didymos.ports.ros2.message_fields import Leaf, find_field, reader
from didymos.ports.ros2.names import ros_name
from didymos.ports.ros2.own_types import know_type

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun

__all__ = ["JOINT_FIELDS", "Ordered", "OwnCommand", "own_commands"]

JOINT_FIELDS = ("position", "velocity", "effort", "stiffness_scale", "damping_scale")


@dataclass
class Ordered:
    """What one message sets: handles of set-points and inputs, and goals of joints."""

    handles: dict[str, float] = field(default_factory=dict)
    joints: dict[str, dict[str, float]] = field(default_factory=dict)

    def goals(self) -> dict[str, JointGoal]:
        """The goals of joints."""
        made = {}
        for joint, told in self.joints.items():
            stiff = float("position" in told)
            scales = {"stiffness_scale": stiff, "damping_scale": max(stiff, float("velocity" in told))}
            made[joint] = JointGoal(**{**scales, **told})
        return made


@dataclass(frozen=True)
class _Entry:
    """A handle, or a pattern of them, and what gives its value: a number, or a field with what becomes of it."""

    handle: str
    constant: float
    read: Callable[[Any], Any] | None
    spec: CommandFieldSpec | None

    def value(self, raw: Any) -> float:
        """The value of what a field holds."""
        assert self.spec is not None
        if self.spec.words:
            if raw not in self.spec.words:
                known = ", ".join(self.spec.words)
                raise InputError(f"found {str(raw)[:40]!r}{nearest(str(raw)[:40], self.spec.words)}, expected one of: {known}")
            return self.spec.words[raw]
        value = self.spec.scale * float(raw)
        if not math.isfinite(value):
            raise InputError(f"found {value}, expected a finite number for {self.handle}")
        return value


@dataclass(frozen=True)
class OwnCommand:
    """A topic with a message of the robot's own, and how a message is read."""

    topic: str
    type_name: str
    entries: tuple[_Entry, ...]
    names: Callable[[Any], Any] | None
    known: Mapping[str, None]
    """Every handle that there is, `joints.NAME.FIELD` included."""

    @property
    def needs_joints(self) -> bool:
        """Whether it moves joints, which a program may keep to itself."""
        return any(entry.handle.startswith("joints.") for entry in self.entries)

    def read(self, message: Any) -> Ordered:
        """What a message sets; one that does not fit is an `InputError`."""
        ordered = Ordered()
        names = [] if self.names is None else list(self.names(message))
        for entry in self.entries:
            if entry.read is None:
                rows = ((name, entry.constant) for name in names) if "*" in entry.handle else iter([("", entry.constant)])
            elif "*" in entry.handle:
                rows = self._row(entry, names, entry.read(message))
            else:
                rows = iter([("", entry.value(entry.read(message)))])
            for name, value in rows:
                self._set(ordered, entry.handle.replace("*", name), value)
        return ordered

    def _row(self, entry: _Entry, names: Sequence[str], values: Sequence[Any]) -> Iterator[tuple[str, float]]:
        if len(values) not in (0, len(names)):
            assert entry.spec is not None
            raise InputError(f"found {len(values)} values in {entry.spec.field} for {len(names)} names")
        return ((name, entry.value(value)) for name, value in zip(names, values, strict=False))

    def _set(self, ordered: Ordered, handle: str, value: float) -> None:
        if handle not in self.known:
            raise InputError(f"there is no {handle[:60]!r}{nearest(handle[:60], self.known)}")
        if handle.startswith("joints."):
            joint, _, quantity = handle.removeprefix("joints.").rpartition(".")
            ordered.joints.setdefault(joint, {})[quantity] = value
        else:
            ordered.handles[handle] = value


def own_commands(robot: RobotRun) -> Iterator[OwnCommand]:
    """The commands of a robot's twin file that have a type of their own."""
    known = dict.fromkeys(robot.overrides.names)
    driven = dict.fromkeys(actuator.joint for actuator in robot.robot.actuators)
    known |= dict.fromkeys(f"joints.{joint}.{quantity}" for joint in driven for quantity in JOINT_FIELDS)
    for topic, spec in robot.twin.file.ros2.commands.items():
        if spec.type is not None:
            yield _own_command(robot, topic, spec, known)


def _own_command(robot: RobotRun, topic: str, spec: CommandSpec, known: Mapping[str, None]) -> OwnCommand:
    """One of them, checked against the definition of its type and the handles that there are."""
    place = ("ros2", "commands", topic)
    assert spec.type is not None

    def checked(what: Callable[[], Any], *below: str) -> Any:
        try:
            return what()
        except InputError as error:
            raise robot.twin.mistake(error.message, *place, *below) from None

    if ros_name(topic) != topic:
        raise robot.twin.mistake(f"ROS 2 has no such topic, expected a name such as {ros_name(topic)}", *place)
    checked(lambda: know_type(robot.twin.folder, str(spec.type)), "type")
    names = None if spec.names is None else checked(lambda: _names(str(spec.type), str(spec.names)), "names")
    entries = []
    for handle, told in spec.fields.items():
        make = partial(_entry, spec, handle, told, known)
        entries.append(checked(make, "fields", handle))
    return OwnCommand(topic, spec.type, tuple(entries), names, known)


def _names(type_name: str, path: str) -> Callable[[Any], Any]:
    leaf = find_field(type_name, path)
    if not (leaf.row and leaf.text):
        raise InputError(f"{path!r} of {type_name} is not a row of texts, as names are")
    return reader(leaf)


def _entry(spec: CommandSpec, handle: str, told: float | str | CommandFieldSpec, known: Mapping[str, None]) -> _Entry:
    assert spec.type is not None
    if "*" in handle:
        if spec.names is None:
            raise InputError("'*' stands for the names of joints in a message: expected a key 'names'")
        before, _, after = handle.partition("*")
        if not any(item.startswith(before) and item.endswith(after) for item in known):
            raise InputError(f"there is no {handle!r}{nearest(handle.replace('*', 'NAME'), known)}")
    elif handle not in known:
        raise InputError(f"there is no set-point, input or joint {handle!r}{nearest(handle, known)}")
    if isinstance(told, int | float):
        return _Entry(handle, float(told), None, None)
    own = told if isinstance(told, CommandFieldSpec) else CommandFieldSpec(field=told)
    leaf: Leaf = find_field(spec.type, own.field)
    if leaf.row != ("*" in handle):
        what = f"a row, expected a place in it such as {own.field}.0" if leaf.row else "no row, as what goes with names is"
        raise InputError(f"{own.field!r} of {spec.type} is {what}")
    if leaf.text != bool(own.words):
        raise InputError(f"{own.field!r} holds text, expected words for it" if leaf.text else f"{own.field!r} holds no text")
    return _Entry(handle, 0.0, reader(leaf), own)
