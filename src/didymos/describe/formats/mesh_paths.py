"""Where the file stands that a URI of a description means.

``package://NAME/rest`` and ``model://NAME/rest`` are looked up, in this order: in the folders that the caller gives, in
the ROS environment (AMENT_PREFIX_PATH, ROS_PACKAGE_PATH; GZ_SIM_RESOURCE_PATH, GAZEBO_MODEL_PATH for models), and by
walking up from the description to a folder named NAME, beside which NAME stands, or whose package.xml says NAME.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from didymos.describe.formats.xml_file import Element, parse_xml
from didymos.errors import InputError

__all__ = ["find_package", "package_folders", "resolve_uri"]


def resolve_uri(uri: str, element: Element, packages: Mapping[str, Path]) -> Path:
    """The existing file that a URI means; an `InputError` that names the path it was looked for at otherwise."""
    scheme, separator, rest = uri.strip().partition("://")
    try:
        if not separator:
            file = element.file.parent / uri.strip()
        elif scheme == "file":
            file = element.file.parent / unquote(rest)
        elif scheme in ("package", "model"):
            file = _in_package(uri, rest, element, packages)
        else:
            raise element.error(f"{uri!r} has the scheme {scheme!r}, expected package, model, file or a path")
        if file.is_file():
            return file.resolve()
    except (OSError, ValueError) as error:  # a NUL or an endless name
        raise element.error(f"{uri!r} is not the name of a file") from error
    raise element.error(f"{uri!r} means the file {str(file)!r}, which does not exist")


def _in_package(uri: str, rest: str, element: Element, packages: Mapping[str, Path]) -> Path:
    name, _, inside = rest.lstrip("/").partition("/")
    candidates = [folder / inside for folder in package_folders(name, element.file, packages)]
    if not candidates:
        raise element.error(
            f"{uri!r} names the package {name!r}, which was not found; give its folder, or put the "
            "description below a folder of that name"
        )
    # A folder that merely has the right name may stand nearer than the package; the first that holds the file is meant.
    return next((path for path in candidates if path.exists()), candidates[0])


def find_package(name: str, start: Path, packages: Mapping[str, Path]) -> Path:
    """The folder of a package; an `InputError` where it is not found."""
    for folder in package_folders(name, start, packages):
        return folder
    raise InputError(f"names the package {name!r}, which was not found", file=start)


def package_folders(name: str, start: Path, packages: Mapping[str, Path]) -> Iterator[Path]:
    """The folders that may be meant by a package's name, the likeliest first."""
    if not name or name in (".", ".."):
        return
    if name in packages:
        yield Path(packages[name])
        return
    for variable, below in (
        ("AMENT_PREFIX_PATH", "share"),
        ("ROS_PACKAGE_PATH", ""),
        ("GZ_SIM_RESOURCE_PATH", ""),
        ("GAZEBO_MODEL_PATH", ""),
    ):
        for entry in filter(None, os.environ.get(variable, "").split(os.pathsep)):
            for folder in (Path(entry) / below / name, Path(entry) / below):
                if folder.is_dir() and (folder.name == name or _package_name(folder) == name):
                    yield folder
    for folder in start.resolve().parents:
        if folder.name == name or _package_name(folder) == name:
            yield folder
        if (folder / name).is_dir():
            yield folder / name


def _package_name(folder: Path) -> str | None:
    file = folder / "package.xml"
    try:
        element = parse_xml(file.read_bytes(), file).first("name") if file.is_file() else None
    except (InputError, OSError):
        return None
    return None if element is None else element.text.strip()
