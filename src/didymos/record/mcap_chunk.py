"""Rows of streams -> the messages of an MCAP chunk, all at once.

The messages of a stream differ only in their time stamps and columns: a chunk is a form, printed once for given numbers
of rows, whose blanks are strided views into its bytes. A run flushes the same few shapes of chunks again and again, so
that a flush only fills in blanks, a few array assignments per stream, and no Python runs per message.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from didymos.record.cdr import CdrMap, new_map
from didymos.record.messages import TABLE, constants_of, fields_of
from didymos.record.stream import Kind, StreamLayout

__all__ = ["MESSAGE_HEAD", "ChunkForm", "StreamEncoder", "index_record", "message_record"]

_MESSAGE = struct.Struct("<BQHIQQ")  # opcode, length, channel, sequence, log time, publish time
_MESSAGE_OPCODE, _LOG_TIME = 5, 15
MESSAGE_HEAD = _MESSAGE.size
"""Bytes of a record before the message itself."""
_INDEX = struct.Struct("<BQHI")  # opcode, length, channel, length of the array that follows
_INDEX_OPCODE = 7


def message_record(channel: int, time: int, message: bytes) -> bytes:
    """One message of a chunk at a time [ns]."""
    return _MESSAGE.pack(_MESSAGE_OPCODE, _MESSAGE.size - 9 + len(message), channel, 0, time, time) + message


def index_record(channel: int, entries: Sequence[tuple[int, int]]) -> bytes:
    """The index of a channel's messages in a chunk: time [ns] and offset [bytes] of each."""
    rows = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    return _INDEX.pack(_INDEX_OPCODE, _INDEX.size - 9 + len(rows), channel, len(rows)) + rows


@dataclass(frozen=True)
class _Run:
    """Columns that stand side by side in the message: source columns, offset [bytes] in the record, count, type."""

    columns: slice
    offset: int
    count: int
    dtype: str


class StreamEncoder:
    """What all messages of a stream have in common; its channels are numbered from `first_channel`."""

    def __init__(self, layout: StreamLayout, first_channel: int) -> None:
        self.layout = layout
        self.channels = range(first_channel, first_channel + len(layout.topics))
        message, self.runs, self.stamps = _form_of(layout)
        self.size = _MESSAGE.size + len(message.data)
        heads = [_MESSAGE.pack(_MESSAGE_OPCODE, self.size - 9, channel, 0, 0, 0) for channel in self.channels]
        self.template = np.frombuffer(b"".join(head + message.data for head in heads), f"V{self.size}")


@lru_cache(maxsize=256)  # a sweep or a bench records the same streams again and again
def _form_of(layout: StreamLayout) -> tuple[CdrMap, list[_Run], list[int]]:
    """The message of a stream with its constants, and where in a record its columns and stamps lie."""
    table = TABLE[layout.kind]
    message = new_map(table.type_name, constants_of(layout))
    paths = {column: path for column, path, _ in fields_of(layout.kind, layout.labels)}
    columns = ["data"] if layout.kind is Kind.SCALARS else [paths[column] for column in layout.columns]
    stamps = [table.stamp.format(i=i) for i in range(len(layout.labels) or 1)] if table.stamp else []
    return message, _runs(message, columns), [_MESSAGE.size + message.leaf(f"{stamp}.sec").offset for stamp in stamps]


def _runs(message: CdrMap, paths: Sequence[str]) -> list[_Run]:
    leaves = [message.leaf(path) for path in paths]
    order = sorted(range(len(leaves)), key=lambda column: leaves[column].offset)
    runs: list[list[int]] = []
    for column in order:
        run = runs[-1] if runs else []
        beside = bool(run) and leaves[column].offset == leaves[run[-1]].offset + int(leaves[column].dtype[-1])
        if beside and column > run[-1] and (len(run) == 1 or column - run[-1] == run[1] - run[0]):
            run.append(column)
        else:
            runs.append([column])
    return [
        _Run(
            slice(run[0], run[-1] + 1, run[1] - run[0] if len(run) > 1 else 1),
            _MESSAGE.size + leaves[run[0]].offset,
            len(run),
            leaves[run[0]].dtype,
        )
        for run in runs
    ]


class ChunkForm:
    """A chunk of `counts[i]` rows of each stream.

    Attributes:
        data: the messages, channel by channel.
        index: the message index records that follow the chunk.
        index_offsets: where in `index` the record of each channel begins.
    """

    def __init__(self, encoders: Sequence[StreamEncoder], counts: Sequence[int]) -> None:
        used = [(i, encoder, count) for i, (encoder, count) in enumerate(zip(encoders, counts, strict=True)) if count]
        sizes = [encoder.size * count * len(encoder.channels) for _, encoder, count in used]
        index_sizes = [(_INDEX.size + 16 * count) * len(encoder.channels) for _, encoder, count in used]
        self.data = np.empty(sum(sizes), np.uint8)
        self.index = np.empty(sum(index_sizes), np.uint8)
        self.index_offsets: dict[int, int] = {}
        self._times: list[tuple[int, NDArray[np.uint64]]] = []
        self._stamps: list[tuple[int, NDArray[np.uint64]]] = []
        self._blanks: list[tuple[int, slice | None, NDArray[np.float64]]] = []
        self._stamped = [i for i, encoder, _ in used if encoder.stamps]
        start = index_start = 0
        for (i, encoder, count), size, index_size in zip(used, sizes, index_sizes, strict=True):
            self._print_messages(i, encoder, count, start)
            self._print_index(i, encoder, count, start, index_start)
            start, index_start = start + size, index_start + index_size

    def _print_messages(self, i: int, encoder: StreamEncoder, count: int, start: int) -> None:
        channels, size = len(encoder.channels), encoder.size
        records = np.ndarray((channels, count), encoder.template.dtype, self.data, start)
        records[:] = encoder.template[:, None]

        def blank(offset: int, width: int, dtype: str) -> NDArray[np.float64]:
            strides = (size * count, size, int(dtype[-1]))
            return np.ndarray((channels, count, width), dtype, self.data, start + offset, strides)

        self._times.append((i, blank(_LOG_TIME, 2, "<u8")))  # type: ignore[arg-type]
        self._stamps += [(i, blank(offset, 1, "<u8")) for offset in encoder.stamps]  # type: ignore[misc]
        scalars = encoder.layout.kind is Kind.SCALARS
        for run in encoder.runs:
            columns = None if scalars else run.columns
            self._blanks.append((i, columns, blank(run.offset, run.count, run.dtype)))

    def _print_index(self, i: int, encoder: StreamEncoder, count: int, start: int, index_start: int) -> None:
        channels, size = len(encoder.channels), _INDEX.size + 16 * count
        heads = b"".join(_INDEX.pack(_INDEX_OPCODE, size - 9, channel, 16 * count) for channel in encoder.channels)
        records = self.index[index_start : index_start + size * channels].reshape(channels, size)
        records[:, : _INDEX.size] = np.frombuffer(heads, np.uint8).reshape(channels, -1)
        shape, strides = (channels, count, 2), (size, 16, 8)
        entries: NDArray[np.uint64] = np.ndarray(shape, "<u8", self.index, index_start + _INDEX.size, strides)
        entries[:, :, 1] = start + encoder.size * np.arange(channels * count).reshape(channels, count)
        self._times.append((i, entries[:, :, :1]))
        self.index_offsets |= {channel: index_start + k * size for k, channel in enumerate(encoder.channels)}

    def fill(self, times: Sequence[NDArray[np.uint64]], values: Sequence[NDArray[np.float64]]) -> None:
        """Fill the blanks: times [ns], shape [n], and values, shape [n, columns], of each stream."""
        # A stamp is two 32-bit words, seconds and nanoseconds, written as one 64-bit word.
        stamps = {}
        for i in self._stamped:
            seconds = times[i] // 1_000_000_000
            stamps[i] = (seconds + ((times[i] - seconds * 1_000_000_000) << 32))[:, None]
        for i, target in self._times:
            target[:] = times[i][:, None]
        for i, target in self._stamps:
            target[:] = stamps[i]
        for i, columns, blank in self._blanks:
            blank[:] = values[i].T[:, :, None] if columns is None else values[i][:, columns]
