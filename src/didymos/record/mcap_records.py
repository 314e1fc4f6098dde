"""Records of an MCAP file around its chunks: what is declared before them, and the summary after them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from didymos.record.cdr import ros2_types
from didymos.record.image_writer import ImageWriter
from didymos.record.mcap_chunk import StreamEncoder
from didymos.record.messages import TABLE

__all__ = ["MAGIC", "Declared", "declarations", "definition", "summary"]

MAGIC = b"\x89MCAP0\r\n"


@dataclass(frozen=True)
class Declared:
    """Schemas and channels of a file, and its metadata records, each with its offset and length [bytes]."""

    schemas: Sequence[Any]
    channels: Sequence[Any]
    metadata: Sequence[tuple[Any, tuple[int, int]]]


def declarations(encoders: Sequence[StreamEncoder], writers: Iterable[ImageWriter]) -> tuple[list[Any], list[Any]]:
    """Schema and channel records of all streams and cameras."""
    from mcap.records import Channel, Schema

    schemas: dict[str, Any] = {}
    channels = []
    rows = [
        (channel, topic, TABLE[encoder.layout.kind].type_name)
        for encoder in encoders
        for channel, topic in zip(encoder.channels, encoder.layout.topics, strict=True)
    ]
    rows += [(c, topic, kind) for writer in writers for c, (topic, kind) in zip(writer.channels, writer.topics, strict=True)]
    for channel, topic, type_name in rows:
        if type_name not in schemas:
            schemas[type_name] = Schema(len(schemas) + 1, definition(type_name), "ros2msg", type_name)
        # The profile asks for the quality of service; empty means the player's defaults.
        qos = {"offered_qos_profiles": ""}
        channels.append(Channel(channel, topic, "cdr", qos, schemas[type_name].id))
    return list(schemas.values()), channels


@cache
def definition(type_name: str) -> bytes:
    """The text of a message type and of all that it holds, as schemas of the encoding `ros2msg` have it."""
    text, _ = ros2_types().generate_msgdef(type_name, ros_version=2)
    return bytes(text.encode())


def summary(
    declared: Declared, counts: Mapping[int, int], chunks: Sequence[bytes], times: tuple[int, int], start: int
) -> bytes:
    """All that follows the data: summary, footer and magic.

    Args:
        counts: messages of each channel.
        chunks: the chunks' entries, packed already.
        times: of the first and the last message [ns].
        start: where in the file the summary begins [bytes].
    """
    from mcap.data_stream import RecordBuilder
    from mcap.opcode import Opcode
    from mcap.records import Footer, MetadataIndex, SummaryOffset

    indexes = [MetadataIndex(offset, length, metadata.name) for metadata, (offset, length) in declared.metadata]
    groups: list[tuple[Opcode, Sequence[Any]]] = [
        (Opcode.SCHEMA, declared.schemas),
        (Opcode.CHANNEL, declared.channels),
        (Opcode.STATISTICS, [_statistics(declared, counts, len(chunks), times)]),
        (Opcode.CHUNK_INDEX, [_Packed(Opcode.CHUNK_INDEX, chunk) for chunk in chunks]),
        (Opcode.METADATA_INDEX, indexes),
    ]
    builder, offsets = RecordBuilder(), []
    for opcode, records in groups:
        group_start = builder.count
        for record in records:
            record.write(builder)
        if records:
            offsets.append(SummaryOffset(opcode, start + group_start, builder.count - group_start))
    offset_start = start + builder.count
    for offset in offsets:
        offset.write(builder)
    content = bytes(builder.end())
    head = struct.pack("<BQQQ", Opcode.FOOTER, 20, start, offset_start)
    Footer(start, offset_start, zlib.crc32(head, zlib.crc32(content))).write(builder)
    return content + bytes(builder.end()) + MAGIC


def _statistics(declared: Declared, counts: Mapping[int, int], chunks: int, times: tuple[int, int]) -> Any:
    from mcap.records import Statistics

    return Statistics(
        attachment_count=0,
        channel_count=len(declared.channels),
        channel_message_counts=dict(counts),
        chunk_count=chunks,
        message_count=sum(counts.values()),
        message_end_time=times[1],
        message_start_time=times[0] if chunks else 0,
        metadata_count=len(declared.metadata),
        schema_count=len(declared.schemas),
    )


@dataclass(frozen=True)
class _Packed:
    """A record whose content is packed already: a long run has as many as it has chunks, of a hundred numbers each."""

    opcode: int
    content: bytes

    def write(self, builder: Any) -> None:
        builder.write(struct.pack("<BQ", self.opcode, len(self.content)) + self.content)
