"""MAVLink's messages, by `pymavlink`: the dialect `common`, frames of version 1 and 2 in, version 2 out."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from didymos.errors import InputError

try:
    from pymavlink.dialects.v20 import common as mavlink
except ImportError as error:
    if (error.name or "").partition(".")[0] != "pymavlink":
        raise
    what = "the port mavlink needs pymavlink; this installs it: pip install 'didymos[mavlink]'"
    raise InputError(what, option="port") from None

__all__ = ["AUTOPILOT", "FrameReader", "Sender", "mavlink", "messages"]

AUTOPILOT = 1
"""The component that an autopilot is."""

_V1, _V2, _SIGNED = 0xFE, 0xFD, 0x01
_SIGNATURE = 13  # bytes


class Sender:
    """Packs messages of a system; `take` hands over the frames since the last time."""

    def __init__(self, system: int) -> None:
        self._frames: list[bytes] = []
        self._mav: Any = mavlink.MAVLink(self, srcSystem=system, srcComponent=AUTOPILOT)

    def write(self, frame: bytes) -> None:
        """Called by `pymavlink`."""
        self._frames.append(bytes(frame))

    def put(self, message: Any) -> None:
        """Send a message."""
        self._mav.send(message)

    def take(self) -> list[bytes]:
        """All frames since the last time."""
        found, self._frames = self._frames, []
        return found


def messages(datagram: bytes) -> Iterator[Any]:
    """The messages of a datagram, None once for each stretch that is none; a frame does not go over several datagrams."""
    reader = FrameReader()
    yield from reader.feed(datagram)
    yield from reader.end()


class FrameReader:
    """Messages of bytes that come in pieces, None once for each stretch that is none.

    What is not known of the dialect, or has a wrong length or checksum, is passed over byte by byte, so that a good frame behind
    bad bytes is found. Less than one frame waits for its rest.
    """

    def __init__(self) -> None:
        self._decoder: Any = mavlink.MAVLink(None)
        self._data, self._lost = b"", False

    def feed(self, data: bytes) -> Iterator[Any]:
        """The messages that are whole with these bytes."""
        yield from self._read(self._data + data, whole=False)

    def end(self) -> Iterator[Any]:
        """What is left, where no more bytes come."""
        yield from self._read(self._data, whole=True)
        if self._lost:
            self._lost = False
            yield None

    def _read(self, data: bytes, *, whole: bool) -> Iterator[Any]:
        at = 0
        while at < len(data):
            length = _length(data, at)
            if length > len(data) - at and not whole:
                break
            message = _decoded(self._decoder, data[at : at + length]) if 0 < length <= len(data) - at else None
            if message is None:
                self._lost, at = True, at + 1
                continue
            if self._lost:
                self._lost = False
                yield None
            at += length
            yield message
        self._data = data[at:]


def _length(data: bytes, at: int) -> int:
    """How many bytes the frame has that begins here, of a begin that is too short the least; 0 where none does."""
    left = len(data) - at
    if data[at] == _V1:
        return 8 + (data[at + 1] if left > 1 else 0)
    if data[at] != _V2 or (left > 2 and data[at + 2] & ~_SIGNED):
        return 0
    signature = _SIGNATURE if left > 2 and data[at + 2] & _SIGNED else 0
    return 12 + (data[at + 1] if left > 1 else 0) + signature


def _decoded(decoder: Any, frame: bytes) -> Any:
    """The message of a frame, None where it is none or not known."""
    try:
        found = decoder.decode(bytearray(frame))
    except (mavlink.MAVError, struct.error, ValueError, IndexError, TypeError):
        return None
    return None if found.get_msgId() < 0 or found.get_type().startswith("UNKNOWN") else found
