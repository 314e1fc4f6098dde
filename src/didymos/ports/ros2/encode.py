"""Rows of a stream -> ROS 2 messages: the very bytes that the log holds, made by the log's own encoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from didymos.record.mcap_chunk import MESSAGE_HEAD, ChunkForm, StreamEncoder
from didymos.record.messages import TABLE
from didymos.record.stream import StreamLayout

__all__ = ["NOTHING", "Batch", "Encoder", "MessageEncoder"]

Array = NDArray[np.float64]

Batch = Mapping[int, tuple[Array, Array]]
"""What a slice of a run recorded: times [s] and rows by the number of the stream."""

NOTHING: Batch = {}

_FORMS_KEPT = 8


class Encoder(Protocol):
    """Makes messages of the rows of a stream.

    `type_name` is that of the message, `size` about that of one [bytes].
    """

    type_name: str
    size: int

    def encode(self, times: Array, values: Array, batch: Batch = NOTHING) -> list[list[bytes]]:
        """The messages of each topic: times [s], shape [n], values, shape [n, columns], and what else the slice recorded."""
        ...


class MessageEncoder:
    """Encodes the rows of one stream as the log does.

    Args:
        layout: of what is encoded.
        columns: those of the stream that are; all without it.
        change: what becomes of the values first, shape [n, columns].

    Attributes:
        topics: the log's.
        size: of a message [bytes].
    """

    def __init__(
        self, layout: StreamLayout, columns: tuple[int, ...] | None = None, change: Callable[[Array], Array] | None = None
    ) -> None:
        self._encoder = StreamEncoder(layout, 0)
        self._forms: dict[int, ChunkForm] = {}
        self._columns, self._change = columns, change
        self.topics = layout.topics
        self.type_name = TABLE[layout.kind].type_name
        self.size = self._encoder.size - MESSAGE_HEAD

    def encode(self, times: Array, values: Array, batch: Batch = NOTHING) -> list[list[bytes]]:
        """The messages of each topic, a message per row."""
        if self._columns is not None:
            values = values[:, self._columns]
        if self._change is not None:
            values = self._change(values)
        count, step = len(times), self._encoder.size
        form = self._forms.get(count)
        if form is None:
            if len(self._forms) >= _FORMS_KEPT:
                self._forms.pop(next(iter(self._forms)))
            form = self._forms[count] = ChunkForm([self._encoder], [count])
        form.fill([np.rint(times * 1e9).astype(np.uint64)], [values])
        data = form.data.tobytes()
        return [
            [data[start + MESSAGE_HEAD : start + step] for start in range(topic * count * step, (topic + 1) * count * step, step)]
            for topic in range(len(self.topics))
        ]
