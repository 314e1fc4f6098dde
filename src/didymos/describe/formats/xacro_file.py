"""xacro: macros become plain URDF, SDF or MJCF, in a process of its own.

A xacro file is a program: it can recurse without end, compute 9**9**9 or name any file. In a child process (`xacro_child`) it
gets bounded time and memory, reads only what a description may read, and leaves nothing behind in ours. What it answered is kept
as long as it stays true (`kept_expansions.py`).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from didymos.describe.formats.child_environment import child_environment
from didymos.describe.formats.kept_expansions import keep_answer, kept_answer
from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xml_file import Element, parse_xml
from didymos.errors import InputError, nearest

__all__ = ["Expanded", "expand_xacro", "is_xacro"]

_PATIENCE = 20.0  # [s]


@dataclass(frozen=True, eq=False)
class Expanded:
    """What a xacro file expands to: root element and text, what is to be noted, and the values of all its arguments by name."""

    root: Element
    text: str
    notes: tuple[str, ...]
    arguments: Mapping[str, str]


def is_xacro(path: Path, root: Element) -> bool:
    """Whether a file must go through xacro first: by its suffix, or because it uses what only xacro understands."""
    if path.suffix == ".xacro" or any(element.tag.startswith("xacro:") for element in root.walk()):
        return True
    values = (value for element in root.walk() for value in element.attributes.values())
    return "xmlns:xacro" in root.attributes and any("${" in value or "$(" in value for value in values)


def expand_xacro(path: Path, arguments: Mapping[str, str], packages: Packages) -> Expanded:
    """What a xacro file expands to; what xacro says against it becomes an `InputError`."""
    request = {
        "file": str(path.resolve()),
        "arguments": {key: str(value) for key, value in arguments.items()},
        "packages": {name: str(folder.resolve()) for name, folder in packages.items()},
        "folders": [str(folder) for folder in packages.roots],
        "environment": sorted(os.environ),
    }
    answer = kept_answer(request)
    if answer is None:
        answer = _ask_child(request, path)
        keep_answer(request, answer)
    if "error" in answer:
        inside = "" if answer["file"] == request["file"] else f" (in {answer['file']})"
        said = re.sub(r"<class '[\w.]+'>: ", "", answer["error"])  # which xacro puts before what its own errors say
        if "unbound prefix" in said:
            said += '; a file with xacro: in it has to say <robot xmlns:xacro="http://www.ros.org/wiki/xacro">'
        raise InputError(f"xacro cannot expand it: {said}{inside}", file=path)
    for name in answer["unused"]:
        known = [other for other in answer["arguments"] if other != name]
        raise InputError(f"has no xacro argument {name!r}{nearest(name, known)}", file=path)
    root = parse_xml(answer["xml"].encode(), path, lines=False)
    return Expanded(root, str(answer["xml"]), tuple(answer["notes"]), dict(answer["arguments"]))


def _ask_child(request: dict[str, Any], path: Path) -> dict[str, Any]:
    try:
        # -P: nothing of the current folder is found by its bare name
        child = subprocess.run(
            [sys.executable, "-P", "-m", "didymos.describe.formats.xacro_child"],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            env=child_environment(),
        )
    except subprocess.TimeoutExpired as error:
        raise InputError(f"xacro did not end within {_PATIENCE:g} s", file=path) from error
    try:
        answer = json.loads(child.stdout)
    except ValueError as error:
        raise InputError(f"xacro broke off with exit status {child.returncode}", file=path) from error
    return dict(answer)
