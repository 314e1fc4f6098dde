"""Tables of contents: what there is to log and to set, by number, with a checksum by which clients keep them.

    3            -> 3, count, CRC             16 and 32 bits
    2, number    -> 2, number, type, group \\0 name \\0         nothing behind 2 where there is no such number
    1; 0, number -> the same with 8 bits for count and number, for clients of old
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Protocol
from zlib import crc32

from didymos.ports.crtp.packet import MOST_DATA

__all__ = ["Contents", "Entry"]

_OLD_ITEM, _OLD_INFO, _ITEM, _INFO = range(4)


class Entry(Protocol):
    """An entry of a table."""

    @property
    def group(self) -> str:
        """The first half of its name."""

    @property
    def name(self) -> str:
        """The second half."""

    @property
    def type_byte(self) -> int:
        """Its type as the table has it."""


class Contents:
    """The table of some entries."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._items = [bytes([item.type_byte]) + f"{item.group}\0{item.name}\0".encode("ascii") for item in entries]
        names = [f"{item.group}.{item.name}" for item in entries]
        if len(set(names)) < len(names) or any(len(item) > MOST_DATA - 3 for item in self._items):
            raise ValueError("an entry of a table is there twice or has too long a name")
        self.crc = crc32(b"".join(self._items))

    def answer(self, request: bytes) -> bytes | None:
        """The answer to a request; None to what is no request."""
        command, rest = request[0] if request else -1, request[1:]
        if command == _INFO:
            return struct.pack("<BHI", _INFO, len(self._items), self.crc)
        if command == _OLD_INFO:
            return struct.pack("<BBIBB", _OLD_INFO, min(len(self._items), 255), self.crc, 16, 128)
        if command == _ITEM and len(rest) >= 2:
            number = struct.unpack_from("<H", rest)[0]
            return request[:1] + (rest[:2] + self._items[number] if number < len(self._items) else b"")
        if command == _OLD_ITEM and rest:
            return request[:1] + (rest[:1] + self._items[rest[0]] if rest[0] < len(self._items) else b"")
        return None
