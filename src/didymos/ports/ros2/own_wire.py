"""Commands and messages in types of the robot's own, on the wire."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Sequence
from typing import Any

from cyclonedds.core import DDSException

from didymos.engine.row_buffer import Row
from didymos.engine.run import Run
from didymos.errors import InputError
from didymos.ports.ros2.control import Control
from didymos.ports.ros2.hardware import Hardware, steer
from didymos.ports.ros2.message_fields import Leaf, fit_number
from didymos.ports.ros2.names import dds_topic
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.own_commands import OwnCommand, own_commands
from didymos.ports.ros2.own_messages import OwnMessage, own_messages
from didymos.ports.ros2.services import Listening, Reply, Service
from didymos.ports.ros2.types import blank, blank_field, message_type, type_hash
from didymos.record.message_types import ros2_types

__all__ = ["OwnWire"]


class OwnWire:
    """What a robot's own programs know of it: their commands in, their messages out."""

    def __init__(self, owner: Owner, hardware: Hardware, control: Control | None) -> None:
        assert owner.robot is not None
        self.services: list[Service] = []
        self._robot, self._hardware, self._control = owner.robot, hardware, control
        offered = [item for item in own_commands(owner.robot) if hardware.lines or not item.needs_joints]
        self.topics = [Listening(owner.namespace + item.topic, item.type_name, self._taker(item)) for item in offered]
        self.messages = list(own_messages(owner.robot))
        self._senders = [_Sender(owner, item) for item in self.messages]
        self._heard = False

    @property
    def busy(self) -> bool:
        """Whether it has something to do in every slice."""
        return any(sender.read for sender in self._senders)

    def tend(self, run: Run) -> Iterable[Reply]:
        """Send what is due."""
        if self._senders and not self._heard:
            self._heard = True
            prefix = f"{self._robot.name}." if self._robot.name else ""
            layouts = [layout.signals for layout in run.log.layouts]
            for sender in self._senders:
                sender.find(layouts, prefix)
            run.listen(self._hear)
        for sender in self._senders:
            sender.send(run.simulation.time)
        return ()

    def _hear(self, rows: list[Row], _pictures: object) -> None:
        for sender in self._senders:
            sender.hear(rows)

    def _taker(self, command: OwnCommand) -> Any:
        def take(run: Run, message: Any) -> None:
            ordered = command.read(message)
            goals = ordered.goals()
            for joint in goals:
                if joint not in self._hardware.lines:
                    raise InputError(f"joint {joint!r} cannot be commanded while its program runs")
                if self._control is not None and self._control.controllers.claims(joint):
                    raise InputError(f"a controller has claimed joint {joint!r}; switch it off first")
            for handle, value in ordered.handles.items():
                steer(run, self._robot, handle, value)
            if goals:
                self._hardware.command(run, goals)

        return take


class _Sender:
    """One message of the robot's own: its writer, and the message itself, whose values change in place."""

    def __init__(self, owner: Owner, about: OwnMessage) -> None:
        self._about, self._message = about, blank(about.type_name)
        topic = dds_topic(owner.namespace + about.topic)
        told = f"typehash={type_hash(about.type_name)};"
        self._writer = owner.node.writer(topic, message_type(about.type_name), depth=100, about=told)
        self._spots: list[tuple[Any, Any, str, str]] = []  # what holds a value, where in it, its kind, its signal
        for slot in about.slots:
            holder, key = self._spot(slot.leaf)
            value = slot.constant if isinstance(slot.constant, str) else fit_number(slot.leaf.base, slot.constant)
            _put(holder, key, value)
            if slot.signal is not None:
                self._spots.append((holder, key, slot.leaf.base, slot.signal))
        self._columns: dict[int, list[tuple[int, int]]] = {}  # by stream: column, and which spot it is for
        self._next = 0.0

    @property
    def read(self) -> bool:
        """Whether anybody reads it."""
        return bool(self._writer.get_publication_matched_status().current_count)

    def find(self, layouts: Sequence[Sequence[str]], prefix: str) -> None:
        """Find its signals among those of the streams of a log."""
        places = {signal: (i, column) for i, signals in enumerate(layouts) for column, signal in enumerate(signals)}
        for spot, (_, _, _, signal) in enumerate(self._spots):
            stream, column = places[prefix + signal]
            self._columns.setdefault(stream, []).append((column, spot))

    def hear(self, rows: Sequence[Row]) -> None:
        """Take the last values of what was recorded."""
        for stream, _, values in rows:
            for column, spot in self._columns.get(stream, ()):
                holder, key, base, _ = self._spots[spot]
                _put(holder, key, fit_number(base, float(values[-1, column])))

    def send(self, now: float) -> None:
        """Send it, where it is due at a time [s]."""
        period = 1.0 / self._about.rate
        if 1e-9 < self._next - now < 1.5 * period:  # later: the run was reset
            return
        self._next = (math.floor(now / period + 1e-6) + 1) * period
        if not self.read:
            return
        if self._about.stamp:
            holder = self._message
            for step in self._about.stamp:
                holder = getattr(holder, step)
            nanoseconds = round(now * 1e9)
            holder.sec, holder.nanosec = nanoseconds // 10**9, nanoseconds % 10**9
        with contextlib.suppress(DDSException):  # a reader kept it waiting for too long
            self._writer.write(self._message)

    def _spot(self, leaf: Leaf) -> tuple[Any, Any]:
        """What holds a field, and where in it; rows grow as far as they have to."""
        holder: Any = self._message
        type_name: Any = self._about.type_name
        node: Any = None
        for i, step in enumerate(leaf.steps):
            if isinstance(step, str):
                node = dict(ros2_types().fielddefs[type_name][1])[step]
            else:
                node = node[1][0]
                while len(holder) <= step:
                    holder.append(blank_field(node))
            if node[0] == 2:
                type_name = node[1]
            if i + 1 < len(leaf.steps):
                holder = getattr(holder, step) if isinstance(step, str) else holder[step]
        return holder, leaf.steps[-1]


def _put(holder: Any, key: Any, value: Any) -> None:
    if isinstance(key, str):
        setattr(holder, key, value)
    else:
        holder[key] = value
