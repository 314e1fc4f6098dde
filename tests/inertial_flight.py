"""Flight of a rigid body over the turning ellipsoid, integrated in the frame that does not turn: shares no code with the package.

State: position and velocity from the Earth's centre along axes fixed to the stars (they meet those of the Earth at t = 0),
attitude as a rotation matrix, body rates (forward, right, down). NASA/TM-2015-218675 has the equations: gravitation to J2 (eqs.
29 to 31), WGS 84 geodesy (eqs. 13, 14), US Standard Atmosphere 1976 (layers 0 and 1) with the gas constant that ISO 2533
prints; that of the US standard, 8314.32 / 28.9644, is 7e-7 more. Integrated by scipy's DOP853.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Array = NDArray[np.float64]

MU, A, F, J2, RATE = 3.986004418e14, 6378137.0, 1 / 298.257223563, 0.00108262982, 7.292115e-5  # table 73 of the report, SI
E2 = F * (2 - F)


def cartesian(latitude: float, longitude: float, height: float) -> Array:
    """Place from the Earth's centre, axes of the Earth."""
    normal = A / np.sqrt(1 - E2 * np.sin(latitude) ** 2)
    out = (normal + height) * np.cos(latitude)
    return np.array([out * np.cos(longitude), out * np.sin(longitude), (normal * (1 - E2) + height) * np.sin(latitude)])


def geodetic(place: Array) -> tuple[float, float, float]:
    """Its inverse, by fixed-point iteration on the latitude."""
    out, z = float(np.hypot(place[0], place[1])), float(place[2])
    latitude = np.arctan2(z, out * (1 - E2))
    for _ in range(12):
        normal = A / np.sqrt(1 - E2 * np.sin(latitude) ** 2)
        latitude = np.arctan2(z + E2 * normal * np.sin(latitude), out)
    normal = A / np.sqrt(1 - E2 * np.sin(latitude) ** 2)
    height = out * np.cos(latitude) + z * np.sin(latitude) - A**2 / normal
    return float(latitude), float(np.arctan2(place[1], place[0])), float(height)


def north_east_down(latitude: float, longitude: float) -> Array:
    """Axes at a place as rows, along those of the Earth."""
    s, c, sl, cl = np.sin(latitude), np.cos(latitude), np.sin(longitude), np.cos(longitude)
    return np.array([[-s * cl, -s * sl, c], [-sl, cl, 0.0], [-c * cl, -c * sl, -s]])


def gravitation(r: Array) -> Array:
    x, y, z = r
    d = float(np.linalg.norm(r))
    k = 1.5 * J2 * A**2 / d**4
    across, along = 1 - k * (5 * z**2 - d**2), 1 - k * (5 * z**2 - 3 * d**2)
    return -MU / d**3 * np.array([x * across, y * across, z * along])


def density(height: float) -> float:
    """US 1976 [kg/m^3] below 20 km."""
    gas, g, r0 = 287.05287, 9.80665, 6356766.0
    h = r0 * height / (r0 + height)
    if h < 11000.0:
        t = 288.15 - 0.0065 * h
        p = 101325.0 * (288.15 / t) ** (g / (gas * -0.0065))
    else:
        t = 216.65
        p = 22632.06 * np.exp(-g * (h - 11000.0) / (gas * t))
    return p / (gas * t)


def turn_about_axis(angle: float) -> Array:
    """From the axes of the stars to those of the Earth."""
    s, c = np.sin(angle), np.cos(angle)
    return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


@dataclass(frozen=True)
class Body:
    """SI; rates and axes forward, right, down. `wind` is (north, east, down) of a height."""

    mass: float
    inertia: Array
    drag_area: float = 0.0
    damping: Array = field(default_factory=lambda: np.zeros(3))  # -C S l^2 about each axis
    wind: Callable[[float], Array] = lambda height: np.zeros(3)


def _rates(body: Body, t: float, y: Array) -> Array:
    r, v, attitude, w = y[:3], y[3:6], y[6:15].reshape(3, 3), y[15:18]  # attitude: body axes as columns
    to_earth = turn_about_axis(RATE * t)
    latitude, longitude, height = geodetic(to_earth @ r)
    spin = np.array([0.0, 0.0, RATE])
    wind = to_earth.T @ north_east_down(latitude, longitude).T @ body.wind(height)
    through = v - np.cross(spin, r) - wind
    speed, rho = float(np.linalg.norm(through)), density(height)
    a = gravitation(r) - 0.5 * rho * body.drag_area * speed * through / body.mass
    torque = -0.25 * rho * speed * body.damping * (w - attitude.T @ spin)
    turn = np.linalg.solve(np.diag(body.inertia), torque - np.cross(w, body.inertia * w))
    cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    return np.concatenate([v, a, (attitude @ cross).ravel(), turn])


def fly(
    body: Body, place: tuple[float, float, float], velocity: Array, heading: float, rates: Array, seconds: float
) -> dict[str, Any]:
    """From a geodetic place, with a velocity (north, east, down) over the Earth, level with a heading, with rates against the
    stars: what the stream `earth` has at the end, under the same names."""
    axes, r = north_east_down(*place[:2]), cartesian(*place)
    s, c = np.sin(heading), np.cos(heading)
    attitude = axes.T @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    v = axes.T @ velocity + np.cross([0.0, 0.0, RATE], r)
    start = np.concatenate([r, v, attitude.ravel(), rates])
    solved = solve_ivp(lambda t, y: _rates(body, t, y), (0.0, seconds), start, method="DOP853", rtol=1e-13, atol=1e-13)
    assert solved.success
    y = solved.y[:, -1]
    to_earth = turn_about_axis(RATE * seconds)
    r, v = to_earth @ y[:3], to_earth @ (y[3:6] - np.cross([0.0, 0.0, RATE], y[:3]))
    latitude, longitude, height = geodetic(r)
    axes = north_east_down(latitude, longitude)
    north, east, down = axes @ v
    turned = axes @ to_earth @ y[6:15].reshape(3, 3)
    p, q, w = y[15:18]
    return {
        "latitude": latitude, "longitude": longitude, "height": height,
        "velocity.north": north, "velocity.east": east, "velocity.down": down,
        "roll": np.arctan2(turned[2, 1], turned[2, 2]), "pitch": -np.arcsin(turned[2, 0]),
        "yaw": np.arctan2(turned[1, 0], turned[0, 0]),
        "p": p, "q": q, "r": w,
    }  # fmt: skip
