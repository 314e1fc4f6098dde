"""Read a robot description, whatever its kind: URDF, xacro, SDF or MJCF, told apart by what the file holds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from didymos.describe.description import Description
from didymos.describe.formats.mjcf import read_mjcf
from didymos.describe.formats.sdf import read_sdf
from didymos.describe.formats.urdf import read_urdf
from didymos.describe.formats.xacro_file import expand_xacro, is_xacro
from didymos.describe.formats.xml_file import read_xml
from didymos.errors import nearest

__all__ = ["read_description"]

_NOTHING: Mapping[str, str] = {}
_NOWHERE: Mapping[str, Path] = {}
_ROOTS = ("robot", "sdf", "mujoco")


def read_description(
    path: Path, *, arguments: Mapping[str, str] = _NOTHING, packages: Mapping[str, Path] = _NOWHERE
) -> Description:
    """The description in a file.

    `arguments` are the xacro file's; `packages` says where the packages stand that the file names (see `mesh_paths`).
    Everything in the file that is not used, or not used as written, is in the `notes` of what is returned.
    """
    path = Path(path)
    root = read_xml(path)
    text = None
    if is_xacro(path, root):
        root, text = expand_xacro(path, arguments, packages)
    elif arguments:
        raise root.error(f"takes no arguments, but {next(iter(arguments))!r} was given: it is no xacro file")
    if root.tag == "robot":
        return read_urdf(root, packages)
    if root.tag == "sdf":
        return read_sdf(root, packages)
    if root.tag == "mujoco":
        return read_mjcf(root, text)
    raise root.error(
        f"begins with <{root.tag}>, expected <robot> (URDF, xacro), <sdf> or <mujoco> (MJCF)"
        + nearest(root.tag, _ROOTS)
    )
