"""How a group of shapes that turns with a hinge looks from its axle: how far it reaches, where, and whether it is round.

With c a point of the axle and a its unit axis, a point p is s = (p - c) . a along the axle and |p - c - s a| away from it.
Shapes reach R, the largest distance of their points; along a direction d across the axle they reach h(d) = max d . p. They are
round about the axle where h(d) >= 0.92 R in 24 directions all around: cylinders, capsules and ellipsoids along the axle, spheres
on it, and hulls of meshes of revolution from eight corners on (cos(pi/8) = 0.924). Boxes (0.71) and limbs are not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Outline", "outline_points", "round_outline"]

Array = NDArray[np.float64]

_DIRECTIONS = np.arange(24) * 2.0 * math.pi / 24
_ROUND = 0.92
_TURN = np.linspace(0.0, 2.0 * math.pi, 48, endpoint=False)


@dataclass(frozen=True)
class Outline:
    """A round group of shapes: radius [m], middle [m] along its axle from the hinge, and its half width there [m]."""

    radius: float
    middle: float
    half_width: float


def outline_points(kind: str, size: Array, vertices: Array | None) -> Array:
    """Points on the surface of a shape in its own frame whose hull is the shape, within 0.2 % where it is curved; shape [n, 3].

    `size` as the engine has it: radius; radius and half length along z; half lengths; semi-axes.
    """
    if vertices is not None:
        return vertices
    circle = np.column_stack([np.cos(_TURN), np.sin(_TURN), np.zeros_like(_TURN)])
    if kind == "cylinder":
        ends = np.array([[0.0, 0.0, size[1]], [0.0, 0.0, -size[1]]])
        return np.vstack([circle * size[0] + end for end in ends])
    if kind == "box":
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
        return corners * size[:3]
    tilts = np.linspace(-0.5 * math.pi, 0.5 * math.pi, 25)
    sphere = np.vstack([circle * math.cos(tilt) + [0.0, 0.0, math.sin(tilt)] for tilt in tilts])
    if kind == "sphere":
        return sphere * size[0]
    if kind == "ellipsoid":
        return sphere * size[:3]
    if kind == "capsule":
        shift = np.where(sphere[:, 2:] >= 0.0, size[1], -size[1]) * np.array([0.0, 0.0, 1.0])
        return sphere * size[0] + shift
    return np.zeros((0, 3))


def round_outline(points: Array, center: Array, axis: Array) -> Outline | None:
    """The outline of points about an axle through a center; None where they are not round about it."""
    if len(points) < 8:
        return None
    along = (points - center) @ axis
    across = points - center - np.outer(along, axis)
    first = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.7 else [0.0, 1.0, 0.0])
    first /= np.linalg.norm(first)
    x, y = across @ first, across @ np.cross(axis, first)
    reach = float(np.max(np.hypot(x, y)))
    if reach < 1e-4:
        return None
    support = np.max(np.outer(np.cos(_DIRECTIONS), x) + np.outer(np.sin(_DIRECTIONS), y), axis=1)
    if float(np.min(support)) < _ROUND * reach:
        return None
    rim = along[np.hypot(x, y) > 0.97 * reach]
    low, high = float(np.min(rim)), float(np.max(rim))
    return Outline(reach, 0.5 * (low + high), 0.5 * (high - low))
