"""Paths that a mecanum base follows: a square, a circle, a star, all from the origin, the first way along +x (forward)."""

from __future__ import annotations

import math

from didymos.compiled import kernel

__all__ = ["CIRCLE", "SQUARE", "STAR", "on_path"]

SQUARE, CIRCLE, STAR = 2, 3, 4  # as `setpoints.mode` of `omni_drive` numbers them


@kernel
def _on_polygon(distance: float, side: float, turn: float, sides: int) -> tuple[float, float, float, float]:
    """Point [m] and direction after a distance [m] along a closed polygon that begins along +x and turns by an angle."""
    x, y, heading = 0.0, 0.0, 0.0
    rest = min(max(distance, 0.0), side * sides)
    for _ in range(sides):
        part = min(rest, side)
        x += part * math.cos(heading)
        y += part * math.sin(heading)
        rest -= part
        if rest <= 0.0:
            break
        heading += turn
    moving = 1.0 if 0.0 <= distance < side * sides else 0.0
    return x, y, moving * math.cos(heading), moving * math.sin(heading)


@kernel
def on_path(mode: int, distance: float, size: float) -> tuple[float, float, float, float]:
    """Point [m] and direction after a distance [m] along a path of a size [m]: its side, of the circle its diameter."""
    if mode == SQUARE:
        return _on_polygon(distance, size, 0.5 * math.pi, 4)
    if mode == STAR:
        return _on_polygon(distance, size, 0.8 * math.pi, 5)
    radius = 0.5 * size
    angle = min(max(distance, 0.0) / radius, 2.0 * math.pi)
    moving = 1.0 if angle < 2.0 * math.pi else 0.0
    return radius * math.sin(angle), radius * (1.0 - math.cos(angle)), moving * math.cos(angle), moving * math.sin(angle)
