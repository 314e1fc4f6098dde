"""Where a vehicle is on the Earth, and its home: the world's origin has a latitude, a longitude and a height, the rest follows.

Heights above the ellipsoid stand for those above the sea: there is no geoid here. The maps are those of `air/geodesy.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from didymos.air.geodesy import geodetic, local
from didymos.ports.mavlink.conversions import clipped
from didymos.ports.mavlink.dialect import mavlink

__all__ = ["FRAMES", "Place", "Places", "degrees7"]

Place = tuple[float, float, float]
"""East, north, up [m] of the world's origin."""

_ABSOLUTE = (mavlink.MAV_FRAME_GLOBAL, mavlink.MAV_FRAME_GLOBAL_INT)
_RELATIVE = (mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT, mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT_INT)
FRAMES = (*_ABSOLUTE, *_RELATIVE)
"""MAVLink's numbers for frames of latitude, longitude and height: above the sea, above home."""


class Places:
    """Places of a vehicle in a world whose origin is at a latitude and longitude [rad] and a height [m].

    `home` is where it armed last, or stood when it knew for the first time where it is.
    """

    def __init__(self, origin: tuple[float, float, float]) -> None:
        self._origin = origin
        self.home: Place | None = None

    @property
    def origin(self) -> Place:
        """Latitude and longitude [deg] and height [m] of the world's origin."""
        latitude, longitude, height = self._origin
        return math.degrees(latitude), math.degrees(longitude), height

    def globally(self, place: Sequence[float]) -> tuple[float, float, float]:
        """Latitude and longitude [deg] and height [m] of a place."""
        latitude, longitude, height = geodetic(*self._origin, *map(float, place))
        return math.degrees(latitude), math.degrees(longitude), float(height)

    def locate(self, frame: int, latitude: float, longitude: float, height: float) -> Place | None:
        """The place of a latitude and longitude [deg] and a height [m] in a frame; None where that is none."""
        if frame in _RELATIVE:
            height += self.globally(self.home or (0.0, 0.0, 0.0))[2]
        elif frame not in _ABSOLUTE:
            return None
        if not (abs(latitude) <= 90.0 and abs(longitude) <= 180.0 and abs(height) < 1e6):
            return None
        east, north, up = local(*self._origin, math.radians(latitude), math.radians(longitude), height)
        return float(east), float(north), float(up)

    def above(self, place: Sequence[float], frame: int, height: float) -> Place | None:
        """The place above or below another that has a height [m] in a frame."""
        latitude, longitude, _ = self.globally(place)
        return self.locate(frame, latitude, longitude, height)


def degrees7(angle: float) -> int:
    """An angle [deg] in units of 1e-7 deg, as MAVLink has it."""
    return clipped(angle * 1e7, -(1 << 31), (1 << 31) - 1)
