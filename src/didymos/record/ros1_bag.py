"""Bags of ROS 1 (`#ROSBAG V2.0`) -> raw messages.

A bag is a row of records, each a header of named fields and data. Messages and the connections that describe them (topic,
type and the text of its definition) lie in chunks, plain or packed with bz2 or lz4; an index follows at the end. The bag is
read from front to back without the index, so one that was cut off, or never closed (`.active`), gives all that stands before
the damage.
Format: http://wiki.ros.org/Bags/Format/2.0
"""

from __future__ import annotations

import bz2
import struct
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from didymos.errors import InputError
from didymos.record.raw_messages import RawMessages, normal_type
from didymos.record.topics import Stream, load_topics

__all__ = ["MAGIC", "load_ros1_bag"]

MAGIC = b"#ROSBAG V2.0\n"
_OP_MESSAGE, _OP_CHUNK, _OP_CONNECTION = 2, 5, 7
_LARGEST_HEADER = 1 << 20
_LARGEST_CHUNK = 1 << 28  # [B]; rosbag's are 768 kB
_U32, _TIME = struct.Struct("<I"), struct.Struct("<II")


class _DamageError(ValueError):
    """Bytes that are no record of a bag."""


def load_ros1_bag(path: Path) -> tuple[list[Stream], dict[str, str]]:
    """Streams of a bag, as (layout, times [s], values), and its metadata: `damage`, `unread`, `time_shift` [s].

    Raises:
        InputError: the file cannot be read, or holds nothing that could be a signal.
    """
    reader = _Reader()
    damage = ""
    try:
        with path.open("rb") as file:
            if file.read(len(MAGIC)) != MAGIC:
                raise InputError("this is not a bag of ROS 1: it does not begin with #ROSBAG V2.0", file=path)
            try:
                reader.read(file)
            except (struct.error, ValueError, RuntimeError, EOFError, MemoryError, LookupError, OverflowError) as error:
                damage = f"cut off or damaged near byte {file.tell()}, read up to there ({error or type(error).__name__})"
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from error
    return load_topics(list(reader.topics.values()), path, damage)


class _Reader:
    def __init__(self) -> None:
        self.topics: dict[tuple[str, str], RawMessages] = {}
        self.connections: dict[int, RawMessages] = {}

    def read(self, file: BinaryIO) -> None:
        """Take every record of a file."""
        while True:
            size = file.read(4)
            if not size:
                return
            header = _fields(_exactly(file, _limited(_U32.unpack(size)[0], _LARGEST_HEADER)))
            data = _exactly(file, _limited(_U32.unpack(_exactly(file, 4))[0], _LARGEST_CHUNK))
            op = header.get(b"op", b"\0")[0]
            if op == _OP_CHUNK:
                self._chunk(_unpacked(data, header))
            elif op == _OP_CONNECTION:
                self._connect(header, data)

    def _chunk(self, data: bytes) -> None:
        """Take the messages and connections of a chunk."""
        found: dict[int, tuple[list[int], list[int], list[int]]] = {}
        for header, start, size in _records(data):
            op = header.get(b"op", b"\0")[0]
            if op == _OP_CONNECTION:
                self._connect(header, data[start : start + size])
            elif op == _OP_MESSAGE:
                seconds, part = _TIME.unpack(header[b"time"])
                starts, sizes, times = found.setdefault(_U32.unpack(header[b"conn"])[0], ([], [], []))
                starts.append(start)
                sizes.append(size)
                times.append(seconds * 10**9 + part)
        for number, (starts, sizes, times) in found.items():
            self.connections[number].add(data, starts, sizes, times)

    def _connect(self, header: Mapping[bytes, bytes], data: bytes) -> None:
        about = _fields(data)
        topic = header[b"topic"].decode(errors="replace")
        type_name = normal_type(about[b"type"].decode(errors="replace"))
        new = RawMessages(topic, type_name, "ros1", "ros1msg", about[b"message_definition"])
        self.connections[_U32.unpack(header[b"conn"])[0]] = self.topics.setdefault((topic, type_name), new)


def _fields(data: bytes) -> dict[bytes, bytes]:
    """The fields of a header: each a length, then NAME=VALUE."""
    fields, position = {}, 0
    while position < len(data):
        size = _U32.unpack_from(data, position)[0]
        position += 4
        name, equals, value = data[position : position + size].partition(b"=")
        position += size
        if not equals or position > len(data):
            raise _DamageError("a header is not made of fields")
        fields[name] = value
    return fields


def _records(data: bytes) -> Iterator[tuple[dict[bytes, bytes], int, int]]:
    """Header of each record of a chunk, and where its data begins and how long it is [B]."""
    position = 0
    while position < len(data):
        size = _U32.unpack_from(data, position)[0]
        header = _fields(data[position + 4 : position + 4 + size])
        position += 4 + size
        length = _U32.unpack_from(data, position)[0]
        position += 4
        if position + length > len(data):
            raise _DamageError("a record ends beyond its chunk")
        yield header, position, length
        position += length


def _unpacked(data: bytes, header: Mapping[bytes, bytes]) -> bytes:
    """The records of a chunk; one that would unpack to more than it says, or to very much, is damaged."""
    said = _limited(_U32.unpack(header[b"size"])[0], _LARGEST_CHUNK)
    packing = header[b"compression"]
    if packing == b"none":
        return data
    plain = _UNPACKERS[packing](data, said + 1) if packing in _UNPACKERS else None
    if plain is None:
        raise _DamageError(f"a chunk is packed with {packing.decode(errors='replace')!r}, expected bz2 or lz4")
    if len(plain) != said:
        raise _DamageError("a chunk unpacks to another size than it says")
    return plain


def _unpack_lz4(data: bytes, most: int) -> bytes:
    from lz4.frame import LZ4FrameDecompressor  # type: ignore[import-untyped]

    return bytes(LZ4FrameDecompressor().decompress(data, max_length=most))


_UNPACKERS: dict[bytes, Callable[[bytes, int], Any]] = {
    b"bz2": lambda data, most: bz2.BZ2Decompressor().decompress(data, max_length=most),
    b"lz4": _unpack_lz4,
}


def _exactly(file: BinaryIO, size: int) -> bytes:
    data = file.read(size)
    if len(data) < size:
        raise _DamageError("the file ends inside a record")
    return data


def _limited(size: int, most: int) -> int:
    if size > most:
        raise _DamageError(f"a record claims {size} bytes")
    return int(size)
