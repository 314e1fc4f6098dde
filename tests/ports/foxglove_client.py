"""A viewer, written from the text of Foxglove's websocket protocol (`foxglove.sdk.v1`); it shares no code with the server.

Messages in CDR are read by `rosbags` from the schema text that the server advertises; the scene, in protobuf, by the few lines
below, from the numbers of the public `foxglove/SceneUpdate.proto` and its like.
"""

from __future__ import annotations

import itertools
import json
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from websockets.sync.client import ClientConnection, connect

SUBPROTOCOL = "foxglove.sdk.v1"
PATIENCE = 120.0  # [s]: a busy machine is slow, and a test that waits longer has failed


@dataclass
class Viewer:
    """A connection, and all that came over it."""

    url: str
    socket: ClientConnection = field(init=False)
    info: dict[str, Any] = field(default_factory=dict)
    channels: dict[str, dict[str, Any]] = field(default_factory=dict)  # by topic
    services: dict[str, dict[str, Any]] = field(default_factory=dict)  # by name
    messages: dict[str, list[tuple[int, bytes]]] = field(default_factory=dict)  # by topic: time [ns] and payload
    times: list[int] = field(default_factory=list)  # [ns] of the server
    parameters: dict[str, Any] = field(default_factory=dict)  # as last heard of
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)  # parameter values by the id of their request
    statuses: list[dict[str, Any]] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)  # statuses
    replies: dict[int, Any] = field(default_factory=dict)  # of services, by call
    graph: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.socket = connect(self.url, subprotocols=[SUBPROTOCOL], max_size=None, compression=None, open_timeout=PATIENCE)
        assert self.socket.subprotocol == SUBPROTOCOL
        self._numbers = itertools.count(1)
        self._subscribed: dict[int, str] = {}
        self._published: dict[tuple[str, str], int] = {}
        self._types: dict[str, Any] = {}
        self.wait(lambda: self.info and self.channels and self.services)

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    # asking

    def say(self, op: str, **fields: Any) -> None:
        self.socket.send(json.dumps({"op": op, **fields}))

    def subscribe(self, *topics: str) -> None:
        """And wait until the server knows: requests are answered in order."""
        new = {next(self._numbers): topic for topic in topics}
        self._subscribed |= new
        self.say("subscribe", subscriptions=[{"id": i, "channelId": self.channels[topic]["id"]} for i, topic in new.items()])
        self.get("nothing")

    def get(self, *names: str) -> dict[str, Any]:
        return self._ask("getParameters", parameterNames=list(names))

    def get_all(self) -> dict[str, Any]:
        return self._ask("getParameters", parameterNames=[])

    def set_all(self, values: dict[str, Any]) -> dict[str, Any]:
        """Of the value None, which unsets a parameter, nothing but the name is sent."""
        fields = [{"name": name} | ({} if value is None else {"value": value}) for name, value in values.items()]
        return self._ask("setParameters", parameters=fields)

    def _ask(self, op: str, **fields: Any) -> dict[str, Any]:
        request = f"request-{next(self._numbers)}"
        self.say(op, id=request, **fields)
        self.wait(lambda: request in self.answers)
        return self.answers[request]

    def call(self, service: str, **fields: Any) -> Any:
        """The answer of a service; a text where it refused."""
        return self.call_raw(service, json.dumps(fields).encode())

    def call_raw(self, service: str, payload: bytes, encoding: str = "json") -> Any:
        number, name = next(self._numbers), encoding.encode()
        head = struct.pack("<BIII", 2, self.services[service]["id"], number, len(name))
        self.socket.send(head + name + payload)
        self.wait(lambda: number in self.replies)
        return self.replies.pop(number)

    def publish(self, topic: str, message: Any, encoding: str = "json", schema: str = "") -> None:
        """Bytes as they are, all else as JSON."""
        if (topic, encoding) not in self._published:
            number = self._published[topic, encoding] = next(self._numbers)
            self.say("advertise", channels=[{"id": number, "topic": topic, "encoding": encoding, "schemaName": schema}])
        payload = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.socket.send(struct.pack("<BI", 1, self._published[topic, encoding]) + payload)

    # hearing

    def wait(self, until: Callable[[], Any]) -> None:
        """Take in what comes until something is so."""
        end = time.monotonic() + PATIENCE
        while not until():
            assert time.monotonic() < end, (self.statuses, self.parameters if len(self.parameters) < 50 else "")
            try:
                self._take(self.socket.recv(timeout=1.0))
            except TimeoutError:
                continue

    def _take(self, message: str | bytes) -> None:
        if isinstance(message, str):
            fields = json.loads(message)
            getattr(self, f"_on_{fields['op']}")(fields)
        elif message[0] == 1:
            number, stamp = struct.unpack_from("<IQ", message, 1)
            self.messages.setdefault(self._subscribed[number], []).append((stamp, message[13:]))
        elif message[0] == 2:
            self.times.append(struct.unpack_from("<Q", message, 1)[0])
        elif message[0] == 3:
            _, call, length = struct.unpack_from("<III", message, 1)
            assert message[13 : 13 + length] == b"json"
            self.replies[call] = json.loads(message[13 + length :])
        else:
            raise AssertionError(f"a message of an unknown kind: {message[0]}")

    def _on_serverInfo(self, fields: dict[str, Any]) -> None:
        self.info = fields

    def _on_advertise(self, fields: dict[str, Any]) -> None:
        for channel in fields["channels"]:
            assert channel["topic"] not in self.channels, "two channels have one topic"
            self.channels[channel["topic"]] = channel

    def _on_advertiseServices(self, fields: dict[str, Any]) -> None:
        self.services |= {service["name"]: service for service in fields["services"]}

    def _on_parameterValues(self, fields: dict[str, Any]) -> None:
        values = {item["name"]: item.get("value") for item in fields["parameters"]}
        self.parameters |= values
        if "id" in fields:
            self.answers[fields["id"]] = values

    def _on_status(self, fields: dict[str, Any]) -> None:
        self.statuses.append(fields)

    def _on_removeStatus(self, fields: dict[str, Any]) -> None:
        self.removed += fields["statusIds"]

    def _on_serviceCallFailure(self, fields: dict[str, Any]) -> None:
        self.replies[fields["callId"]] = fields["message"]

    def _on_connectionGraphUpdate(self, fields: dict[str, Any]) -> None:
        self.graph = fields

    # reading

    def read(self, topic: str, payload: bytes) -> Any:
        """A message in CDR, by the schema that the server gave."""
        channel = self.channels[topic]
        assert (channel["encoding"], channel["schemaEncoding"]) == ("cdr", "ros2msg")
        if topic not in self._types:
            store = self._types[topic] = get_typestore(Stores.EMPTY)
            store.register(get_types_from_msg(channel["schema"], channel["schemaName"]))
        return self._types[topic].deserialize_cdr(payload, channel["schemaName"])

    def last(self, topic: str) -> Any:
        """The newest message of a topic in CDR."""
        return self.read(topic, self.messages[topic][-1][1])


# protobuf: a message is a row of (number of the field << 3 | wire type), then the value


def fields_of(data: bytes) -> Iterator[tuple[int, Any]]:
    """Numbers and values of the fields of a message; texts and inner messages as bytes."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
        elif kind == 1:
            yield key >> 3, struct.unpack_from("<d", data, at)[0]
            at += 8
        elif kind == 2:
            size = varint()
            yield key >> 3, data[at : at + size]
            at += size
        else:
            assert kind == 5
            at += 4


def _numbers(data: bytes, count: int) -> tuple[float, ...]:
    found = dict(fields_of(data))
    return tuple(found.get(i, 0.0) for i in range(1, count + 1))


def _pose(data: bytes) -> tuple[tuple[float, ...], tuple[float, ...]]:
    found = dict(fields_of(data))
    return _numbers(found.get(1, b""), 3), _numbers(found.get(2, b""), 4)


@dataclass(frozen=True)
class Shape:
    """A primitive of an entity: cube, sphere, cylinder or triangles; position, quaternion (x, y, z, w), size, colour."""

    kind: str
    position: tuple[float, ...]
    quaternion: tuple[float, ...]
    size: tuple[float, ...]
    colour: tuple[float, ...]
    points: tuple[tuple[float, ...], ...] = ()
    indices: tuple[int, ...] = ()


def entities(data: bytes) -> dict[str, list[Shape]]:
    """Shapes by frame of a SceneUpdate: deletions = 1, entities = 2; each is locked to its frame and lasts."""
    found: dict[str, list[Shape]] = {}
    for number, entity in fields_of(data):
        if number == 2:
            parts = list(fields_of(entity))
            frame = next(value for i, value in parts if i == 2).decode()
            assert (5, 1) in parts, "frame_locked"
            assert not [value for i, value in parts if i == 4 and value], "lifetime"
            found[frame] = [_shape(i, value) for i, value in parts if i in (8, 9, 10, 12)]
    return found


def _shape(number: int, data: bytes) -> Shape:
    kind = {8: "cube", 9: "sphere", 10: "cylinder", 12: "triangles"}[number]
    parts = list(fields_of(data))
    about = dict(parts)
    position, quaternion = _pose(about.get(1, b""))
    if kind == "triangles":
        points = tuple(_numbers(value, 3) for i, value in parts if i == 2)
        packed = b"".join(value for i, value in parts if i == 5 and isinstance(value, bytes))
        assert len(packed) % 4 == 0
        indices = struct.unpack(f"<{len(packed) // 4}I", packed)  # fixed32
        return Shape(kind, position, quaternion, (), _numbers(about[3], 4), points, indices)
    colour = about[5 if kind == "cylinder" else 3]
    return Shape(kind, position, quaternion, _numbers(about[2], 3), _numbers(colour, 4))
