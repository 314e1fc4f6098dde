"""Where a robot is on a curved Earth: its height above the ellipsoid, and north, east and up there.

The place is found once for a robot (at its root link) by `geodetic`; heights of its parts, d away from there, follow from it:

    h = h_0 + up . d + (|d|^2 - (up . d)^2) / (2 R)

with R the mean radius: right to 1e-7 m for parts within 10 m, and to 1e-5 m within 100 m. Wind and gusts are given in
the axes east, north, up at the robot and turned into those of the world. Where the Earth is flat, these are the world's own, and
heights are z of the world; latitude and longitude are those of the ellipsoid there too, as a satellite receiver has them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.air.geodesy import SPHERE, geodetic
from didymos.compiled import kernel

__all__ = ["PLACE", "height_at", "look_at_place", "to_world"]

PLACE = np.dtype(
    [
        ("latitude", np.float64),  # [rad]
        ("longitude", np.float64),  # [rad]
        ("height", np.float64),  # [m] above the ellipsoid
        ("position", np.float64, 3),  # [m] in the world
        ("east", np.float64, 3),  # unit vectors, in the world's axes
        ("north", np.float64, 3),
        ("up", np.float64, 3),
    ]
)
"""Where a robot is."""


@kernel
def look_at_place(earth: Any, position: Any, place: Any) -> None:
    """Find the `PLACE` of a position in the world [m], for an `EARTH`."""
    x, y, z = position[0], position[1], position[2]
    latitude, longitude, height = geodetic(
        earth.latitude, earth.longitude, earth.height, x, y, z, earth.equator, earth.flattening
    )
    place.latitude = latitude
    place.longitude = longitude
    place.position[0], place.position[1], place.position[2] = x, y, z
    if earth.curved == 0:
        place.height = earth.height + z
        for i in range(3):
            place.east[i] = 1.0 if i == 0 else 0.0
            place.north[i] = 1.0 if i == 1 else 0.0
            place.up[i] = 1.0 if i == 2 else 0.0
        return
    place.height = height
    # from the axes at the robot to those at the Earth's centre, in the origin's meridian, and from there to the world's
    turn = longitude - earth.longitude
    s, c, sl, cl = math.sin(latitude), math.cos(latitude), math.sin(turn), math.cos(turn)
    s0, c0 = math.sin(earth.latitude), math.cos(earth.latitude)
    place.east[0], place.east[1], place.east[2] = cl, s0 * sl, -c0 * sl
    place.north[0], place.north[1], place.north[2] = -s * sl, c0 * c + s0 * s * cl, s0 * c - c0 * s * cl
    place.up[0], place.up[1], place.up[2] = c * sl, c0 * s - s0 * c * cl, s0 * s + c0 * c * cl


@kernel
def height_at(place: Any, position: Any) -> float:
    """Height [m] above the ellipsoid of a position in the world [m] near a place."""
    at, up = place.position, place.up
    x, y, z = position[0] - at[0], position[1] - at[1], position[2] - at[2]
    above = up[0] * x + up[1] * y + up[2] * z
    return place.height + (above + (x * x + y * y + z * z - above * above) * (0.5 / SPHERE))


@kernel
def to_world(place: Any, east: float, north: float, up: float) -> tuple[float, float, float]:
    """A vector along east, north and up of a place, in the world's axes."""
    e, n, u = place.east, place.north, place.up
    return (
        e[0] * east + n[0] * north + u[0] * up,
        e[1] * east + n[1] * north + u[1] * up,
        e[2] * east + n[2] * north + u[2] * up,
    )
