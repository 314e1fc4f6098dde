"""Messages of one type that differ in time stamps and numbers alone: printed once, then filled in for many rows at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.record.cdr import new_map

__all__ = ["MessageForm", "one_message"]

_Array = NDArray[np.float64]


def one_message(type_name: str, constants: Mapping[str, Any]) -> bytes:
    """A message whose fields are all given, by path; what is not named is empty or zero."""
    return new_map(type_name, constants).data


class MessageForm:
    """A form for messages of a type.

    Args:
        type_name: such as `sensor_msgs/msg/PointCloud2`.
        constants: texts, numbers, and lengths of sequences by path, the same in all messages.
        stamps: paths of the time stamps.
        numbers: paths of the numbers that are filled in, in the order of the columns given.
        data: path of a sequence of bytes that is filled in as a whole.
        fixed: values of the numbers, where they are the same in all messages as well.

    Attributes:
        size: of a message [bytes].
    """

    def __init__(
        self, type_name: str, constants: Mapping[str, Any], *,
        stamps: Sequence[str] = ("header.stamp",), numbers: Sequence[str] = (), data: str = "",
        fixed: Sequence[float] = (),
    ) -> None:  # fmt: skip
        self.type_name = type_name
        message = new_map(type_name, constants)
        self.size = len(message.data)
        self._template = np.frombuffer(message.data, np.uint8)
        self._stamps = [message.leaf(f"{stamp}.sec").offset for stamp in stamps]
        self._data = message.numbers[data].offset if data else 0
        self._runs: list[tuple[int, str, int, int]] = []  # offset [bytes], type, first column, count
        for column, path in enumerate(numbers):
            leaf = message.leaf(path)
            offset, dtype, first, count = self._runs[-1] if self._runs else (0, "", 0, 0)
            if dtype == leaf.dtype and leaf.offset == offset + count * int(dtype[-1]):
                self._runs[-1] = (offset, dtype, first, count + 1)
            else:
                self._runs.append((leaf.offset, leaf.dtype, column, 1))
        if fixed:
            printed = self.fill(np.zeros(1), np.array(fixed, dtype=np.float64)[None])[0]
            self._template, self._runs = np.frombuffer(printed, np.uint8), []

    def fill(self, times: _Array, values: _Array | None = None, data: NDArray[Any] | None = None) -> list[bytes]:
        """Messages at times [s], shape [n], with values, shape [n, numbers], and data of any type, shape [n, ...]."""
        count = len(times)
        out = np.empty((count, self.size), np.uint8)
        out[:] = self._template
        nanoseconds = np.rint(times * 1e9).astype(np.uint64)
        seconds = nanoseconds // 1_000_000_000
        stamps = seconds + ((nanoseconds - seconds * 1_000_000_000) << 32)
        for offset in self._stamps:
            np.ndarray((count,), "<u8", out, offset, (self.size,))[:] = stamps
        for offset, dtype, first, width in self._runs if values is not None else ():
            assert values is not None
            np.ndarray((count, width), dtype, out, offset, (self.size, int(dtype[-1])))[:] = values[:, first : first + width]
        if data is not None:
            raw = np.ascontiguousarray(data).reshape(count, -1).view(np.uint8)
            out[:, self._data : self._data + raw.shape[1]] = raw
        return [row.tobytes() for row in out]
