"""Which links of a description do not collide: pairs that a twin file names, and links that collide by what is seen of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import mujoco
import numpy as np

from didymos.describe.description import Description
from didymos.describe.formats.engine_spec import check_compiles
from didymos.errors import InputError, nearest

__all__ = ["collide_with_visuals", "let_pass"]

_FLAT = 1e-3  # of the largest extent: a hull needs a volume


def let_pass(description: Description, pairs: Iterable[tuple[str, str]]) -> Description:
    """The description in which the links of each pair pass through each other. The one given is left as it is."""
    spec = description.spec.copy()
    for pair in pairs:
        for name in pair:
            if name not in description.links:
                raise InputError(f"there is no link {name!r}{nearest(name, description.links)}", path="description.no_collision")
        first, second = (description.links[name].body for name in pair)
        if first != second:
            spec.add_exclude(bodyname1=first, bodyname2=second)
    check_compiles(spec, description.source)
    return replace(description, spec=spec)


def collide_with_visuals(description: Description) -> Description:
    """The description in which links without a collision shape collide by what is seen of them.

    Such shapes meet the ground and objects, but no link of the robot: pictures of neighbours overlap. A mesh that is flat is left
    out, since its hull has no volume.
    """
    spec = description.spec.copy()
    meshes = {mesh.name: mesh for mesh in spec.meshes}
    for link in description.links.values():
        body = spec.body(link.body)
        if any(geom.contype or geom.conaffinity for geom in body.geoms):
            continue
        for geom in body.geoms:
            if geom.type != mujoco.mjtGeom.mjGEOM_MESH or _has_volume(meshes.get(geom.meshname)):
                geom.contype, geom.conaffinity = 1, 0
    check_compiles(spec, description.source)
    return replace(description, spec=spec)


def _has_volume(mesh: mujoco.MjsMesh | None) -> bool:
    corners = np.zeros((0, 3)) if mesh is None else np.array(mesh.uservert, dtype=np.float64).reshape(-1, 3)
    if not len(corners):
        return False
    spread = np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
    return bool(spread[2] > _FLAT * spread[0])
