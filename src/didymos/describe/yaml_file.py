"""YAML with places: plain data, and for every key the line it stands on, so that an error can point at it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from didymos.errors import InputError

__all__ = ["Lines", "read_yaml"]

Lines = dict[tuple[str | int, ...], int]

_LARGEST_FILE = 4_000_000  # [bytes]
_MOST_VALUES = 100_000  # a few aliases can name more values than memory holds


def read_yaml(path: Path) -> tuple[dict[str, Any], Lines]:
    """The mapping in a file and the line of every key and item by its path; anything else is an `InputError`."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", file=path) from None
    if len(text) > _LARGEST_FILE:
        raise InputError(f"found {len(text)} bytes, expected at most {_LARGEST_FILE}", file=path)
    try:
        loaded = YAML(typ="rt", pure=True).load(text.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8 text (byte {error.start})", file=path) from None
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        what = " ".join(str(error.problem or error.context or "not YAML").split())
        raise InputError(f"is not valid YAML: {what}", file=path, line=line) from None
    except (YAMLError, ValueError, TypeError, AttributeError, KeyError, AssertionError, NotImplementedError) as error:
        raise InputError(f"is not valid YAML: {' '.join(str(error).split())}", file=path) from None
    except RecursionError:
        raise InputError("is nested too deeply", file=path) from None
    if not isinstance(loaded, CommentedMap):
        found = "nothing" if loaded is None else f"a {type(loaded).__name__}"
        raise InputError(f"found {found}, expected a mapping of keys to values", file=path)
    lines: Lines = {}
    budget = [_MOST_VALUES]
    try:
        plain = _plain(loaded, (), lines, budget, path)
    except RecursionError:
        raise InputError("is nested too deeply or contains itself", file=path) from None
    return plain, lines


def _plain(node: Any, place: tuple[str | int, ...], lines: Lines, budget: list[int], file: Path) -> Any:
    budget[0] -= 1
    if budget[0] < 0:
        raise InputError(f"holds more than {_MOST_VALUES} values", file=file)
    if isinstance(node, CommentedMap):
        found = {}
        for key, value in node.items():
            if not isinstance(key, str):
                raise InputError(f"found the key {key!r}, expected a word", file=file, line=_line(node, key))
            lines[(*place, key)] = _line(node, key) or lines.get(place, 1)
            found[key] = _plain(value, (*place, key), lines, budget, file)
        return found
    if isinstance(node, CommentedSeq):
        items = []
        for index, value in enumerate(node):
            lines[(*place, index)] = _line(node, index) or lines.get(place, 1)
            items.append(_plain(value, (*place, index), lines, budget, file))
        return items
    if isinstance(node, bool) or node is None:
        return node
    for kind in (int, float, str):
        if isinstance(node, kind):
            return kind(node)
    raise InputError(
        f"found {str(node)!r}, expected a number, a text, a list or a mapping",
        file=file,
        line=lines.get(place),
        path=".".join(map(str, place)),
    )


def _line(node: Any, key: Any) -> int | None:
    try:
        position = node.lc.data[key]
    except (KeyError, TypeError, AttributeError):
        return None
    return int(position[0]) + 1
