"""Messages of the robot's own that a twin publishes: each field a signal of the log, a number or a text, at a rate.

    /joint_status:
      type: my_msgs/msg/JointStatus
      rate: 200
      fields: {name: [hip, knee], position: [encoders.hip.position, encoders.knee.position], mode: control.stage, id: 7}

A message goes out when its time has come, with what the log recorded last of each signal; a `header` or `stamp` of it bears the
time of the twin's clock. Signals that the log holds at a lower rate repeat.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from didymos.describe.ros2_file import MessageSpec
from didymos.errors import InputError, nearest
from didymos.ports.ros2.message_fields import Leaf, find_field
from didymos.ports.ros2.names import ros_name
from didymos.ports.ros2.own_types import know_type
from didymos.record.message_types import ros2_types

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun

__all__ = ["OwnMessage", "Slot", "own_messages"]


@dataclass(frozen=True)
class Slot:
    """One value of a message: its field, and the signal of the log, the number or the text that it is."""

    leaf: Leaf
    signal: str | None = None
    constant: float | str = 0.0


@dataclass(frozen=True)
class OwnMessage:
    """A topic with a message of the robot's own; `stamp` is the path of its time stamp, or empty."""

    topic: str
    type_name: str
    rate: float
    slots: tuple[Slot, ...]
    stamp: tuple[str, ...]


def own_messages(robot: RobotRun) -> Iterator[OwnMessage]:
    """Those of a robot's twin file, checked against the definition of their types and the signals that there are."""
    prefix = f"{robot.name}." if robot.name else ""
    signals = [signal.removeprefix(prefix) for stream in robot.built.streams for signal in stream.layout.signals]
    for topic, spec in robot.twin.file.ros2.messages.items():
        yield _message(robot, topic, spec, dict.fromkeys(signals))


def _message(robot: RobotRun, topic: str, spec: MessageSpec, signals: Mapping[str, None]) -> OwnMessage:
    place = ("ros2", "messages", topic)
    if ros_name(topic) != topic:
        raise robot.twin.mistake(f"ROS 2 has no such topic, expected a name such as {ros_name(topic)}", *place)
    try:
        know_type(robot.twin.folder, spec.type)
    except InputError as error:
        raise robot.twin.mistake(error.message, *place, "type") from None
    slots: list[Slot] = []
    for path, told in spec.fields.items():
        try:
            slots += _slots(robot, spec.type, path, told, signals)
        except InputError as error:
            raise robot.twin.mistake(error.message, *place, "fields", path) from None
    given = {slot.leaf.steps[:2] for slot in slots}
    stamp = _stamp(spec.type)
    return OwnMessage(topic, spec.type, spec.rate, tuple(slots), () if not stamp or stamp[:2] in given else stamp)


def _slots(
    robot: RobotRun, type_name: str, path: str, told: float | str | tuple[float | str, ...], signals: Mapping[str, None]
) -> list[Slot]:
    leaf = find_field(type_name, path)
    if leaf.row != isinstance(told, tuple):
        raise InputError(f"{path!r} of {type_name} is {'a row, expected a list' if leaf.row else 'no row, expected one value'}")
    if not isinstance(told, tuple):
        return [_slot(robot, leaf, told, signals)]
    return [_slot(robot, find_field(type_name, f"{path}.{i}"), item, signals) for i, item in enumerate(told)]


def _slot(robot: RobotRun, leaf: Leaf, told: float | str, signals: Mapping[str, None]) -> Slot:
    if leaf.text:
        if not isinstance(told, str):
            raise InputError(f"found {told:g}, expected a text")
        return Slot(leaf, constant=told)
    if not isinstance(told, str):
        return Slot(leaf, constant=told)
    if told not in signals and not robot.scope.lacks(told):
        raise InputError(f"the log has no signal {told!r}{nearest(told, signals)}")
    return Slot(leaf, signal=told) if told in signals else Slot(leaf)


def _stamp(type_name: str) -> tuple[str, ...]:
    """Where a message has its time, if it has one: in a header, or by itself."""
    for name, (_, what) in ros2_types().fielddefs[type_name][1]:
        if what == "std_msgs/msg/Header":
            return (name, "stamp")
        if what == "builtin_interfaces/msg/Time" and name == "stamp":
            return (name,)
    return ()
