"""Cameras: what is said about them; the pictures are drawn by engine/cameras.py."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import Field

from didymos.contract import option, parameter
from didymos.sensors.sensor import Sensor

__all__ = ["Camera"]

_Pixels = Annotated[int, Field(ge=1, le=8192, strict=True)]


class Camera(Sensor):
    """Camera at the origin of its link, looking along x: colours and depth; see engine/cameras.py.

    It draws only where it is switched on: pictures cost more than all else together, and need OpenGL.
    """

    message = "image"
    enabled = parameter(0.0, unit="1", low=0, high=1, live=False, doc="1 takes pictures")
    width = option(_Pixels, 800, doc="of the picture [pixel]")
    height = option(_Pixels, 800, doc="of the picture [pixel]")
    field_of_view = parameter(unit="rad", above=0, high=3.0, live=False, doc="across the width")
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

    @staticmethod
    def focal(spec: Any) -> float:
        """Focal length [pixel]."""
        return float(spec.width / (2.0 * math.tan(0.5 * spec.field_of_view)))
