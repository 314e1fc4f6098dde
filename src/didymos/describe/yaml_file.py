"""YAML with places: plain data, and for every key the line it stands on, so that an error can point at it.

Nodes become plain data here, not by the library's own constructor: only numbers, words, lists and mappings come out, a
key that stands twice or a node that contains itself is an error, and aliases cannot name more than memory holds.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from didymos.errors import InputError

__all__ = ["Lines", "Place", "read_yaml"]

Place = tuple[str | int, ...]
Lines = dict[Place, int]

_LARGEST_FILE = 256_000  # [bytes]; a twin takes ten thousand, and more than this would take longer than a user waits
_MOST_VALUES = 50_000  # a few aliases can name more values than memory holds
_DEEPEST = 40  # levels; no twin needs ten
_TAG = "tag:yaml.org,2002:"
_MERGE = _TAG + "merge"


def read_yaml(path: Path, *, may_be_empty: bool = False, content: bytes | None = None) -> tuple[dict[str, Any], Lines]:
    """The mapping in a file and the line of every key and item by its path; anything else is an `InputError`.

    `content` is that of the file, or its beginning, for those who have read it already.
    """
    try:
        content = path.read_bytes() if content is None else content
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=path) from None
    if len(content) > _LARGEST_FILE:
        raise InputError(f"found {len(content)} bytes, expected at most {_LARGEST_FILE}", file=path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"is not UTF-8 text (byte {error.start})", file=path, line=line) from None
    yaml = YAML(typ="safe", pure=True)
    node = _compose(yaml, text, path)
    if node is None and may_be_empty:
        return {}, {}
    if not isinstance(node, MappingNode):
        found = "nothing" if node is None else "a list" if isinstance(node, SequenceNode) else "a single value"
        raise InputError(f"found {found}, expected a mapping of keys to values", file=path)
    reader = _Reader(path, yaml)
    return reader.mapping(node, ()), reader.lines


def _compose(yaml: YAML, text: str, path: Path) -> Node | None:
    """The node of the one document in a text, None where it is empty."""
    yaml.composer.warn_double_anchors = False  # legal, and the library would warn on stderr
    try:
        return yaml.compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        what = ": ".join(str(words) for words in (error.context, error.problem) if words)
        raise InputError(f"is not valid YAML: {what}", file=path, line=mark.line + 1 if mark else None) from None
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise InputError(f"is not text: found the control character {_code(error.character)}", file=path, line=line) from None
    except (YAMLError, ValueError, TypeError, AttributeError, LookupError, AssertionError, NotImplementedError) as error:
        raise InputError(f"is not valid YAML: {error}", file=path) from None
    except RecursionError:
        raise InputError("is nested too deeply", file=path) from None


class _Reader:
    """Turns nodes into plain data and remembers where they stood."""

    def __init__(self, file: Path, yaml: YAML) -> None:
        self.lines: Lines = {}
        self._file, self._yaml = file, yaml
        self._left = _MOST_VALUES
        self._open: list[Node] = []

    def mapping(self, node: MappingNode, place: Place) -> dict[str, Any]:
        """The data of a mapping that stands at a place of the file."""
        found = {}
        for name, (key, value) in self._entries(node, place).items():
            self.lines[(*place, name)] = _line(key)
            found[name] = self._value(value, (*place, name))
        return found

    def _value(self, node: Node, place: Place) -> Any:
        if isinstance(node, ScalarNode):
            self._count()
            return self._scalar(node, place)
        self._enter(node, place)
        found: Any
        if isinstance(node, MappingNode):
            found = self.mapping(node, place)
        else:
            found = []
            for index, item in enumerate(node.value):
                self.lines[(*place, index)] = _line(item)
                found.append(self._value(item, (*place, index)))
        self._open.pop()
        return found

    def _entries(self, node: MappingNode, place: Place) -> dict[str, tuple[Node, Node]]:
        """Nodes of keys and values by key; what is merged in (`<<`) gives way to the mapping's own."""
        own: dict[str, tuple[Node, Node]] = {}
        merged: dict[str, tuple[Node, Node]] = {}
        for key, value in node.value:
            if key.tag == _MERGE:
                for source in reversed(value.value if isinstance(value, SequenceNode) else [value]):
                    merged |= self._merged(source, place)
                continue
            if not isinstance(key, ScalarNode) or key.tag != _TAG + "str":
                what = repr(key.value) if isinstance(key, ScalarNode) else "a list or a mapping"
                raise self._error(f"found {what} as a key, expected a word", key, place)
            self._scalar(key, place)
            if key.value in own:
                first = _line(own[key.value][0])
                raise self._error(f"the key {key.value!r} is here twice, first in line {first}", key, place)
            own[key.value] = key, value
        return merged | own

    def _merged(self, node: Node, place: Place) -> dict[str, tuple[Node, Node]]:
        if not isinstance(node, MappingNode):
            raise self._error("found something else than a mapping to merge ('<<')", node, place)
        self._enter(node, place)
        found = self._entries(node, place)
        self._open.pop()
        return found

    def _scalar(self, node: ScalarNode, place: Place) -> Any:
        try:
            found = self._yaml.constructor.construct_object(node)
        except (YAMLError, ValueError, TypeError, LookupError, OverflowError):
            found = node
        if isinstance(found, str) and any("\ud800" <= letter <= "\udfff" for letter in found):
            raise self._error("found half a character (a lone surrogate), expected Unicode text", node, place)
        if isinstance(found, int) and abs(found) > sys.float_info.max:
            raise self._error("found a number beyond 1.8e308, expected one that a computer can hold", node, place)
        if found is None or isinstance(found, bool | int | float | str):
            return found
        raise self._error(f"found {_short(node.value)!r}, expected a number, a text, a list or a mapping", node, place)

    def _enter(self, node: Node, place: Place) -> None:
        self._count()
        if any(node is other for other in self._open):
            raise self._error("contains itself", node, place)
        if len(self._open) >= _DEEPEST:
            raise self._error(f"is nested more than {_DEEPEST} levels deep", node, place)
        self._open.append(node)

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise InputError(f"holds more than {_MOST_VALUES} values, aliases counted in full", file=self._file)

    def _error(self, text: str, node: Node, place: Place) -> InputError:
        return InputError(text, file=self._file, line=_line(node), path=".".join(map(str, place)) or None)


def _code(character: int | str | bytes) -> str:
    code = character if isinstance(character, int) else ord(character)
    return f"U+{code:04X}"


def _short(text: str) -> str:
    return text if len(text) < 60 else text[:57] + "..."


def _line(node: Node) -> int:
    return int(node.start_mark.line) + 1
