"""Where on Earth a place of the world is: from east, north, up of the world's origin to latitude, longitude and height.

    r = r_0 + east e_E + north e_N + up e_U,    N = a / sqrt(1 - e^2 sin^2 lat)
    r_0 = ((N + h) cos lat cos lon, (N + h) cos lat sin lon, (N (1 - e^2) + h) sin lat)

and back by Bowring's formula, of which two steps are right to some nanometres for anything that flies. An ellipsoid is given by
its radius at the equator and its flattening f, e^2 = f (2 - f): that of WGS 84, or a sphere (f = 0) as large as it. The world
is the plane that touches the Earth at its origin (`world.earth`: latitude, longitude, height above the ellipsoid), so what
flies level in it rises above the ellipsoid by d^2 / (2 R) at a distance d: 8 cm at 1 km, 8 m at 10 km. GeographicLib's
LocalCartesian is the same map.
Reference: B. R. Bowring, Transformation from spatial to geographical coordinates, Survey Review 23, 1976; NGA.STND.0036 (WGS 84).
"""

from __future__ import annotations

import math

from didymos.compiled import kernel

__all__ = ["EQUATOR", "FLATTENING", "SPHERE", "from_centre", "geodetic", "local"]

EQUATOR, FLATTENING = 6_378_137.0, 1.0 / 298.257223563  # [m], [1]: WGS 84
SPHERE = 6_371_007.1809  # [m], radius of the sphere with the surface of that ellipsoid
_STEPS = 3


@kernel
def from_centre(latitude: float, height: float, equator: float, flattening: float) -> tuple[float, float]:
    """Distance [m] from the Earth's axis and from the plane of its equator, of a geodetic latitude [rad] and height [m]."""
    square = flattening * (2.0 - flattening)
    sine = math.sin(latitude)
    normal = equator / math.sqrt(1.0 - square * sine * sine)
    return (normal + height) * math.cos(latitude), (normal * (1.0 - square) + height) * sine


@kernel
def geodetic(
    latitude: float, longitude: float, height: float, east: float, north: float, up: float,
    equator: float = EQUATOR, flattening: float = FLATTENING,
) -> tuple[float, float, float]:  # fmt: skip
    """Latitude and longitude [rad] and height [m] of a place at so many metres east, north and up of an origin."""
    square = flattening * (2.0 - flattening)  # e^2
    second, pole = square / (1.0 - square), equator * (1.0 - flattening)  # e'^2
    sine, cosine, sine_l, cosine_l = math.sin(latitude), math.cos(latitude), math.sin(longitude), math.cos(longitude)
    out, z = from_centre(latitude, height, equator, flattening)
    out = out + cosine * up - sine * north  # from the axis, in the meridian of the origin
    x, y = out * cosine_l - east * sine_l, out * sine_l + east * cosine_l
    z = z + sine * up + cosine * north
    across = math.sqrt(x * x + y * y)
    reduced = math.atan2(z * equator, across * pole)
    found = 0.0
    for _ in range(_STEPS):
        found = math.atan2(z + second * pole * math.sin(reduced) ** 3, across - square * equator * math.cos(reduced) ** 3)
        reduced = math.atan2((1.0 - flattening) * math.sin(found), math.cos(found))
    sine, cosine = math.sin(found), math.cos(found)
    # along the normal, which holds at the poles as well
    above = across * cosine + z * sine - equator * math.sqrt(1.0 - square * sine * sine)
    return found, math.atan2(y, x), above


@kernel
def local(
    latitude: float, longitude: float, height: float, latitude_there: float, longitude_there: float, height_there: float
) -> tuple[float, float, float]:
    """Metres east, north and up of an origin, of a latitude and longitude [rad] and a height [m]: `geodetic` backwards."""
    out, z = from_centre(latitude, height, EQUATOR, FLATTENING)
    out_there, z_there = from_centre(latitude_there, height_there, EQUATOR, FLATTENING)
    turn = longitude_there - longitude
    along, east, up = out_there * math.cos(turn) - out, out_there * math.sin(turn), z_there - z  # in the meridian of the origin
    sine, cosine = math.sin(latitude), math.cos(latitude)
    return east, cosine * up - sine * along, cosine * along + sine * up
