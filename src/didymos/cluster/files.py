"""The files of twins and worlds travel with a job, so that a worker needs no disk that it shares with the head.

What goes: the folder of a twin or world, the folders that its description may read from (`describe/formats/boundary.py`), its
meshes, the file of a program that was named by hand. A worker unpacks them under their whole paths below a folder of its own, so
that ways from one to the other stay as they were; the folder goes with the job. Of bundled twins only the names travel.

Not taken along: hidden files and folders, `__pycache__`, and what is not read through these folders (an absolute path in a xacro
file). A folder with more than 256 MB in it is refused.
"""

from __future__ import annotations

import io
import os
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from didymos.describe.bundled import ROBOTS
from didymos.describe.formats.boundary import is_shared
from didymos.describe.formats.packages import Packages
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.errors import InputError

__all__ = ["TravellingFiles", "UnpackedFiles", "unpacked"]

_PACKAGE = ROBOTS.parent.resolve()
_MOST = 256_000_000  # [bytes] of all files
_BUNDLED, _SENT = "bundled", "sent"


class TravellingFiles:
    """What travels of the disk of the head. Shown every object of a job, it finds the twins among them and their paths."""

    def __init__(self) -> None:
        self._files: dict[Path, None] = {}
        self._folders: dict[Path, None] = {}

    def reference(self, found: Any) -> tuple[str, str] | None:
        """What stands for a path of a file or folder that travels; None for anything else."""
        if isinstance(found, World):
            self._add_folder(found.folder)
            for robot in found.robots.values():
                self._add_twin(robot.twin)
        elif isinstance(found, Twin):
            self._add_twin(found)
        elif isinstance(found, Path) and found.is_absolute():
            path = Path(os.path.abspath(found))
            if path.is_relative_to(_PACKAGE):
                return _BUNDLED, path.relative_to(_PACKAGE).as_posix()
            if path in self._files or any(path.is_relative_to(folder) for folder in self._folders):
                return _SENT, path.relative_to(path.anchor).as_posix()
        return None

    def _add_twin(self, twin: Twin) -> None:
        self._add_folder(twin.folder)
        self._add_folder(twin.world_folder)
        bare = getattr(twin, "bare", None)
        packages = twin.description_file.packages if bare is None else Packages(bare.file, bare.packages)
        for folder in packages.roots:
            self._add_folder(folder)
        self._add_file(twin.description.source if bare is None else bare.file)
        for mesh in twin.description.meshes.values():
            self._add_file(mesh.path)
        by_hand = twin.program_by_hand
        if by_hand is not None:
            for file in _code_files(str(by_hand["name"]), by_hand["folder"]):
                self._add_file(file)
                self._add_folder(file.parent, whole=False)

    def _add_folder(self, folder: Path, *, whole: bool = True) -> None:
        for path in dict.fromkeys((Path(os.path.abspath(folder)), folder.resolve())):
            if path.is_relative_to(_PACKAGE):
                continue
            self._folders[path] = None
            if whole and not is_shared(path):
                self._files.update(dict.fromkeys(_below(path)))

    def _add_file(self, file: Path) -> None:
        path = Path(os.path.abspath(file))
        if not path.is_relative_to(_PACKAGE) and path.is_file():
            self._files[path] = None

    def archive(self) -> bytes:
        """All files, packed; nothing where there are none."""
        if not self._files:
            return b""
        stream, total = io.BytesIO(), 0
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(self._files):
                total += path.stat().st_size
                if total > _MOST:
                    limit = f"more than {_MOST // 1_000_000} MB beside the twin do not travel with a job"
                    raise InputError(f"{limit}; move what it does not read out of its folder", file=path.parent, option="cluster")
                archive.write(path, path.relative_to(path.anchor).as_posix())
        return stream.getvalue()


class UnpackedFiles:
    """The files of a job in a worker's process; they go when this does."""

    def __init__(self, archive: bytes) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="didymos-job-")
        if archive:
            with zipfile.ZipFile(io.BytesIO(archive)) as found:
                found.extractall(self._folder.name)

    def at(self, reference: tuple[str, str]) -> Path:
        """The path that a reference stands for here."""
        kind, path = reference
        return (_PACKAGE if kind == _BUNDLED else Path(self._folder.name)) / PurePosixPath(path)


def unpacked(archive: bytes) -> UnpackedFiles:
    """The files of a job, unpacked for as long as what is returned is held."""
    return UnpackedFiles(archive)


def _below(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
        yield from (Path(here, name) for name in sorted(files) if not name.startswith(".") and Path(here, name).is_file())


def _code_files(name: str, folder: Path | None) -> Iterator[Path]:
    """The file of a program that was named as FILE.py:NAME, or as a module that lies in the folder."""
    module, _, _ = name.rpartition(":")
    base = (folder or Path()).resolve()
    if module.endswith(".py"):
        yield base / module
    elif module:
        root = base / module.partition(".")[0]
        yield from _below(root) if root.is_dir() else [root.with_suffix(".py")] if root.with_suffix(".py").is_file() else []
