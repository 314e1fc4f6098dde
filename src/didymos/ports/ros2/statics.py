"""What never changes about a robot and ROS 2 wants on /tf_static: the named frames that are fixed to its links."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.record.stream import Kind, StreamLayout

__all__ = ["static_frames"]

_POSE = (*(f"position.{axis}" for axis in "xyz"), *(f"orientation.{axis}" for axis in "wxyz"))


def static_frames(twin: Twin, prefix: str = "") -> list[tuple[StreamLayout, NDArray[np.float64]]]:
    """Per link that has further frames: the layout of their poses in the link's frame, and the one row.

    `prefix` stands before the names of all frames (`drone/`).
    """
    static = []
    frames = twin.description.frames
    for link in dict.fromkeys(frame.link for frame in frames.values()):
        own = [frame for frame in frames.values() if frame.link == link]
        labels = tuple(f"{prefix}{frame.name}" for frame in own)
        columns = tuple(f"{label}.{number}" for label in labels for number in _POSE)
        units = ("m", "m", "m", "1", "1", "1", "1") * len(own)
        layout = StreamLayout("tf_static", Kind.TF_STATIC, columns, units, f"{prefix}{link}", labels=labels)
        static.append((layout, np.concatenate([[*frame.position, *frame.quaternion] for frame in own])))
    return static
