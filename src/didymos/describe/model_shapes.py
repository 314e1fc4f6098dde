"""The collision shapes of a description, link by link, as a compiled spec has them."""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import Description
from didymos.model import Shape
from didymos.rotations import Pose, quaternion_to_matrix

__all__ = ["model_shapes"]

_MESH = int(mujoco.mjtGeom.mjGEOM_MESH)


def model_shapes(description: Description, engine: mujoco.MjModel) -> tuple[Shape, ...]:
    """Every shape of a link that can touch something, in the order of the links."""
    made = []
    for name, link in description.links.items():
        body = engine.body(link.body)
        first = int(body.geomadr[0])
        for geom in range(first, first + int(body.geomnum[0])):
            if engine.geom_contype[geom] or engine.geom_conaffinity[geom]:
                made.append(_shape(engine, geom, name))
    return tuple(made)


def _shape(engine: mujoco.MjModel, geom: int, link: str) -> Shape:
    pose = Pose(np.array(engine.geom_pos[geom]), quaternion_to_matrix(engine.geom_quat[geom]))
    kind = mujoco.mjtGeom(int(engine.geom_type[geom])).name.removeprefix("mjGEOM_").lower()
    vertices = np.zeros((0, 3))
    if int(engine.geom_type[geom]) == _MESH:
        vertices = pose.position + _hull(engine, int(engine.geom_dataid[geom])) @ pose.rotation.T
    count = {"sphere": 1, "capsule": 2, "cylinder": 2}.get(kind, 3)
    return Shape(link, kind, np.array(engine.geom_size[geom][:count]), pose.position, pose.rotation, vertices)


def _hull(engine: mujoco.MjModel, mesh: int) -> NDArray[np.float64]:
    """Corners of a mesh's convex hull in its own frame [m]; all of its points where the compiler made no hull."""
    start = int(engine.mesh_vertadr[mesh])
    points = np.array(engine.mesh_vert[start : start + int(engine.mesh_vertnum[mesh])], dtype=np.float64)
    graph = int(engine.mesh_graphadr[mesh])
    if graph < 0:
        return points
    count = int(engine.mesh_graph[graph])  # the numbers of vertices and faces, where each one's edges begin, then which they are
    return points[engine.mesh_graph[graph + 2 + count : graph + 2 + 2 * count]]
