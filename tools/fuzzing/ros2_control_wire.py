"""Requests and messages of ros2_control, and of types of a robot's own, over DDS itself, within this process."""

from __future__ import annotations

import contextlib
from random import Random
from typing import Any

from cyclonedds.core import DDSException
from cyclonedds.pub import DataWriter
from cyclonedds.topic import Topic

import didymos
from didymos.describe.ros2_file import CommandSpec
from didymos.engine.run import Run
from didymos.ports.ros2.control import Control
from didymos.ports.ros2.controllers import STRICT
from didymos.ports.ros2.inbox import Inbox
from didymos.ports.ros2.node import Node, _quality
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.port import _Port
from didymos.ports.ros2.publisher import Publisher
from didymos.ports.ros2.robot_features import robot_features
from didymos.ports.ros2.services import Delivery, Listens, Request, open_service, open_topic
from didymos.ports.ros2.types import message_type
from didymos.ports.serve_options import ServeOptions
from didymos.record.message_types import ros2_types
from fuzzing.mutators import edit_frame
from fuzzing.ros2_wire import free_domain
from fuzzing.wire import LiveTwin, Wire

__all__ = ["Ros2ControlWire"]

_NUMBERS = (0.0, 0.1, -0.1, 0.5, 1.0, -1.0, 1e300, -1e-320, float("nan"), float("inf"))
_WHOLE = (0, 1, 2, 3, 4, 100, 127)
_TEXTS = (
    "LFT_joint", "LFH_joint", "RRK_joint", "nose", "", "joint_trajectory_controller", "forward_position_controller",
    "forward_velocity_controller", "forward_effort_controller", "joint_state_broadcaster", "é" * 30,
)  # fmt: skip
_OWN = CommandSpec.model_validate(
    {"type": "geometry_msgs/msg/PoseArray", "fields": {"joints.LFT_joint.position": "poses.0.position.x", "setpoints.mode": 1}}
)


class Ros2ControlWire(Wire):
    """Every message goes through DDS, the inbox and the port, to the controllers of a robot whose program is idle."""

    def __init__(self) -> None:
        self._node = Node(free_domain(), network=False)
        self._ends: list[tuple[Any, Any, str]] = []
        twin = didymos.load("meldog")
        twin.file.ros2.commands["/orders"] = _OWN
        self._live = LiveTwin(twin, "idle", self._renew)

    def _renew(self, run: Run) -> None:
        """The port's side of a fresh run: readers and writers of a node of its own."""
        options = ServeOptions(step_locked=True, say=lambda _line: None)
        node = self._node if not self._ends else self._node.another()
        owner = Owner(node, "/robot", run.simulation.only)
        inbox, features = Inbox(node, say=options.say), robot_features(owner)
        for feature in features:
            if isinstance(feature, Control):
                feature._switched(run, feature.controllers.switch(["joint_trajectory_controller"], [], STRICT))
                self._joints = list(feature.controllers.plans["joint_trajectory_controller"].joints)
        self._ends = []
        for feature in features:
            for service in feature.services:
                open_service(owner, inbox, service)
                self._ends.append((*self._writer(f"rq{service.name}Request"), f"{service.type_name}_Request"))
            for topic in feature.topics if isinstance(feature, Listens) else ():
                open_topic(owner, inbox, topic)
                self._ends.append((*self._writer(f"rt{topic.topic}"), topic.type_name))
        self._inbox = inbox
        publisher = Publisher({"": (node, "")}, (), ())
        self._port = _Port(run, inbox, publisher, options)
        self._port.features = features
        self._close = publisher.close

    def _writer(self, topic: str) -> tuple[Any, Any]:
        """A writer of the reader's own type whose messages are bytes already, and that type."""
        plain = next(kind for (name, kind) in self._node._topics if name == topic)

        class Raw(plain):  # type: ignore[misc, valid-type]
            def __init__(self, data: bytes) -> None:
                self.data_bytes = data

            def serialize(self, **_: Any) -> bytes:
                return self.data_bytes

        for name in ("__idl__", "__idl_typename__", "__idl_annotations__", "__idl_field_annotations__"):
            setattr(Raw, name, getattr(plain, name))
        made = Topic(self._node.participant, topic, Raw)
        return DataWriter(self._node.participant, made, qos=_quality(10, True, False, "")), Raw

    def frame(self, dice: Random) -> bytes:
        index = dice.randrange(len(self._ends))
        _, kind, type_name = self._ends[index]
        body = _sound(kind, type_name, self._joints, dice)
        return bytes([index]) + (body if dice.random() < 0.4 else edit_frame(body, dice))

    def send(self, frame: bytes) -> object:
        writer, kind, _ = self._ends[frame[0] % len(self._ends)]
        with contextlib.suppress(DDSException):  # DDS itself refuses what cannot be of the type, here as on the wire
            writer.write(kind(frame[1:]))
        self._inbox._collect()
        for command in self._inbox.take():
            if isinstance(command, Request | Delivery):
                self._port._follow(command)
        self._port._tend_features()
        self._port._replies = [reply for reply in self._port._replies if not reply.send()]
        self._live.tick()
        return None

    def close(self) -> None:
        self._live.close()
        self._close()


def _sound(kind: Any, type_name: str, joints: list[str], dice: Random) -> bytes:
    """A whole message of a type with random content."""
    fields = {name: _value(node, dice) for name, node in ros2_types().fielddefs[type_name][1]}
    plain = kind.__mro__[1]
    whole = fields.get("goal")
    if whole is not None and dice.random() < 0.5:
        _amend(whole.trajectory, joints, dice)
    if type_name.endswith("_Request"):
        fields = {"client": 7, "number": dice.randrange(9), **fields}
    return bytes(plain(**fields).serialize())


def _amend(trajectory: Any, joints: list[str], dice: Random) -> None:
    """A trajectory that has a chance to be followed."""
    trajectory.joint_names = dice.sample(joints, len(joints))
    trajectory.header.stamp.sec = trajectory.header.stamp.nanosec = 0
    for i, point in enumerate(trajectory.points):
        point.positions = [dice.choice((0.0, 0.1, -0.5)) for _ in joints]
        point.velocities, point.accelerations, point.effort = dice.choice(([], [0.0] * len(joints))), [], []
        point.time_from_start.sec, point.time_from_start.nanosec = i, dice.choice((0, 1_000_000))


def _value(node: tuple[int, Any], dice: Random) -> Any:
    kind, what = node
    if kind == 1:
        base = what[0]
        if base == "string":
            return dice.choice(_TEXTS)
        if base == "bool":
            return bool(dice.randrange(2))
        return dice.choice(_NUMBERS if base.startswith("float") else _WHOLE)
    if kind == 2:
        fields = {name: _value(inner, dice) for name, inner in ros2_types().fielddefs[what][1]}
        return message_type(what)(**fields)
    count = what[1] if kind == 3 else dice.choice((0, 1, 1, 2, 12))
    return [_value(what[0], dice) for _ in range(count)]
