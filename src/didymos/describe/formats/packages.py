"""Where packages stand, by their names, and whether a file of them may be read.

A name (``package://NAME/...``, ``model://NAME/...``, ``$(find NAME)``) is looked up, in this order: among the packages that the
user declared; in the environment (AMENT_PREFIX_PATH, ROS_PACKAGE_PATH; GZ_SIM_RESOURCE_PATH, GAZEBO_MODEL_PATH and their kin for
models); by walking up from the file that names it, to a folder that is called NAME or whose ``package.xml`` says NAME, or
beside which a package NAME stands; and in the workspace around it, by the ``package.xml`` of each package, whatever its folder
is called.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from didymos.describe.formats.boundary import (
    has_package_mark,
    is_shared,
    is_too_wide,
    outside,
    own_folders,
    package_above,
    package_name,
)
from didymos.errors import InputError, nearest

__all__ = ["ENVIRONMENT", "Packages"]

ENVIRONMENT = (
    ("AMENT_PREFIX_PATH", "share"),
    ("ROS_PACKAGE_PATH", ""),
    ("GZ_SIM_RESOURCE_PATH", ""),
    ("IGN_GAZEBO_RESOURCE_PATH", ""),
    ("SDF_PATH", ""),
    ("GAZEBO_MODEL_PATH", ""),
    ("GAZEBO_RESOURCE_PATH", ""),
)
_WORKSPACE_LEVELS = 3
_MOST_FOLDERS = 2000  # that are looked at in a workspace


class Packages(Mapping[str, Path]):
    """The packages that a user declared, by name, and all files that one description may read.

    `folders` are further folders that it may read from: the twin's own.
    """

    def __init__(self, description: Path, declared: Mapping[str, Path], folders: Iterable[Path] = ()) -> None:
        self._declared = {name: Path(folder) for name, folder in declared.items()}
        for name, folder in self._declared.items():
            if not _is_folder(folder):
                raise InputError(f"the package {name!r} is said to be {str(folder)!r}, which is not a folder", file=description)
            if is_too_wide(folder.resolve()):
                what = "the whole disk or a home folder, expected the folder of one package"
                raise InputError(f"the package {name!r} is said to be {str(folder)!r}, {what}", file=description)
        further = (folder.resolve() for folder in folders if not is_too_wide(folder.resolve()))
        declared_folders = (folder.resolve() for folder in self._declared.values())
        self._roots = [*own_folders(description), *further, *declared_folders]
        self._workspaces: dict[Path, dict[str, Path]] = {}

    def __getitem__(self, name: str) -> Path:
        return self._declared[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    @property
    def roots(self) -> tuple[Path, ...]:
        """The folders that may be read from, beside the packages that are found by name."""
        return tuple(self._roots)

    def find(self, name: str, start: Path) -> Path:
        """The folder of a package that the file `start` names; an `InputError` where it is not found."""
        for folder in self.folders(name, start):
            return folder
        raise InputError(self.unknown(name), file=start)

    def unknown(self, name: str) -> str:
        """The sentence about a package that is not found."""
        return (
            f"names the package {name!r}, which was not found{nearest(name, self)}; say where it is "
            f"(`package` {name}=FOLDER, or description.packages in the twin file), or put the description into it"
        )

    def folders(self, name: str, start: Path) -> Iterator[Path]:
        """The folders that may be meant by a package's name, the likeliest first; each of them may be read from."""
        if not name or name in (".", "..") or "/" in name or "\0" in name:
            return
        for folder in self._candidates(name, start):
            there = folder.resolve()
            if not is_too_wide(there):
                if there not in self._roots:
                    self._roots.append(there)
                yield folder

    def _candidates(self, name: str, start: Path) -> Iterator[Path]:
        if name in self._declared:
            yield self._declared[name]
            return
        for entry in environment_folders():
            for folder in (entry / name, entry):
                if folder.is_dir() and (folder.name == name or package_name(folder) == name):
                    yield folder
        for folder in start.resolve().parents:
            if package_name(folder) == name and not is_too_wide(folder):
                yield folder
            if is_shared(folder):
                break
            if folder.name == name:
                yield folder
            beside = folder / name
            if beside.is_dir() and not beside.is_symlink() and has_package_mark(beside):
                yield beside
        yield from self._in_workspace(name, start.resolve().parent)

    def _in_workspace(self, name: str, start: Path) -> Iterator[Path]:
        package = package_above(start)
        for above in () if package is None else package.parents[:_WORKSPACE_LEVELS]:
            if is_shared(above):
                return
            if above not in self._workspaces:
                self._workspaces[above] = _packages_below(above)
            if name in self._workspaces[above]:
                yield self._workspaces[above][name]

    def allowed(self, file: Path) -> Path:
        """The file at the end of all links, where it may be read; an `InputError` otherwise, the end of a sentence."""
        there = file.resolve()
        if any(there.is_relative_to(root) for root in self._roots) or self._same_package(there):
            return there
        raise InputError(outside(there))

    def _same_package(self, file: Path) -> bool:
        """Whether a file stands in the sources of a package that may be read: installations often link to them."""
        package = package_above(file.parent)
        name = None if package is None else package_name(package)
        return name is not None and any(package_name(root) == name for root in self._roots)


def environment_folders() -> Iterator[Path]:
    """The folders in which the environment says that packages and models stand."""
    for variable, below in ENVIRONMENT:
        for entry in filter(os.path.isabs, os.environ.get(variable, "").split(os.pathsep)):
            yield Path(entry) / below


def _packages_below(folder: Path) -> dict[str, Path]:
    """The packages two levels below a folder, by the names that they give themselves."""
    found: dict[str, Path] = {}
    for file in itertools.islice(itertools.chain(folder.glob("*/package.xml"), folder.glob("*/*/package.xml")), _MOST_FOLDERS):
        name = None if file.parent.is_symlink() else package_name(file.parent)
        if name:
            found.setdefault(name, file.parent)
    return found


def _is_folder(folder: Path) -> bool:
    try:
        return folder.is_dir()
    except (OSError, ValueError):
        return False
