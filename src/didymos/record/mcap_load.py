"""An MCAP file -> streams: as they were recorded where Didymos wrote it, as the topics suggest where another did.

The topic `/imu/data` becomes the stream `imu.data`, with signals such as `imu.data.gyro.x`. A message without a stamp
has the time at which it was logged. Stamps that count from 1970 are shifted so that the file begins at 0 s.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.mcap_decode import Column, decode
from didymos.record.mcap_file import METADATA, STREAMS
from didymos.record.mcap_read import McapContent, RawMessages, read_mcap
from didymos.record.messages import TABLE
from didymos.record.stream import Kind, StreamLayout

__all__ = ["load_mcap"]

_Stream = tuple[StreamLayout, NDArray[np.int64], NDArray[np.float64]]
_Decoded = list[tuple[RawMessages, Kind, dict[str, Column]]]
_EPOCH = 100_000_000 * 1_000_000_000  # [ns]; no run lasts three years, so later stamps count from 1970
_TOPIC_NAMES = {"/joint_states": "joints"}


def load_mcap(path: Path) -> tuple[list[tuple[StreamLayout, NDArray[np.float64], NDArray[np.float64]]], dict[str, str]]:
    """Streams of a file, as (layout, times [s], values), and its metadata.

    The metadata tells under `damage`, `unread` and `time_shift` [s] what was lost or changed.

    Raises:
        InputError: the file cannot be read, or holds nothing that could be a signal.
    """
    content = read_mcap(path)
    decoded: _Decoded = []
    unread: list[str] = []
    for raw in content.topics:
        kind, columns, missed = decode(raw)
        decoded.append((raw, kind, columns))
        unread += missed
    metadata = _metadata(content)
    streams = _recorded(content, decoded)
    if streams is None:
        streams = _apart([stream for raw, kind, columns in decoded for stream in _suggested(raw, kind, columns)])
        if not streams:
            why = "; ".join(unread[:5]) or content.damage or "there is no message in it"
            raise InputError(f"no signal could be read: {why}", file=path)
    if content.damage:
        metadata["damage"] = content.damage
    if unread:
        metadata["unread"] = "; ".join(unread)
    shift = min((int(times[0]) for _, times, _ in streams if len(times) and times[0] > _EPOCH), default=0)
    if shift:
        metadata["time_shift"] = f"{shift // 1_000_000_000}.{shift % 1_000_000_000:09d}"
    shifted = [
        (layout, (times - shift if len(times) and times[0] > _EPOCH else times) / 1e9, values)
        for layout, times, values in streams
    ]
    return shifted, metadata


def _metadata(content: McapContent) -> dict[str, str]:
    metadata = dict(content.metadata.get(METADATA, {}))
    for name, record in content.metadata.items():
        if name not in (METADATA, STREAMS):
            metadata |= {f"{name}.{key}": value for key, value in record.items()}
    return metadata


def _recorded(content: McapContent, decoded: _Decoded) -> list[_Stream] | None:
    """The streams as the recorder knew them; nothing where the file is not ours, or was changed since."""
    if STREAMS not in content.metadata:
        return None
    columns = {(raw.topic, name): column for raw, _, of_topic in decoded for name, column in of_topic.items()}
    streams: list[_Stream] = []
    try:
        for _, text in sorted(content.metadata[STREAMS].items()):
            fields = json.loads(text)
            lists = {key: tuple(fields[key]) for key in ("columns", "units", "labels")}
            lists["constants"] = tuple((path, tuple(values)) for path, values in fields.get("constants", ()))
            layout = StreamLayout(**(fields | lists | {"kind": Kind(fields["kind"])}))
            streams.append(_recorded_stream(layout, columns))
    except (ValueError, TypeError, KeyError):
        return None
    return streams


def _recorded_stream(layout: StreamLayout, columns: Mapping[tuple[str, str], Column]) -> _Stream:
    if layout.kind is Kind.SCALARS:
        keys = [(topic, "data") for topic in layout.topics]
    else:
        keys = [(layout.topics[0], name) for name in layout.columns or ("",)]
    if not any(key in columns for key in keys):
        return layout, np.empty(0, np.int64), np.empty((0, len(layout.columns)))
    joined = [columns[key].joined() for key in keys]
    times = joined[0][0]
    if any(not np.array_equal(times, other) for other, _ in joined[1:]):
        raise ValueError("columns of one stream have different stamps")
    return layout, times, np.stack([values for _, values in joined], axis=1)[:, : len(layout.columns)]


def _suggested(raw: RawMessages, kind: Kind, columns: Mapping[str, Column]) -> list[_Stream]:
    """Streams of a topic that another program recorded: columns that share their stamps and frames share a stream."""
    name = _TOPIC_NAMES.get(raw.topic, raw.topic.strip("/").replace("/", "."))
    shared: dict[tuple[str, str, bytes], list[tuple[str, Column, NDArray[np.int64], NDArray[np.float64]]]] = {}
    for column_name, column in columns.items():
        times, values = column.joined()
        key = (column.frame, column.child_frame, times.tobytes())
        shared.setdefault(key, []).append((column_name, column, times, values))
    streams: list[_Stream] = []
    for (frame, child_frame, _), members in shared.items():
        names = [] if kind is Kind.CLOCK else [member[0] for member in members]
        stream_name = name
        if list(columns) == ["data"] and raw.type_name.startswith("std_msgs/"):
            stream_name, _, only = name.rpartition(".")
            names = [only]
        labels = tuple(dict.fromkeys(member[1].label for member in members if member[1].label))
        units = tuple(member[1].unit for member in members)[: len(names)]
        whole = TABLE[kind].label or (not streams and all(label == str(i) for i, label in enumerate(labels)))
        layout = StreamLayout(stream_name, kind, tuple(names), units, frame, child_frame, labels)
        if not whole:  # a part of such a message cannot be recorded as one again
            layout = replace(layout, kind=Kind.SCALARS, labels=())
        values = np.stack([member[3] for member in members], axis=1)[:, : len(names)]
        streams.append((layout, members[0][2], values))
    return streams


def _apart(streams: Sequence[_Stream]) -> list[_Stream]:
    """Streams whose signals have different names; where two topics collide, the later gets a number."""
    taken: set[str] = set()
    result = []
    for layout, times, values in streams:
        name, number = layout.name, 1
        while taken & set(layout.signals):
            number += 1
            layout = replace(layout, name=f"{name}_{number}")
        taken |= set(layout.signals)
        result.append((layout, times, values))
    return result
