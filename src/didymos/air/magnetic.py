"""The Earth's magnetic field at a place and date: the International Geomagnetic Reference Field, or as measured there.

    B = -grad V,   V = a sum_(n=1..13) (a / r)^(n+1) sum_(m=0..n) [g_nm cos(m l) + h_nm sin(m l)] P_nm(cos t)

a = 6371.2 km, r distance from the Earth's centre, t colatitude, l longitude, P Schmidt's semi-normalised functions; g and h are
those of igrf14.py, linear between 2020 and 2025 and from there on by their secular variation. A place is given as a receiver
gives it, by geodetic latitude, longitude and height above the ellipsoid (WGS 84), and the field in its east, north and up, the
axes of the world.

Valid from 2020 to 2030, from the ground to some hundred kilometres. It is the field of the core: rocks, iron in the ground
and houses (100 to 200 nT as a rule, 0.2 to 0.3 degrees of declination, far more beside a car), the daily variation (50 nT) and
storms are not in it; where that matters, give the field as measured. It is taken once, at the origin: a world is small (a
kilometre of height weakens the field by 0.05 %). (Until 0.2.0 a tilted dipole stood here; in Athens its declination was off by 17
degrees.) References: Alken et al., IGRF: the thirteenth generation, Earth Planets Space 73:49 (2021); The US/UK World Magnetic
Model for 2020-2025 (NOAA 2020), section 1.2, for the formulas.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from pydantic import model_validator

from didymos.air.earth import EarthSpec
from didymos.air.geodesy import EQUATOR, FLATTENING, from_centre
from didymos.air.igrf14 import COEFFICIENTS
from didymos.spec import Spec, number

__all__ = ["MagneticSpec", "declination", "earth_field"]

_REFERENCE = 6_371_200.0  # [m], a
_DEGREE = 13
_AT_POLE = 1e-9  # [1], least sine of a colatitude
_PLACE = "earth: {latitude: ..., longitude: ..., height: ...}"


class MagneticSpec(Spec):
    """When the field at the world's origin (`world.earth`) is asked for, or the field measured there."""

    date: float = number(2025.0, unit="1", low=2020, high=2030, live=False, doc="year and its fraction, for the field's drift")
    east: float = number(0.0, unit="T", live=False, doc="measured; where any of the three is given the model is not used")
    north: float = number(0.0, unit="T", live=False, doc="measured")
    up: float = number(0.0, unit="T", live=False, doc="measured")

    @model_validator(mode="before")
    @classmethod
    def _the_place_is_the_earths(cls, raw: Any) -> Any:
        moved = [key for key in ("latitude", "longitude", "height") if isinstance(raw, dict) and key in raw]
        if moved:
            raise ValueError(f"found {moved[0]!r}, which stands in world.earth now: the place of the origin is {_PLACE}")
        return raw

    def field(self, place: EarthSpec) -> tuple[float, float, float]:
        """East, north, up [T]."""
        given = (self.east, self.north, self.up)
        return given if any(given) else earth_field(place.latitude, place.longitude, place.height, self.date)


def declination(field: tuple[float, float, float]) -> float:
    """Angle [rad] of magnetic north from true north, toward east, of a field (east, north, up)."""
    return math.atan2(field[0], field[1])


@cache
def _at(date: float) -> list[tuple[int, int, float, float]]:
    """n, m, g, h [nT] at a date."""
    rows = [[float(word) for word in line.split()] for line in COEFFICIENTS.strip().splitlines()[1:]]
    years = date - 2025.0
    found = []
    for n, m, g_2020, h_2020, g_2025, h_2025, g_rate, h_rate in rows:
        g_slope, h_slope = (g_rate, h_rate) if years > 0.0 else ((g_2025 - g_2020) / 5.0, (h_2025 - h_2020) / 5.0)
        found.append((int(n), int(m), g_2025 + years * g_slope, h_2025 + years * h_slope))
    return found


def _legendre(cosine: float, sine: float) -> dict[tuple[int, int], float]:
    """Schmidt's functions by degree and order."""
    found = {(0, 0): 1.0}
    for m in range(_DEGREE + 1):
        if m > 0:
            found[m, m] = sine * found[m - 1, m - 1] * (math.sqrt(1.0 - 0.5 / m) if m > 1 else 1.0)
        for n in range(m + 1, _DEGREE + 1):
            before = math.sqrt((n - 1) ** 2 - m**2) * found[n - 2, m] if n > m + 1 else 0.0
            found[n, m] = ((2 * n - 1) * cosine * found[n - 1, m] - before) / math.sqrt(n**2 - m**2)
    return found


def earth_field(latitude: float, longitude: float, height: float = 0.0, date: float = 2025.0) -> tuple[float, float, float]:
    """East, north, up [T] at a geodetic latitude and longitude [rad], a height [m] above the ellipsoid and a date [years]."""
    outward, northward = from_centre(latitude, height, EQUATOR, FLATTENING)
    radius = math.hypot(outward, northward)
    cosine, sine = northward / radius, max(outward / radius, _AT_POLE)
    functions = _legendre(cosine, sine)
    radial, southward, east = 0.0, 0.0, 0.0
    for n, m, g, h in _at(date):
        scale = 1e-9 * (_REFERENCE / radius) ** (n + 2)
        cos_m, sin_m = math.cos(m * longitude), math.sin(m * longitude)
        value = functions[n, m]
        before = math.sqrt(n**2 - m**2) * functions[n - 1, m] if n > m else 0.0
        slope = (n * cosine * value - before) / sine  # dP/dt
        radial += scale * (n + 1) * (g * cos_m + h * sin_m) * value
        southward -= scale * (g * cos_m + h * sin_m) * slope
        east += scale * m * (g * sin_m - h * cos_m) * value / sine
    turn = latitude - math.atan2(northward, outward)  # from the line to the Earth's centre to the plumb line
    return east, -southward * math.cos(turn) - radial * math.sin(turn), radial * math.cos(turn) - southward * math.sin(turn)
