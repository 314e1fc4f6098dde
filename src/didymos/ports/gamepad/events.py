"""Events of the kernel's input layer (`struct input_event`): what every pad on Linux says, over USB or Bluetooth.

24 bytes each on a 64-bit machine: time of the event [s, us], kind, code, value.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["AXIS", "DROPPED", "EVENT", "KEY", "SYNC", "Event", "decode", "encode"]

EVENT = struct.Struct("@llHHi")
SYNC, KEY, AXIS = 0, 1, 3
DROPPED = 3
"""Code of a SYNC event: the kernel's buffer ran over, and what the pad shows now must be asked for."""


@dataclass(frozen=True)
class Event:
    """One change of a pad at a time [s]."""

    time: float
    kind: int
    code: int
    value: int


def encode(event: Event) -> bytes:
    """The event as the kernel writes it."""
    seconds = int(event.time // 1)
    return EVENT.pack(seconds, round((event.time - seconds) * 1e6), event.kind, event.code, event.value)


def decode(content: bytes) -> Iterator[Event]:
    """All whole events in some bytes."""
    for seconds, micros, kind, code, value in EVENT.iter_unpack(content[: len(content) // EVENT.size * EVENT.size]):
        yield Event(seconds + 1e-6 * micros, kind, code, value)
