"""An MCAP file -> streams: as they were recorded where Didymos wrote it, as its topics suggest (`topics.py`) where not."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from didymos.record.mcap_file import METADATA, STREAMS
from didymos.record.mcap_read import McapContent, read_mcap
from didymos.record.message_decode import Column
from didymos.record.stream import Kind, StreamLayout
from didymos.record.topics import NsStream, Stream, Topic, decode_topics, in_seconds, load_topics

__all__ = ["load_mcap"]


def load_mcap(path: Path) -> tuple[list[Stream], dict[str, str]]:
    """Streams of a file, as (layout, times [s], values), and its metadata.

    The metadata tells under `damage`, `unread` and `time_shift` [s] what was lost or changed.

    Raises:
        InputError: the file cannot be read, or holds nothing that could be a signal.
    """
    content = read_mcap(path)
    metadata = _metadata(content)
    if STREAMS in content.metadata:
        topics, unread = decode_topics(content.topics)
        streams = _recorded(content, topics)
        if streams is not None:
            metadata |= {"damage": content.damage} if content.damage else {}
            metadata |= {"unread": "; ".join(unread)} if unread else {}
            return in_seconds(streams, metadata), metadata
    found, about = load_topics(content.topics, path, content.damage)
    return found, metadata | about


def _metadata(content: McapContent) -> dict[str, str]:
    metadata = dict(content.metadata.get(METADATA, {}))
    for name, record in content.metadata.items():
        if name not in (METADATA, STREAMS):
            metadata |= {f"{name}.{key}": value for key, value in record.items()}
    return metadata


def _recorded(content: McapContent, topics: Sequence[Topic]) -> list[NsStream] | None:
    """The streams as the recorder knew them; nothing where the file was changed since."""
    columns = {(raw.topic, name): column for raw, _, of_topic in topics for name, column in of_topic.items()}
    streams: list[NsStream] = []
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


def _recorded_stream(layout: StreamLayout, columns: Mapping[tuple[str, str], Column]) -> NsStream:
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
