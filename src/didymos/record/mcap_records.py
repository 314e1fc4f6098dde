"""Records of an MCAP file around its chunks: what is declared before them, and the summary after them."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from didymos.record.image_writer import ImageWriter
from didymos.record.mcap_chunk import StreamEncoder
from didymos.record.mcap_format import (
    CHANNEL,
    CHUNK_INDEX,
    FOOTER,
    MAGIC,
    METADATA_INDEX,
    SCHEMA,
    STATISTICS,
    SUMMARY_OFFSET,
    Channel,
    Metadata,
    Schema,
    record,
    text,
)
from didymos.record.message_types import definition
from didymos.record.messages import TABLE

__all__ = ["Declared", "declarations", "summary"]


@dataclass(frozen=True)
class Declared:
    """Schemas and channels of a file, and its metadata records, each with its offset and length [bytes]."""

    schemas: Sequence[Schema]
    channels: Sequence[Channel]
    metadata: Sequence[tuple[Metadata, tuple[int, int]]]


def declarations(encoders: Sequence[StreamEncoder], writers: Iterable[ImageWriter]) -> tuple[list[Schema], list[Channel]]:
    """Schema and channel records of all streams and cameras."""
    schemas: dict[str, Schema] = {}
    channels = []
    rows = [
        (channel, topic, TABLE[encoder.layout.kind].type_name)
        for encoder in encoders
        for channel, topic in zip(encoder.channels, encoder.layout.topics, strict=True)
    ]
    rows += [(c, topic, kind) for writer in writers for c, (topic, kind) in zip(writer.channels, writer.topics, strict=True)]
    for channel, topic, type_name in rows:
        if type_name not in schemas:
            schemas[type_name] = Schema(len(schemas) + 1, type_name, "ros2msg", definition(type_name))
        # The profile asks for the quality of service; empty means the player's defaults.
        qos = {"offered_qos_profiles": ""}
        channels.append(Channel(channel, schemas[type_name].id, topic, "cdr", qos))
    return list(schemas.values()), channels


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
    indexes = [
        record(METADATA_INDEX, struct.pack("<QQ", *span), text(metadata.name)) for metadata, span in declared.metadata
    ]
    groups: list[tuple[int, list[bytes]]] = [
        (SCHEMA, [schema.packed() for schema in declared.schemas]),
        (CHANNEL, [channel.packed() for channel in declared.channels]),
        (STATISTICS, [_statistics(declared, counts, len(chunks), times)]),
        (CHUNK_INDEX, [record(CHUNK_INDEX, chunk) for chunk in chunks]),
        (METADATA_INDEX, indexes),
    ]
    content, position, offsets = [], start, []
    for kind, records in groups:
        group = b"".join(records)
        if records:
            offsets.append(record(SUMMARY_OFFSET, struct.pack("<BQQ", kind, position, len(group))))
        content.append(group)
        position += len(group)
    whole = b"".join([*content, *offsets])
    head = struct.pack("<BQQQ", FOOTER, 20, start, position)
    return whole + head + struct.pack("<I", zlib.crc32(head, zlib.crc32(whole))) + MAGIC


def _statistics(declared: Declared, counts: Mapping[int, int], chunks: int, times: tuple[int, int]) -> bytes:
    schemas, channels, metadata = len(declared.schemas), len(declared.channels), len(declared.metadata)
    sizes = struct.pack("<QHIIII", sum(counts.values()), schemas, channels, 0, metadata, chunks)  # 0: no attachment
    span = struct.pack("<QQ", times[0] if chunks else 0, times[1])
    each = b"".join(struct.pack("<HQ", channel, count) for channel, count in counts.items())
    return record(STATISTICS, sizes, span, struct.pack("<I", len(each)), each)
