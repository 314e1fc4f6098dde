"""Read the file of a world: an SDF world or an MJCF scene, told apart by what it holds.

As with descriptions, reading runs nothing of the file and reads only files that belong to it (formats/boundary.py); what it asks
for and a world does not do is a note.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np

from didymos.describe.formats.format import DescriptionFile
from didymos.describe.formats.mjcf_scene import read_mjcf_scene
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.sdf_world import HeightMap, read_sdf_world
from didymos.describe.formats.xml_file import read_xml
from didymos.describe.scene import Scene, SceneShape, read_spec

__all__ = ["read_scene"]

_SAND = np.array([0.62, 0.58, 0.5, 1.0])


def read_scene(path: Path, packages: Mapping[str, Path], folders: Iterable[Path] = ()) -> Scene:
    """The scene in a file; `packages` and `folders` as for descriptions (importer.py)."""
    root = read_xml(path)
    where = Packages(path, packages, folders)
    if root.tag == "mujoco":
        spec, notes = read_mjcf_scene(root, where)
        scene = read_spec(spec, path)
        return replace(scene, notes=(*notes, *scene.notes))
    if root.tag != "sdf":
        raise root.error(f"begins with <{root.tag}>, expected <sdf> (an SDF world) or <mujoco> (an MJCF scene)")
    world = read_sdf_world(DescriptionFile(path, where, root=root))
    scene = Scene(path) if world.spec is None else read_spec(world.spec, path, world.names)
    shapes = (*scene.shapes, *(_shape_of(found) for found in world.maps))
    return replace(scene, shapes=shapes, lights=(*scene.lights, *world.lights), notes=(*world.notes, *scene.notes))


def _shape_of(found: HeightMap) -> SceneShape:
    return SceneShape(
        int(mujoco.mjtGeom.mjGEOM_HFIELD), found.pose.position, found.pose.quaternion, np.zeros(3), _SAND, 1.0, True,
        heights=found.heights, lengths=found.lengths,
    )  # fmt: skip
