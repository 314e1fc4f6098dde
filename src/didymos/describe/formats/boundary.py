"""The folders that a description may read files from.

A description names meshes, textures, other descriptions, YAML. It may have any file of

- its own folder, and the twin's folder in which it stands,
- the package that it stands in: the nearest folder above it with a ``package.xml``; without one, the folders that usually stand
  beside a description (``meshes``, ``urdf``, ``config``, ...),
- packages that the user declared, and those found by name (see `packages`),

wherever links lead: it is the file at their end that must stand there. Everything else is refused. Neither the root of the file
system nor the home folder, nor a folder above it, is ever such a folder, whatever stands in it.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from didymos.describe.formats.xml_file import parse_xml, read_bytes
from didymos.errors import InputError

__all__ = ["has_package_mark", "is_shared", "is_too_wide", "outside", "own_folders", "package_above", "package_name"]

_HIGHEST = 8  # levels above a description at which its package may stand
_BESIDE_LEVELS = 3
_BESIDE = (
    "assets", "collision", "common", "config", "description", "includes", "macros", "materials", "media", "mesh", "meshes",
    "mjcf", "model", "models", "robot", "robots", "sdf", "shared", "textures", "urdf", "visual", "worlds", "xacro",
)  # fmt: skip


def outside(file: Path) -> str:
    """The sentence's end that refuses a file and says how to allow it."""
    return (
        f"{str(file)!r}, which is outside of the description's folder and packages; move it there, or declare its folder as a "
        "package (`package` NAME=FOLDER, or description.packages in the twin file)"
    )


def own_folders(description: Path) -> list[Path]:
    """The folders that a description may read from without anything being declared."""
    folders: list[Path] = []
    for folder in dict.fromkeys((description.absolute().parent.resolve(), description.resolve().parent)):
        package = package_above(folder)
        folders += [] if is_too_wide(folder) else [folder]
        folders += [package] if package is not None else _beside(folder)
    return folders


def _beside(folder: Path) -> Iterator[Path]:
    for above in folder.parents[:_BESIDE_LEVELS]:
        if is_shared(above):
            return
        yield from (above / name for name in _BESIDE if (above / name).is_dir() and not (above / name).is_symlink())


def package_above(start: Path) -> Path | None:
    """The nearest folder from `start` upward that is a package by its ``package.xml``."""
    for folder in (start, *start.parents)[:_HIGHEST]:
        if is_too_wide(folder) or _anybody_writes(folder):
            return None
        if (folder / "package.xml").is_file():
            return folder
    return None


def package_name(folder: Path) -> str | None:
    """The name that a folder's ``package.xml`` gives the package; None where there is none."""
    try:
        about = (folder / "package.xml").stat()
        return _name_in(folder / "package.xml", about.st_mtime_ns) if stat.S_ISREG(about.st_mode) else None
    except (OSError, ValueError):
        return None


@cache
def _name_in(file: Path, _changed: int) -> str | None:
    try:
        element = parse_xml(read_bytes(file), file).first("name")
    except InputError:
        return None
    return None if element is None else element.text.strip()


def has_package_mark(folder: Path) -> bool:
    """Whether a folder looks like a package or a model of Gazebo, so that a name may mean it."""
    try:
        if any((folder / name).is_file() for name in ("package.xml", "model.config", "model.sdf", "manifest.xml")):
            return True
        return any((folder / name).is_dir() for name in ("meshes", "urdf", "xacro", "mjcf", "sdf", "robots", "launch"))
    except OSError:
        return False


def is_too_wide(folder: Path) -> bool:
    """Whether a folder is the root, the home folder, or above it: no description's own, whatever stands in it."""
    return any(home.is_relative_to(folder) for home in _homes()) or folder == Path(folder.anchor)


def is_shared(folder: Path) -> bool:
    """Whether a folder holds what belongs to others, too: a first-level one, one that anybody may write to, one too wide."""
    return len(folder.parts) <= 2 or is_too_wide(folder) or _anybody_writes(folder)


def _anybody_writes(folder: Path) -> bool:
    try:
        return bool(folder.stat().st_mode & stat.S_IWOTH)
    except OSError:
        return True


def _homes() -> list[Path]:
    homes = [os.path.expanduser("~")]
    try:
        import pwd

        homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    except (ImportError, KeyError):
        pass
    return [Path(home).resolve() for home in homes if os.path.isabs(home) and home != os.sep]
