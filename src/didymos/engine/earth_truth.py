"""The stream `earth`: where on Earth the root link is and how it moves there, in the words of flight.

Position by geodetic latitude, longitude and height; velocity over the Earth along north, east and down there; attitude of the
body (forward, right, down: x, -y, -z of the root link) against north, east, down, as roll, pitch and yaw (heading, from north
toward east); its rates p, q, r against the stars, about forward, right and down; gravitation, density and pressure at the
place.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.air.earth import EARTH, gravitation
from didymos.air.place import PLACE, look_at_place
from didymos.compiled import kernel
from didymos.native import record_at

__all__ = ["EARTH_COLUMNS", "EARTH_TRUTH", "tell_earth"]

EARTH_COLUMNS = {
    "latitude": "rad", "longitude": "rad", "height": "m",
    "velocity.north": "m/s", "velocity.east": "m/s", "velocity.down": "m/s",
    "roll": "rad", "pitch": "rad", "yaw": "rad",
    "p": "rad/s", "q": "rad/s", "r": "rad/s",
    "gravitation": "m/s^2", "density": "kg/m^3", "pressure": "Pa",
}  # fmt: skip
"""Names and units of the stream's columns."""

EARTH_TRUTH = np.dtype([(name.replace(".", "_"), np.float64) for name in EARTH_COLUMNS])
"""The same in our state."""


@kernel
def tell_earth(earth_at: int, place_at: int, truth_at: int, here: Any, uniform: Any) -> None:
    """Write the `EARTH_TRUTH` of the root link, whose `SURROUNDINGS` are `here`; all by their addresses."""
    earth, place, truth = record_at(earth_at, EARTH), record_at(place_at, PLACE), record_at(truth_at, EARTH_TRUTH)
    look_at_place(earth, here.position_world, place)
    turn, v, rate, e, n, u = here.rotation, here.velocity, here.rate, place.east, place.north, place.up
    x, y, z = (
        turn[0] * v[0] + turn[1] * v[1] + turn[2] * v[2],
        turn[3] * v[0] + turn[4] * v[1] + turn[5] * v[2],
        turn[6] * v[0] + turn[7] * v[1] + turn[8] * v[2],
    )
    truth.latitude, truth.longitude, truth.height = place.latitude, place.longitude, place.height
    truth.velocity_north = n[0] * x + n[1] * y + n[2] * z
    truth.velocity_east = e[0] * x + e[1] * y + e[2] * z
    truth.velocity_down = -(u[0] * x + u[1] * y + u[2] * z)
    forward_up = u[0] * turn[0] + u[1] * turn[3] + u[2] * turn[6]
    left_up = u[0] * turn[1] + u[1] * turn[4] + u[2] * turn[7]
    above_up = u[0] * turn[2] + u[1] * turn[5] + u[2] * turn[8]
    truth.roll, truth.pitch = math.atan2(left_up, above_up), math.asin(min(max(forward_up, -1.0), 1.0))
    forward_east = e[0] * turn[0] + e[1] * turn[3] + e[2] * turn[6]
    forward_north = n[0] * turn[0] + n[1] * turn[3] + n[2] * turn[6]
    truth.yaw = math.atan2(forward_east, forward_north)
    p, q, r = earth.rate[0], earth.rate[1], earth.rate[2]
    truth.p = rate[0] + turn[0] * p + turn[3] * q + turn[6] * r
    truth.q = -(rate[1] + turn[1] * p + turn[4] * q + turn[7] * r)
    truth.r = -(rate[2] + turn[2] * p + turn[5] * q + turn[8] * r)
    gx, gy, gz = uniform[0], uniform[1], uniform[2]
    if earth.model != 0:
        gx, gy, gz = gravitation(earth, here.position_world[0], here.position_world[1], here.position_world[2])
    truth.gravitation = math.sqrt(gx * gx + gy * gy + gz * gz)
    truth.density, truth.pressure = here.density, here.pressure
