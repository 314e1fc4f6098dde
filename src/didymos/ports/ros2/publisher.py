"""Everything that a run records goes out as ROS 2 topics, on a thread of its own: the run never waits for a reader.

Rows wait in a queue with an end. Where the wire cannot follow, the rows that find it full are dropped and counted; what a
slow reader misses beyond the depth of its writer is DDS's business, as it is between any two ROS 2 nodes. A stream that nobody
reads is not encoded: DDS would throw it away.
"""

from __future__ import annotations

import queue
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Thread
from typing import Any

import numpy as np
from cyclonedds.core import DDSException
from numpy.typing import NDArray

from didymos.engine.row_buffer import Row
from didymos.ports.ros2.encode import MessageEncoder
from didymos.ports.ros2.names import dds_topic
from didymos.ports.ros2.node import Node
from didymos.ports.ros2.outlets import Outlet
from didymos.ports.ros2.types import message_type, raw_type, type_hash
from didymos.record.stream import Kind

__all__ = ["STEPPED", "Publisher"]

STEPPED = "/stepped"
"""The tick that a step-locked run has reached, after everything that was recorded on the way."""

_ROOM = 5_000  # slices of a run on their way: some seconds
_BACKLOG = 4_000_000  # [bytes] that a writer holds at most for slow readers


@dataclass(frozen=True)
class _Sender:
    """An outlet with its encoder, the type of its messages and the writer of each of its topics."""

    encoder: MessageEncoder
    kind: Any
    writers: tuple[Any, ...]
    columns: tuple[int, ...] | None

    @property
    def read(self) -> bool:
        """Whether anybody reads any of its topics."""
        return any(writer.get_publication_matched_status().current_count for writer in self.writers)


@dataclass(frozen=True)
class _Stepped:
    """The tick that was reached, and the robot whose driver is told."""

    robot: str
    tick: int


class Publisher:
    """Sends the rows of streams; `sent` and `lost` count messages.

    Args:
        steppers: who says which tick a step-locked run has reached: node and namespace, by the name of the robot.
        outlets: where the rows of the streams go.
        statics: what never changes, each with its one row.
    """

    def __init__(
        self, steppers: Mapping[str, tuple[Node, str]], outlets: Iterable[Outlet], statics: Iterable[tuple[Outlet, Any]]
    ) -> None:
        self.sent = self.lost = 0
        self._writers: dict[tuple[Node, str], Any] = {}
        self._senders: defaultdict[int, list[_Sender]] = defaultdict(list)
        for outlet in outlets:
            self._senders[outlet.stream].append(self._open(outlet))
        number = message_type("std_msgs/msg/UInt64")
        self._stepped = {
            robot: node.writer(dds_topic(namespace + STEPPED), number, depth=1000)
            for robot, (node, namespace) in steppers.items()
        }
        self._queue: queue.Queue[list[Row] | _Stepped | None] = queue.Queue(_ROOM)
        for outlet, row in statics:  # sent once; its writers keep it for whoever comes later
            self._send(self._open(outlet), np.zeros(1), np.asarray(row, np.float64)[None, :])
        self._thread = Thread(target=self._work, name="didymos-ros2-out", daemon=True)
        self._thread.start()

    def put(self, rows: list[Row], _pictures: object = ()) -> None:
        """Rows of streams, to be sent soon; returns at once."""
        try:
            self._queue.put_nowait(rows)
        except queue.Full:
            for index, times, _ in rows:
                self.lost += len(times) * sum(len(sender.writers) for sender in self._senders[index])

    def put_stepped(self, robot: str, tick: int) -> None:
        """Say which tick was reached, after all rows put before, to the driver of a robot or, without a name, of the run."""
        if self.alive:
            self._queue.put(_Stepped(robot, tick))

    @property
    def alive(self) -> bool:
        """Whether its thread does its work."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Send what is left and end."""
        if self.alive:
            self._queue.put(None)
        self._thread.join()

    def _open(self, outlet: Outlet) -> _Sender:
        encoder = MessageEncoder(outlet.layout)
        kind = raw_type(encoder.type_name)
        writers = tuple(self._writer(outlet, topic, encoder, kind) for topic in outlet.topics)
        return _Sender(encoder, kind, writers, outlet.columns)

    def _writer(self, outlet: Outlet, topic: str, encoder: MessageEncoder, kind: Any) -> Any:
        """One writer per node and topic, with the quality of service that ROS 2's own nodes use there."""
        what = outlet.layout.kind
        if (outlet.node, topic) not in self._writers:
            self._writers[outlet.node, topic] = outlet.node.writer(
                dds_topic(topic),
                kind,
                depth=10 if what is Kind.CLOCK else min(max(10, _BACKLOG // encoder.size), 1000),
                reliable=what is not Kind.CLOCK,  # as rclcpp::ClockQoS
                lasting=what is Kind.TF_STATIC,  # as tf2_ros::StaticBroadcasterQoS
                about=f"typehash={type_hash(encoder.type_name)};",
            )
        return self._writers[outlet.node, topic]

    def _work(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                return
            if isinstance(item, _Stepped):
                self._stepped[item.robot].write(message_type("std_msgs/msg/UInt64")(data=item.tick))
                continue
            for index, times, rows in item:
                for sender in self._senders[index]:
                    if sender.read:
                        self._send(sender, times, rows if sender.columns is None else rows[:, sender.columns])

    def _send(self, sender: _Sender, times: NDArray[np.float64], rows: NDArray[np.float64]) -> None:
        for writer, messages in zip(sender.writers, sender.encoder.encode(times, rows), strict=True):
            for message in messages:
                try:
                    writer.write(sender.kind(message))
                    self.sent += 1
                except DDSException:  # a reader kept the writer waiting for too long
                    self.lost += 1
