"""Pictures as ROS 2 messages.

Colours travel as JPEG (`sensor_msgs/msg/CompressedImage`): raw, a camera of 800 x 800 at 30 Hz fills 58 MB/s. Depth travels raw
(`sensor_msgs/msg/Image`, 32FC1, metres), because no packing that readers share keeps metres up to 300 m exactly; the recording's
own LZ4 shortens it. Each picture comes with its pin-hole and lens (`sensor_msgs/msg/CameraInfo`), in the camera's optical frame
(REP 103: x right, y down, z forward), pixels counted from 0 in the middle of the first one, so that the axis is at ((w - 1) / 2,
(h - 1) / 2).
"""

from __future__ import annotations

import io
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.record.cdr import write_message

__all__ = ["QUALITY", "Picture", "PinHole", "messages_of", "topics_of"]

QUALITY = 90
"""Of JPEG, 1 to 95: at 90 its own errors are about as large as the noise of a camera, 2 of 255."""


@dataclass(frozen=True)
class Picture:
    """What a camera took at a time [s]: colours [h, w, 3] and depth [h, w] in metres, where it measures them."""

    time: float
    colour: NDArray[np.uint8] | None
    depth: NDArray[np.float32] | None


@dataclass(frozen=True)
class PinHole:
    """A camera by its name, its optical frame, its size [pixel], its focal length [pixel] and its lens (k1, k2, p1, p2, k3)."""

    name: str
    frame: str
    width: int
    height: int
    focal: float
    distortion: tuple[float, float, float, float, float]
    colour: bool
    depth: bool

    def under(self, robot: str) -> PinHole:
        """The same camera in the log of a world."""
        return replace(self, name=f"{robot}.{self.name}", frame=f"{robot}/{self.frame}")


def topics_of(eye: PinHole) -> tuple[tuple[str, str], ...]:
    """Topics and message types of a camera's pictures, in the order of `messages_of`."""
    name = eye.name.replace(".", "/")
    topics = [(f"/{name}/camera_info", "sensor_msgs/msg/CameraInfo")]
    if eye.colour:
        topics.append((f"/{name}/image/compressed", "sensor_msgs/msg/CompressedImage"))
    if eye.depth:
        topics.append((f"/{name}/depth/image", "sensor_msgs/msg/Image"))
    return tuple(topics)


def messages_of(eye: PinHole, picture: Picture) -> list[bytes]:
    """The messages of a picture in CDR, one for each topic."""
    nanoseconds = round(picture.time * 1e9)
    stamp = {"header.stamp.sec": nanoseconds // 10**9, "header.stamp.nanosec": nanoseconds % 10**9}
    header: dict[str, Any] = {**stamp, "header.frame_id": eye.frame}
    values = [header | _info(eye)]
    if picture.colour is not None:
        data = np.frombuffer(_jpeg(picture.colour), np.uint8)
        values.append(header | {"format": "rgb8; jpeg compressed bgr8", "data": data})
    if picture.depth is not None:
        rows, columns = picture.depth.shape
        data = np.frombuffer(np.ascontiguousarray(picture.depth, "<f4").tobytes(), np.uint8)
        values.append(header | {"height": rows, "width": columns, "encoding": "32FC1", "step": 4 * columns, "data": data})
    return [write_message(kind, of_topic) for (_, kind), of_topic in zip(topics_of(eye), values, strict=True)]


def _info(eye: PinHole) -> dict[str, Any]:
    x, y, f = 0.5 * (eye.width - 1), 0.5 * (eye.height - 1), eye.focal
    return {
        "height": eye.height, "width": eye.width, "distortion_model": "plumb_bob", "d": eye.distortion,
        "k": [f, 0.0, x, 0.0, f, y, 0.0, 0.0, 1.0], "r": np.eye(3).ravel(),
        "p": [f, 0.0, x, 0.0, 0.0, f, y, 0.0, 0.0, 0.0, 1.0, 0.0],
    }  # fmt: skip


def _jpeg(pixels: NDArray[np.uint8]) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()
