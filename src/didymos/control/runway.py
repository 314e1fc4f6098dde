"""A runway: where it is touched, along which heading; how far along and aside of it a plane is; its circuit and glide slope.

    along = cos(psi) dx + sin(psi) dy,     aside = cos(psi) dy - sin(psi) dx        from the touch-down point, to the left
    slope   h*(along) = -along tan(slope), level above the gate, `approach.length` before the touch-down point

The circuit that leads to it, to the side of `circuit.width` (positive: to the left of the landing direction):

    downwind   to the corner (-length, width)        base   to the gate (-length, 0)        approach   along the centre line

The options say `runway: {x: 0, y: 0, heading: 0}` [m, m, rad]; without them it is where the run began, along the heading there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.errors import InputError, nearest

__all__ = ["RUNWAY", "in_runway", "in_world", "read_runway", "slope_height"]

RUNWAY = np.dtype([(name, np.float64) for name in ("x", "y", "z", "heading", "known")])
"""Memory layout: the touch-down point and the ground's height [m], heading [rad], 1 once it is known."""

_KEYS = ("x", "y", "z", "heading")


@kernel
def in_runway(runway: Any, x: float, y: float) -> tuple[float, float]:
    """How far along the runway, and left of its centre line, a place of the world is [m]."""
    c, s = math.cos(runway.heading), math.sin(runway.heading)
    dx, dy = x - runway.x, y - runway.y
    return c * dx + s * dy, c * dy - s * dx


@kernel
def in_world(runway: Any, along: float, aside: float) -> tuple[float, float]:
    """The place of the world [m] that is so far along and left of a runway."""
    c, s = math.cos(runway.heading), math.sin(runway.heading)
    return runway.x + c * along - s * aside, runway.y + s * along + c * aside


@kernel
def slope_height(gains: Any, along: float) -> tuple[float, float]:
    """Height of the glide slope above the ground [m] and its slope [m/m] at a place along the runway."""
    steep = math.tan(gains.approach_slope)
    if along < -gains.approach_length:
        return gains.approach_length * steep, 0.0
    return -along * steep, -steep


def read_runway(given: Mapping[str, Any] | None) -> NDArray[Any]:
    """The runway of a twin file as the program has it; unknown where none is given."""
    runway = np.zeros((), dtype=RUNWAY)
    for key, value in (given or {}).items():
        if key not in _KEYS:
            raise InputError(f"there is no such key{nearest(key, _KEYS)}", path=f"control.options.runway.{key}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(f"found {value!r}, expected a number", path=f"control.options.runway.{key}")
        runway[key] = value
    runway["known"] = given is not None
    return runway
