"""Pictures of cameras as ROS 2's own drivers send them, in the optical frame (REP 103: x right, y down, z forward).

    /CAMERA/image_raw          sensor_msgs/Image         rgb8
    /CAMERA/camera_info        sensor_msgs/CameraInfo    K, D, R, P: the same stamp and frame as its picture
    /CAMERA/depth/image_raw    sensor_msgs/Image         32FC1, [m] along z
    /CAMERA/depth/camera_info  sensor_msgs/CameraInfo
    /CAMERA/depth/points       sensor_msgs/PointCloud2   a point per pixel

A point (X, Y, Z) of the optical frame falls on column K[0] x_d + K[2], row K[4] y_d + K[5], counted from 0 in the middle of the
first pixel, with (x_d, y_d) what the lens D (`plumb_bob`) makes of (X / Z, Y / Z). P is K for a rectified picture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.ports.ros2.clouds import TYPE as CLOUD
from didymos.ports.ros2.clouds import cloud_form, depth_points
from didymos.ports.ros2.form import MessageForm
from didymos.ports.ros2.names import ros_name
from didymos.record.image import Picture, PinHole
from didymos.sensors.lens import Lens

__all__ = ["CAMERA_INFO", "IMAGE", "PictureOutlet", "picture_outlets"]

IMAGE, CAMERA_INFO = "sensor_msgs/msg/Image", "sensor_msgs/msg/CameraInfo"


@dataclass(frozen=True)
class PictureOutlet:
    """A topic of a camera: what it sends of a picture, or None where the picture lacks it."""

    camera: str
    topic: str
    type_name: str
    size: int
    encode: Callable[[Picture], bytes | None]


def picture_outlets(camera: str, eye: PinHole) -> list[PictureOutlet]:
    """The topics of a camera by its name in the run; `eye` has its own name and frame."""
    name = ros_name(eye.name)
    found = []
    if eye.colour:
        picture, info = _image_form(eye, "rgb8", 3), _info_form(eye)
        found.append(PictureOutlet(camera, f"{name}/image_raw", IMAGE, picture.size, _of_colour(picture)))
        found.append(PictureOutlet(camera, f"{name}/camera_info", CAMERA_INFO, info.size, _stamped(info)))
    if eye.depth:
        picture, info = _image_form(eye, "32FC1", 4), _info_form(eye)
        cloud = cloud_form(eye.frame, eye.height, eye.width)
        found.append(PictureOutlet(camera, f"{name}/depth/image_raw", IMAGE, picture.size, _of_depth(picture)))
        found.append(PictureOutlet(camera, f"{name}/depth/camera_info", CAMERA_INFO, info.size, _stamped(info)))
        found.append(PictureOutlet(camera, f"{name}/depth/points", CLOUD, cloud.size, _of_points(cloud, eye)))
    return found


def _image_form(eye: PinHole, encoding: str, pixel: int) -> MessageForm:
    constants = {
        "header.frame_id": eye.frame, "height": eye.height, "width": eye.width, "encoding": encoding,
        "step": pixel * eye.width, "data": pixel * eye.width * eye.height,
    }  # fmt: skip
    return MessageForm(IMAGE, constants, data="data")


def _info_form(eye: PinHole) -> MessageForm:
    x, y, f = 0.5 * (eye.width - 1), 0.5 * (eye.height - 1), eye.focal
    constants = {
        "header.frame_id": eye.frame, "height": eye.height, "width": eye.width, "distortion_model": "plumb_bob", "d": 5,
        "k": (f, 0.0, x, 0.0, f, y, 0.0, 0.0, 1.0), "r": tuple(np.eye(3).ravel()),
        "p": (f, 0.0, x, 0.0, 0.0, f, y, 0.0, 0.0, 0.0, 1.0, 0.0),
    }  # fmt: skip
    return MessageForm(CAMERA_INFO, constants, numbers=[f"d.{i}" for i in range(5)], fixed=eye.distortion)


def _stamped(form: MessageForm) -> Callable[[Picture], bytes]:
    return lambda picture: form.fill(np.array([picture.time]))[0]


def _of_colour(form: MessageForm) -> Callable[[Picture], bytes | None]:
    def encode(picture: Picture) -> bytes | None:
        return None if picture.colour is None else form.fill(np.array([picture.time]), data=picture.colour[None])[0]

    return encode


def _of_depth(form: MessageForm) -> Callable[[Picture], bytes | None]:
    def encode(picture: Picture) -> bytes | None:
        if picture.depth is None:
            return None
        return form.fill(np.array([picture.time]), data=picture.depth[None].astype("<f4"))[0]

    return encode


def _of_points(form: MessageForm, eye: PinHole) -> Callable[[Picture], bytes | None]:
    plane: dict[str, NDArray[np.float64]] = {}

    def encode(picture: Picture) -> bytes | None:
        if picture.depth is None:
            return None
        if not plane:  # worked out for the first picture that somebody looks at
            plane["x"], plane["y"] = _plane(eye)
        return form.fill(np.array([picture.time]), data=depth_points(picture.depth, plane)[None])[0]

    return encode


def _plane(eye: PinHole) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of every pixel the point of the plane at distance 1 that it shows."""
    if any(eye.distortion):
        return Lens(eye.width, eye.height, eye.focal, eye.distortion).points
    columns = (np.arange(eye.width) - 0.5 * (eye.width - 1)) / eye.focal
    rows = (np.arange(eye.height) - 0.5 * (eye.height - 1)) / eye.focal
    x, y = np.meshgrid(columns, rows)
    return x, y
