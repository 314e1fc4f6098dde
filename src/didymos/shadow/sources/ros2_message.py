"""ROS 2 messages of a stream, as bytes -> stamp and signals, by the table with which the log writes them.

Where a number lies in a message follows from the lengths of the texts and rows before it. That is found once for messages that
agree in all of them and in their names (`CdrMap`); the numbers of all further ones are taken out by one call of `struct`.

Streams of scalars come as `control_msgs/DynamicJointState` (`ports/ros2/stamped_scalars.py`), or as `sensor_msgs/JointState`:
`drive` with a position is `inputs.drive.position`, or `inputs.drive` where the twin has one value of it alone.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from didymos.ports.ros2.stamped_scalars import DYNAMIC_JOINT_STATE, know_dynamic_joint_state
from didymos.record.cdr import CdrMap, Leaf, read_map
from didymos.record.message_types import ros2_types
from didymos.record.messages import TABLE, fields_of
from didymos.record.stream import Kind, StreamLayout

__all__ = ["JOINT_STATE", "MessageReader"]

JOINT_STATE = TABLE[Kind.JOINT_STATES].type_name

_LAYOUTS = 64  # of messages that are remembered; a robot has one or two per topic
_CODES = {"u1": "B", "i1": "b", "u2": "H", "i2": "h", "u4": "I", "i4": "i", "u8": "Q", "i8": "q", "f4": "f", "f8": "d"}
_JOINT_FIELDS = ("position", "velocity", "effort")
_NS = 1_000_000_000


@dataclass(frozen=True)
class _Plan:
    """Messages of one layout: what they have in common, and how their numbers are taken out."""

    fixed: tuple[tuple[int, int, bytes], ...]  # first byte, last byte + 1, content
    numbers: struct.Struct
    signals: tuple[str, ...]

    def fits(self, data: bytes) -> bool:
        return all(data[first:last] == content for first, last, content in self.fixed)


class MessageReader:
    """Reads messages of one type on the topic of a stream.

    Args:
        layout: of the stream.
        type_name: of the messages.
        wanted: the signals that are taken out.
        beam: whether the stream is of a range finder, whose log has -1 where there is no echo.

    Attributes:
        signals: that are taken out, where a message has them.
        unknown: what messages told of that the stream does not have.
    """

    def __init__(self, layout: StreamLayout, type_name: str, wanted: Collection[str], *, beam: bool = False) -> None:
        if type_name == DYNAMIC_JOINT_STATE:
            know_dynamic_joint_state()
        self._layout, self._type, self._beam = layout, type_name, beam
        self.signals = tuple(signal for signal in layout.signals if signal in wanted)
        self._plans: dict[int, list[_Plan]] = {}
        self._known = 0
        self.unknown: set[str] = set()

    def read(self, data: bytes) -> tuple[float, dict[str, float]]:
        """Stamp [s] and values of a message; numbers that are none are left out. What is no such message is a `CdrError`."""
        plan = next((plan for plan in self._plans.get(len(data), ()) if plan.fits(data)), None)
        if plan is None:
            plan = self._learn(data)
        seconds, nanoseconds, *values = plan.numbers.unpack_from(data)
        found = {name: value for name, value in zip(plan.signals, values, strict=True) if value == value}
        if self._beam:
            found = {name: -1.0 if math.isinf(value) else value for name, value in found.items()}
        return (seconds * _NS + nanoseconds) / _NS, found

    def _learn(self, data: bytes) -> _Plan:
        message = read_map(ros2_types(), self._type, data)
        columns = sorted(self._columns(message), key=lambda item: item[1].offset)
        stamp = [message.leaf(f"{TABLE[Kind.JOINT_STATES].stamp}.{part}") for part in ("sec", "nanosec")]
        texts = [(offset, offset + size) for offset, size in message.strings.values()]
        fixed = sorted([(0, 4), *((offset, offset + 4) for offset in message.lengths), *texts])
        plan = _Plan(
            tuple((first, last, data[first:last]) for first, last in fixed),
            _struct([*stamp, *(leaf for _, leaf in columns)]),
            tuple(name for name, _ in columns),
        )
        if self._known >= _LAYOUTS:
            self._plans.clear()
            self._known = 0
        self._plans.setdefault(len(data), []).append(plan)
        self._known += 1
        return plan

    def _columns(self, message: CdrMap) -> Iterator[tuple[str, Leaf]]:
        """Signals that a message holds, each once, and where."""
        found: dict[str, Leaf] = {}
        for candidates, path in self._fields(message):
            array = path.rpartition(".")[0]
            held = message.numbers.get(path) or message.numbers.get(array)
            if held is None or (path not in message.numbers and int(path.rpartition(".")[2]) >= held.count):
                continue  # a JointState may leave out velocities or efforts
            signal = next((name for name in candidates if name in self.signals), None)
            if signal is not None and signal not in found:
                found[signal] = message.leaf(path)
            elif signal is None and self._layout.kind in (Kind.SCALARS, Kind.JOINT_STATES):
                thing = candidates[0].rpartition(".")[0]
                if not any(name == thing or name.startswith(f"{thing}.") for name in self._layout.signals):
                    self.unknown.add(thing)
        yield from found.items()

    def _fields(self, message: CdrMap) -> Iterator[tuple[tuple[str, ...], str]]:
        """Every number that a message may hold: the signals that it may be, the likeliest first, and its path."""
        stream = self._layout.name
        if self._layout.kind is Kind.SCALARS:
            for thing, interface, path in _things(message, self._type):
                yield (f"{stream}.{thing}.{interface}", f"{stream}.{thing}"), path
            return
        table = TABLE[self._layout.kind]
        count = message.counts.get(table.labels, 0)
        labels = tuple(message.text(table.label.format(i=i)) if table.label else str(i) for i in range(count))
        for column, path, _ in fields_of(self._layout.kind, labels):
            yield (f"{stream}.{column}",), path


def _things(message: CdrMap, type_name: str) -> Iterator[tuple[str, str, str]]:
    """Thing, interface and path of the numbers of a message of named values."""
    if type_name == JOINT_STATE:
        for i in range(message.counts["name"]):
            for what in _JOINT_FIELDS:
                yield message.text(f"name.{i}"), what, f"{what}.{i}"
        return
    for i in range(min(message.counts["joint_names"], message.counts["interface_values"])):
        own = f"interface_values.{i}"
        for j in range(message.counts[f"{own}.interface_names"]):
            yield message.text(f"joint_names.{i}"), message.text(f"{own}.interface_names.{j}"), f"{own}.values.{j}"


def _struct(leaves: list[Leaf]) -> struct.Struct:
    """What takes numbers out of a message, in the order of their places."""
    order, code, end = leaves[0].dtype[0], "", 0
    for leaf in leaves:
        kind = leaf.dtype[1:]
        code += f"{leaf.offset - end}x{_CODES[kind]}"
        end = leaf.offset + int(kind[1])
    return struct.Struct(order + code)
