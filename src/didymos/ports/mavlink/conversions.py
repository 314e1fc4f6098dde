"""Headings and whole numbers as MAVLink has them; vectors and attitudes are turned by `ports/aviation.py`."""

from __future__ import annotations

import math

from didymos.control.angles import wrap

__all__ = ["clipped", "heading"]


def heading(yaw: float) -> float:
    """The heading [rad] from north, clockwise seen from above, of a yaw from east, against the clock; and back."""
    return float(wrap(0.5 * math.pi - yaw))


def clipped(value: float, low: int, high: int) -> int:
    """A number as a whole one of a range; what is no number is its lowest."""
    return low if not value >= low else min(round(value), high)
