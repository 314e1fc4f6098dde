"""The line protocol of an fdcanusb: text lines that carry CAN frames.

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

__all__ = ["Frame", "Lines", "crc8", "pad", "parse", "received", "render"]

_POLYNOMIAL = 0x97
_LONGEST = 256  # characters that the device has room for
_LARGEST = 64  # bytes of a CAN-FD frame
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
class Frame:
    """A CAN frame: 16 bits of prefix, then the source (with 0x80: wants a reply) and the destination; up to 64 bytes."""

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
    """Bytes of a frame, filled up to a size that CAN-FD knows with subframes that do nothing."""
    size = next(size for size in _SIZES if size >= len(data))
    return data + bytes([_PADDING]) * (size - len(data))


def received(frame: Frame) -> str:
    """A frame as the adapter hands it to the host, padded to a size that CAN-FD knows."""
    return f"rcv {frame.identifier:X} {pad(frame.data).hex().upper()} {'E' if frame.identifier > 0x7FF else 'e'} B F"


def parse(line: bytes) -> Frame | str | None:
    """The frame that a line asks to send, or what is wrong with it; None for a line that asks for nothing."""
    words = line.split()
    if not words:
        return None
    if words[0] != b"can":
        return "ERR unknown command"
    if len(words) < 2 or words[1] not in (b"send", b"std", b"ext"):
        return "ERR unknown subcommand"
    if len(words) < 3:
        return "ERR insufficient options"
    if not _HEX.issuperset(words[2]) or int(words[2], 16) >= 1 << 29:
        return "ERR bad id"
    flags = words[3:] if len(words) > 3 and not _HEX.issuperset(words[3]) else words[4:]
    data = words[3] if len(words) > 3 and _HEX.issuperset(words[3]) else b""
    if len(words) > 3 and not data and not set(words[3]) <= set(b"BbFfRr"):
        return "ERR invalid data"
    if any(not set(flag) <= set(b"BbFfRr") for flag in flags):
        return "ERR unknown flag"
    if len(data) % 2 or len(data) > 2 * _LARGEST:
        return "ERR data invalid length"
    return Frame(int(words[2], 16), bytes.fromhex(data.decode("ascii")))


class Lines:
    """Bytes of a connection in, lines out; keeps half a line and whether checksums are in use."""

    def __init__(self) -> None:
        self.checksum = False
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Frame | str]:
        """What the bytes ask for, one by one: a frame, or the error that answers a line."""
        *lines, rest = _ENDS.split(self._rest + data)
        self._rest = rest[: _LONGEST + 1]
        for line in lines:
            found = self._read(line) if len(line) <= _LONGEST else "ERR unknown command"
            if found is not None:
                yield found

    def _read(self, line: bytes) -> Frame | str | None:
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
