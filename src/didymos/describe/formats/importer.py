"""Read a robot description, whatever its format: URDF, xacro, SDF, MJCF, told apart by what they hold, or a package's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from didymos.describe.description import Description, Note
from didymos.describe.formats.format import FORMATS, DescriptionFile, Format
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xacro_file import expand_xacro, is_xacro
from didymos.describe.formats.xml_file import parse_xml, read_xml
from didymos.errors import DidymosError, InputError, nearest

__all__ = ["DESCRIPTIONS", "read_description"]

_NOTHING: Mapping[str, str] = {}
_NOWHERE: Mapping[str, Path] = {}
DESCRIPTIONS = (".urdf", ".xacro", ".sdf", ".world", ".mjcf", ".xml")
"""Usual ends of the names of descriptions in our own formats; what a file is, it says itself."""


def read_description(
    path: Path,
    *,
    arguments: Mapping[str, str] = _NOTHING,
    packages: Mapping[str, Path] = _NOWHERE,
    folders: Iterable[Path] = (),
    repair: bool = False,
    density: float | None = None,
    inertia_from_shapes: bool = False,
) -> Description:
    """The description in a file.

    `arguments` are the xacro file's; `packages` says where the packages stand that the file names (see `packages`); `folders` are
    more folders that it may read from (see `boundary`); `repair` mends inertias that are off by rounding and moving links
    without mass (see `inertia_repair`); `density` [kg/m^3] gives links without mass that of their shapes, and
    `inertia_from_shapes` links with a mass and no inertia theirs (see `estimated_inertia`). Everything in the file that is not
    used, or not used as written, is in the `notes` of what is returned.
    """
    path = Path(path)
    where = Packages(path, packages, folders)
    file = DescriptionFile(
        path, where, arguments, repair=repair, density=density, inertia_from_shapes=inertia_from_shapes
    )
    own = _by_suffix(file.path)
    return _read_xml(file) if own is None else _read(own, file)


def _by_suffix(path: Path) -> Format | None:
    """The installed format that claims the end of a name; our own are told by what a file holds."""
    name = path.name.lower()
    if name.endswith(DESCRIPTIONS):
        return None
    return next((form for form in FORMATS.values() if name.endswith(tuple(form.suffixes))), None)


def _read_xml(file: DescriptionFile) -> Description:
    root = read_xml(file.path)
    if is_xacro(file.path, root):
        expanded = expand_xacro(file.path, file.arguments, file.packages)
        description = _by_tag(replace(file, root=expanded.root, text=expanded.text))
        notes = (*(Note(str(file.path), None, note) for note in expanded.notes), *description.notes)
        return replace(description, notes=notes, arguments=expanded.arguments)
    if file.arguments:
        raise root.error(f"takes no arguments, but {next(iter(file.arguments))!r} was given: it is no xacro file")
    return _by_tag(replace(file, root=root))


def _by_tag(file: DescriptionFile) -> Description:
    assert file.root is not None
    for name in FORMATS:  # ours first; a package's is loaded only where none of them fits
        if file.root.tag in FORMATS[name].tags:
            return _read(FORMATS[name], file)
    tags = [tag for form in FORMATS.values() for tag in form.tags]
    expected = "<robot> (URDF, xacro), <sdf> or <mujoco> (MJCF)" + "".join(f", <{tag}>" for tag in tags[3:])
    raise file.root.error(f"begins with <{file.root.tag}>, expected {expected}" + nearest(file.root.tag, tags))


def _read(form: Format, file: DescriptionFile) -> Description:
    try:
        found = form.read(file)
    except (DidymosError, MemoryError):
        raise
    except Exception as error:
        if form.read.__module__.startswith("didymos."):
            raise
        raise InputError(f"{form.title}: cannot be read: {type(error).__name__}: {error}", file=file.path) from error
    if isinstance(found, Description):
        return found
    root = parse_xml(found.encode(), file.path, lines=False)
    if root.tag not in ("robot", "sdf", "mujoco"):
        raise InputError(f"{form.title}: was translated into <{root.tag}>, expected <robot>, <sdf> or <mujoco>", file=file.path)
    return _by_tag(replace(file, arguments={}, root=root, text=found))
