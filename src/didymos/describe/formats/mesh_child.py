"""The child process that reads mesh files with trimesh: a request (a line of JSON) on stdin, an answer on stdout, and so on.

The readers of a dozen formats believe what a file says about its own size, follow it to other files, and print when they fail.
Here they have bounded memory, no file to write and no process to start; another file only if it stands beside the mesh or below;
and nobody hears them. An answer is a line of JSON, ``{"vertices": n, "faces": m}`` and the numbers, or ``{"error": ...}``,
the end of a sentence that begins with the mesh.
"""

from __future__ import annotations

import json
import os
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from didymos.describe.formats.child_limits import limit_this_process

__all__ = ["main"]

_MEMORY = 6 * 2**30  # [bytes] of addresses
_FILES = 64  # open at a time
_MOST_VERTICES = 5_000_000
_LARGEST_NEIGHBOUR = 256 * 2**20  # [bytes]


def main() -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what readers print is no answer
    limit_this_process(memory=_MEMORY, files=_FILES)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            vertices, faces = _read(Path(request["file"]), request["part"])
            if vertices.shape[1:] != (3,) or faces.shape[1:] != (3,):
                raise _UnusableError("has corners that are not three numbers each")
            if len(vertices) > _MOST_VERTICES or len(faces) > 2 * _MOST_VERTICES:
                raise _UnusableError(f"has {len(vertices)} corners, expected at most {_MOST_VERTICES}")
            head: dict[str, Any] = {"vertices": len(vertices), "faces": len(faces)}
            body = np.asarray(vertices, "<f8").tobytes() + np.asarray(faces, "<i8").tobytes()
        except _UnusableError as error:
            head, body = {"error": str(error)}, b""
        except MemoryError:
            head, body = {"error": "cannot be read: it needs too much memory"}, b""
        except Exception as error:  # the readers raise whatever their parsers do
            reason = " ".join(str(error).split()) or type(error).__name__
            head, body = {"error": f"cannot be read: {reason[:200]}"}, b""
        answers.write(json.dumps(head).encode() + b"\n" + body)
        answers.flush()


class _UnusableError(Exception):
    """Why a mesh cannot be used, as the end of a sentence."""


class _Beside:
    """The files beside a mesh, for formats that consist of several: none that stands elsewhere."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    def get(self, name: str) -> bytes:
        """The bytes of a file."""
        file = (self._folder / name).resolve()
        if not file.is_relative_to(self._folder):
            raise _UnusableError(f"names the file {name!r}, which does not stand beside it")
        if not file.is_file() or file.stat().st_size > _LARGEST_NEIGHBOUR:
            raise _UnusableError(f"names {name!r}, which is no file, or a huge one")
        return file.read_bytes()

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)

    def keys(self) -> list[str]:
        """The names that are known beforehand."""
        return []

    def namespaced(self, _namespace: str) -> _Beside:
        """The same files: there are no others."""
        return self


def _read(file: Path, part: str | None) -> tuple[np.ndarray, np.ndarray]:
    import trimesh

    kind = file.suffix.lower().removeprefix(".")
    if kind == "dae":
        _refuse_entities(file)
        if find_spec("collada") is None:
            raise _UnusableError("is COLLADA, which needs pycollada; install it with: pip install 'didymos[meshes]'")
    with file.open("rb") as stream:
        scene = trimesh.load_scene(stream, file_type=kind, resolver=_Beside(file.parent), skip_materials=True)
    meshes = [_in_metres(mesh) for mesh in _parts(scene, part)]
    if not meshes:
        raise _UnusableError("has no triangles" if part is None else f"has no object named {part!r}")
    offsets = np.cumsum([0] + [len(mesh.vertices) for mesh in meshes[:-1]])
    return (
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.faces + offset for mesh, offset in zip(meshes, offsets, strict=True)]),
    )


def _refuse_entities(file: Path) -> None:
    """Refuse a COLLADA file with entities: they are how a small file becomes a huge one, or another file."""

    def refuse(name: str, *_rest: object) -> None:
        raise _UnusableError(f"defines the entity {name!r}, expected XML without entities")

    parser = expat.ParserCreate()
    parser.EntityDeclHandler = refuse
    with file.open("rb") as stream:
        parser.ParseFile(stream)


def _parts(scene: Any, part: str | None) -> list[Any]:
    """The triangle meshes of a scene, each where the scene puts it."""
    meshes, corners = [], 0
    for node in scene.graph.nodes_geometry:
        transform, geometry = scene.graph[node]
        mesh = scene.geometry[geometry]
        if hasattr(mesh, "faces") and len(mesh.faces) and part in (None, node, geometry):
            corners += len(mesh.vertices)
            if corners > _MOST_VERTICES:
                raise _UnusableError(f"has more than {_MOST_VERTICES} corners")
            meshes.append(mesh.copy().apply_transform(transform))
    return meshes


def _in_metres(mesh: Any) -> Any:
    """A mesh in metres, where its file says another unit ("0.01 * meters", as trimesh notes it for COLLADA)."""
    factor = str(mesh.metadata.get("units", "")).partition(" * meters")
    if factor[1]:
        mesh.apply_scale(float(factor[0]))
    return mesh


if __name__ == "__main__":
    main()
