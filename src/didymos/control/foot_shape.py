"""The foot at the end of a leg: of the shapes with which its last link touches, the point that is farthest from the knee."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.model import Shape

__all__ = ["Foot", "farthest", "foot_of"]

Array = NDArray[np.float64]

_KINDS = ("sphere", "capsule", "cylinder", "box", "ellipsoid", "mesh")
_NEAR = 0.12  # of the limb: a part of a mesh that far from its end belongs to the foot
_ROUND = 0.1  # of the radius: points of a round foot are off by less
_LARGEST = 0.3  # of the limb: a rounder foot is none


@dataclass(frozen=True, eq=False)
class Foot:
    """Where a leg touches: `centre` [m] in the frame of `link`, and the `radius` [m] about it, 0 where it is not round."""

    link: str
    centre: Array
    radius: float


def farthest(shape: Shape, point: Array) -> Array:
    """The point of a shape that is farthest from a point, both in the frame of its link [m]."""
    if shape.kind not in _KINDS:
        return np.array(shape.position)
    if shape.kind == "mesh":
        return np.array(shape.vertices[int(np.argmax(np.linalg.norm(shape.vertices - point, axis=1)))])
    ways = (np.array(way, dtype=np.float64) - 1.0 for way in np.ndindex(3, 3, 3) if way != (1, 1, 1))
    best = max((shape.support(way) for way in ways), key=lambda corner: float(np.linalg.norm(corner - point)))
    for _ in range(10):
        best = shape.support(best - point)
    return best


def foot_of(shapes: list[Shape], knees: dict[str, Array]) -> Foot:
    """The foot that some shapes make, seen from the knee, `knees` [m] by link in the frame of that link."""
    ends = [(float(np.linalg.norm(farthest(shape, knees[shape.link]) - knees[shape.link])), shape) for shape in shapes]
    length, shape = max(ends, key=lambda end: end[0])
    knee = knees[shape.link]
    end = farthest(shape, knee)
    axis = shape.rotation[:, 2]
    if shape.kind == "sphere":
        return Foot(shape.link, np.array(shape.position), float(shape.size[0]))
    if shape.kind == "capsule":
        half = axis * float(np.sign((end - shape.position) @ axis) or 1.0) * shape.size[1]
        return Foot(shape.link, shape.position + half, float(shape.size[0]))
    if shape.kind == "cylinder" and abs(float(axis @ (end - knee))) < 0.5 * length:
        return Foot(shape.link, np.array(shape.position), float(shape.size[0]))
    if shape.kind == "ellipsoid":
        radius = float(min(shape.size))
        return Foot(shape.link, end - radius * (end - knee) / length, radius)
    if shape.kind == "mesh":
        return _mesh_foot(shape, knee, end, length)
    return Foot(shape.link, end if shape.kind == "cylinder" else _face(shape, end, knee), 0.0)


def _mesh_foot(shape: Shape, knee: Array, end: Array, length: float) -> Foot:
    """Round, if a sphere fits the corners about the end of a mesh; else their middle."""
    near = shape.vertices[np.linalg.norm(shape.vertices - end, axis=1) < _NEAR * length]
    if len(near) >= 8:
        rows = np.column_stack([2.0 * near, np.ones(len(near))])
        fit = np.linalg.lstsq(rows, (near**2).sum(axis=1), rcond=None)[0]
        centre, radius = fit[:3], float(np.sqrt(max(fit[3] + fit[:3] @ fit[:3], 0.0)))
        off = np.abs(np.linalg.norm(near - centre, axis=1) - radius)
        if radius < _LARGEST * length and float(off.mean()) < _ROUND * radius:
            return Foot(shape.link, centre, radius)
    along = (end - knee) / length
    low = near[(near - end) @ along > -0.02 * length]
    return Foot(shape.link, low.mean(axis=0), 0.0)


def _face(shape: Shape, end: Array, knee: Array) -> Array:
    """The middle of the face of a box that looks away from the knee."""
    way = shape.rotation.T @ (shape.position - knee)
    side = int(np.argmax(np.abs(way) / shape.size))
    middle = np.zeros(3)
    middle[side] = np.sign(way[side]) * shape.size[side]
    return np.array(shape.position + shape.rotation @ middle)
