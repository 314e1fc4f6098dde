"""Everything that a run records goes out as ROS 2 topics, on a thread of its own: the run never waits for a reader.

Rows wait in a queue with an end. Where the wire cannot follow, the rows that find it full are dropped and counted; what a
slow reader misses beyond the depth of its writer is DDS's business, as it is between any two ROS 2 nodes.
"""

from __future__ import annotations

import queue
from collections.abc import Mapping, Sequence
from threading import Thread
from typing import Any

import numpy as np
from cyclonedds.core import DDSException
from numpy.typing import NDArray

from didymos.ports.ros2.encode import MessageEncoder
from didymos.ports.ros2.names import dds_topic, wire_names
from didymos.ports.ros2.node import Node
from didymos.ports.ros2.types import message_type, raw_type, type_hash
from didymos.record.stream import Kind, StreamLayout

__all__ = ["STEPPED", "Publisher"]

STEPPED = "/stepped"
"""The tick that a step-locked run has reached, after everything that was recorded on the way."""

_ROOM = 20_000  # batches of rows on their way: some seconds of a busy twin
_BACKLOG = 4_000_000  # [bytes] that a writer holds at most for slow readers

_Rows = tuple[int, NDArray[np.float64], NDArray[np.float64]]


class Publisher:
    """Sends the rows of streams; `sent` and `lost` count messages."""

    def __init__(
        self, node: Node, layouts: Sequence[StreamLayout], statics: Sequence[tuple[StreamLayout, Any]], renamed: Mapping[str, str]
    ) -> None:
        self.sent = self.lost = 0
        self._encoders = [MessageEncoder(layout) for layout in layouts]
        self._poses = _poses(layouts)
        pose_topics = [encoder.topics[0] for encoder, _ in self._poses.values()]
        names = wire_names(layouts, renamed, pose_topics)
        self._writers: dict[str, Any] = {}
        self._kinds: dict[str, Any] = {}
        for layout, encoder in zip(layouts, self._encoders, strict=True):
            for topic in encoder.topics:
                self._open(node, topic, names[topic], encoder, layout.kind)
        for encoder, _ in self._poses.values():
            self._open(node, encoder.topics[0], encoder.topics[0], encoder, Kind.POSE)
        self._stepped = node.writer(dds_topic(STEPPED), message_type("std_msgs/msg/UInt64"), depth=1000)
        self._queue: queue.Queue[_Rows | int | None] = queue.Queue(_ROOM)
        self._say_statics(node, statics)
        self._thread = Thread(target=self._work, name="didymos-ros2-out", daemon=True)
        self._thread.start()

    def put(self, index: int, times: NDArray[np.float64], rows: NDArray[np.float64]) -> None:
        """Rows of a stream, to be sent soon; returns at once."""
        try:
            self._queue.put_nowait((index, times, rows))
        except queue.Full:
            self.lost += len(times) * (len(self._encoders[index].topics) + (index in self._poses))

    def put_stepped(self, tick: int) -> None:
        """Say which tick was reached, after all rows put before."""
        if self.alive:
            self._queue.put(tick)

    @property
    def alive(self) -> bool:
        """Whether its thread does its work."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Send what is left and end."""
        if self.alive:
            self._queue.put(None)
        self._thread.join()

    def _open(self, node: Node, topic: str, name: str, encoder: MessageEncoder, kind: Kind) -> None:
        """One writer per topic, with the quality of service that ROS 2's own nodes use there."""
        if topic in self._writers:
            return
        depth = min(max(10, _BACKLOG // encoder.size), 1000)
        self._kinds[topic] = raw_type(encoder.type_name)
        self._writers[topic] = node.writer(
            dds_topic(name),
            self._kinds[topic],
            depth=10 if kind is Kind.CLOCK else depth,
            reliable=kind is not Kind.CLOCK,  # as rclcpp::ClockQoS
            lasting=kind is Kind.TF_STATIC,  # as tf2_ros::StaticBroadcasterQoS
            about=f"typehash={type_hash(encoder.type_name)};",
        )

    def _say_statics(self, node: Node, statics: Sequence[tuple[StreamLayout, Any]]) -> None:
        """Send once what never changes; its writers keep it for whoever comes later."""
        for layout, row in statics:
            encoder = MessageEncoder(layout)
            self._open(node, encoder.topics[0], encoder.topics[0], encoder, layout.kind)
            self._send(encoder, np.zeros(1), np.asarray(row, np.float64)[None, :])

    def _work(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                return
            if isinstance(item, int):
                self._stepped.write(message_type("std_msgs/msg/UInt64")(data=item))
            else:
                index, times, rows = item
                self._send(self._encoders[index], times, rows)
                if index in self._poses:
                    encoder, columns = self._poses[index]
                    self._send(encoder, times, rows[:, columns])

    def _send(self, encoder: MessageEncoder, times: NDArray[np.float64], rows: NDArray[np.float64]) -> None:
        for topic, messages in zip(encoder.topics, encoder.encode(times, rows), strict=True):
            writer, kind = self._writers[topic], self._kinds[topic]
            for message in messages:
                try:
                    writer.write(kind(message))
                    self.sent += 1
                except DDSException:  # a reader kept the writer waiting for too long
                    self.lost += 1


def _poses(layouts: Sequence[StreamLayout]) -> dict[int, tuple[MessageEncoder, list[int]]]:
    """`/pose`: the pose in `truth` alone, unless something else has that name; by the number of the stream it is a part of."""
    if any("/pose" in layout.topics for layout in layouts):
        return {}
    encoders = {}
    for index, layout in enumerate(layouts):
        if layout.name == "truth":
            columns = [i for i, name in enumerate(layout.columns) if name.startswith(("position.", "orientation."))]
            names, units = ([which[i] for i in columns] for which in (layout.columns, layout.units))
            encoders[index] = (MessageEncoder(StreamLayout("pose", Kind.POSE, tuple(names), tuple(units), layout.frame)), columns)
    return encoders
