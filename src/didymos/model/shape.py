"""A shape with which a link of a robot touches the world, in the frame of the link."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Shape"]


@dataclass(frozen=True, eq=False)
class Shape:
    """A collision shape.

    `kind` is sphere, capsule, cylinder, box, ellipsoid, mesh, or another word of the engine's (plane, hfield, sdf). `size` [m]:
    of a sphere its radius; of a capsule and a cylinder radius and half of the (cylinder's) length along z; of a box and an
    ellipsoid the half lengths along x, y, z; of a mesh those of the box around it. `position` [m] and `rotation` (shape to
    link) are in the frame of the link. `vertices` [n, 3] [m] are the corners of a mesh's convex hull in the frame of the link;
    none for other kinds.
    """

    link: str
    kind: str
    size: NDArray[np.float64]
    position: NDArray[np.float64]
    rotation: NDArray[np.float64]
    vertices: NDArray[np.float64]

    def support(self, direction: NDArray[np.float64]) -> NDArray[np.float64]:
        """The furthest point of the shape along a direction of the link's frame [m], shape [3]; of the shapes named above."""
        if self.kind == "mesh":
            return np.asarray(self.vertices[int(np.argmax(self.vertices @ direction))], dtype=np.float64)
        along = self.rotation.T @ np.asarray(direction, dtype=np.float64)
        length = float(np.linalg.norm(along))
        along = along / length if length > 0.0 else np.array([1.0, 0.0, 0.0])
        return np.asarray(self.position + self.rotation @ self._own_support(along), dtype=np.float64)

    def _own_support(self, n: NDArray[np.float64]) -> NDArray[np.float64]:
        """The furthest point along a unit vector, both in the shape's own frame."""
        size = self.size
        if self.kind == "sphere":
            return size[0] * n
        if self.kind == "capsule":
            return size[0] * n + np.array([0.0, 0.0, np.copysign(size[1], n[2])])
        if self.kind == "cylinder":
            across = float(np.hypot(n[0], n[1]))
            rim = n[:2] * (size[0] / across) if across > 0.0 else np.zeros(2)
            return np.array([*rim, np.copysign(size[1], n[2])])
        if self.kind == "ellipsoid":
            stretched = size * n
            return size * stretched / float(np.linalg.norm(stretched))
        if self.kind == "box":
            return np.copysign(size, n)
        raise ValueError(f"a {self.kind} has no furthest point")
