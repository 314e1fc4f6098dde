"""Shapes of the compiled model as triangles and colours, for pages and viewers."""

from __future__ import annotations

import mujoco
import numpy as np
import trimesh
from numpy.typing import NDArray

__all__ = ["GROUP_OF_COLLISION", "GROUP_OF_STAND_INS", "colour", "triangles"]

GROUP_OF_COLLISION = 3
"""Geoms of this group and above are shapes of contact only, not for the eye."""

GROUP_OF_STAND_INS = 1
"""Shapes of contact that are seen, in the place of others that are not there; rays meet them as they meet all of contact."""

_SEGMENTS = 28
_G = mujoco.mjtGeom


def triangles(model: mujoco.MjModel, geom: int) -> tuple[NDArray[np.float32], NDArray[np.uint32]] | None:
    """Vertices [m] in the geom's frame and faces of a geom; None for a plane and for what is not drawn."""
    kind, size = model.geom_type[geom], model.geom_size[geom]
    if kind == _G.mjGEOM_MESH:
        mesh = int(model.geom_dataid[geom])
        first, faces = int(model.mesh_vertadr[mesh]), int(model.mesh_faceadr[mesh])
        vertices = model.mesh_vert[first : first + model.mesh_vertnum[mesh]]
        return vertices.astype(np.float32), model.mesh_face[faces : faces + model.mesh_facenum[mesh]].astype(np.uint32)
    if kind == _G.mjGEOM_HFIELD:
        return _height_field(model, int(model.geom_dataid[geom]))
    if kind == _G.mjGEOM_BOX:
        made = trimesh.creation.box(extents=2.0 * size)
    elif kind == _G.mjGEOM_SPHERE:
        made = trimesh.creation.icosphere(subdivisions=3, radius=size[0])
    elif kind == _G.mjGEOM_ELLIPSOID:
        made = trimesh.creation.icosphere(subdivisions=3)
        made.apply_scale(size)
    elif kind == _G.mjGEOM_CYLINDER:
        made = trimesh.creation.cylinder(radius=size[0], height=2.0 * size[1], sections=_SEGMENTS)
    elif kind == _G.mjGEOM_CAPSULE:
        made = trimesh.creation.capsule(radius=size[0], height=2.0 * size[1], count=[_SEGMENTS, _SEGMENTS // 2])
        made.vertices[:, 2] -= made.bounds.mean(axis=0)[2]  # some versions put the origin at one end
    else:
        return None
    return made.vertices.astype(np.float32), made.faces.astype(np.uint32)


def _height_field(model: mujoco.MjModel, field: int) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The surface of a height field; its sides and bottom are not drawn."""
    rows, columns = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    first, size = int(model.hfield_adr[field]), model.hfield_size[field]
    heights = model.hfield_data[first : first + rows * columns] * size[2]
    x, y = np.meshgrid(np.linspace(-size[0], size[0], columns), np.linspace(-size[1], size[1], rows))
    corner = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    lower = np.stack([corner, corner + 1, corner + columns + 1], axis=1)
    upper = np.stack([corner, corner + columns + 1, corner + columns], axis=1)
    vertices = np.stack([x.ravel(), y.ravel(), heights], axis=1)
    return vertices.astype(np.float32), np.concatenate([lower, upper]).astype(np.uint32)


def colour(model: mujoco.MjModel, geom: int) -> tuple[tuple[int, int, int], float]:
    """Red, green, blue from 0 to 255, and opacity."""
    material = int(model.geom_matid[geom])
    rgba = model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]
    red, green, blue = (round(255 * float(value)) for value in np.clip(rgba[:3], 0.0, 1.0))
    return (red, green, blue), float(rgba[3])
