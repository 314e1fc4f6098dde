"""Start a twin from a robot description: a folder with the description, its meshes and a `twin.yaml` that runs at once."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from typing import Any

from didymos.describe.new.draft import Draft, draft_twin
from didymos.describe.new.text import twin_text
from didymos.errors import InputError

__all__ = ["new_twin", "write_again", "write_twin"]


def new_twin(name: str, source: Path, folder: Path, **reading: Any) -> Path:
    """Make the folder of a new twin below `folder`; nothing that exists is touched. `reading` as of `draft_twin`."""
    return write_twin(name, source, folder, **reading)[0]


def write_twin(name: str, source: Path, folder: Path, **reading: Any) -> tuple[Path, Draft]:
    """The folder of a new twin below `folder`, and what was decided about it.

    The description is referred to where it is, unless it stands alone: a single file without meshes is copied, so that the
    folder can be moved. `reading` are the arguments of `draft_twin`: how the description is read goes into the twin file.
    """
    source = Path(source)
    if not source.is_file():
        raise InputError("there is no such file", file=source)
    if not name or any(sign in name for sign in "/\\ \t\n") or name.startswith("."):
        better = re.sub(r"[\s/\\]+", "_", name.strip(" ./\\\t\n"))
        hint = f", such as {better!r}" if better else ""
        raise InputError(f"found the name {name!r}, expected one without blanks and slashes that begins with no full stop{hint}")
    target = Path(folder) / name
    if target.exists():
        raise InputError("exists already; choose another name or remove it", file=target)
    draft = draft_twin(source, **reading)
    target.mkdir(parents=True)
    try:
        alone = _stands_alone(source)
        if alone:
            shutil.copyfile(source, target / source.name)
        file = source.name if alone else os.path.relpath(source.resolve(), target.resolve())
        (target / "twin.yaml").write_text(twin_text(name, source, draft, file=file, folder=target), encoding="utf-8")
    except BaseException:
        shutil.rmtree(target)
        raise
    return target, draft


def write_again(folder: Path, source: Path, draft: Draft) -> None:
    """Put another draft of the same description into a folder that `write_twin` made."""
    copied = (folder / source.name).is_file()
    file = source.name if copied else os.path.relpath(source.resolve(), folder.resolve())
    text = twin_text(folder.name, source, draft, file=file, folder=folder)
    (folder / "twin.yaml").write_text(text, encoding="utf-8")


def _stands_alone(source: Path) -> bool:
    """Whether a description names no other file; the library of a Gazebo plugin is none."""
    text = re.sub(r"<plugin\b[^>]*>", "", source.read_text(encoding="utf-8", errors="replace"))
    words = ("package://", "model://", "file://", "<uri>", "xacro:include", "<include")
    return not any(word in text for word in words) and re.search(r"\bfile\w*\s*=", text) is None
