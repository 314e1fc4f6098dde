"""Cameras: what is said about them; the pictures are drawn by engine/cameras.py, lenses are in lens.py."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field

from didymos.contract import option, parameter
from didymos.sensors.lens import Lens
from didymos.sensors.sensor import Sensor

__all__ = ["Camera", "optical_frame"]

_Pixels = Annotated[int, Field(ge=1, le=8192, strict=True)]


_lens = lru_cache(maxsize=8)(Lens)  # what it bends is worked out once


def optical_frame(camera: str) -> str:
    """Name of a camera's optical frame (REP 103): x right, y down, z forward, at the origin of its link."""
    return f"{camera}_optical_frame"


class Camera(Sensor):
    """Camera at the origin of its link, looking along x: colours and depth; see engine/cameras.py.

    It draws only where it is switched on: pictures cost more than all else together, and need OpenGL.
    """

    message = "image"
    enabled = parameter(0.0, unit="1", low=0, high=1, live=False, doc="1 takes pictures")
    width = option(_Pixels, 800, doc="of the picture [pixel]")
    height = option(_Pixels, 800, doc="of the picture [pixel]")
    field_of_view = parameter(unit="rad", low=1e-3, high=3.0, live=False, doc="across the width, without the lens")
    k1 = parameter(0.0, unit="1", live=False, doc="lens distortion, radial; as `plumb_bob` of ROS and OpenCV")
    k2 = parameter(0.0, unit="1", live=False, doc="lens distortion, radial")
    p1 = parameter(0.0, unit="1", live=False, doc="lens distortion, tangential")
    p2 = parameter(0.0, unit="1", live=False, doc="lens distortion, tangential")
    k3 = parameter(0.0, unit="1", live=False, doc="lens distortion, radial")
    near = parameter(0.02, unit="m", above=0, live=False, doc="what is nearer is not seen")
    far = parameter(300.0, unit="m", above=0, live=False, doc="what is further is not seen")
    colour = option(bool, True)
    depth = option(bool, False, doc="also the distance of each pixel [m]")
    noise = parameter(0.0, unit="1", low=0, high=1, doc="standard deviation of each colour of a pixel, from 0 to 1")
    depth_noise = parameter(0.0, unit="m", low=0, doc="standard deviation of the depth of a pixel")

    @classmethod
    def check(cls, spec: Any) -> None:
        """It must see something, and it has no outages."""
        if not spec.near < spec.far:
            raise ValueError(f"found near {spec.near:g} m, expected it before far {spec.far:g} m")
        if not (spec.colour or spec.depth):
            raise ValueError("expected at least one of the keys 'colour' and 'depth' to be true")
        if spec.outage_rate > 0.0:
            raise ValueError("a camera has no outages, only drop-outs of single pictures: leave 'outage_rate' out")
        lens = cls.lens(spec)
        if lens is not None:
            lens.source_size  # noqa: B018, which a lens that folds its picture does not have

    @staticmethod
    def focal(spec: Any) -> float:
        """Focal length [pixel]."""
        return float(spec.width / (2.0 * math.tan(0.5 * spec.field_of_view)))

    @staticmethod
    def lens(spec: Any) -> Lens | None:
        """The lens, where it bends anything."""
        coefficients = (spec.k1, spec.k2, spec.p1, spec.p2, spec.k3)
        return _lens(spec.width, spec.height, Camera.focal(spec), coefficients) if any(coefficients) else None

    @staticmethod
    def drawn_size(spec: Any) -> tuple[int, int]:
        """Width and height [pixel] of the pin-hole picture that is drawn, before the lens."""
        lens = Camera.lens(spec)
        return (spec.width, spec.height) if lens is None else lens.source_size
