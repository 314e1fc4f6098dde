"""Any MCAP file -> its raw messages, topic by topic.

The file is read from front to back, whether it has a summary or not: so a recording that was cut off, or is damaged
somewhere, gives everything that stands before the damage, and says so. The index of messages behind each chunk is for those who
jump in a file; as large as the stamps of all messages, it is passed over.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from didymos.errors import InputError
from didymos.record.mcap_format import (
    CHANNEL,
    CHUNK,
    DATA_END,
    MAGIC,
    MESSAGE,
    METADATA,
    SCHEMA,
    Channel,
    Metadata,
    Schema,
    unpack_chunk,
)
from didymos.record.raw_messages import RawMessages, normal_type

__all__ = ["McapContent", "read_mcap", "read_metadata"]

_RECORD, _MESSAGE = struct.Struct("<BQ"), struct.Struct("<HIQQ")


@dataclass
class McapContent:
    """All that a file holds: topics in the order of their channels, metadata by name, and the damage, if any."""

    topics: list[RawMessages]
    metadata: dict[str, dict[str, str]]
    damage: str = ""


def read_mcap(path: Path) -> McapContent:
    """Read a file as far as it can be read.

    Raises:
        InputError: the file cannot be opened or is not MCAP.
    """
    try:
        with path.open("rb") as file:
            return _Reader(path).read(file)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=path) from error


def read_metadata(path: Path, name: str) -> dict[str, str]:
    """The texts of a metadata record that stands before the first chunk, as ours do; none where there is no such record."""
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            return {}
        try:
            for opcode, body in _records(file):
                if opcode in (CHUNK, MESSAGE):
                    break
                if opcode == METADATA:
                    metadata = Metadata.unpacked(body)
                    if metadata.name == name:
                        return dict(metadata.texts)
        except (EOFError, struct.error, ValueError, MemoryError, OverflowError):
            pass  # cut off before it
    return {}


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.schemas: dict[int, Schema] = {}
        self.channels: dict[int, RawMessages] = {}
        self.topics: dict[tuple[str, str], RawMessages] = {}
        self.metadata: dict[str, dict[str, str]] = {}

    def read(self, file: Any) -> McapContent:
        if not MAGIC.startswith(file.read(len(MAGIC))):  # fewer bytes are a file that was cut off
            raise InputError("this is not an MCAP file", file=self.path)
        damage = ""
        try:
            for opcode, body in _records(file):
                self._take(opcode, body)
        except (EOFError, struct.error, ValueError, RuntimeError, MemoryError, LookupError, OverflowError):
            # A cut file ends in any of these; what was read before stands.
            damage = f"cut off or damaged near byte {file.tell()}, read up to there"
        return McapContent(list(self.topics.values()), self.metadata, damage)

    def _take(self, opcode: int, body: bytes) -> None:
        """One record of the file, or of a chunk."""
        if opcode == SCHEMA:
            schema = Schema.unpacked(body)
            self.schemas[schema.id] = schema
        elif opcode == CHANNEL:
            self._add_channel(Channel.unpacked(body))
        elif opcode == METADATA:
            metadata = Metadata.unpacked(body)
            self.metadata.setdefault(metadata.name, {}).update(metadata.texts)
        elif opcode == CHUNK:
            self._read_chunk(unpack_chunk(body))
        elif opcode == MESSAGE:
            channel, _, log_time, _ = _MESSAGE.unpack_from(body)
            self.channels[channel].add(body, [_MESSAGE.size], [len(body) - _MESSAGE.size], [log_time])

    def _add_channel(self, channel: Channel) -> None:
        schema = self.schemas.get(channel.schema_id)
        type_name, kind, text = (schema.name, schema.encoding, schema.data) if schema else ("", "", b"")
        type_name = normal_type(type_name)
        new = RawMessages(channel.topic, type_name, channel.encoding, kind, text)
        self.channels[channel.id] = self.topics.setdefault((channel.topic, type_name), new)

    def _read_chunk(self, data: bytes) -> None:
        messages: dict[int, tuple[list[int], list[int], list[int]]] = {}
        position, end = 0, len(data)
        while position < end:
            opcode, length = _RECORD.unpack_from(data, position)
            position += _RECORD.size
            if opcode == MESSAGE:
                channel, _, log_time, _ = _MESSAGE.unpack_from(data, position)
                starts, sizes, times = messages.setdefault(channel, ([], [], []))
                starts.append(position + _MESSAGE.size)
                sizes.append(length - _MESSAGE.size)
                times.append(log_time)
            elif opcode in (SCHEMA, CHANNEL):
                self._take(opcode, data[position : position + length])
            position += length
        for channel, (starts, sizes, times) in messages.items():
            self.channels[channel].add(data, starts, sizes, times)


def _records(file: Any) -> Iterator[tuple[int, bytes]]:
    """Kind and content of the records behind the magic bytes, up to the end of the data; those of no use here are left out."""
    used = (SCHEMA, CHANNEL, MESSAGE, CHUNK, METADATA)
    while True:
        opcode, length = _RECORD.unpack(file.read(_RECORD.size))
        if opcode == DATA_END:
            return
        body = file.read(length)
        if len(body) < length:
            raise EOFError
        if opcode in used:
            yield opcode, body
