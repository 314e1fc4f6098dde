"""Messages of a topic as they were recorded: bytes and times, gathered by size, so that those that are alike are read at once.

Files of every kind that holds ROS messages (MCAP, bags of ROS 1 and ROS 2) become these; `message_decode.py` reads them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["LARGEST_MESSAGE", "RawMessages", "normal_type"]

LARGEST_MESSAGE = 1 << 16
"""Bytes beyond which a message is an image or a cloud, and not a set of signals."""

_Part = tuple[NDArray[np.uint8], NDArray[np.int64]]
_SAME = {"tf/msg/tfMessage": "tf2_msgs/msg/TFMessage"}


def normal_type(name: str) -> str:
    """The name of a type as ROS 2 spells it: `std_msgs/Float64` -> `std_msgs/msg/Float64`."""
    if name.count("/") == 1:
        name = name.replace("/", "/msg/")
    return _SAME.get(name, name)


@dataclass
class RawMessages:
    """Messages of one topic and type, gathered by their size in bytes.

    Attributes:
        encoding: how a message is written: `cdr` (ROS 2) or `ros1`.
        schema_encoding, schema: the definition of its type: `ros2msg`, `ros2idl` or `ros1msg`, and the text; empty where the
            file has none.
        parts: by size: bytes, shape [n, size], and the times [ns] at which they were logged, shape [n].
        larger: how many messages were too large to be signals.
    """

    topic: str
    type_name: str
    encoding: str
    schema_encoding: str
    schema: bytes
    parts: dict[int, list[_Part]] = field(default_factory=lambda: defaultdict(list))
    larger: int = 0

    def add(self, data: bytes, starts: Sequence[int], sizes: Sequence[int], times: Sequence[int]) -> None:
        """Take messages out of a piece of a file: where each begins in it, its size [B], and its time [ns]."""
        plain = np.frombuffer(data, np.uint8)
        first, size, stamps = np.array(starts), np.array(sizes), np.array(times, np.uint64).astype(np.int64)
        widths = sorted(set(sizes))
        for width in widths:
            same = slice(None) if len(widths) == 1 else size == width
            if width > LARGEST_MESSAGE:
                self.larger += len(size[same])
            else:
                self.parts[width].append((plain[first[same][:, None] + np.arange(width)], stamps[same]))
