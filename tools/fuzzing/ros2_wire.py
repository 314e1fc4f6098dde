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
from didymos.describe.ros2_file import CommandSpec
from didymos.engine.run import Run
from didymos.errors import RunError
from didymos.ports.ros2.commands import STEP, subscriptions
from didymos.ports.ros2.inbox import Inbox, Step
from didymos.ports.ros2.names import dds_request, dds_topic, dds_type
from didymos.ports.ros2.node import Node, _quality
from didymos.ports.ros2.outlets import Owner
from didymos.ports.ros2.parameters import Parameters
from didymos.ports.ros2.port import _Port
from didymos.ports.ros2.publisher import Publisher
from didymos.ports.ros2.services import Answer, Service, open_service
from didymos.ports.ros2.simulation_services import SimulationServices
from didymos.ports.serve_options import ServeOptions
from didymos.record.message_types import ros2_types
from fuzzing.mutators import edit_frame
from fuzzing.wire import LiveTwin, Wire

__all__ = ["Ros2Wire"]

_CDR = b"\0\x01\0\0"
_NUMBERS = (0.0, 1.0, -1.0, 1e300, -1e-320, float("nan"), float("inf"), 1e32)
_NAMES = (
    "links.chassis.mass", "world.gravity", "nowhere", "", "control.gains.", "é" * 40, "world", "up", "omni_base", "robot",
    "use_sim_time", "links.*.mass", "(a+)+$", "[[:alpha:]]{1,3}|^o", "a{255}{255}", "file:///etc/passwd",
)  # fmt: skip
_BASE, _NAME, _ARRAY = 1, 2, 3  # rosbags' Nodetype
_FORMS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "bool": ("?", (False, True)), "byte": ("B", (0, 255)), "char": ("B", (0, 255)), "uint8": ("B", (0, 1, 2, 3, 4, 9, 255)),
    "int8": ("b", (0, 1, -128)), "uint16": ("H", (0, 65535)), "int16": ("h", (0, -1)), "uint32": ("I", (0, 1, 2**32 - 1)),
    "int32": ("i", (0, 1, -(2**31))), "uint64": ("Q", (0, 1, 7, 2**63, 2**64 - 1)), "int64": ("q", (0, 1, -(2**63))),
    "float32": ("f", (0.0, 1.0)), "float64": ("d", _NUMBERS),
}  # fmt: skip


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
        self._writers: list[tuple[Any, Any, str, bool]] = []
        self._answers: dict[str, Answer] = {}
        self._live = LiveTwin(didymos.load("omni_base"), None, self._renew)

    def _renew(self, run: Run) -> None:
        """The port's side of a fresh run; readers and writers stay."""
        options = self._options = ServeOptions(step_locked=True, say=lambda _line: None)
        if not self._writers:
            handles = run.simulation.overrides.names
            words = {"/mode": CommandSpec(sets=[handles[0]], words={"up": 1.0, "down": 0.0})}
            subscribed = list(subscriptions(handles, words))
            inbox = Inbox(self._node, say=options.say)
            inbox.step_on(self._node, "", "")
            inbox.subscribe(self._node, subscribed)
            self._inbox, self._publisher = inbox, Publisher({"": (self._node, "")}, (), ())
            ends = [(dds_topic(item.topic), item.type_name, False) for item in subscribed]
            ends += [(dds_topic(STEP), "std_msgs/msg/UInt64", False), *self._services(run, options)]
            for topic, kind, is_request in ends:
                self._writers.append((*self._raw_writer(topic, kind), kind, is_request))
        else:
            self._services(run, options)

    def _services(self, run: Run, options: ServeOptions) -> list[tuple[str, str, bool]]:
        """All services of a run. Readers and writers are those of the first one; a later run answers in its place."""
        owner = Owner(self._node, "/robot", run.simulation.only)
        self._port = _Port(run, self._inbox, self._publisher, options)
        features = [Parameters(owner), SimulationServices(owner, run, self._port.control)]
        self._port.features = features
        fresh = []
        for service in (service for feature in features for service in feature.services):
            if service.name not in self._answers:
                open_service(owner, self._inbox, Service(service.name, service.type_name, self._latest(service.name)))
                fresh.append((dds_request(service.name), f"{service.type_name}_Request", True))
            self._answers[service.name] = service.answer
        return fresh

    def _latest(self, name: str) -> Answer:
        return lambda run, request: self._answers[name](run, request)

    def _raw_writer(self, topic: str, type_name: str) -> tuple[Any, Any]:
        """A writer of the reader's own type whose messages are bytes already."""
        typename = dds_type(type_name)  # /cmd_vel has two
        plain = next(kind for (name, kind) in self._node._topics if name == topic and kind.__idl_typename__ == typename)

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
        body = _body(*self._writers[index][2:], dice)
        return bytes([index]) + (body if dice.random() < 0.2 else edit_frame(body, dice))

    def send(self, frame: bytes) -> object:
        writer, kind, *_ = self._writers[frame[0] % len(self._writers)]
        with contextlib.suppress(DDSException):  # DDS itself refuses what cannot be of the type, here as on the wire
            writer.write(kind(frame[1:]))
        self._inbox._collect()  # what its thread does; without it every frame is read before the next one
        for command in self._inbox.take():
            if not isinstance(command, Step):
                self._port._follow(command)
        steps = self._port.control.steps
        if steps is not None:
            steps.left = min(steps.left, 3)  # time is for frames
        if self._options.stop.is_set():  # it was told to quit
            self._renew(self._live.run)
        try:
            for feature in self._port.features:
                self._port._replies += feature.tend(self._port._run)
        except RunError:  # by what it was commanded
            self._live.begin_again()
        self._port._replies = [reply for reply in self._port._replies if not reply.send()]
        self._live.tick()
        return None

    def close(self) -> None:
        self._live.close()
        self._publisher.close()


def _body(kind: str, is_request: bool, dice: Random) -> bytes:
    """A sound message of a kind, in CDR: numbers are aligned to their size."""
    data = bytearray(struct.pack("<Qq", 7, dice.randrange(9)) if is_request else b"")
    _fill(data, (_NAME, kind), dice)
    return _CDR + bytes(data)


def _fill(data: bytearray, node: tuple[int, Any], dice: Random) -> None:
    """Append a value of a type, as `rosbags` describes it."""
    kind, what = node
    if kind == _NAME:
        for _, field in ros2_types().fielddefs[what][1]:
            _fill(data, field, dice)
    elif kind == _BASE and what[0] == "string":
        raw = dice.choice(_NAMES).encode() + b"\0"
        data += bytes(-len(data) % 4) + struct.pack("<I", len(raw)) + raw
    elif kind == _BASE:
        form, values = _FORMS[what[0]]
        number = struct.pack(f"<{form}", dice.choice(values))
        data += bytes(-len(data) % len(number)) + number
    else:
        count = what[1] if kind == _ARRAY else dice.randint(0, 3)
        if kind != _ARRAY:
            data += bytes(-len(data) % 4) + struct.pack("<I", count)
        for _ in range(count):
            _fill(data, what[0], dice)
