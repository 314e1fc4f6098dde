"""MCAP: the recorder, which writes logs that Foxglove, PlotJuggler and `ros2 bag` open.

The file opens under its final name with all that is needed to read it: header, metadata, schemas, channels. Every flush
adds one compressed chunk with its index; what follows at the end (summary, footer) only makes opening faster. So a run
that is killed leaves a file that holds everything up to its last flush. Nothing in it depends on the wall clock: the
same rows give the same bytes.

Messages of a chunk stand channel by channel, which packs four times smaller than in order of time; readers order them
by the index. LZ4 is used because it packs this data at over 3 GB/s.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from didymos.errors import InputError, RunError
from didymos.record.image import Picture, PinHole
from didymos.record.image_writer import ImageWriter
from didymos.record.mcap_chunk import ChunkForm, StreamEncoder
from didymos.record.mcap_format import DATA_END, HEADER, MAGIC, Metadata, record, text
from didymos.record.mcap_records import Declared, declarations, summary
from didymos.record.messages import TABLE
from didymos.record.record_file import RecordFile
from didymos.record.stream import StreamLayout

__all__ = ["METADATA", "STREAMS", "McapRecorder"]

METADATA = "didymos"
"""Name of the metadata record of a run."""

STREAMS = "didymos.streams"
"""Name of the metadata record that keeps the layouts, so that units and the order of columns are read back."""

# opcode, length, first and last time, size and CRC of the messages, length and name of the packing, packed size
_CHUNK = struct.Struct("<BQQQQII3sQ")
# of a chunk's entry in the summary: first and last time, offset and size of the chunk, size of the table of channels; then,
# after that table: size of the index, length and name of the packing, packed and plain size
_CHUNK_INDEX, _CHUNK_INDEX_END = struct.Struct("<QQQQI"), struct.Struct("<QI3sQQ")
_NO_SPAN = (float("inf"), 0.0)
_FORMS_KEPT = 8
_LEVEL = -3  # measured here: packs as small as the default level in half the time
_Rows = tuple[NDArray[np.uint64], NDArray[np.float64]]


class McapRecorder:
    """Writes streams into an MCAP file as fast as they come.

    Args:
        path: the file; overwritten where it exists.
        layouts: the streams, known by their number in this sequence.
        metadata: texts about the run: twin, scenario, seed, version.
        eyes: cameras whose pictures come as well; see `write_picture`.

    Raises:
        InputError: the file cannot be created, a layout has a column that its kind does not know, or two streams would
            mix on one topic.
    """

    def __init__(
        self,
        path: str | Path,
        layouts: Sequence[StreamLayout],
        metadata: Mapping[str, str],
        eyes: Sequence[PinHole] = (),
    ) -> None:
        self._path, self.layouts = Path(path), tuple(layouts)
        _check_topics(self.layouts)
        self._encoders: list[StreamEncoder] = []
        for layout in self.layouts:
            self._encoders.append(StreamEncoder(layout, 1 + sum(len(other.channels) for other in self._encoders)))
        self._forms: dict[tuple[int, ...], ChunkForm] = {}
        self._pending: list[list[_Rows]] = [[] for _ in self.layouts]
        self._span = _NO_SPAN
        self._chunks: list[bytes] = []
        self._times = (1 << 63, 0)  # [ns] of the first and the last message
        topics = [topic for layout in self.layouts for topic in layout.topics]
        self._image_writers = {eye.name: ImageWriter(eye, 1 + len(topics) + 3 * i) for i, eye in enumerate(eyes)}
        self._counts = {channel: 0 for encoder in self._encoders for channel in encoder.channels}
        self._counts |= {channel: 0 for writer in self._image_writers.values() for channel in writer.channels}
        self._schemas, self._channels = declarations(self._encoders, self._image_writers.values())
        self._metadata = [
            Metadata(METADATA, dict(metadata)),
            Metadata(STREAMS, {f"{i:03d}": _layout_text(layout) for i, layout in enumerate(self.layouts)}),
        ]
        self._file = RecordFile(self.path)
        self._metadata_spans: list[tuple[int, int]] = []
        self._open()

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def write(self, layout_index: int, times: ArrayLike, values: ArrayLike) -> None:
        """Take a copy of rows of a stream: times [s], shape [n], values, shape [n, columns]."""
        seconds = np.asarray(times, np.float64)
        layout = self.layouts[layout_index]
        rows = np.array(values, np.float64).reshape(len(seconds), len(layout.columns))
        if self._file.closed:
            raise RunError(f"{self.path} was closed, and rows of {layout.name!r} came after that")
        if len(seconds) == 0:
            return
        first, last = seconds.min(), seconds.max()
        if not (first >= 0.0 and last < 2.0**31):
            raise InputError("times in a recording lie between 0 s and 2^31 s", file=self.path, path=layout.name)
        self._pending[layout_index].append((np.rint(seconds * 1e9).astype(np.uint64), rows))
        self._span = (min(self._span[0], float(first)), max(self._span[1], float(last)))

    def flush(self) -> None:
        """Write all rows taken so far as one chunk; afterwards they survive the end of this process."""
        self._flush_pictures()
        if not any(self._pending):
            return
        times, values = map(list, zip(*map(_joined, self._pending, self.layouts), strict=True))
        form = self._form(tuple(map(len, times)))
        form.fill(times, values)
        span = round(self._span[0] * 1e9), round(self._span[1] * 1e9)
        self._write_chunk(form.data.data, form.index.data, form.index_offsets, span)
        for encoder, stamps in zip(self._encoders, times, strict=True):
            for channel in encoder.channels:
                self._counts[channel] += len(stamps)
        for pending in self._pending:
            pending.clear()
        self._span = _NO_SPAN

    def write_picture(self, camera: str, picture: Picture) -> None:
        """Take a picture of a camera; it is written with the next flush, in a chunk of its own."""
        self._image_writers[camera].add(picture)

    def _flush_pictures(self) -> None:
        for writer in self._image_writers.values():
            if writer.count:
                data, index, offsets, span = writer.empty()
                self._write_chunk(data, index, offsets, span)
                for channel in writer.channels:
                    self._counts[channel] += writer.written

    def _write_chunk(self, data: Any, index: Any, index_offsets: Mapping[int, int], span: tuple[int, int]) -> None:
        """Pack messages and write them with their index; `span` is the first and the last time in them [ns]."""
        import lz4.frame  # type: ignore[import-untyped]

        (first, last), plain, packed = span, len(data), lz4.frame.compress(data, compression_level=_LEVEL)
        size, start = _CHUNK.size + len(packed), self._file.position
        head = _CHUNK.pack(6, size - 9, first, last, plain, zlib.crc32(data), 3, b"lz4", len(packed))
        self._file.write(head, packed, index)
        offsets = [number for channel, offset in index_offsets.items() for number in (channel, start + size + offset)]
        table = struct.pack("<" + "HQ" * len(index_offsets), *offsets)
        entry = _CHUNK_INDEX.pack(first, last, start, size, len(table))
        self._chunks.append(entry + table + _CHUNK_INDEX_END.pack(len(index), 3, b"lz4", len(packed), plain))
        self._times = min(self._times[0], first), max(self._times[1], last)

    def note(self, name: str, texts: Mapping[str, str]) -> None:
        """Add texts about the run that were not known when it began; readers find them under `name`."""
        self._metadata.append(Metadata(name, dict(texts)))
        packed = self._metadata[-1].packed()
        self._metadata_spans.append((self._file.position, len(packed)))
        self._file.write(packed)

    def _form(self, counts: tuple[int, ...]) -> ChunkForm:
        form = self._forms.get(counts)
        if form is None:
            if len(self._forms) >= _FORMS_KEPT:
                self._forms.pop(next(iter(self._forms)))
            form = self._forms[counts] = ChunkForm(self._encoders, counts)
        return form

    def close(self) -> None:
        """Flush, write the summary and close the file; a second call does nothing."""
        if self._file.closed:
            return
        try:
            self.flush()
            self._finish()
        finally:
            self._file.close()

    def __enter__(self) -> McapRecorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> None:
        head = MAGIC + record(HEADER, text("ros2"), text("didymos"))
        for metadata in self._metadata:
            packed = metadata.packed()
            self._metadata_spans.append((len(head), len(packed)))
            head += packed
        self._file.write(head, *(schema.packed() for schema in self._schemas), *(channel.packed() for channel in self._channels))

    def _finish(self) -> None:
        self._file.write(record(DATA_END, struct.pack("<I", 0)))
        declared = Declared(self._schemas, self._channels, list(zip(self._metadata, self._metadata_spans, strict=True)))
        self._file.write(summary(declared, self._counts, self._chunks, self._times, self._file.position))


def _check_topics(layouts: Sequence[StreamLayout]) -> None:
    """Streams share a topic only where names within the messages keep them apart, as several robots do on /tf."""
    taken: dict[str, set[str]] = {}
    for layout in layouts:
        for topic in layout.topics:
            if topic in taken and (not TABLE[layout.kind].label or taken[topic] & set(layout.columns)):
                raise InputError(f"two streams would mix on the topic {topic}", path=layout.name)
            taken.setdefault(topic, set()).update(layout.columns)


def _joined(pending: list[_Rows], layout: StreamLayout) -> _Rows:
    if len(pending) == 1:
        return pending[0]
    if not pending:
        return np.empty(0, np.uint64), np.empty((0, len(layout.columns)))
    times, values = zip(*pending, strict=True)
    return np.concatenate(times), np.concatenate(values)


@lru_cache(maxsize=256)
def _layout_text(layout: StreamLayout) -> str:
    texts = {item.name: getattr(layout, item.name) for item in fields(layout)} | {"kind": layout.kind.value}
    if not layout.namespace:
        del texts["namespace"]
    return json.dumps(texts, separators=(",", ":"))
