"""The message between a twin and a firmware in another process, the same in both directions, little-endian:

    4 bytes   "DID1"
    uint16    kind: 1 hello, 2 step, 3 end
    uint16    how many numbers follow; in a hello: how many bytes of text
    uint64    count, from 0, one more each step
    float64   time [s] of the twin's clock
    float64   as many numbers

The twin says hello once with a JSON text:

    {"period": s, "sensors": names, "attitude": bool, "setpoints": names, "commands": names,
     "units": {"sensors": units, "setpoints": units, "commands": units}, "layout": text}

The other side may answer with a hello of its own, {"layout": text}: the one that its C header told (`header.py`); a run of
another layout is refused. Then, for every step, the twin sends its count, its time and the numbers: all sensors, the true roll,
pitch and yaw [rad] if `attitude`, all set-points; and waits for a message with the same count and the commands. A last message of
kind 3 ends it.
"""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["END", "HELLO", "STEP", "BadMessage", "Message", "Reader", "pack", "pack_hello"]

MAGIC = b"DID1"
HELLO, STEP, END = 1, 2, 3
_HEAD = struct.Struct("<4sHHQd")
_MOST = 65535  # that a uint16 counts


class BadMessage(Exception):
    """Bytes that are no message."""


@dataclass(frozen=True)
class Message:
    """A message that came in: its kind, its count, its time [s], its numbers (of a hello: its facts)."""

    kind: int
    count: int
    time: float
    numbers: tuple[float, ...] = ()
    facts: Mapping[str, Any] | None = None


def pack(kind: int, count: int, time: float, numbers: Sequence[float] = ()) -> bytes:
    """The bytes of a message with numbers."""
    return _HEAD.pack(MAGIC, kind, len(numbers), count, time) + struct.pack(f"<{len(numbers)}d", *numbers)


def pack_hello(facts: Mapping[str, Any]) -> bytes:
    """The bytes of a hello; `BadMessage` where its text has no room in one."""
    text = json.dumps(facts).encode()
    if len(text) > _MOST:
        raise BadMessage(f"found a hello of {len(text)} bytes, expected at most {_MOST}: there are too many names")
    return _HEAD.pack(MAGIC, HELLO, len(text), 0, 0.0) + text


class Reader:
    """Messages from a socket; what has come of a message stays here until the rest has."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self._received = line, b""

    def read(self) -> Message:
        """The next message; `BadMessage` where there is none, EOFError where the other side closed."""
        magic, kind, size, count, time = _HEAD.unpack(self._first(_HEAD.size))
        if magic != MAGIC or kind not in (HELLO, STEP, END):
            raise BadMessage(f"found bytes that begin with {magic!r} and kind {kind}, expected {MAGIC!r} and a kind from 1 to 3")
        end = _HEAD.size + (size if kind == HELLO else 8 * size)
        body = self._first(end)[_HEAD.size :]
        self._received = self._received[end:]
        if kind == HELLO:
            return Message(kind, count, time, facts=_facts(body))
        return Message(kind, count, time, struct.unpack(f"<{size}d", body))

    def _first(self, size: int) -> bytes:
        while len(self._received) < size:
            more = self._line.recv(65536)
            if not more:
                raise EOFError
            self._received += more
        return self._received[:size]


def _facts(body: bytes) -> dict[str, Any]:
    try:
        facts = json.loads(body)
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict):
        raise BadMessage("found a hello whose text is no JSON object")
    return facts
