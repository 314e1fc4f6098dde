"""Any MCAP file -> its raw messages, topic by topic.

The file is read from front to back, whether it has a summary or not: so a recording that was cut off, or is damaged
somewhere, gives everything that stands before the damage, and says so. The index of messages behind each chunk is for those who
jump in a file; as large as the stamps of all messages, it is passed over.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from didymos.errors import InputError
from didymos.record.raw_messages import RawMessages, normal_type

__all__ = ["McapContent", "read_mcap"]

_RECORD, _MESSAGE = struct.Struct("<BQ"), struct.Struct("<HIQQ")
_SCHEMA_OPCODE, _CHANNEL_OPCODE, _MESSAGE_OPCODE, _CHUNK_OPCODE, _METADATA_OPCODE, _END_OPCODE = 3, 4, 5, 6, 12, 15
_MAGIC = b"\x89MCAP0\r\n"


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


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.schemas: dict[int, Any] = {}
        self.channels: dict[int, RawMessages] = {}
        self.topics: dict[tuple[str, str], RawMessages] = {}
        self.metadata: dict[str, dict[str, str]] = {}

    def read(self, file: Any) -> McapContent:
        from mcap.exceptions import McapError

        if not _MAGIC.startswith(file.read(len(_MAGIC))):  # fewer bytes are a file that was cut off
            raise InputError("this is not an MCAP file", file=self.path)
        damage = ""
        try:
            for opcode, body in _records(file):
                self._take(opcode, body)
        except (McapError, EOFError, struct.error, ValueError, RuntimeError, MemoryError, LookupError, OverflowError) as error:
            # A cut file ends in any of these; what was read before stands.
            damage = f"cut off or damaged near byte {file.tell()}, read up to there ({type(error).__name__})"
        return McapContent(list(self.topics.values()), self.metadata, damage)

    def _take(self, opcode: int, body: bytes) -> None:
        """One record of the file, or of a chunk."""
        from mcap.data_stream import ReadDataStream
        from mcap.records import Channel, Chunk, Message, Metadata, Schema
        from mcap.stream_reader import get_chunk_data_stream

        stream = ReadDataStream(io.BytesIO(body))
        if opcode == _SCHEMA_OPCODE:
            schema = Schema.read(stream)
            self.schemas[schema.id] = schema
        elif opcode == _CHANNEL_OPCODE:
            self._add_channel(Channel.read(stream))
        elif opcode == _METADATA_OPCODE:
            metadata = Metadata.read(stream)
            self.metadata.setdefault(metadata.name, {}).update(metadata.metadata)
        elif opcode == _CHUNK_OPCODE:
            content, size = get_chunk_data_stream(Chunk.read(stream), validate_crc=True)
            self._read_chunk(content.read(size))
        elif opcode == _MESSAGE_OPCODE:
            message = Message.read(stream, len(body))
            self.channels[message.channel_id].add(message.data, [0], [len(message.data)], [message.log_time])

    def _add_channel(self, channel: Any) -> None:
        schema = self.schemas.get(channel.schema_id)
        type_name, kind, text = (schema.name, schema.encoding, schema.data) if schema else ("", "", b"")
        type_name = normal_type(type_name)
        new = RawMessages(channel.topic, type_name, channel.message_encoding, kind, text)
        self.channels[channel.id] = self.topics.setdefault((channel.topic, type_name), new)

    def _read_chunk(self, data: bytes) -> None:
        messages: dict[int, tuple[list[int], list[int], list[int]]] = {}
        position, end = 0, len(data)
        while position < end:
            opcode, length = _RECORD.unpack_from(data, position)
            position += _RECORD.size
            if opcode == _MESSAGE_OPCODE:
                channel, _, log_time, _ = _MESSAGE.unpack_from(data, position)
                starts, sizes, times = messages.setdefault(channel, ([], [], []))
                starts.append(position + _MESSAGE.size)
                sizes.append(length - _MESSAGE.size)
                times.append(log_time)
            elif opcode in (_SCHEMA_OPCODE, _CHANNEL_OPCODE):
                self._take(opcode, data[position : position + length])
            position += length
        for channel, (starts, sizes, times) in messages.items():
            self.channels[channel].add(data, starts, sizes, times)


def _records(file: Any) -> Iterator[tuple[int, bytes]]:
    """Kind and content of the records behind the magic bytes, up to the end of the data; those of no use here are left out."""
    used = (_SCHEMA_OPCODE, _CHANNEL_OPCODE, _MESSAGE_OPCODE, _CHUNK_OPCODE, _METADATA_OPCODE)
    while True:
        opcode, length = _RECORD.unpack(file.read(_RECORD.size))
        if opcode == _END_OPCODE:
            return
        body = file.read(length)
        if len(body) < length:
            raise EOFError
        if opcode in used:
            yield opcode, body
