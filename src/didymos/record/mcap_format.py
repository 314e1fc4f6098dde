"""MCAP's records as bytes (https://mcap.dev/spec): packed for the recorder, unpacked for the reader.

A record is its kind (1 byte), the length of its content (8) and the content. Numbers are little endian; a string is its length
(4 bytes) and its bytes in UTF-8, a map the length of all its pairs in bytes and the pairs.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

from didymos.record.zstd import unpack_zstd

__all__ = [
    "CHANNEL", "CHUNK", "CHUNK_INDEX", "DATA_END", "FOOTER", "HEADER", "MAGIC", "MESSAGE", "METADATA", "METADATA_INDEX", "SCHEMA",
    "STATISTICS", "SUMMARY_OFFSET", "Channel", "Cursor", "Metadata", "Schema", "record", "text", "unpack_chunk",
]  # fmt: skip

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, CHUNK_INDEX = 1, 2, 3, 4, 5, 6, 8
STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = 11, 12, 13, 14, 15

_LARGEST_CHUNK = 1 << 28  # [B]; writers make them of some megabytes


def record(kind: int, *content: bytes) -> bytes:
    """A record of several pieces of content."""
    return struct.pack("<BQ", kind, sum(map(len, content))) + b"".join(content)


def text(value: str) -> bytes:
    """A string with its length in front."""
    data = value.encode()
    return struct.pack("<I", len(data)) + data


def _pairs(texts: Mapping[str, str]) -> bytes:
    data = b"".join(text(key) + text(value) for key, value in texts.items())
    return struct.pack("<I", len(data)) + data


@dataclass(frozen=True)
class Schema:
    """The type of messages: its name and its definition, in an encoding such as `ros2msg`."""

    id: int
    name: str
    encoding: str
    data: bytes

    def packed(self) -> bytes:
        """The record."""
        size = struct.pack("<I", len(self.data))
        return record(SCHEMA, struct.pack("<H", self.id), text(self.name), text(self.encoding), size, self.data)

    @classmethod
    def unpacked(cls, content: bytes) -> Schema:
        """From the content of a record."""
        cursor = Cursor(content)
        number, name, encoding = cursor.number("H"), cursor.text(), cursor.text()
        return cls(number, name, encoding, cursor.take(cursor.number("I")))


@dataclass(frozen=True)
class Channel:
    """A topic whose messages are of one schema, in an encoding such as `cdr`."""

    id: int
    schema_id: int
    topic: str
    encoding: str
    about: Mapping[str, str]

    def packed(self) -> bytes:
        """The record."""
        ids = struct.pack("<HH", self.id, self.schema_id)
        return record(CHANNEL, ids, text(self.topic), text(self.encoding), _pairs(self.about))

    @classmethod
    def unpacked(cls, content: bytes) -> Channel:
        """From the content of a record."""
        cursor = Cursor(content)
        return cls(cursor.number("H"), cursor.number("H"), cursor.text(), cursor.text(), cursor.pairs())


@dataclass(frozen=True)
class Metadata:
    """Texts about the recording, under a name."""

    name: str
    texts: Mapping[str, str]

    def packed(self) -> bytes:
        """The record."""
        return record(METADATA, text(self.name), _pairs(self.texts))

    @classmethod
    def unpacked(cls, content: bytes) -> Metadata:
        """From the content of a record."""
        cursor = Cursor(content)
        return cls(cursor.text(), cursor.pairs())


class Cursor:
    """Reads the content of a record from front to back.

    Raises:
        EOFError: there is less in it than is read.
        ValueError: a string is not UTF-8.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.position = data, 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        start, self.position = self.position, self.position + size
        if self.position > len(self.data):
            raise EOFError
        return self.data[start : self.position]

    def number(self, kind: str) -> int:
        """The next number, of a kind of `struct`."""
        form = struct.Struct("<" + kind)
        return int(form.unpack(self.take(form.size))[0])

    def text(self) -> str:
        """The next string."""
        return self.take(self.number("I")).decode()

    def pairs(self) -> dict[str, str]:
        """The next map of strings."""
        end = self.number("I") + self.position
        found = {}
        while self.position < end:
            key = self.text()
            found[key] = self.text()
        return found


def unpack_chunk(content: bytes) -> bytes:
    """The records of a chunk.

    Raises:
        ValueError: it is packed in a way that MCAP does not know, is too large, is not what its sum or size says, or cannot be
            unpacked.
    """
    cursor = Cursor(content)
    _, _, size, checksum = (cursor.number(kind) for kind in "QQQI")
    packing, packed = cursor.text(), cursor.take(cursor.number("Q"))
    if size > _LARGEST_CHUNK:
        raise ValueError(f"a chunk says that it unpacks to {size} bytes")
    if packing == "lz4":
        from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]

        data = bytes(LZ4FrameDecompressor().decompress(packed, max_length=size + 1))
    elif packing == "zstd":
        data = unpack_zstd(packed, size + 1)
    elif packing:
        raise ValueError(f"packed with {packing!r}")
    else:
        data = packed
    if len(data) != size or (checksum and zlib.crc32(data) != checksum):
        raise ValueError("a chunk is not what its sum says")
    return data
