"""Topics that another program recorded -> streams.

The topic `/imu/data` becomes the stream `imu.data`, with signals such as `imu.data.gyro.x`. A message without a stamp has the
time at which it was logged. Stamps that count from 1970 are shifted so that the file begins at 0 s.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError
from didymos.record.clock import EPOCH, seconds_text
from didymos.record.message_decode import Column, decode
from didymos.record.messages import TABLE
from didymos.record.raw_messages import RawMessages
from didymos.record.stream import Kind, StreamLayout

__all__ = ["NsStream", "Stream", "Topic", "apart", "decode_topics", "in_seconds", "load_topics", "suggested"]

NsStream = tuple[StreamLayout, NDArray[np.int64], NDArray[np.float64]]
"""Layout, times [ns], shape [n], and values, shape [n, columns]."""

Stream = tuple[StreamLayout, NDArray[np.float64], NDArray[np.float64]]
"""The same with times [s]."""

Topic = tuple[RawMessages, Kind, dict[str, Column]]
"""Messages of a topic, what they are, and their columns by name."""

_TOPIC_NAMES = {"/joint_states": "joints"}
_MOST_REASONS = 5


def load_topics(raws: Sequence[RawMessages], path: Path, damage: str = "") -> tuple[list[Stream], dict[str, str]]:
    """Streams of a file, as (layout, times [s], values), and its metadata: `damage`, `unread`, `time_shift` [s].

    Raises:
        InputError: nothing in it could be a signal.
    """
    topics, unread = decode_topics(raws)
    streams = apart([stream for topic in topics for stream in suggested(*topic)])
    if not streams:
        why = "; ".join(unread[:_MOST_REASONS]) or damage or "there is no message in it"
        raise InputError(f"no signal could be read: {why}", file=path)
    metadata = {"damage": damage} if damage else {}
    if unread:
        metadata["unread"] = "; ".join(unread)
    return in_seconds(streams, metadata), metadata


def decode_topics(raws: Iterable[RawMessages]) -> tuple[list[Topic], list[str]]:
    """What the messages of each topic hold, and what could not be read."""
    topics: list[Topic] = []
    unread: list[str] = []
    for raw in raws:
        kind, columns, missed = decode(raw)
        topics.append((raw, kind, columns))
        unread += missed
    return topics, unread


def suggested(raw: RawMessages, kind: Kind, columns: Mapping[str, Column]) -> list[NsStream]:
    """Streams of a topic that another program recorded: columns that share their stamps and frames share a stream."""
    name = _TOPIC_NAMES.get(raw.topic, raw.topic.strip("/").replace("/", "."))
    shared: dict[tuple[str, str, bytes], list[tuple[str, Column, NDArray[np.int64], NDArray[np.float64]]]] = {}
    for column_name, column in columns.items():
        times, values = column.joined()
        key = (column.frame, column.child_frame, times.tobytes())
        shared.setdefault(key, []).append((column_name, column, times, values))
    streams: list[NsStream] = []
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


def apart(streams: Sequence[NsStream]) -> list[NsStream]:
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


def in_seconds(streams: Sequence[NsStream], metadata: dict[str, str]) -> list[Stream]:
    """Times in seconds; those that count from 1970 from the first of them on, which `metadata` is told as `time_shift`."""
    epoch = int(EPOCH * 1e9)
    shift = min((int(times[0]) for _, times, _ in streams if len(times) and times[0] > epoch), default=0)
    if shift:
        metadata["time_shift"] = seconds_text(shift)
    return [
        (layout, (times - shift if len(times) and times[0] > epoch else times) / 1e9, values) for layout, times, values in streams
    ]
