"""What there is to see of a model: its shapes as triangles with a colour, by the body that carries each, and how large it is.

A model without a single shape for the eye shows its shapes of contact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.engine.drawn_shapes import GROUP_OF_COLLISION, colour, triangles

__all__ = ["Extent", "Shape", "cell_of_ground", "extent_of", "is_bare", "shapes_of"]

Array = NDArray[np.float64]
_FLAT = (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_MESH)


@dataclass(frozen=True, eq=False)
class Shape:
    """A shape of a body of the engine; body 0 is the world."""

    geom: int
    body: int
    vertices: NDArray[np.float32]  # [m] in the shape's frame, shape [n, 3]
    faces: NDArray[np.uint32]  # shape [m, 3]
    position: Array  # [m] of the shape's frame in that of its body, shape [3]
    quaternion: Array  # w first, shape [4]
    rgb: tuple[int, int, int]  # 0 to 255
    opacity: float
    flat: bool  # whether its edges are sharp
    hidden: bool  # whether it is a shape of contact only


def shapes_of(model: mujoco.MjModel) -> Iterator[Shape]:
    """All shapes of a model but planes and those that are transparent altogether."""
    only_collision = not any(model.geom_group[g] < GROUP_OF_COLLISION for g in range(model.ngeom) if model.geom_bodyid[g])
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        hidden = bool(model.geom_group[geom] >= GROUP_OF_COLLISION) and not (only_collision and body)
        mesh = triangles(model, geom)
        rgb, opacity = colour(model, geom)
        if mesh is None or (opacity == 0.0 and not hidden):
            continue
        place = np.array(model.geom_pos[geom]), np.array(model.geom_quat[geom])
        yield Shape(geom, body, *mesh, *place, rgb, opacity, model.geom_type[geom] in _FLAT, hidden)


@dataclass(frozen=True)
class Extent:
    """Where the robot is and how large: the middle of its bounding box [m], world frame, and half of its diagonal [m]."""

    middle: Array
    size: float


def extent_of(model: mujoco.MjModel, qpos: Array, bodies: Sequence[int] | None = None) -> Extent:
    """The extent of all that moves, or of some bodies, for positions of all joints."""
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    own = [i for i in range(1, model.nbody) if not model.body(i).name.startswith("didymos:")]  # neither boxes nor objects
    mine = np.isin(model.geom_bodyid, own if bodies is None else bodies)
    moving = np.flatnonzero(mine & (model.geom_type != mujoco.mjtGeom.mjGEOM_PLANE))
    visible = [geom for geom in moving if model.geom_group[geom] < GROUP_OF_COLLISION] or list(moving)
    if not visible:  # where its bodies are says something as well
        places = data.xpos[[body for body in (own if bodies is None else bodies) if body]]
        low, high = (places.min(axis=0), places.max(axis=0)) if len(places) else (np.zeros(3), np.zeros(3))
        return Extent(0.5 * (low + high), float(np.clip(0.7 * np.linalg.norm(high - low), 0.2, 100.0)))
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = np.concatenate([
        data.geom_xpos[geom] + (model.geom_aabb[geom, :3] + signs * np.minimum(model.geom_aabb[geom, 3:], 100.0))
        @ data.geom_xmat[geom].reshape(3, 3).T
        for geom in visible
    ])  # fmt: skip
    low, high = corners.min(axis=0), corners.max(axis=0)
    return Extent(0.5 * (low + high), float(np.clip(0.5 * np.linalg.norm(high - low), 0.005, 100.0)))


def is_bare(model: mujoco.MjModel) -> bool:
    """Whether nothing that moves has any shape: a description without shapes, or whose meshes are not there."""
    return model.nbody > 1 and not (model.geom_bodyid > 0).any()


def cell_of_ground(size: float) -> float:
    """The width [m] of a square of the ground, a power of ten, for a robot of a size [m]."""
    return float(10.0 ** np.floor(np.log10(max(4.0 * size, 0.1))))
