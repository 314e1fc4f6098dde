"""What must not reach the engine's own reader of MJCF, because it would hang, eat all memory or break off the process.

Found by trying: counts that multiply (replicate, flexcomp), sizes that are allocated as told, a model that contains
itself (a crash), pipes instead of files, and an endless integration of length ranges.
"""

from __future__ import annotations

import math
import re
from pathlib import Path

from didymos.describe.formats.xml_file import Element, read_xml
from didymos.errors import InputError

__all__ = ["refuse_the_dangerous"]

_MOST_COPIES = 20_000
_MOST_STEPS = 1_000_000
_LARGEST = {"nkey": 10_000, "nuserdata": 10_000_000, "njmax": 1_000_000, "nconmax": 1_000_000}
_LARGEST_USER = 10_000
_LARGEST_AREA = {"texture": ("width", "height", 2**28), "hfield": ("nrow", "ncol", 2**24), "user": ("dim", "", 2**20)}
_MOST_MEMORY = 16 * 2**30  # [bytes]
_UNITS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50, "e": 60}


def refuse_the_dangerous(root: Element) -> None:
    """An `InputError` for a file, or one that it includes, that the engine does not survive."""
    _visit(root, root.file.resolve().parent, (root.file.resolve(),))


def _visit(root: Element, folder: Path, stack: tuple[Path, ...]) -> None:
    _count_copies(root, 1)
    for element in root.walk():
        if element.tag == "size":
            _check_size(element)
        elif element.tag in _LARGEST_AREA:
            _check_area(element)
        elif element.tag == "lengthrange":
            _check_length_range(element)
        elif element.tag == "include" or (element.tag == "model" and "file" in element.attributes):
            _check_file(element, folder, stack)


def _check_file(element: Element, folder: Path, stack: tuple[Path, ...]) -> None:
    try:
        file = (folder / element.attributes.get("file", "")).resolve()
        if not file.exists():
            return  # the engine says so, with the line
        if not file.is_file():
            raise element.error(f"{element} means {str(file)!r}, which is not a file")
    except (OSError, ValueError) as error:
        raise element.error(f"{element} has no usable 'file'") from error
    if file in stack:
        raise element.error(f"{element} means {str(file)!r}, which contains it")
    try:
        inner = read_xml(file)
    except InputError:
        return  # another format, or broken XML, which the engine refuses with its line
    _visit(inner, folder if element.tag == "include" else file.parent, (*stack, file))


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
