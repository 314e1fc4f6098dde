"""Shapes of a compiled description as URDF writes them: what is seen, and what collides.

A capsule is a cylinder with a ball at each end, an ellipsoid the box around it. A mesh is the file that it came from, by its
absolute path; one that no file holds as it is (a part of a file, triangles of an MJCF) is the box around it.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import Description, Link
from didymos.rotations import Pose, quaternion_to_matrix

__all__ = ["add_shapes", "origin", "rpy_of"]

_Geom = mujoco.mjtGeom
_SEEN = 3  # groups below are for the eye, as the engine's own viewer shows them
_Shape = tuple[str, dict[str, str], Pose]


def rpy_of(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Roll, pitch, yaw [rad] about the fixed axes x, y, z of a rotation matrix: `rpy_to_matrix` gives it back to rounding.

    Roll is read off after yaw and pitch are taken away, so that this holds at the poles, too.
    """
    yaw = np.arctan2(rotation[1, 0], rotation[0, 0])
    pitch = np.arctan2(-rotation[2, 0], np.hypot(rotation[0, 0], rotation[1, 0]))
    c, s = np.cos(yaw), np.sin(yaw)
    roll = np.arctan2(s * rotation[0, 2] - c * rotation[1, 2], c * rotation[1, 1] - s * rotation[0, 1])
    return np.array([roll, pitch, yaw])


def origin(element: ElementTree.Element, pose: Pose) -> None:
    """The pose of something in the frame of what holds it."""
    xyz, rpy = (" ".join(repr(float(value)) for value in row) for row in (pose.position, rpy_of(pose.rotation)))
    ElementTree.SubElement(element, "origin", xyz=xyz, rpy=rpy)


def add_shapes(element: ElementTree.Element, description: Description, model: mujoco.MjModel, link: Link) -> None:
    """The shapes of a link: those of groups for the eye as `visual`, those that touch something as `collision`."""
    body = model.body(link.body)
    if int(body.id) == 0:
        return  # the world's own are the surroundings
    first = int(body.geomadr[0])
    for geom in range(first, first + int(body.geomnum[0])):
        collides = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
        roles = [role for role, holds in (("visual", model.geom_group[geom] < _SEEN), ("collision", collides)) if holds]
        for kind, about, pose in _shapes(description, model, geom):
            for role in roles:
                made = ElementTree.SubElement(element, role)
                origin(made, pose)
                ElementTree.SubElement(ElementTree.SubElement(made, "geometry"), kind, about)
                if role == "visual":
                    _add_colour(made, model, geom)


def _add_colour(element: ElementTree.Element, model: mujoco.MjModel, geom: int) -> None:
    material = int(model.geom_matid[geom])
    rgba = model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]
    numbers = [f"{float(value):.4g}" for value in rgba]
    made = ElementTree.SubElement(element, "material", name="rgba_" + "_".join(number.replace(".", "p") for number in numbers))
    ElementTree.SubElement(made, "color", rgba=" ".join(numbers))


def _shapes(description: Description, model: mujoco.MjModel, geom: int) -> Iterator[_Shape]:
    """A shape of the engine as one or several of URDF's, each in the frame of the link."""
    kind, size = int(model.geom_type[geom]), [float(value) for value in model.geom_size[geom]]
    pose = Pose(np.array(model.geom_pos[geom]), quaternion_to_matrix(model.geom_quat[geom]))
    if kind == _Geom.mjGEOM_BOX:
        yield _box(size, pose)
    elif kind == _Geom.mjGEOM_SPHERE:
        yield _ball(size[0], pose)
    elif kind in (_Geom.mjGEOM_CYLINDER, _Geom.mjGEOM_CAPSULE):
        yield "cylinder", {"radius": repr(size[0]), "length": repr(2.0 * size[1])}, pose
        if kind == _Geom.mjGEOM_CAPSULE:
            for side in (-size[1], size[1]):
                yield _ball(size[0], pose @ Pose(np.array([0.0, 0.0, side])))
    elif kind == _Geom.mjGEOM_ELLIPSOID:
        yield _box(size, pose)
    elif kind == _Geom.mjGEOM_MESH:
        yield _mesh(description, model, geom, pose)


def _ball(radius: float, pose: Pose) -> _Shape:
    return "sphere", {"radius": repr(radius)}, pose


def _box(half: list[float], pose: Pose) -> _Shape:
    return "box", {"size": " ".join(repr(2.0 * value) for value in half)}, pose


def _mesh(description: Description, model: mujoco.MjModel, geom: int, pose: Pose) -> _Shape:
    """The file of a mesh; the engine has moved its triangles to their centre and principal axes, which is undone."""
    mesh = int(model.geom_dataid[geom])
    source = description.meshes.get(str(model.mesh(mesh).name))
    if source is None:
        centre, half = model.geom_aabb[geom][:3], [float(value) for value in model.geom_aabb[geom][3:]]
        return _box(half, pose @ Pose(np.array(centre)))
    moved = Pose(np.array(model.mesh_pos[mesh]), quaternion_to_matrix(model.mesh_quat[mesh]))
    scale = " ".join(repr(float(value)) for value in source.scale)
    return "mesh", {"filename": source.path.resolve().as_uri(), "scale": scale}, pose @ moved.inverse()
