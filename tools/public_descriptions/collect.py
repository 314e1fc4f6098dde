"""Which files of a package are robot descriptions, which are only parts of one, and which lack files.

A file counts as a description by its ending (.urdf, .xacro, .sdf, .mjcf), or as an .xml whose first element is <mujoco>,
<mujocoinclude>, <robot> or <sdf>. The rules below ask neither our importer nor what it made of a file.

It is a *fragment* where

1. it has no link (URDF, SDF; xacro: once it is expanded) or no body (MJCF: as MuJoCo reads it), or begins with <mujocoinclude>;
2. another file of its package includes it, and alone it cannot be read by the reader of its own format: MuJoCo, or xacro.

It is *incomplete* where its package does not hold a file that it needs: MuJoCo says so (MJCF), or no file of the package has the
name of a mesh that it collides with, or of a file or model that it includes (URDF, xacro, SDF).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import mujoco

from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xacro_file import expand_xacro
from didymos.errors import InputError

__all__ = ["Package", "descriptions"]

_ENDINGS = (".urdf", ".xacro", ".sdf", ".mjcf")
_TAGS = ("mujoco", "mujocoinclude", "robot", "sdf")
_INCLUDES = re.compile(r"<(?:xacro:)?include\s+[^>]*?file(?:name)?\s*=\s*[\"']([^\"']+)[\"']")
_COMMENTS = re.compile(r"<!--.*?-->", re.DOTALL)
_NEEDED = re.compile(r"<(?:collision|include)\b.*?</(?:collision|include)>", re.DOTALL)
_FILES = re.compile(r"(?:filename\s*=\s*[\"']|<uri>\s*)([^\"'<]+)")


def descriptions(folder: Path) -> Iterator[Path]:
    """All descriptions and fragments below a folder, by name."""
    for base, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = Path(base) / name
            ending = path.suffix.lower()
            if ending in _ENDINGS or (ending == ".xml" and _first_tag(_text(path)) in _TAGS):
                yield path


class Package:
    """A package: its folder, the names of all its files, and those that another file includes."""

    def __init__(self, folder: Path) -> None:
        self.files = list(descriptions(folder))
        self._names = {name for _, folders, names in os.walk(folder) for name in (*folders, *names)}
        # by the last part of the name that is written: paths hang on who includes
        self._included = {name.rpartition("/")[2] for path in self.files for name in _INCLUDES.findall(_text(path))}

    def sort(self, path: Path) -> tuple[str, str]:
        """"fragment" or "incomplete" and why; two empty words for a description."""
        text = _text(path)
        if _first_tag(text) == "mujocoinclude":
            return "fragment", "begins with <mujocoinclude>"
        return self._sort_mjcf(path) if _first_tag(text) == "mujoco" and path.suffix != ".xacro" else self._sort_links(path, text)

    def _sort_mjcf(self, path: Path) -> tuple[str, str]:
        bodies, refusal = _read_by_mujoco(path)
        if not refusal:
            return ("", "") if bodies else ("fragment", "no body")
        if path.name in self._included:
            return "fragment", "included by another, and MuJoCo does not read it alone"
        if "Error opening file" in refusal:
            return "incomplete", f"MuJoCo: {refusal}"
        return "", ""

    def _sort_links(self, path: Path, text: str) -> tuple[str, str]:
        if path.suffix == ".xacro":
            try:
                text = expand_xacro(path, {}, Packages(path, {}, ())).text
            except InputError:
                if path.name in self._included:
                    return "fragment", "included by another, and xacro does not read it alone"
                return self._lacking(_INCLUDES.findall(text)) or ("", "")
        text = _COMMENTS.sub("", text)
        if not re.search(r"<(link|include|body)[\s/>]", text):
            return "fragment", "no link"
        needed = [name for block in _NEEDED.findall(text) for name in _FILES.findall(block)]
        return self._lacking(needed) or ("", "")

    def _lacking(self, names: list[str]) -> tuple[str, str] | None:
        for name in names:
            last = name.strip().rstrip("/").rpartition("/")[2]
            if last not in self._names and "$" not in last:
                return "incomplete", f"its package does not hold {name.strip()}"
        return None


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _first_tag(text: str) -> str:
    match = re.search(r"<([A-Za-z][\w:]*)", _COMMENTS.sub("", text))
    return match[1] if match else ""


def _read_by_mujoco(path: Path) -> tuple[int, str]:
    """How many bodies MuJoCo finds in an MJCF file, and why it refuses it; in a child, as it may end the process."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.chdir("/tmp")  # where it may leave its log
        try:
            answer = str(mujoco.MjModel.from_xml_path(str(path)).nbody - 1)
        except BaseException as error:
            answer = f"refused {' '.join(str(error).split())}"
        os.write(writer, answer.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read().decode()
    os.waitpid(child, 0)
    return (int(answer), "") if answer.isdigit() else (0, answer.removeprefix("refused ") or "ended the process")
