"""The commands that a twin takes over ROS 2: its subscriptions, and how a message becomes a command.

    /cmd_vel             geometry_msgs/Twist         linear.{x,y,z} -> setpoints.{vx,vy,vz}, angular -> setpoints.{wx,wy,wz};
                                                     counts setpoints.alive, by which a program knows that its driver lives
                         geometry_msgs/TwistStamped  the same in the frame of the base; see `_stamped` and `STALE`
    /set/setpoints/NAME  std_msgs/Float64            a set-point of the control program
    /set/inputs/NAME     std_msgs/Float64            what is added to an input
    /set/setpoints, ...  std_msgs/Float64MultiArray  all set-points, inputs, or those of a group, setpoints.wheels.*, in order
    /step                std_msgs/UInt64             let so many ticks pass (step-locked)

and under `ros2.commands` of the twin file, by names that the robot's own programs use: a Float64, a Float64MultiArray, or a
String whose labels stand for numbers.

The names under /set are those of the log, which itself is published without that prefix: /setpoints/z is the set-point that
holds, /set/setpoints/z the one that somebody sends. In a world all but /step stand in the namespace of their robot.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from didymos.describe.ros2_file import CommandSpec
from didymos.errors import InputError, nearest
from didymos.ports.ros2.names import ros_name, spell

__all__ = ["ALIVE", "CMD_VEL", "STALE", "STEP", "Command", "Subscription", "subscriptions"]

STEP = "/step"
ALIVE = "setpoints.alive"
CMD_VEL = "/cmd_vel"
STALE = 0.5
"""[s] of the twin's clock: a command whose header says that it is older is not followed, as by ROS 2's drive controllers."""

_LABELS = ("", "teleop_twist_joy")  # that name no frame: the second is what that node writes unless it is told another

_TWIST = {
    "setpoints.vx": ("linear", "x"), "setpoints.vy": ("linear", "y"), "setpoints.vz": ("linear", "z"),
    "setpoints.wx": ("angular", "x"), "setpoints.wy": ("angular", "y"), "setpoints.wz": ("angular", "z"),
}  # fmt: skip


@dataclass(frozen=True)
class Command:
    """Set-points and inputs by handle (`setpoints.z`), as one message has them; `alive`: a sign of life as well.

    `prefix` stands before the handles of a robot of a world (`drone.`). `stamp` [s] is when it was made, on the twin's clock
    if its driver has that; 0 where nobody says.
    """

    values: tuple[tuple[str, float], ...]
    alive: bool = False
    prefix: str = ""
    stamp: float = 0.0


@dataclass(frozen=True)
class Subscription:
    """A topic that the twin listens to: its name, its message type, and how a message becomes a command."""

    topic: str
    type_name: str
    read: Callable[[Any], Command]

    def under(self, namespace: str, prefix: str) -> Subscription:
        """The same of a robot in a world: its topic in a namespace (`/drone`), its handles behind a prefix (`drone.`)."""
        return Subscription(namespace + self.topic, self.type_name, lambda message: replace(self.read(message), prefix=prefix))


def subscriptions(
    handles: Sequence[str], commands: Mapping[str, CommandSpec] = MappingProxyType({}), base: Sequence[str] = ()
) -> Iterator[Subscription]:
    """Every topic that a twin with these handles listens to, and those that its file adds; `base`: names of its base's frame."""
    for topic, command in commands.items():
        if command.type is not None:
            continue  # a message of the robot's own: own_commands.py
        yield _commanded(topic, command, handles)
    steered = {handle: field for handle, field in _TWIST.items() if handle in handles}
    if steered:
        yield Subscription(CMD_VEL, "geometry_msgs/msg/Twist", lambda message: _from_twist(message, steered))
        yield Subscription(CMD_VEL, "geometry_msgs/msg/TwistStamped", _stamped(steered, base))
    groups = _groups(handles)
    names = spell((*(f"set.{handle}" for handle in handles), *(f"set.{group}" for group in groups)))
    for handle in handles:
        yield Subscription(names[f"set.{handle}"], "std_msgs/msg/Float64", _one(handle))
    for group, members in groups.items():
        yield Subscription(names[f"set.{group}"], "std_msgs/msg/Float64MultiArray", _many(members))


def _commanded(topic: str, command: CommandSpec, handles: Sequence[str]) -> Subscription:
    where = f"ros2.commands.{topic}"
    if ros_name(topic) != topic:
        raise InputError(f"ROS 2 has no such topic, expected a name such as {ros_name(topic)}", path=where)
    for handle in command.sets:
        if handle not in handles:
            raise InputError(f"there is no such set-point or input {handle!r}{nearest(handle, handles)}", path=where)
    if command.words:
        if len(command.sets) != 1:
            raise InputError(f"found {len(command.sets)} handles, expected one that a label sets", path=where)
        return Subscription(topic, "std_msgs/msg/String", _label(command.sets[0], command.words))
    if len(command.sets) == 1:
        return Subscription(topic, "std_msgs/msg/Float64", _one(command.sets[0]))
    return Subscription(topic, "std_msgs/msg/Float64MultiArray", _many(command.sets))


def _groups(handles: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Prefixes of handles that are no handle themselves, and what is below each, in order."""
    groups: dict[str, list[str]] = {}
    for handle in handles:
        parts = handle.split(".")
        for cut in range(1, len(parts)):
            groups.setdefault(".".join(parts[:cut]), []).append(handle)
    return {group: tuple(members) for group, members in groups.items() if group not in handles}


def _from_twist(message: Any, steered: dict[str, tuple[str, str]]) -> Command:
    values = ((handle, getattr(getattr(message, part), axis)) for handle, (part, axis) in steered.items())
    return replace(_command(values), alive=True)


def _stamped(steered: dict[str, tuple[str, str]], base: Sequence[str]) -> Callable[[Any], Command]:
    def read(message: Any) -> Command:
        frame, stamp = message.header.frame_id, message.header.stamp
        if frame not in (*_LABELS, *base):
            raise InputError(f"found a twist in the frame {frame[:40]!r}, expected {' or '.join(base)} or no frame")
        return replace(_from_twist(message.twist, steered), stamp=stamp.sec + 1e-9 * stamp.nanosec)

    return read


def _one(handle: str) -> Callable[[Any], Command]:
    return lambda message: _command([(handle, message.data)])


def _label(handle: str, values: Mapping[str, float]) -> Callable[[Any], Command]:
    def read(message: Any) -> Command:
        if message.data not in values:
            label = message.data[:40]
            raise InputError(f"found {label!r}{nearest(label, values)}, expected one of: {', '.join(values)}")
        return _command([(handle, values[message.data])])

    return read


def _many(members: tuple[str, ...]) -> Callable[[Any], Command]:
    def read(message: Any) -> Command:
        if len(message.data) != len(members):
            raise InputError(f"found {len(message.data)} numbers, expected {len(members)}: {', '.join(members)}")
        return _command(zip(members, message.data, strict=True))

    return read


def _command(values: Any) -> Command:
    numbers = tuple((handle, float(value)) for handle, value in values)
    for handle, value in numbers:
        if not math.isfinite(value):
            raise InputError(f"found {value}, expected a finite number for {handle}")
    return Command(numbers)
