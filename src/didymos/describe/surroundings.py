"""The files that the world of a twin names, read once: meshes and height fields of its objects, and a whole scene.

They are held to the rule of all files of a twin (outside_files.py), and meshes are read as those of descriptions are: in a child
process with limits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.describe.description import Description, Note
from didymos.describe.formats.meshes import Triangles, UnreadableMeshError, read_solid
from didymos.describe.free_bodies import FreeBody, free_links, roll_pitch_yaw
from didymos.describe.height_file import Heights, HeightsError, read_heights
from didymos.describe.local_file import is_file
from didymos.describe.object_spec import ObjectSpec
from didymos.describe.outside_files import why_not_outside
from didymos.describe.scene import Scene
from didymos.describe.terrain import MadeTerrain, make_terrain, wrong_terrain
from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["Surroundings", "free_of", "read_surroundings", "wrong_objects"]


@dataclass(frozen=True, eq=False)
class Surroundings:
    """What the files of a world hold, by the name of the object: triangles as the file has them, and heights."""

    meshes: dict[str, Triangles] = field(default_factory=dict)
    heights: dict[str, Heights] = field(default_factory=dict)
    scene: Scene | None = None  # of the world's file
    free: tuple[FreeBody, ...] = ()  # links of the description on free joints, but for its root; then bodies of the scene
    notes: tuple[Note, ...] = ()

    def corners(self, name: str, thing: ObjectSpec) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Corners [m] of a mesh as scaled, shape [n, 3], and its faces, shape [m, 3]."""
        mesh, scale = self.meshes[name], np.array(list(thing.scale))
        faces = np.asarray(mesh.faces, dtype=np.int64)
        return mesh.vertices * scale, faces[:, ::-1] if np.prod(scale) < 0 else faces

    def terrain(self, name: str, thing: ObjectSpec) -> MadeTerrain:
        """The terrain or height field of an object as its numbers are now."""
        assert thing.size is not None
        if thing.terrain is not None:
            return make_terrain(thing.terrain, name, thing.size.x, thing.size.y)
        return MadeTerrain(heights=self.heights[name].between(thing.heights))


def read_surroundings(twin: Twin, *, trust: bool) -> Surroundings:
    """Read the files that the objects of a twin name; the first mistake is an `InputError` with the others beside it."""
    found = Surroundings()
    mistakes: list[InputError] = []
    notes: list[Note] = []
    read: dict[Path, Triangles | Heights] = {}
    for name, thing in twin.file.world.objects.items():
        if thing.file is None:
            continue
        place = ("world", "objects", name, "file")
        path = twin.world_folder / thing.file
        why = "" if trust else why_not_outside(thing.file, twin.world_folder)
        if why or not is_file(path):
            mistakes.append(twin.mistake(why or f"the file {thing.file!r} is not there", *place))
            continue
        try:
            if path not in read:
                read[path] = read_solid(path) if thing.shape == "mesh" else read_heights(path)
        except (UnreadableMeshError, HeightsError) as error:
            mistakes.append(twin.mistake(f"the file {thing.file!r} {error}", *place))
            continue
        what = read[path]
        if isinstance(what, Heights):
            found.heights[name] = what
        else:
            found.meshes[name] = what
            notes.append(Note(str(twin.source), None, f"object {name!r}: a mesh collides as its convex hull"))
    if mistakes:
        mistakes[0].others = tuple(mistakes[1:])
        raise mistakes[0]
    scene = _read_scene(twin, trust)
    notes += () if scene is None else scene.notes
    return Surroundings(found.meshes, found.heights, scene, free_of(twin.description, scene), tuple(notes))


def free_of(description: Description, scene: Scene | None) -> tuple[FreeBody, ...]:
    """The free bodies that are not objects of the twin file: further links of the description, and those of a scene."""
    bodies = () if scene is None else scene.bodies
    found = [(body.name, _three(body.position), roll_pitch_yaw(body.quaternion)) for body in bodies]
    return (*free_links(description), *(FreeBody(name, f"didymos:object:{name}", *pose) for name, *pose in found))


def _three(vector: NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in vector)
    return x, y, z


def _read_scene(twin: Twin, trust: bool) -> Scene | None:
    name = twin.file.world.file
    if name is None:
        return None
    why = "" if trust else why_not_outside(name, twin.world_folder)
    if why or not is_file(twin.world_folder / name):
        raise twin.mistake(why or f"the file {name!r} is not there", "world", "file")
    from didymos.describe.read_scene import read_scene  # the readers of formats take their time to load

    packages = {key: twin.folder / value for key, value in twin.file.description.packages.items()}
    return read_scene(twin.world_folder / name, packages, [twin.world_folder])


def wrong_objects(twin: Twin) -> Iterator[InputError]:
    """Numbers of objects that no thing can have; asked again before every run, since they can be set."""
    others = {body.name for body in twin.surroundings.free}
    for name, thing in twin.file.world.objects.items():
        if name in others and (thing.is_free or thing.motion is not None):
            what = "the description or the world's file has a free body of this name, expected another"
            yield twin.mistake(what, "world", "objects", name)
        wrong = next(_wrong(thing), None)
        if wrong is not None:
            yield twin.mistake(wrong[1], "world", "objects", name, *wrong[0].split("."))


def _wrong(thing: ObjectSpec) -> Iterator[tuple[str, str]]:
    if thing.size is not None:
        x, y, z = thing.size
        used = {"sphere": (x,), "cylinder": (x, z), "capsule": (x, z), "box": (x, y, z), "plane": ()}.get(thing.shape, (x, y))
        if min((*used, x, y, z)) < 0.0 or 0.0 in used:
            expected = "lengths above 0" if used else "lengths of at least 0"
            yield "size", f"found {x:g}, {y:g}, {z:g} m, expected {expected}"
        if thing.shape == "capsule" and z <= x:
            yield "size", f"found a length of {z:g} m, expected more than its diameter of {x:g} m: the caps count"
        if thing.terrain is not None:
            wrong = wrong_terrain(thing.terrain, x, y)
            if wrong is not None:
                yield f"terrain.{wrong[0]}", wrong[1]
    if 0.0 in tuple(thing.scale):
        yield "scale", "found 0, expected factors that are not"
    if thing.heights is not None and not thing.heights[0] < thing.heights[1]:
        yield "heights", f"found {thing.heights[0]:g}, {thing.heights[1]:g} m, expected the lower one first"
    if thing.inertia is not None:
        a, b, c = sorted(thing.inertia)
        if a <= 0.0 or c > (a + b) * (1.0 + 1e-9):
            yield "inertia", f"found {a:g}, {b:g}, {c:g} kg m^2, which belong to no body"
