"""The line protocol of an fdcanusb: text lines that carry the messages of a CAN bus.

    can send ID DATA [FLAGS]     host to bus, ID and DATA in hexadecimal; answered by OK or ERR
    rcv ID DATA FLAGS            bus to host

A line may end in ` *XX`, a CRC-8 (polynomial 0x97) of all before the star. From the first good one on, every line of that
connection must have one, and every answer has one.

Reference: fdcanusb and moteus firmware, can_manager and uart_fdcanusb_micro_server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Lines", "Message", "crc8", "pad", "parse", "received", "render"]

_POLYNOMIAL = 0x97
_LONGEST = 256  # characters that the device has room for
_LARGEST = 64  # bytes of a CAN-FD message
_SIZES = (*range(9), 12, 16, 20, 24, 32, 48, 64)
_PADDING = 0x50  # the subframe that does nothing
_HEX = frozenset(b"0123456789abcdefABCDEF")


_ENDS = re.compile(rb"[\r\n]")


def _divided(byte: int) -> int:
    """What is left of a byte, divided by the polynomial."""
    for _ in range(8):
        byte = (byte << 1) ^ (0x100 | _POLYNOMIAL if byte & 0x80 else 0)
    return byte


_TABLE = tuple(map(_divided, range(256)))


@dataclass(frozen=True)
class Message:
    """A message on the bus: 16 bits of prefix, then the source (with 0x80: wants a reply) and the destination; up to 64 bytes."""

    identifier: int
    data: bytes

    @property
    def prefix(self) -> int:
        """Which kind of traffic it is; 0 for a moteus out of the box."""
        return self.identifier >> 16

    @property
    def source(self) -> int:
        """Who sent it."""
        return (self.identifier >> 8) & 0x7F

    @property
    def destination(self) -> int:
        """Whom it is for."""
        return self.identifier & 0x7F

    @property
    def wants_reply(self) -> bool:
        """Whether the sender waits for an answer."""
        return bool(self.identifier & 0x8000)


def crc8(text: bytes) -> int:
    """Checksum of a line."""
    crc = 0
    for byte in text:
        crc = _TABLE[crc ^ byte]
    return crc


def render(text: str, checksum: bool) -> bytes:
    """A line as it goes to the host."""
    line = text.encode("ascii")
    if checksum:
        line += b" "
        line += b"*%02X" % crc8(line)
    return line + b"\r\n"


def pad(data: bytes) -> bytes:
    """Bytes of a message, filled up to a size that CAN-FD knows with subframes that do nothing."""
    size = next(size for size in _SIZES if size >= len(data))
    return data + bytes([_PADDING]) * (size - len(data))


def received(message: Message) -> str:
    """A message as the adapter hands it to the host, padded to a size that CAN-FD knows."""
    return f"rcv {message.identifier:X} {pad(message.data).hex().upper()} {'E' if message.identifier > 0x7FF else 'e'} B F"


def parse(line: bytes) -> Message | str | None:
    """The message that a line sends, or what is wrong with it; None for an empty line."""
    fields = line.split()
    if not fields:
        return None
    if fields[0] != b"can":
        return "ERR unknown command"
    if len(fields) < 2 or fields[1] not in (b"send", b"std", b"ext"):
        return "ERR unknown subcommand"
    if len(fields) < 3:
        return "ERR insufficient options"
    if not _HEX.issuperset(fields[2]) or int(fields[2], 16) >= 1 << 29:
        return "ERR bad id"
    flags = fields[3:] if len(fields) > 3 and not _HEX.issuperset(fields[3]) else fields[4:]
    data = fields[3] if len(fields) > 3 and _HEX.issuperset(fields[3]) else b""
    if len(fields) > 3 and not data and not set(fields[3]) <= set(b"BbFfRr"):
        return "ERR invalid data"
    if any(not set(flag) <= set(b"BbFfRr") for flag in flags):
        return "ERR unknown flag"
    if len(data) % 2 or len(data) > 2 * _LARGEST:
        return "ERR data invalid length"
    return Message(int(fields[2], 16), bytes.fromhex(data.decode("ascii")))


class Lines:
    """Bytes of a connection in, lines out; keeps half a line and whether checksums are in use."""

    def __init__(self) -> None:
        self.checksum = False
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Message | str]:
        """What the lines send, one by one: a message, or the error that answers a line."""
        *lines, rest = _ENDS.split(self._rest + data)
        self._rest = rest[: _LONGEST + 1]
        for line in lines:
            item = self._read(line) if len(line) <= _LONGEST else "ERR unknown command"
            if item is not None:
                yield item

    def _read(self, line: bytes) -> Message | str | None:
        if not line.strip():
            return None
        star = line.rfind(b"*")
        if star >= 0 and star + 3 == len(line) and _HEX.issuperset(line[star + 1 :]):
            if int(line[star + 1 :], 16) != crc8(line[:star]):
                return "ERR checksum"
            self.checksum = True
            line = line[:star]
        elif self.checksum:
            return "ERR checksum"
        return parse(line)
