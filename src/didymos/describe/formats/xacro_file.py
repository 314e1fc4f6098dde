"""xacro: macros become plain URDF, SDF or MJCF, in a process of its own.

A xacro file is a program: it can recurse without end, compute 9**9**9 or print. In a child process it gets bounded time
and memory, and leaves nothing behind in ours.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from didymos.describe.formats.mesh_paths import find_package
from didymos.describe.formats.xml_file import Element, parse_xml
from didymos.errors import InputError, nearest

__all__ = ["expand_xacro", "is_xacro"]

_PATIENCE = 20.0  # [s]
_MOST_PACKAGES = 50
_CHILD = Path(__file__).with_name("xacro_child.py")


def is_xacro(path: Path, root: Element) -> bool:
    """Whether a file must go through xacro first: by its suffix, or because it uses what only xacro understands."""
    if path.suffix == ".xacro" or any(element.tag.startswith("xacro:") for element in root.walk()):
        return True
    values = (value for element in root.walk() for value in element.attributes.values())
    return "xmlns:xacro" in root.attributes and any("${" in value or "$(" in value for value in values)


def expand_xacro(
    path: Path, arguments: Mapping[str, str], packages: Mapping[str, Path]
) -> tuple[Element, str]:
    """The root element of what a xacro file expands to, and its text; what xacro says against it becomes an `InputError`."""
    folders = {name: str(Path(folder).resolve()) for name, folder in packages.items()}
    request = {
        "file": str(path.resolve()),
        "arguments": {key: str(value) for key, value in arguments.items()},
        "packages": folders,
    }
    for _ in range(_MOST_PACKAGES):
        answer = _ask_child(request, path)
        if "package" not in answer:
            break
        folders[answer["package"]] = str(find_package(answer["package"], Path(answer["file"]), packages))
    else:
        raise InputError(f"names more than {_MOST_PACKAGES} packages", file=path)
    if "error" in answer:
        inside = "" if answer["file"] == request["file"] else f" (in {answer['file']})"
        raise InputError(f"xacro cannot expand it: {answer['error']}{inside}", file=path)
    for name in answer["unused"]:
        known = [other for other in answer["arguments"] if other != name]
        raise InputError(f"has no xacro argument {name!r}{nearest(name, known)}", file=path)
    return parse_xml(answer["xml"].encode(), path, lines=False), str(answer["xml"])


def _ask_child(request: dict[str, Any], path: Path) -> dict[str, Any]:
    try:
        # -P: the child's own folder holds modules that must not be found by their bare names
        child = subprocess.run(
            [sys.executable, "-P", str(_CHILD)],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"xacro did not end within {_PATIENCE:g} s", file=path) from error
    try:
        answer = json.loads(child.stdout)
    except ValueError as error:
        raise InputError(f"xacro broke off with exit status {child.returncode}", file=path) from error
    return dict(answer)
