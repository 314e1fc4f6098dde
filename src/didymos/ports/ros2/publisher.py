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
from didymos.ports.ros2.encode import NOTHING, Batch, Encoder
from didymos.ports.ros2.names import dds_topic
from didymos.ports.ros2.node import Node
from didymos.ports.ros2.outlets import Outlet
from didymos.ports.ros2.pictures import PictureOutlet
from didymos.ports.ros2.quality import STREAM, Quality
from didymos.ports.ros2.statics import Static
from didymos.ports.ros2.types import message_type, raw_type, type_hash
from didymos.record.image import Picture

__all__ = ["STEPPED", "Publisher"]

STEPPED = "/stepped"
"""The tick that a step-locked run has reached, after everything that was recorded on the way."""

_ROOM = 5_000  # slices of a run on their way: some seconds
_BACKLOG = 4_000_000  # [bytes] that a writer holds at most for slow readers


@dataclass(frozen=True)
class _Sender:
    """An outlet: what makes its messages, their type and the writer of each of its topics."""

    encoder: Encoder
    kind: Any
    writers: tuple[Any, ...]

    @property
    def read(self) -> bool:
        """Whether anybody reads any of its topics."""
        return any(writer.get_publication_matched_status().current_count for writer in self.writers)


@dataclass(frozen=True)
class _PictureSender:
    """A topic of a camera, the type of its messages and its writer."""

    outlet: PictureOutlet
    kind: Any
    writer: Any


@dataclass(frozen=True)
class _Slice:
    """What a slice of a run recorded: rows of streams, and pictures by the names of their cameras."""

    rows: list[Row]
    pictures: list[tuple[str, Picture]]


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
        statics: messages that are sent once; their writers keep them for whoever comes later.
        pictures: where pictures go, each with its node.
    """

    def __init__(
        self,
        steppers: Mapping[str, tuple[Node, str]],
        outlets: Iterable[Outlet],
        statics: Iterable[Static],
        pictures: Iterable[tuple[Node, PictureOutlet]] = (),
    ) -> None:
        self.sent = self.lost = 0
        self._writers: dict[tuple[Node, str], Any] = {}
        self._senders: defaultdict[int, list[_Sender]] = defaultdict(list)
        for outlet in outlets:
            self._senders[outlet.stream].append(self._open(outlet))
        self._cameras: defaultdict[str, list[_PictureSender]] = defaultdict(list)
        for node, picture in pictures:
            writer = self._writer(node, picture.topic, picture.type_name, STREAM, picture.size)
            self._cameras[picture.camera].append(_PictureSender(picture, raw_type(picture.type_name), writer))
        number = message_type("std_msgs/msg/UInt64")
        self._stepped = {
            robot: node.writer(dds_topic(namespace + STEPPED), number, depth=1000)
            for robot, (node, namespace) in steppers.items()
        }
        self._queue: queue.Queue[_Slice | _Stepped | None] = queue.Queue(_ROOM)
        for static in statics:
            writer = self._writer(static.node, static.topic, static.type_name, static.quality, len(static.data))
            self._write(writer, raw_type(static.type_name)(static.data))
        self._thread = Thread(target=self._work, name="didymos-ros2-out", daemon=True)
        self._thread.start()

    def put(self, rows: list[Row], pictures: list[tuple[str, Picture]] | tuple[()] = ()) -> None:
        """Rows of streams and pictures, to be sent soon; returns at once."""
        try:
            self._queue.put_nowait(_Slice(rows, list(pictures)))
        except queue.Full:
            for index, times, _ in rows:
                self.lost += len(times) * sum(len(sender.writers) for sender in self._senders[index])
            self.lost += sum(len(self._cameras[camera]) for camera, _ in pictures)

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
        encoder, quality = outlet.encoder, outlet.quality
        writers = tuple(self._writer(outlet.node, topic, encoder.type_name, quality, encoder.size) for topic in outlet.topics)
        return _Sender(encoder, raw_type(encoder.type_name), writers)

    def _writer(self, node: Node, topic: str, type_name: str, quality: Quality, size: int) -> Any:
        """One writer per node and topic, with the quality of service that ROS 2's own nodes use there."""
        if (node, topic) not in self._writers:
            self._writers[node, topic] = node.writer(
                dds_topic(topic),
                raw_type(type_name),
                depth=quality.depth or min(max(10, _BACKLOG // size), 1000),
                reliable=quality.reliable,
                lasting=quality.lasting,
                about=f"typehash={type_hash(type_name)};",
            )
        return self._writers[node, topic]

    def _work(self) -> None:
        while True:
            item = self._queue.get()
            if item is None:
                return
            if isinstance(item, _Stepped):
                self._stepped[item.robot].write(message_type("std_msgs/msg/UInt64")(data=item.tick))
                continue
            batch = {index: (times, rows) for index, times, rows in item.rows}
            for index, times, rows in item.rows:
                for sender in self._senders[index]:
                    if sender.read:
                        self._send(sender, times, rows, batch)
            for camera, picture in item.pictures:
                self._send_picture(camera, picture)

    def _send(
        self, sender: _Sender, times: NDArray[np.float64], rows: NDArray[np.float64], batch: Batch = NOTHING
    ) -> None:
        for writer, messages in zip(sender.writers, sender.encoder.encode(times, rows, batch), strict=True):
            for message in messages:
                self._write(writer, sender.kind(message))

    def _send_picture(self, camera: str, picture: Picture) -> None:
        for sender in self._cameras[camera]:
            if sender.writer.get_publication_matched_status().current_count:
                message = sender.outlet.encode(picture)
                if message is not None:
                    self._write(sender.writer, sender.kind(message))

    def _write(self, writer: Any, message: Any) -> None:
        try:
            writer.write(message)
            self.sent += 1
        except DDSException:  # a reader kept the writer waiting for too long
            self.lost += 1
