"""An MCAP file as a list of records, its chunks unpacked, so that a mutation reaches what a checksum would hide."""

from __future__ import annotations

import struct
import zlib
from random import Random

import lz4.frame

from fuzzing.mutators import edit_bytes, edit_frame

__all__ = ["Record", "edit_mcap", "split"]

MAGIC = b"\x89MCAP0\r\n"
_HEAD, _CHUNK = struct.Struct("<BQ"), struct.Struct("<QQQI")
_SCHEMA, _CHANNEL, _MESSAGE, _CHUNKED, _METADATA = 3, 4, 5, 6, 12

Record = tuple[int, bytes]
"""Opcode and content."""


def split(data: bytes) -> list[Record]:
    """The records of a file, or of the inside of a chunk."""
    records, at = [], len(MAGIC) if data.startswith(MAGIC) else 0
    while at + _HEAD.size <= len(data) and data[at:] != MAGIC:
        opcode, length = _HEAD.unpack_from(data, at)
        records.append((opcode, data[at + _HEAD.size : at + _HEAD.size + length]))
        at += _HEAD.size + length
    return records


def _joined(records: list[Record]) -> bytes:
    return b"".join(_HEAD.pack(opcode, len(content)) + content for opcode, content in records)


def _unpacked(chunk: bytes) -> tuple[int, int, list[Record]]:
    first, last, _, _ = _CHUNK.unpack_from(chunk)
    (name,) = struct.unpack_from("<I", chunk, _CHUNK.size)
    data = chunk[_CHUNK.size + 4 + name + 8 :]
    packing = chunk[_CHUNK.size + 4 : _CHUNK.size + 4 + name]
    return first, last, split(lz4.frame.decompress(data) if packing == b"lz4" else data)


def _packed(first: int, last: int, records: list[Record], good: bool) -> bytes:
    data = _joined(records)
    crc = zlib.crc32(data) if good else 1
    return _CHUNK.pack(first, last, len(data), crc) + struct.pack("<IQ", 0, len(data)) + data


def _edit_records(records: list[Record], dice: Random) -> list[Record]:
    """One record left out, doubled, moved, made another kind, or with other content; messages most often by their bytes."""
    records = list(records)
    if not records:
        return records
    at, how = dice.randrange(len(records)), dice.randrange(8)
    opcode, content = records[at]
    if how == 0:
        del records[at]
    elif how == 1:
        records.insert(dice.randrange(len(records)), records[at])
    elif how == 2:
        records.insert(dice.randrange(len(records)), records.pop(at))
    elif how == 3:
        records[at] = dice.choice((_SCHEMA, _CHANNEL, _MESSAGE, _METADATA, 0, 255)), content
    else:
        change = edit_frame if opcode == _MESSAGE or dice.random() < 0.3 else edit_bytes
        records[at] = opcode, change(content, dice)
    return records


def edit_mcap(records: list[Record], dice: Random) -> bytes:
    """A file of these records with one to three changes: inside of a chunk, between records, or of its bytes."""
    for _ in range(dice.randint(1, 3)):
        chunks = [i for i, (opcode, _) in enumerate(records) if opcode == _CHUNKED]
        if chunks and dice.random() < 0.5:
            at = dice.choice(chunks)
            try:
                first, last, inside = _unpacked(records[at][1])
            except (struct.error, RuntimeError):
                continue  # changed before
            records = [*records]
            records[at] = _CHUNKED, _packed(first, last, _edit_records(inside, dice), dice.random() < 0.95)
        else:
            records = _edit_records(records, dice)
    data = MAGIC + _joined(records) + MAGIC
    return edit_bytes(data, dice) if dice.random() < 0.15 else data
