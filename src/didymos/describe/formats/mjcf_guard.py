"""What must not reach the engine's own reader of MJCF, because it would hang, eat all memory or break off the process.

Found by trying: counts that multiply (replicate, flexcomp), sizes that are allocated as told, a model that contains
itself (a crash), pipes instead of files, and an endless integration of length ranges. The files that it names, meshes, textures,
height fields, includes, models, are held to the boundary of the description (`boundary`), wherever the compiler's folders lead.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from didymos.describe.formats.packages import Packages
from didymos.describe.formats.xml_file import Element, read_xml
from didymos.errors import InputError

__all__ = ["names_model", "refuse_the_dangerous"]

_MOST_COPIES = 20_000
_DEEPEST = 20  # levels of files
_LARGEST_ASSET = 256 * 2**20  # [bytes]
_LARGEST_PICTURE = 2**26  # [pixels]
_FOLDERS = ("meshdir", "texturedir", "assetdir")  # attributes of <compiler>
_MOST_STEPS = 1_000_000
_LARGEST = {"nkey": 10_000, "nuserdata": 10_000_000, "njmax": 1_000_000, "nconmax": 1_000_000}
_LARGEST_USER = 10_000
_LARGEST_AREA = {"texture": ("width", "height", 2**28), "hfield": ("nrow", "ncol", 2**24), "user": ("dim", "", 2**20)}
_MOST_MEMORY = 16 * 2**30  # [bytes]
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50, "e": 60}


def refuse_the_dangerous(root: Element, packages: Packages) -> None:
    """An `InputError` for a file, or one that it includes, that the engine does not survive or may not read."""
    _Guard(packages).visit(root, root.file.resolve().parent, (root.file.resolve(),), [""])


class _Guard:
    """Goes through a file and those that it includes; `folders` are the ones that its compiler looks for assets in."""

    def __init__(self, packages: Packages) -> None:
        self._packages = packages

    def visit(self, root: Element, folder: Path, stack: tuple[Path, ...], folders: list[str]) -> None:
        """Check one file that is read as if it stood in `folder`."""
        _check_numbers(root)
        compilers = [element for element in root.walk() if element.tag == "compiler"]
        folders += [compiler.attributes[name] for compiler in compilers for name in _FOLDERS if name in compiler.attributes]
        includes = [element for element in root.walk() if names_model(element)]
        for include in includes:  # first: a compiler in an included file counts for this one, too
            self._check_model(include, folder, stack, folders)
        for element in root.walk():
            for attribute, name in element.attributes.items():
                if attribute.startswith("file") and not names_model(element):
                    self._check_asset(element, name, folder, folders)

    def _check_model(self, element: Element, folder: Path, stack: tuple[Path, ...], folders: list[str]) -> None:
        name = element.attributes.get("file", "")
        for base in dict.fromkeys((folder, stack[-1].parent)):
            file = self._readable(element, base / name)
            if file is None:
                continue  # the engine says so, with the line
            if file in stack:
                raise element.error(f"{element} means {str(file)!r}, which contains it")
            if len(stack) > _DEEPEST:
                raise element.error(f"{element} stands more than {_DEEPEST} files deep")
            try:
                inner = read_xml(file)
            except InputError:
                continue  # another format, or broken XML, which the engine refuses with its line
            if element.tag == "include":
                self.visit(inner, folder, (*stack, file), folders)
            else:
                self.visit(inner, file.parent, (*stack, file), [""])

    def _check_asset(self, element: Element, name: str, folder: Path, folders: list[str]) -> None:
        names = dict.fromkeys((name, name.partition("://")[2] or name))  # the engine drops package:// of a URDF
        for path in (folder / below / one for below in dict.fromkeys(folders) for one in names):
            file = self._readable(element, path)
            if file is None:
                continue
            size = file.stat().st_size
            if size > _LARGEST_ASSET:
                raise element.error(f"{element} means {str(file)!r} of {size} bytes, expected at most {_LARGEST_ASSET}")
            _check_picture(element, file)

    def _readable(self, element: Element, path: Path) -> Path | None:
        """The plain file at a path, inside the boundary; None where nothing is there."""
        try:
            if not path.exists() and not path.is_symlink():
                return None
            file = self._packages.allowed(path)
            if file.exists() and not file.is_file() and path.name:
                raise element.error(f"{element} means {str(file)!r}, which is not a file")
            return file if file.is_file() else None
        except InputError as error:
            raise error if error.file is not None else element.error(f"{element} means {error.message}") from None
        except (OSError, ValueError, RuntimeError) as error:
            raise element.error(f"{element} has no usable 'file'") from error


def names_model(element: Element) -> bool:
    """Whether an element means another model's file."""
    return element.tag == "include" or (element.tag == "model" and "file" in element.attributes)


def _check_picture(element: Element, file: Path) -> None:
    """Refuse a PNG that says it is huge: the engine believes it."""
    with file.open("rb") as stream:
        head = stream.read(24)
    if head.startswith(b"\x89PNG"):
        width, height = (int.from_bytes(head[at : at + 4], "big") for at in (16, 20))
        if width * height > _LARGEST_PICTURE:
            raise element.error(f"{element} means a picture of {width} x {height}, expected at most {_LARGEST_PICTURE} pixels")


def _check_numbers(root: Element) -> None:
    _count_copies(root, 1)
    for element in root.walk():
        if element.tag == "size":
            _check_size(element)
        elif element.tag in _LARGEST_AREA:
            _check_area(element)
        elif element.tag == "lengthrange":
            _check_length_range(element)


def _count_copies(element: Element, copies: int) -> int:
    """How many elements an element becomes; an `InputError` where that is too many."""
    if element.tag == "replicate":
        copies *= max(1, int(_number(element.attributes.get("count", "1"))))
    elif element.tag == "flexcomp":
        copies *= math.prod(max(1, int(_number(count))) for count in element.attributes.get("count", "1").split())
    total = copies
    if copies <= _MOST_COPIES:
        for child in element.children:
            total += _count_copies(child, copies) if copies > 1 or child.children or child.tag == "flexcomp" else 1
    if copies > 1 and total > _MOST_COPIES:
        raise element.error(f"{element} makes {total} or more elements, expected at most {_MOST_COPIES}")
    return total


def _check_size(size: Element) -> None:
    for attribute, text in size.attributes.items():
        largest = _LARGEST.get(attribute, _LARGEST_USER if attribute.startswith("nuser_") else math.inf)
        if _number(text) > largest:
            raise size.error(f"{attribute!r} of <size> is {text!r}, expected at most {largest}")
    given = re.fullmatch(r"(\d+)([a-z]?)", size.attributes.get("memory", "").strip().lower())
    if given and int(given[1]) * 2 ** _UNITS.get(given[2], 0) > _MOST_MEMORY:
        raise size.error(f"'memory' of <size> is {size.attributes['memory']!r}, expected at most 16G")


def _check_area(element: Element) -> None:
    first, second, largest = _LARGEST_AREA[element.tag]
    area = _number(element.attributes.get(first, "0")) * _number(element.attributes.get(second, "1"))
    if area > largest:
        raise element.error(f"{element} has {area:g} entries, expected at most {largest}")


def _check_length_range(element: Element) -> None:
    total = _number(element.attributes.get("inttotal", "10"))
    step = _number(element.attributes.get("timestep", "0.01"))
    if not 0 < total / (step or math.nan) <= _MOST_STEPS:
        raise element.error(f"{element} asks for {total:g} s in steps of {step:g} s, expected at most {_MOST_STEPS}")


def _number(text: str) -> float:
    """A number, or zero for what is none: the engine itself complains of that."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if math.isfinite(value) else 1e300
