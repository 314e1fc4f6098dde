"""Courses over ground that lead a plane onto a line and onto a circle.

    line     course* = course of the line - (2/pi) approach atan(gain e)              e metres left of it
    circle   course* = phi + s (pi/2 + atan(k (d - R) / R)),   s = +1 to the left     phi, d: direction, distance from its centre
             and the bank atan(V^2 / (g R)) that the circle takes, ahead of the loops

Courses are counted from world x toward y. Reference: Beard & McLain (2012), chapter 10.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.compiled import kernel
from didymos.control.angles import limit

__all__ = ["circle_course", "line_course", "line_left"]

_GRAVITY = 9.80665
_CIRCLE = 3.0  # k: how hard the circle is held
_MOST_BANK = 0.6  # [rad] ahead of the loops


@kernel
def line_course(gains: Any, estimate: Any, line_start: Any, course: float) -> float:
    """The course [rad] that leads onto the line of a course through the point where the line begins."""
    x, y = estimate.position[0] - line_start[0], estimate.position[1] - line_start[1]
    beside = math.cos(course) * y - math.sin(course) * x
    return course - gains.path_approach * 2.0 / math.pi * math.atan(gains.path_gain * beside)


@kernel
def circle_course(estimate: Any, x: float, y: float, radius: float) -> tuple[float, float]:
    """The course [rad] that leads onto a circle, and the bank to the left [rad] that it takes; a negative radius turns right."""
    side, size = (1.0, radius) if radius > 0.0 else (-1.0, -radius)
    dx, dy = estimate.position[0] - x, estimate.position[1] - y
    away = math.sqrt(dx * dx + dy * dy)
    course = math.atan2(dy, dx) + side * (0.5 * math.pi + math.atan(_CIRCLE * (away - size) / size))
    near = away < 1.5 * size
    speed = math.sqrt(estimate.velocity[0] ** 2 + estimate.velocity[1] ** 2)
    bank = math.atan(speed * speed / (_GRAVITY * size)) if near else 0.0
    return course, side * limit(bank, 0.0, _MOST_BANK)


@kernel
def line_left(estimate: Any, line_start: Any, x: float, y: float) -> tuple[float, float, float]:
    """Course of the line from its start to a place [rad], what is left of it along the line, and straight to the place [m]."""
    along_x, along_y = x - line_start[0], y - line_start[1]
    length = math.sqrt(along_x * along_x + along_y * along_y)
    left_x, left_y = x - estimate.position[0], y - estimate.position[1]
    straight = math.sqrt(left_x * left_x + left_y * left_y)
    if length < 1.0:  # no line: straight to it
        return math.atan2(left_y, left_x), straight, straight
    return math.atan2(along_y, along_x), (left_x * along_x + left_y * along_y) / length, straight
