"""Rows of a stream -> ROS 2 messages: the very bytes that the log holds, made by the log's own encoder."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.record.mcap_chunk import MESSAGE_HEAD, ChunkForm, StreamEncoder
from didymos.record.messages import TABLE
from didymos.record.stream import StreamLayout

__all__ = ["MessageEncoder"]

_FORMS_KEPT = 8


class MessageEncoder:
    """Encodes the rows of one stream. `topics` are ROS 2's, `size` is that of a message [bytes]."""

    def __init__(self, layout: StreamLayout) -> None:
        self._encoder = StreamEncoder(layout, 0)
        self._forms: dict[int, ChunkForm] = {}
        self.topics = layout.topics
        self.type_name = TABLE[layout.kind].type_name
        self.size = self._encoder.size - MESSAGE_HEAD

    def encode(self, times: NDArray[np.float64], values: NDArray[np.float64]) -> list[list[bytes]]:
        """The messages of each topic, a message per row: times [s], shape [n], and values, shape [n, columns]."""
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
