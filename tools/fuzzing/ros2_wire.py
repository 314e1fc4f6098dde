"""CDR payloads of every topic and service that a twin listens to, over DDS itself, within this process."""

from __future__ import annotations

import contextlib
import socket
import struct
from random import Random
from typing import Any

from cyclonedds.core import DDSException
from cyclonedds.pub import DataWriter
from cyclonedds.topic import Topic

import didymos
from didymos.describe.schema import CommandSpec
from didymos.engine.run import Run
from didymos.ports.ros2.commands import STEP, subscriptions
from didymos.ports.ros2.inbox import Inbox, Step
from didymos.ports.ros2.names import dds_request, dds_topic
from didymos.ports.ros2.node import Node, _quality
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.parameters import Parameters
from didymos.ports.ros2.port import _Port
from didymos.ports.ros2.publisher import Publisher
from didymos.ports.ros2.services import open_service
from didymos.ports.serve_options import ServeOptions
from fuzzing.mutators import edit_frame
from fuzzing.wire import LiveTwin, Wire

__all__ = ["Ros2Wire"]

_CDR = b"\0\x01\0\0"
_NUMBERS = (0.0, 1.0, -1.0, 1e300, -1e-320, float("nan"), float("inf"), 1e32)
_NAMES = ("links.chassis.mass", "world.gravity", "nowhere", "", "control.gains.", "é" * 40, "world")


def _text(text: str) -> bytes:
    raw = text.encode() + b"\0"
    return struct.pack("<I", len(raw)) + raw + bytes(-len(raw) % 4)


def free_domain() -> int:
    """A domain whose first participant's port nobody has."""
    for domain in range(101, 200):
        with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as trial:
            trial.bind(("127.0.0.1", 7400 + 250 * domain % 57000 + 10))
            return domain
    raise SystemExit("no free DDS domain")


class Ros2Wire(Wire):
    """Every message and request goes through DDS, the inbox and the port, as one from outside does."""

    def __init__(self) -> None:
        self._node = Node(free_domain(), network=False)
        self._writers: list[tuple[Any, Any, str]] = []
        self._live = LiveTwin(didymos.load("omni_base"), None, self._renew)

    def _renew(self, run: Run) -> None:
        """The port's side of a fresh run; readers and writers stay."""
        options = ServeOptions(step_locked=True, say=lambda _line: None)
        if not self._writers:
            handles = run.simulation.overrides.names
            words = {"/mode": CommandSpec(sets=[handles[0]], words={"up": 1.0, "down": 0.0})}
            subscribed = list(subscriptions(handles, words))
            inbox = Inbox(self._node, say=options.say)
            inbox.step_on(self._node, "", "")
            inbox.subscribe(self._node, subscribed)
            owner = Owner(self._node, "/robot", run.simulation.only)
            for service in Parameters(owner).services:
                open_service(owner, inbox, service)
            self._inbox, self._publisher = inbox, Publisher({"": (self._node, "")}, (), ())
            kinds = {dds_topic(item.topic): item.type_name.rpartition("/")[2] for item in subscribed}
            kinds[dds_topic(STEP)] = "UInt64"
            kinds |= {dds_request(f"/robot/{name}_parameters"): name for name in ("set", "get", "list")}
            for topic, kind in kinds.items():
                self._writers.append((*self._raw_writer(topic), kind))
        self._port = _Port(run, self._inbox, self._publisher, [], options)

    def _raw_writer(self, topic: str) -> tuple[Any, Any]:
        """A writer of the reader's own type whose messages are bytes already."""
        plain = self._node._topics[topic].data_type

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
        index = dice.randrange(len(self._writers))
        body = _body(self._writers[index][2], dice)
        return bytes([index]) + (body if dice.random() < 0.2 else edit_frame(body, dice))

    def send(self, frame: bytes) -> object:
        writer, kind, _ = self._writers[frame[0] % len(self._writers)]
        with contextlib.suppress(DDSException):  # DDS itself refuses what cannot be of the type, here as on the wire
            writer.write(kind(frame[1:]))
        self._inbox._collect()  # what its thread does; without it every frame is read before the next one
        for command in self._inbox.take():
            if not isinstance(command, Step):
                self._port._follow(command)
        self._port._replies = [reply for reply in self._port._replies if not reply.send()]
        self._live.tick()
        return None

    def close(self) -> None:
        self._live.close()
        self._publisher.close()


def _body(kind: str, dice: Random) -> bytes:
    """A sound message of a kind."""

    def number() -> bytes:
        return struct.pack("<d", dice.choice(_NUMBERS))

    if kind == "Twist":
        return _CDR + b"".join(number() for _ in range(6))
    if kind == "Float64":
        return _CDR + number()
    if kind == "Float64MultiArray":
        count = dice.randint(0, 6)
        return _CDR + struct.pack("<III", 0, 0, count) + bytes(4) + b"".join(number() for _ in range(count))
    if kind == "String":
        return _CDR + _text(dice.choice(("up", "down", "left", "é", "")))
    if kind == "UInt64":
        return _CDR + struct.pack("<Q", dice.choice((0, 1, 2**63, 2**64 - 1)))
    head = _CDR + struct.pack("<Qq", 7, dice.randrange(9))
    names = [dice.choice(_NAMES) for _ in range(dice.randint(0, 3))]
    if kind == "set":
        return head + struct.pack("<I", len(names)) + b"".join(_parameter(name, dice) for name in names)
    texts = struct.pack("<I", len(names)) + b"".join(_text(name) for name in names)
    return head + texts + (struct.pack("<Q", dice.choice((0, 1, 2**64 - 1))) if kind == "list" else b"")


def _parameter(name: str, dice: Random) -> bytes:
    """Name and value of a parameter; padding is left to chance, as most of what comes after is."""
    value = struct.pack("<qd", dice.choice((1, -(2**63))), dice.choice(_NUMBERS))
    return _text(name) + bytes([dice.choice((0, 1, 2, 3, 9, 255))]) + bytes(7) + value + _text("") + bytes(20)
