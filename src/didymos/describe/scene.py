"""A scene of a world file, as plain data: what stands, what is free, what lights it.

Whatever the format, a file becomes a spec of the engine first (formats/sdf_world.py, formats/mjcf_scene.py), in which joints have
been taken away but for the free ones of bodies that stand in the world by themselves; that spec, compiled, is read here. So
frames, defaults, units and inertias are the engine's own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import Note
from didymos.describe.formats.engine_spec import check_compiles, unique
from didymos.rotations import quaternion_to_matrix

__all__ = ["Scene", "SceneBody", "SceneLight", "SceneShape", "read_spec"]

Array = NDArray[np.float64]
_G = mujoco.mjtGeom
_SOLID = {_G.mjGEOM_PLANE, _G.mjGEOM_SPHERE, _G.mjGEOM_CAPSULE, _G.mjGEOM_ELLIPSOID, _G.mjGEOM_CYLINDER, _G.mjGEOM_BOX}
_HIDDEN = 3  # groups of shapes from here on are not for the eye


@dataclass(frozen=True, eq=False)
class SceneShape:
    """A shape, posed in the world or in its body: position [m] and quaternion; `size` as the engine has it.

    A mesh has its corners [m] and faces; a height field its heights [m], the first row at the largest y, and its lengths [m].
    """

    kind: int
    position: Array
    quaternion: Array
    size: Array
    rgba: Array
    friction: float
    collides: bool
    hidden: bool = False
    corners: Array | None = None
    faces: NDArray[np.int64] | None = None
    heights: Array | None = None
    lengths: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class SceneBody:
    """A free body: pose in the world; mass [kg], centre of mass [m] and inertia about it [kg m^2], [3, 3], in its own frame."""

    name: str
    position: Array
    quaternion: Array
    mass: float
    com: Array
    inertia: Array
    shapes: tuple[SceneShape, ...]
    weightless: bool = False


@dataclass(frozen=True, eq=False)
class SceneLight:
    """A lamp at a position [m] that shines along a direction; one that is `directional` is as far as the sun."""

    position: Array
    direction: Array
    diffuse: Array
    directional: bool


@dataclass(frozen=True, eq=False)
class Scene:
    """All that a world file adds to a world, and what of the file does not."""

    source: Path
    shapes: tuple[SceneShape, ...] = ()
    bodies: tuple[SceneBody, ...] = ()
    lights: tuple[SceneLight, ...] = ()
    notes: tuple[Note, ...] = ()


def read_spec(spec: mujoco.MjSpec, source: Path, names: dict[str, str] | None = None) -> Scene:
    """The scene in a spec; `names` are what free bodies shall be called, by the names of their bodies."""
    model, _ = check_compiles(spec, source)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    free = {int(model.jnt_bodyid[joint]) for joint in range(model.njnt)}
    taken: set[str] = set()
    bodies = []
    for body in sorted(free):
        tree = [other for other in range(1, model.nbody) if model.body_rootid[other] == body]
        shapes = [_shape(model, data, geom, body) for other in tree for geom in _geoms(model, other)]
        name = str(model.body(body).name)
        mass, com, inertia = _together(model, data, body, tree)
        called = unique(_plain((names or {}).get(name, name)), taken)
        solid = tuple(shape for shape in shapes if shape is not None)
        bodies.append(SceneBody(
            called, data.xpos[body].copy(), data.xquat[body].copy(), mass, com, inertia, solid, bool(model.body_gravcomp[body])
        ))  # fmt: skip
    standing = [body for body in range(model.nbody) if int(model.body_rootid[body]) not in free]
    found = [_shape(model, data, geom, 0) for body in standing for geom in _geoms(model, body)]
    lights = [_light(model, i) for i in range(model.nlight) if int(model.light_bodyid[i]) in standing]
    notes = _left_out(model, source)
    return Scene(source, tuple(shape for shape in found if shape is not None), tuple(bodies), tuple(lights), notes)


def _geoms(model: mujoco.MjModel, body: int) -> range:
    return range(int(model.body_geomadr[body]), int(model.body_geomadr[body]) + int(model.body_geomnum[body]))


def _plain(name: str) -> str:
    """A name that a path can hold."""
    text = re.sub(r"[^A-Za-z0-9_\-]+", "_", name).strip("_") or "body"
    return (text if re.match(r"[A-Za-z_]", text) else f"_{text}")[:64]


def _shape(model: mujoco.MjModel, data: mujoco.MjData, geom: int, body: int) -> SceneShape | None:
    """A geom in the frame of a body, 0 for the world; None for what is neither solid nor seen."""
    kind = int(model.geom_type[geom])
    collides = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
    hidden = int(model.geom_group[geom]) >= _HIDDEN
    if hidden and not collides:
        return None
    position, quaternion = data.geom_xpos[geom].copy(), np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, data.geom_xmat[geom])
    if body:
        back, turned = np.zeros(4), np.zeros(4)
        mujoco.mju_negQuat(back, data.xquat[body])
        mujoco.mju_rotVecQuat(position, data.geom_xpos[geom] - data.xpos[body], back)
        mujoco.mju_mulQuat(turned, back, quaternion)
        quaternion = turned
    material = int(model.geom_matid[geom])
    rgba = np.array(model.geom_rgba[geom] if material < 0 else model.mat_rgba[material], dtype=np.float64)
    more: dict[str, Any] = {}
    if kind == _G.mjGEOM_MESH:
        more["corners"], more["faces"] = _mesh(model, int(model.geom_dataid[geom]))
    elif kind == _G.mjGEOM_HFIELD:
        more["heights"], more["lengths"] = _heights(model, int(model.geom_dataid[geom]))
    elif kind not in _SOLID:
        return None
    size = np.array(model.geom_size[geom], dtype=np.float64)
    return SceneShape(kind, position, quaternion, size, rgba, float(model.geom_friction[geom, 0]), collides, hidden, **more)


def _mesh(model: mujoco.MjModel, mesh: int) -> tuple[Array, NDArray[np.int64]]:
    first, face = int(model.mesh_vertadr[mesh]), int(model.mesh_faceadr[mesh])
    corners = np.array(model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])], dtype=np.float64)
    return corners, np.array(model.mesh_face[face : face + int(model.mesh_facenum[mesh])], dtype=np.int64)


def _heights(model: mujoco.MjModel, field: int) -> tuple[Array, tuple[float, float]]:
    rows, columns, first = int(model.hfield_nrow[field]), int(model.hfield_ncol[field]), int(model.hfield_adr[field])
    data = np.array(model.hfield_data[first : first + rows * columns], dtype=np.float64).reshape(rows, columns)
    x, y, rise, _ = model.hfield_size[field]
    return data[::-1] * rise, (2.0 * float(x), 2.0 * float(y))


def _together(model: mujoco.MjModel, data: mujoco.MjData, body: int, tree: list[int]) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia of bodies that move as one, in the frame of the first."""
    turn = quaternion_to_matrix(data.xquat[body])
    masses = model.body_mass[tree]
    coms = data.xpos[tree] + np.array([quaternion_to_matrix(data.xquat[b]) @ model.body_ipos[b] for b in tree])
    coms = (coms - data.xpos[body]) @ turn  # into the frame of the body
    mass = float(masses.sum())
    com = masses @ coms / mass if mass > 0.0 else np.zeros(3)
    inertia = np.zeros((3, 3))
    for b, m, c in zip(tree, masses, coms, strict=True):
        axes = turn.T @ quaternion_to_matrix(data.xquat[b]) @ quaternion_to_matrix(model.body_iquat[b])
        away = c - com
        inertia += axes @ np.diag(model.body_inertia[b]) @ axes.T + m * (away @ away * np.eye(3) - np.outer(away, away))
    return mass, np.asarray(com), inertia


def _light(model: mujoco.MjModel, light: int) -> SceneLight:
    directional = int(model.light_type[light]) == int(mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
    place, along = model.light_pos[light].astype(np.float64), model.light_dir[light].astype(np.float64)
    return SceneLight(place.copy(), along.copy(), model.light_diffuse[light].astype(np.float64), directional)


def _left_out(model: mujoco.MjModel, source: Path) -> tuple[Note, ...]:
    kinds = [int(model.geom_type[geom]) for geom in range(model.ngeom)]
    notes = []
    if any(kind not in {*map(int, _SOLID), int(_G.mjGEOM_MESH), int(_G.mjGEOM_HFIELD)} for kind in kinds):
        notes.append("shapes that are neither solids, meshes, planes nor height fields are left out")
    if model.ntex:
        notes.append("textures are not shown")
    if int(_G.mjGEOM_MESH) in kinds:
        notes.append("meshes collide as their convex hulls")
    return tuple(Note(str(source), None, text) for text in notes)
