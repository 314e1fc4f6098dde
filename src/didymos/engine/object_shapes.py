"""The shapes of an object of the world as the engine has them.

How a pair of shapes touches is decided by the one of the higher rank (the engine's `priority`): what stands or follows a
trajectory before what is free, that before the robot; between two of one rank the larger friction counts. So the friction of a
floor is the friction on it, and that of a free body is the friction between it and the robot.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.object_spec import ObjectSpec
from didymos.describe.surroundings import Surroundings
from didymos.describe.terrain import Block
from didymos.describe.twin import Twin
from didymos.rotations import rotate

__all__ = ["FREE", "STANDS", "add_height_field", "add_mesh", "add_shapes", "shape_names"]

STANDS, FREE = 2, 1
"""Ranks of what stands or follows a trajectory, and of what is free; a robot's shapes have 0."""

Array = NDArray[np.float64]
_KINDS = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "cylinder": mujoco.mjtGeom.mjGEOM_CYLINDER,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
    "plane": mujoco.mjtGeom.mjGEOM_PLANE,
    "mesh": mujoco.mjtGeom.mjGEOM_MESH,
}
_BASE = 0.1  # [m] of a height field below its lowest point
_FLAT = 1e-6  # [m]: the engine takes no height field without any height


def shape_names(surroundings: Surroundings, name: str, thing: ObjectSpec) -> tuple[str, ...]:
    """The engine's names of an object's shapes."""
    if thing.terrain is not None:
        blocks = surroundings.terrain(name, thing).blocks
        if blocks:
            return tuple(f"didymos:{name}:{i}" for i in range(len(blocks)))
        return (f"didymos:{name}",) if surroundings.terrain(name, thing).heights is not None else ()
    return (f"didymos:{name}",)


def add_shapes(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, position: Array, quaternion: Array, twin: Twin, name: str
) -> None:
    """Put the shapes of an object on a body, in which the object's own frame stands at a position [m] and a quaternion."""
    thing, world = twin.file.world.objects[name], twin.file.world
    if thing.shape in _KINDS:
        geoms = [_add_solid(spec, body, twin, name)]
        geoms[0].pos, geoms[0].quat = position, quaternion
    else:
        assert thing.size is not None
        made = twin.surroundings.terrain(name, thing)
        geoms = [_add_block(body, f"didymos:{name}:{i}", position, quaternion, block) for i, block in enumerate(made.blocks)]
        if made.heights is not None:
            size = thing.size.x, thing.size.y
            geoms.append(add_height_field(spec, body, f"didymos:{name}", position, quaternion, made.heights, size))
    for geom in geoms:
        geom.rgba = [*thing.colour, 1.0]
        geom.priority = FREE if thing.is_free else STANDS
        geom.friction[0] = thing.friction * world.friction_scale
        geom.solref[0] = world.contact_time


def _moved(position: Array, quaternion: Array, offset: tuple[float, float, float]) -> Array:
    return np.asarray(position + rotate(quaternion[None], np.array([offset]))[0])


def _add_block(body: mujoco.MjsBody, name: str, position: Array, quaternion: Array, block: Block) -> mujoco.MjsGeom:
    middle = _moved(position, quaternion, (block.x, block.y, 0.5 * block.lengths[2]))
    half = [0.5 * length for length in block.lengths]
    return body.add_geom(name=name, type=_KINDS["box"], size=half, pos=middle, quat=quaternion)


def add_height_field(
    spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, position: Array, quaternion: Array, heights: Array,
    lengths: tuple[float, float],
) -> mujoco.MjsGeom:  # fmt: skip
    """A height field of heights [m], the first row at the largest y, and lengths along x and y [m]; height 0 is at `position`."""
    low, high = float(heights.min()), float(heights.max())
    rise = max(high - low, _FLAT)
    data = ((heights[::-1] - low) / rise).astype(np.float32)  # the engine's first row is at the smallest y
    spec.add_hfield(
        name=name, size=[0.5 * lengths[0], 0.5 * lengths[1], rise, _BASE], nrow=data.shape[0], ncol=data.shape[1],
        userdata=data.ravel(),
    )  # fmt: skip
    lowest = _moved(position, quaternion, (0.0, 0.0, low))
    return body.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname=name, pos=lowest, quat=quaternion)


def _add_solid(spec: mujoco.MjSpec, body: mujoco.MjsBody, twin: Twin, name: str) -> mujoco.MjsGeom:
    thing = twin.file.world.objects[name]
    geom = body.add_geom(name=f"didymos:{name}", type=_KINDS[thing.shape])
    if thing.shape == "mesh":
        add_mesh(spec, geom.name, *twin.surroundings.corners(name, thing))
        geom.meshname = geom.name
        return geom
    x, y, z = (0.5 * length for length in thing.size or (0.0, 0.0, 0.0))
    geom.size = {
        "box": [x, y, z], "sphere": [x, y, z], "cylinder": [x, z, 0.0], "capsule": [x, z - x, 0.0], "plane": [x, y, 0.05],
    }[thing.shape]  # fmt: skip
    return geom


def add_mesh(spec: mujoco.MjSpec, name: str, vertices: Array, faces: NDArray[np.int64]) -> None:
    """A mesh of corners [m], shape [n, 3], and faces, shape [m, 3]."""
    asset = spec.add_mesh(name=name)
    asset.uservert = vertices.astype(np.float32).ravel()
    asset.userface = faces.astype(np.int32).ravel()
    asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL  # the one that every mesh has, open ones included; not used
