"""Point clouds (`sensor_msgs/PointCloud2`) beside scans and depth pictures: x, y, z [m] of each ray or pixel, float32.

A cloud has a point for every ray in the order of the scan, and for every pixel, row by row, of a picture. One without a
measurement, because nothing is within reach or it is too near, is NaN in all three (REP 117's infinities have no direction to
tell).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.ports.ros2.encode import NOTHING, Array, Batch
from didymos.ports.ros2.form import MessageForm

__all__ = ["TYPE", "ScanCloud", "cloud_form", "depth_points"]

TYPE = "sensor_msgs/msg/PointCloud2"
_FLOAT32, _STEP = 7, 12  # sensor_msgs/PointField.FLOAT32; bytes of a point


def cloud_form(frame: str, height: int, width: int) -> MessageForm:
    """Messages of clouds in a frame, `height` rows of `width` points."""
    constants: dict[str, Any] = {
        "header.frame_id": frame, "height": height, "width": width, "fields": 3, "point_step": _STEP,
        "row_step": _STEP * width, "data": _STEP * width * height,
    }  # fmt: skip
    for i, name in enumerate("xyz"):
        constants |= {
            f"fields.{i}.name": name, f"fields.{i}.offset": 4 * i, f"fields.{i}.datatype": _FLOAT32, f"fields.{i}.count": 1,
        }  # fmt: skip
    return MessageForm(TYPE, constants, data="data")


class ScanCloud:
    """The points of a scan in the frame of its lidar.

    Args:
        frame: the lidar's.
        directions: unit vectors along the rays, shape [rays, 3].
        columns: those of the ranges in the stream.
    """

    def __init__(self, frame: str, directions: NDArray[np.float64], columns: slice) -> None:
        self._directions, self._columns = directions, columns
        self._form = cloud_form(frame, 1, len(directions))
        self.type_name, self.size = TYPE, self._form.size

    def encode(self, times: Array, values: Array, batch: Batch = NOTHING) -> list[list[bytes]]:
        """A cloud per scan."""
        ranges = values[:, self._columns]
        ranges = np.where(np.isfinite(ranges), ranges, np.nan)
        return [self._form.fill(times, data=(ranges[:, :, None] * self._directions).astype("<f4"))]


def depth_points(depth: NDArray[np.float32], plane: Mapping[str, NDArray[np.float64]]) -> NDArray[np.float32]:
    """The points of a depth picture [m], shape [h, w], in the optical frame, shape [h, w, 3].

    `plane` has of every pixel the point `x`, `y` of the plane at distance 1 that it shows, shape [h, w] each.
    """
    known = np.where(np.isfinite(depth), depth, np.float32(np.nan))
    return np.stack([plane["x"] * known, plane["y"] * known, known], axis=-1).astype("<f4")
