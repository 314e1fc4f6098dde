"""Mesh files become triangles in the engine's spec.

Every format is read here and handed to the engine as vertices, so that two files of one name cannot clash and the spec
needs no file beside it. STL is read directly; OBJ, COLLADA, PLY, glTF and OFF by trimesh, in a process of its own
(`mesh_process`). Lengths are metres: a COLLADA file's unit is applied, its up axis is not (RViz and pinocchio ignore it as well,
and robots are drawn for them).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from didymos.describe.description import MeshFile
from didymos.describe.formats.file_head import not_the_file
from didymos.describe.formats.import_report import ImportReport
from didymos.describe.formats.mechanism import MeshSource
from didymos.describe.formats.mesh_process import MeshProcessError, read_mesh_file
from didymos.describe.formats.xml_file import Element

__all__ = ["MeshLibrary", "Triangles", "UnreadableMeshError", "read_solid", "read_triangles"]

_STL_HEADER, _STL_RECORD = 84, 50  # [bytes]
_LARGEST_MESH = 256 * 2**20  # [bytes]
_FORMATS = (".stl", ".obj", ".dae", ".ply", ".glb", ".gltf", ".off")
_FLAT = 1e-7  # thickness over length, below which the engine finds no volume to collide with


@dataclass(frozen=True, eq=False)
class Triangles:
    """Corners [m], shape [n, 3], and faces as three indices into them, shape [m, 3]."""

    vertices: np.ndarray
    faces: np.ndarray


class MeshLibrary:
    """The meshes of one spec, each file and scale only once; `files` are those that a file holds as they are, by name."""

    def __init__(self, spec: mujoco.MjSpec, report: ImportReport) -> None:
        self._spec, self._report = spec, report
        self._names: dict[tuple[Path, bytes, str | None, bool], str] = {}
        self._read: dict[tuple[Path, str | None], Triangles] = {}
        self.files: dict[str, MeshFile] = {}

    def asset(self, mesh: MeshSource, element: Element, *, collision: bool) -> str | None:
        """The name of a mesh in the spec.

        One that cannot be read is an `InputError` for a collision shape; for a visual shape it is noted, and None.
        """
        key = (mesh.path, mesh.scale.tobytes(), mesh.part, mesh.centred)
        try:
            if key not in self._names:
                self._names[key] = self._add(mesh)
                if mesh.part is None and not mesh.centred:
                    self.files[self._names[key]] = MeshFile(mesh.path, mesh.scale)
            name = self._names[key]
            if not collision and mesh.path.suffix.lower() != ".stl":
                self._report.add_once(element, "colours and textures inside mesh files are not used")
            if self._says_y_is_up(mesh.path):
                self._report.add_once(element, "the up axis Y_UP of COLLADA meshes is ignored, as by other robot tools")
            if collision:
                self._check_volume(mesh)
                self._report.add_once(element, "collision meshes collide as their convex hulls")
            return name
        except UnreadableMeshError as error:
            if collision:
                raise element.error(f"the collision mesh {str(mesh.path)!r} {error}") from error
            self._report.add(element, f"the visual mesh {str(mesh.path)!r} {error}; it is not shown")
            return None

    def corners(self, mesh: MeshSource) -> np.ndarray | None:
        """The corners of a mesh [m], shape [n, 3], scaled; None where it cannot be read."""
        try:
            return np.asarray(self._triangles(mesh).vertices * mesh.scale)
        except UnreadableMeshError:
            return None

    def _triangles(self, mesh: MeshSource) -> Triangles:
        key = (mesh.path, mesh.part)
        if key not in self._read:
            self._read[key] = read_triangles(mesh.path, mesh.part)
        return self._read[key]

    def _says_y_is_up(self, path: Path) -> bool:
        return path.suffix.lower() == ".dae" and b"Y_UP" in path.read_bytes()

    def _check_volume(self, mesh: MeshSource) -> None:
        _check_volume(self._triangles(mesh).vertices * mesh.scale)

    def _add(self, mesh: MeshSource) -> str:
        triangles = self._triangles(mesh)
        vertices, faces = triangles.vertices * mesh.scale, triangles.faces
        if mesh.centred:
            vertices = vertices - (vertices.min(axis=0) + vertices.max(axis=0)) / 2
        if np.prod(mesh.scale) < 0:  # a mirrored mesh would be inside out
            faces = faces[:, ::-1]
        if len(vertices) < 4:  # the engine's least; a corner twice changes no picture
            vertices = np.concatenate([vertices, np.repeat(vertices[-1:], 4 - len(vertices), axis=0)])
        names = set(self._names.values())
        name, count = mesh.path.stem, 1
        while name in names:
            count += 1
            name = f"{mesh.path.stem}_{count}"
        asset = self._spec.add_mesh(name=name)
        asset.uservert = vertices.astype(np.float32).ravel()
        asset.userface = faces.astype(np.int32).ravel()
        # No inertia is ever taken from a mesh; the shell's is the one that every mesh has, open ones included.
        asset.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL
        return name


class UnreadableMeshError(Exception):
    """Why a mesh file cannot be used, as the end of a sentence that begins with its path."""


def _check_volume(vertices: np.ndarray) -> None:
    spread = np.linalg.svd(vertices - vertices.mean(axis=0), compute_uv=False)
    if spread[2] <= _FLAT * spread[0]:
        raise UnreadableMeshError("is flat, expected a volume (give a thin box instead)")


def read_solid(path: Path) -> Triangles:
    """The triangles of a mesh file that has a volume, so that things can collide with it."""
    triangles = read_triangles(path)
    _check_volume(triangles.vertices)
    return triangles


def read_triangles(path: Path, part: str | None = None) -> Triangles:
    """The triangles of a mesh file, or of one named object in it."""
    if path.suffix.lower() not in _FORMATS:
        raise UnreadableMeshError(f"is of an unknown kind, expected one of {', '.join(_FORMATS)}")
    try:
        if not path.is_file():
            raise UnreadableMeshError("is not a file")
        if path.stat().st_size > _LARGEST_MESH:
            raise UnreadableMeshError(f"is larger than {_LARGEST_MESH} bytes")
        with path.open("rb") as stream:
            other = not_the_file(stream.read(200))
        if other:
            raise UnreadableMeshError(other)
        triangles = _read_stl(path.read_bytes()) if path.suffix.lower() == ".stl" and part is None else None
        triangles = triangles or Triangles(*read_mesh_file(path, part))
    except OSError as error:
        raise UnreadableMeshError(f"cannot be read: {error.strerror}") from error
    except MeshProcessError as error:
        raise UnreadableMeshError(str(error)) from None
    vertices = triangles.vertices
    if vertices.shape[1:] != (3,):
        raise UnreadableMeshError("has corners that are not three numbers each")
    if not np.all(np.isfinite(vertices)) or np.abs(vertices).max(initial=0.0) > 1e9:
        raise UnreadableMeshError("has corners that are not finite")
    if len(triangles.faces) == 0:
        raise UnreadableMeshError("has no triangles")
    edges = vertices[triangles.faces[:, 1:]] - vertices[triangles.faces[:, :1]]
    if not np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1).sum() > 0:
        raise UnreadableMeshError("has no area")
    return triangles


def _read_stl(data: bytes) -> Triangles | None:
    """A binary STL; None where the bytes are not one (an STL in ASCII)."""
    count = int.from_bytes(data[_STL_HEADER - 4 : _STL_HEADER], "little")
    if len(data) < _STL_HEADER or len(data) < _STL_HEADER + count * _STL_RECORD:
        if data[:5].lower() != b"solid" and b"\0" in data:
            whole = max(0, len(data) - _STL_HEADER) // _STL_RECORD
            raise UnreadableMeshError(f"breaks off: it says that it has {count} triangles, and holds {whole}")
        return None
    if data[:5].lower() == b"solid" and len(data) != _STL_HEADER + count * _STL_RECORD:
        return None
    record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
    corners = np.frombuffer(data, record, count=count, offset=_STL_HEADER)["corners"].reshape(-1, 3)
    vertices, faces = np.unique(corners, axis=0, return_inverse=True)
    return Triangles(vertices.astype(float), faces.reshape(-1, 3))
