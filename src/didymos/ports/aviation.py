"""Frames and units of aviation, for what autopilots and ground stations are told: one number at a time, without arrays.

Ours are REP 103: body forward-left-up, world east-north-up, quaternions w first, angles in radians. Theirs:

    body        forward, right, down      (x, -y, -z)
    world       north, east, down         (y, x, -z)
    attitude    of forward-right-down in north-east-down:  q' = q_NE q q_x,
                q_NE = (0, 1, 1, 0) / sqrt 2  (half a turn about the axis between north and east),  q_x = (0, 1, 0, 0)
    angles      roll, pitch, yaw of q': to the right, nose up, from north clockwise
    places      latitude and longitude in 1e-7 deg, heights in mm, from the world's origin by `air/geodesy.py`

Recordings of others are turned the other way round, whole columns at once, by `record/frames.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from didymos.air.geodesy import geodetic

__all__ = ["Vector", "attitude_ned", "euler", "frd", "ned", "place_1e7", "rotate"]

Vector = tuple[float, float, float]
_HALF = math.sqrt(0.5)


def frd(vector: Sequence[float]) -> Vector:
    """A vector of the body, forward-left-up, as forward, right, down."""
    return vector[0], -vector[1], -vector[2]


def ned(vector: Sequence[float]) -> Vector:
    """A vector of the world, east-north-up, as north, east, down."""
    return vector[1], vector[0], -vector[2]


def attitude_ned(orientation: Sequence[float]) -> tuple[float, float, float, float]:
    """The quaternion of forward-right-down in north-east-down, from that of forward-left-up in east-north-up; both w first.

    Of the two that mean the same, the one whose w is not negative.
    """
    w, x, y, z = orientation
    turned = (_HALF * (w + z), _HALF * (x + y), _HALF * (x - y), _HALF * (w - z))
    return turned if turned[0] >= 0.0 else (-turned[0], -turned[1], -turned[2], -turned[3])


def euler(attitude: Sequence[float]) -> Vector:
    """Roll, pitch and yaw [rad] of a unit quaternion, w first."""
    w, x, y, z = attitude
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = math.asin(min(max(2.0 * (w * y - x * z), -1.0), 1.0))
    return roll, pitch, math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def rotate(orientation: Sequence[float], vector: Sequence[float]) -> Vector:
    """A vector of the body in the world: R(q) v."""
    w, x, y, z = orientation
    a, b, c = vector
    s, t, u = 2.0 * (y * c - z * b), 2.0 * (z * a - x * c), 2.0 * (x * b - y * a)
    return a + w * s + y * u - z * t, b + w * t + z * s - x * u, c + w * u + x * t - y * s


def place_1e7(origin: Sequence[float], position: Sequence[float]) -> tuple[int, int, int]:
    """Latitude and longitude [1e-7 deg] and height [mm] above the ellipsoid of a place east, north, up [m] of an origin.

    `origin` is latitude, longitude [rad] and height [m]. Heights above the sea differ by the geoid, which is left out.
    """
    latitude, longitude, height = geodetic(*origin, *position)
    return round(math.degrees(latitude) * 1e7), round(math.degrees(longitude) * 1e7), round(height * 1e3)
