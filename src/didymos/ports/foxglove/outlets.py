"""The channels of the wire: every topic of the log, under its name, in its message type and encoding; pictures; the scene.

What never changes (the scene, frames that are fixed to links) is kept, and sent to whoever subscribes to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import foxglove

from didymos.engine.objects import OBJECTS
from didymos.ports.foxglove.scene import SCENE, object_frames, scene
from didymos.ports.ros2.encode import MessageEncoder
from didymos.record.cdr import write_message
from didymos.record.image import PinHole, topics_of
from didymos.record.message_types import definition
from didymos.record.messages import TABLE
from didymos.record.stream import Kind, StreamLayout

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["Channels", "Outlet"]

_STATIC, _TF = "/tf_static", "/tf"


@dataclass(frozen=True)
class Outlet:
    """Where rows of a stream go: their encoder, a channel for each of its topics, and the columns that are sent (all: None)."""

    encoder: MessageEncoder
    channels: tuple[foxglove.Channel, ...]
    columns: tuple[int, ...] | None = None

    @property
    def heard(self) -> bool:
        """Whether anybody has subscribed to any of its channels."""
        return any(channel.has_sinks() for channel in self.channels)


class Channels:
    """All channels of a run in a context of their own.

    Attributes:
        streams: where the rows of each stream of the log go, by its number.
        pictures: of each camera its channels, in the order of `record.image.messages_of`, with their message types.
        kept: messages that never change, by the number of their channel.
        topics: all topics, in order.
    """

    def __init__(self, simulation: Simulation, context: foxglove.Context) -> None:
        self._context, self._by_topic = context, dict[str, foxglove.Channel]()
        self.streams: dict[int, list[Outlet]] = {}
        for i, layout in enumerate(simulation.layouts):
            self.streams[i] = [self._outlet(layout, layout.topics)]
        frames = object_frames(simulation)
        for i, layout in enumerate(simulation.layouts):
            name = layout.name.removeprefix(f"{OBJECTS}.")
            if layout.kind is Kind.ODOMETRY and layout.name.startswith(f"{OBJECTS}.") and name in frames:
                self.streams[i].append(self._transform(layout, frames[name]))
        self.pictures: dict[str, tuple[PinHole, list[tuple[foxglove.Channel, str]]]] = {}
        for eye in simulation.cameras:
            self.pictures[eye.name] = (eye, [(self._ros_channel(topic, kind), kind) for topic, kind in topics_of(eye)])
        self.kept: dict[int, tuple[foxglove.Channel, bytes]] = {}
        self._keep_scene(simulation)
        self._keep_frames(simulation)

    @property
    def topics(self) -> tuple[str, ...]:
        """All topics, in order."""
        return tuple(self._by_topic)

    def send_kept(self, time: int, channel: int | None = None) -> None:
        """Send what never changes, of one channel or all, stamped with a time [ns]."""
        for number, (own, message) in self.kept.items():
            if channel is None or number == channel:
                own.log(message, log_time=time)

    def _outlet(self, layout: StreamLayout, topics: tuple[str, ...], columns: tuple[int, ...] | None = None) -> Outlet:
        kind = TABLE[layout.kind].type_name
        return Outlet(MessageEncoder(layout), tuple(self._ros_channel(topic, kind) for topic in topics), columns)

    def _transform(self, layout: StreamLayout, frame: str) -> Outlet:
        """The pose of an object, which the log has as odometry, on /tf."""
        columns = tuple(i for i, name in enumerate(layout.columns) if name.startswith(("position.", "orientation.")))
        names, units = zip(*((f"{frame}.{layout.columns[i]}", layout.units[i]) for i in columns), strict=True)
        return self._outlet(StreamLayout("tf", Kind.TF, names, units, layout.frame, labels=(frame,)), (_TF,), columns)

    def _ros_channel(self, topic: str, kind: str) -> foxglove.Channel:
        """The channel of a topic; streams share one where the log lets them share the topic."""
        if topic not in self._by_topic:
            schema = foxglove.Schema(name=kind, encoding="ros2msg", data=definition(kind))
            self._by_topic[topic] = foxglove.Channel(topic, schema=schema, message_encoding="cdr", context=self._context)
        return self._by_topic[topic]

    def _keep(self, channel: foxglove.Channel, message: bytes) -> None:
        self.kept[channel.id()] = (channel, message)

    def _keep_scene(self, simulation: Simulation) -> None:
        made = scene(simulation)
        schema = type(made).get_schema()
        channel = foxglove.Channel(SCENE, schema=schema, message_encoding="protobuf", context=self._context)
        self._by_topic[SCENE] = channel
        self._keep(channel, made.encode())

    def _keep_frames(self, simulation: Simulation) -> None:
        """The named frames that are fixed to links, of all robots in one message: viewers keep the last one of a topic."""
        transforms = []
        for robot in simulation.robots.values():
            prefix = f"{robot.name}/" if robot.name else ""
            for frame in robot.twin.description.frames.values():
                transforms.append(_transform_values(prefix + frame.link, prefix + frame.name, frame.position, frame.quaternion))
        if transforms:
            values = {f"transforms.{i}.{path}": value for i, each in enumerate(transforms) for path, value in each.items()}
            data = write_message("tf2_msgs/msg/TFMessage", {"transforms": len(transforms), **values})
            self._keep(self._ros_channel(_STATIC, "tf2_msgs/msg/TFMessage"), data)


def _transform_values(parent: str, child: str, position: Any, quaternion: Any) -> dict[str, Any]:
    (x, y, z), (w, *axis) = map(float, position), map(float, quaternion)
    turn = dict(zip("wxyz", (w, *axis), strict=True))
    return {
        "header.frame_id": parent, "child_frame_id": child,
        **{f"transform.translation.{name}": value for name, value in zip("xyz", (x, y, z), strict=True)},
        **{f"transform.rotation.{name}": value for name, value in turn.items()},
    }  # fmt: skip
