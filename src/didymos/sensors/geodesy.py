"""Where on Earth a place of the world is: from east, north, up of the world's origin to latitude, longitude and height (WGS 84).

    r = r_0 + east e_E + north e_N + up e_U,    N = a / sqrt(1 - e^2 sin^2 lat)
    r_0 = ((N + h) cos lat cos lon, (N + h) cos lat sin lon, (N (1 - e^2) + h) sin lat)

and back by Bowring's formula, of which two steps are right to some nanometres for anything that flies. The world is the plane
that touches the Earth at its origin (`world.magnetic`: latitude, longitude, height above the ellipsoid), so what flies level in
it rises above the ellipsoid by d^2 / (2 R) at a distance d: 8 cm at 1 km, 8 m at 10 km. GeographicLib's LocalCartesian is the
same map.
Reference: B. R. Bowring, Transformation from spatial to geographical coordinates, Survey Review 23, 1976; NGA.STND.0036 (WGS 84).
"""

from __future__ import annotations

import math

from didymos.compiled import kernel

__all__ = ["geodetic"]

_EQUATOR, _FLATTENING = 6_378_137.0, 1.0 / 298.257223563  # [m], [1]: WGS 84
_POLE = _EQUATOR * (1.0 - _FLATTENING)
_SQUARE = _FLATTENING * (2.0 - _FLATTENING)  # e^2
_SECOND = _SQUARE / (1.0 - _SQUARE)  # e'^2
_STEPS = 3


@kernel
def geodetic(
    latitude: float, longitude: float, height: float, east: float, north: float, up: float
) -> tuple[float, float, float]:
    """Latitude and longitude [rad] and height [m] of a place at so many metres east, north and up of an origin."""
    sine, cosine, sine_l, cosine_l = math.sin(latitude), math.cos(latitude), math.sin(longitude), math.cos(longitude)
    normal = _EQUATOR / math.sqrt(1.0 - _SQUARE * sine * sine)
    out = (normal + height) * cosine + cosine * up - sine * north  # from the axis, in the meridian of the origin
    x, y = out * cosine_l - east * sine_l, out * sine_l + east * cosine_l
    z = (normal * (1.0 - _SQUARE) + height) * sine + sine * up + cosine * north
    across = math.sqrt(x * x + y * y)
    reduced = math.atan2(z * _EQUATOR, across * _POLE)
    found = 0.0
    for _ in range(_STEPS):
        found = math.atan2(z + _SECOND * _POLE * math.sin(reduced) ** 3, across - _SQUARE * _EQUATOR * math.cos(reduced) ** 3)
        reduced = math.atan2((1.0 - _FLATTENING) * math.sin(found), math.cos(found))
    sine, cosine = math.sin(found), math.cos(found)
    # along the normal, which holds at the poles as well
    above = across * cosine + z * sine - _EQUATOR * math.sqrt(1.0 - _SQUARE * sine * sine)
    return found, math.atan2(y, x), above
