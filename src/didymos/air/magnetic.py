"""The Earth's magnetic field at a place: a dipole tilted against the axis of rotation.

    B = -grad V,  V = (a^3 / r^2) [g10 cos(t) + (g11 cos(l) + h11 sin(l)) sin(t)],  r = a

t colatitude, l longitude. Coefficients: IGRF-13, epoch 2020. The dipole holds about nine tenths of the field; against the whole
model it errs by some 10 % in strength and up to 20 degrees in direction. Where that matters, give the field measured at
the place. World frame: east, north, up.
"""

from __future__ import annotations

import math

from didymos.spec import Spec, number

__all__ = ["MagneticSpec", "dipole_field"]

_G10, _G11, _H11 = -29404.8e-9, -1450.9e-9, 4652.5e-9  # [T]


class MagneticSpec(Spec):
    """Where on Earth the world's origin lies, or the field measured there."""

    latitude: float = number(0.6613, unit="rad", low=-1.5708, high=1.5708, live=False, doc="for the dipole; Athens")
    longitude: float = number(0.4142, unit="rad", low=-3.1416, high=3.1416, live=False, doc="for the dipole; Athens")
    height: float = number(0.0, unit="m", low=-10_000, high=1e6, live=False, doc="of the origin above the ellipsoid")
    east: float = number(0.0, unit="T", live=False, doc="measured; where any of the three is given the dipole is not used")
    north: float = number(0.0, unit="T", live=False, doc="measured")
    up: float = number(0.0, unit="T", live=False, doc="measured")

    def field(self) -> tuple[float, float, float]:
        """East, north, up [T]."""
        given = (self.east, self.north, self.up)
        return given if any(given) else dipole_field(self.latitude, self.longitude)


def dipole_field(latitude: float, longitude: float) -> tuple[float, float, float]:
    """East, north, up [T] at a latitude and longitude [rad] on the ground."""
    sine, cosine = math.sin(latitude), math.cos(latitude)
    equatorial = _G11 * math.cos(longitude) + _H11 * math.sin(longitude)
    east = _G11 * math.sin(longitude) - _H11 * math.cos(longitude)
    north = -_G10 * cosine + equatorial * sine
    up = 2.0 * (_G10 * sine + equatorial * cosine)
    return east, north, up
