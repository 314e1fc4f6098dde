"""The Earth under a world: where the world's origin lies on it, and, by switches, what its size, shape and turning do.

The world's axes are east, north and up (the normal of the ellipsoid) at the origin, and turn with the Earth. A mass m at d from
the origin, with the velocity v in this frame, feels beside all other forces

    F / m = g(d) - 2 W x v - W x (W x (d + a))

W turning of the Earth, g gravitation, d + a the arm from the Earth's axis. With r = r_0 + d from the Earth's centre, k its axis:

    constant         g = (0, 0, -world.gravity), a = 0: what a scale at the origin shows, with the centrifugal force there in it
    inverse_square   g = -G R^2 r / |r|^3,   G = world.gravity, at the distance R = 6 371 007.1809 m from the centre; a = r_0
    j2               g = -mu / |r|^3 [ r + 3/2 J2 (A / |r|)^2 ((1 - 5 s^2) r + 2 s |r| k) ],   s = r . k / |r|;   a = r_0

With the last two, g is gravitation: the attraction alone. Gravity, what a scale shows, is less by the centrifugal force, which
`rotation` adds; without it the Earth stands still. A is the radius at the equator. WGS 84 beyond J2 (its J4 is -2.4e-6) is left
out: gravity at the ellipsoid is then right to 2e-5 of itself (Somigliana's formula; at most 1.2e-4 m/s^2, at the poles).

A body that turns at w in this frame, with the inertia J about its centre of mass, also feels the torque

    T = -( w x J W - J (w x W) + W x J w + W x J W )

so that it keeps its angular momentum J (w + W) in the frame that does not turn. The gradient of gravity turns bodies too, by at
most 3/2 mu / r^3 = 2.3e-6 1/s^2 of their inertia, as much as a thousandth of a newton on a lever of a metre for a whole tonne;
it is left out, as are the Sun and the Moon (1e-6 m/s^2).

Valid from the ground to where the atmosphere ends and further; the world stays one frame, however far one flies.
References: NGA.STND.0036_1.0.0 (WGS 84: mu, A, f, W, J2); H. Moritz, Geodetic Reference System 1980, Journal of Geodesy 74, 2000;
H. Goldstein, Classical Mechanics, section 4.10.
"""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from didymos.air.geodesy import EQUATOR, FLATTENING, SPHERE, from_centre
from didymos.compiled import kernel
from didymos.spec import Spec, number

__all__ = [
    "EARTH", "EARTH_RATE", "J2", "MU", "EarthSpec", "apparent", "earth_record", "gravitation", "turning_torque",
    "uniform_gravity",
]  # fmt: skip

MU = 3.986004418e14  # [m^3/s^2], WGS 84, with the atmosphere
J2 = 1.082629821e-3  # [1], WGS 84: -sqrt(5) C20
EARTH_RATE = 7.292115e-5  # [rad/s], WGS 84

_CONSTANT, _INVERSE_SQUARE, _J2 = 0, 1, 2
_MODELS = {"constant": _CONSTANT, "inverse_square": _INVERSE_SQUARE, "j2": _J2}

EARTH = np.dtype(
    [
        ("model", np.int64),  # of gravitation
        ("curved", np.int64),  # 1 where heights and directions follow the shape of the Earth
        ("mu", np.float64),  # [m^3/s^2]
        ("oblateness", np.float64),  # [m^2], 3/2 J2 A^2
        ("origin", np.float64, 3),  # [m] from the Earth's centre, in the world's axes
        ("arm", np.float64, 3),  # [m], a
        ("axis", np.float64, 3),  # of the Earth, toward its north pole, in the world's axes
        ("rate", np.float64, 3),  # [rad/s] of the world against the stars, in its axes
        ("latitude", np.float64),  # [rad], [rad], [m] of the origin
        ("longitude", np.float64),
        ("height", np.float64),
        ("equator", np.float64),  # [m], [1] of the ellipsoid
        ("flattening", np.float64),
    ]
)
"""What compiled code knows of the Earth."""


class EarthSpec(Spec):
    """Where on Earth the world's origin lies; gravity, turning and shape of the Earth, off unless asked for."""

    latitude: float = number(0.6613, unit="rad", low=-1.5708, high=1.5708, live=False, doc="geodetic, of the origin; Athens")
    longitude: float = number(0.4142, unit="rad", low=-3.1416, high=3.1416, live=False, doc="toward east, of the origin; Athens")
    height: float = number(0.0, unit="m", low=-10_000, high=1e6, live=False, doc="of the origin above the ellipsoid")
    gravity: Literal["constant", "inverse_square", "j2"] = Field(
        default="constant",
        description="constant: `world.gravity` everywhere; inverse_square: that at the surface of a round Earth, without what its"
        " turning takes; j2: the gravitation of WGS 84 to its second harmonic",
    )  # fmt: skip
    rotation: bool = Field(default=False, description="Coriolis and centrifugal forces of the turning Earth")
    shape: Literal["flat", "round", "ellipsoid"] = Field(
        default="flat", description="what heights of air and wind count from, and where north, east and down are at the robot"
    )

    @property
    def on(self) -> bool:
        """Whether anything is asked for beyond a place."""
        return self.gravity != "constant" or self.rotation or self.shape != "flat"

    @property
    def ellipsoid(self) -> tuple[float, float]:
        """Radius at the equator [m] and flattening [1]."""
        return (SPHERE, 0.0) if self.shape == "round" else (EQUATOR, FLATTENING)


def earth_record(earth: EarthSpec, gravity: float) -> NDArray[Any]:
    """The `EARTH` of a world with a `world.gravity` [m/s^2]; an array without dimensions."""
    record = np.zeros((), dtype=EARTH)
    record["model"], record["curved"] = _MODELS[earth.gravity], earth.shape != "flat"
    record["mu"] = MU if earth.gravity == "j2" else gravity * SPHERE**2
    record["oblateness"] = 1.5 * J2 * EQUATOR**2
    record["latitude"], record["longitude"], record["height"] = earth.latitude, earth.longitude, earth.height
    record["equator"], record["flattening"] = earth.ellipsoid
    sine, cosine = math.sin(earth.latitude), math.cos(earth.latitude)
    out, along = from_centre(earth.latitude, earth.height, *earth.ellipsoid)
    record["origin"] = 0.0, along * cosine - out * sine, out * cosine + along * sine
    record["axis"] = 0.0, cosine, sine
    if earth.gravity != "constant":
        record["arm"] = record["origin"]
    if earth.rotation:
        record["rate"] = EARTH_RATE * record["axis"]
    return record


@kernel
def gravitation(earth: Any, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Attraction [m/s^2] at a place of the world [m], in its axes; for models but `constant`."""
    x, y, z = x + earth.origin[0], y + earth.origin[1], z + earth.origin[2]
    square = x * x + y * y + z * z
    pull = -earth.mu / (square * math.sqrt(square))
    if earth.model == _INVERSE_SQUARE:
        return pull * x, pull * y, pull * z
    axis, flat = earth.axis, earth.oblateness / square
    along = x * axis[0] + y * axis[1] + z * axis[2]
    outward, northward = 1.0 + flat * (1.0 - 5.0 * along * along / square), 2.0 * flat * along
    return (
        pull * (outward * x + northward * axis[0]),
        pull * (outward * y + northward * axis[1]),
        pull * (outward * z + northward * axis[2]),
    )


@kernel
def apparent(earth: Any, uniform: Any, at: Any, u: float, v: float, w: float) -> tuple[float, float, float]:
    """What a mass feels [m/s^2] beside the engine's `uniform` gravity, at a place [m] with the velocity u, v, w [m/s]."""
    gx, gy, gz = 0.0, 0.0, 0.0
    if earth.model != _CONSTANT:
        gx, gy, gz = gravitation(earth, at[0], at[1], at[2])
        gx, gy, gz = gx - uniform[0], gy - uniform[1], gz - uniform[2]
    p, q, r = earth.rate[0], earth.rate[1], earth.rate[2]
    if q != 0.0 or r != 0.0:
        x, y, z = at[0] + earth.arm[0], at[1] + earth.arm[1], at[2] + earth.arm[2]
        # 2 W x v + W x (W x r) = W x (2 v + W x r)
        a, b, c = 2.0 * u + q * z - r * y, 2.0 * v + r * x - p * z, 2.0 * w + p * y - q * x
        gx, gy, gz = gx - (q * c - r * b), gy - (r * a - p * c), gz - (p * b - q * a)
    return gx, gy, gz


@kernel
def turning_torque(
    inertia: Any, p: float, q: float, r: float, a: float, b: float, c: float
) -> tuple[float, float, float]:
    """Torque [N m] on a body that turns at (p, q, r) in a frame that turns at (a, b, c) [rad/s], all along its principal axes."""
    i, j, k = inertia[0], inertia[1], inertia[2]
    # W x (J w + J W) + w x J W - J (w x W)
    x = b * k * (r + c) - c * j * (q + b) + q * k * c - r * j * b - i * (q * c - r * b)
    y = c * i * (p + a) - a * k * (r + c) + r * i * a - p * k * c - j * (r * a - p * c)
    z = a * j * (q + b) - b * i * (p + a) + p * j * b - q * i * a - k * (p * b - q * a)
    return -x, -y, -z


def uniform_gravity(earth: EarthSpec, gravity: float) -> tuple[float, float, float]:
    """Gravity at the world's origin [m/s^2], with what the Earth's turning takes of it, in the world's axes."""
    if earth.gravity == "constant":
        return 0.0, 0.0, -gravity
    return apparent(earth_record(earth, gravity)[()], np.zeros(3), np.zeros(3), 0.0, 0.0, 0.0)
