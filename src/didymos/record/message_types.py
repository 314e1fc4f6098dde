"""Message types of ROS: from the text of their definition to the tree of their fields.

A definition is a line for each field (`float64[9] k`, `std_msgs/Header header`) or constant (`uint8 FIX=1`). The definitions of
the types that it holds follow, each behind a line of `=` and its name (`MSG: std_msgs/Header`). A field of the tree is (name,
node), a node (BASE, (kind of number or `string`, longest string)), (NAME, type), (ARRAY, (node, count)) or (SEQUENCE, (node,
most)), as in `rosbags`, which knows all types of ROS 2; those that recordings are made of stand in `recorded_types.msg`.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from didymos.extras import missing

__all__ = [
    "ARRAY", "BASE", "NAME", "SEQUENCE", "definition", "parse_definition", "parse_idl", "recorded_types", "ros2_types",
    "types_with",
]  # fmt: skip

BASE, NAME, ARRAY, SEQUENCE = 1, 2, 3, 4
Fields = list[tuple[str, tuple[int, Any]]]

_SEPARATOR = "=" * 80
_BASES = {
    "bool", "byte", "char", "string", "float32", "float64",
    "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
}  # fmt: skip
_SHORT = {
    "Header": "std_msgs/msg/Header",
    "time": "builtin_interfaces/msg/Time",
    "duration": "builtin_interfaces/msg/Duration",
}
_LINE = re.compile(r"([A-Za-z][\w/]*)(?:<=(\d+))?(?:\[(<=)?(\d*)\])?[ \t]+([A-Za-z]\w*)[ \t]*(=?)")


def parse_definition(text: str, type_name: str) -> dict[str, tuple[list[Any], Fields]]:
    """Fields of a type, and of all types that follow it in the text, by their names (`std_msgs/msg/Header`).

    Each comes with a list of constants, which is left empty: nobody reads them.

    Raises:
        ValueError: a line is neither a field nor a constant.
    """
    found: dict[str, tuple[list[Any], Fields]] = {}
    name = type_name
    fields: Fields = []
    found[name] = ([], fields)
    for line in map(str.strip, text.splitlines()):
        if line.startswith("MSG:"):
            name, fields = _full(line.removeprefix("MSG:").strip(), ""), []
            found[name] = ([], fields)
        elif line and not line.startswith(("#", "@", "===")):
            match = _LINE.match(line)
            if match is None:
                raise ValueError(f"{line[:80]!r} is no field")
            if not match[6]:
                fields.append((match[5], _node(match, name)))
    return found


def parse_idl(text: str) -> dict[str, tuple[list[Any], Fields]]:
    """Fields of all types that a text in OMG's IDL defines, by their names.

    Raises:
        ValueError: it is none.
        InputError: its parser is not installed.
    """
    try:
        from rosbags.typesys import get_types_from_idl
    except ModuleNotFoundError:
        raise missing("message types in IDL need", "rosbags", "logs") from None
    try:
        return dict(get_types_from_idl(text))
    except Exception as error:  # the parser raises many kinds for malformed text
        raise ValueError(str(error)) from error


def _node(match: re.Match[str], owner: str) -> tuple[int, Any]:
    kind, longest, bounded, count = match.group(1, 2, 3, 4)
    node: tuple[int, Any] = (BASE, (kind, int(longest or 0))) if kind in _BASES else (NAME, _full(kind, owner))
    if count is None:
        return node
    return (SEQUENCE, (node, int(count or 0))) if bounded or not count else (ARRAY, (node, int(count)))


def _full(name: str, owner: str) -> str:
    """The whole name of a type: without a package it is in that of its owner."""
    if "/" not in name:
        return _SHORT.get(name) or f"{owner.rpartition('/')[0]}/{name}"
    package, _, own = name.rpartition("/")
    return name if package.endswith(("/msg", "/action")) else f"{package}/msg/{own}"


@cache
def _texts() -> dict[str, str]:
    """The definition of each recorded type, without those that it holds."""
    whole = Path(__file__).with_name("recorded_types.msg").read_text(encoding="utf-8")
    pieces = [piece.partition("\n") for piece in whole.split(f"{_SEPARATOR}\nMSG: ")[1:]]
    return {_full(name, ""): text for name, _, text in pieces}


@cache
def recorded_types() -> Any:
    """The types that recordings are made of: `fielddefs`, by name."""
    return SimpleNamespace(fielddefs={name: parse_definition(text, name)[name] for name, text in _texts().items()})


@cache
def ros2_types() -> Any:
    """The message definitions of ROS 2 (a `rosbags.typesys` store); loaded on first use because it takes a moment.

    Raises:
        InputError: it is not installed.
    """
    try:
        from rosbags.typesys import Stores, get_typestore
    except ModuleNotFoundError:
        raise missing("message types that a file does not describe itself need", "rosbags", "logs") from None

    return get_typestore(Stores.ROS2_JAZZY)


def types_with(type_name: str) -> Any:
    """Types among which there is this one: the recorded ones, or all of ROS 2."""
    recorded = recorded_types()
    return recorded if type_name in recorded.fielddefs else ros2_types()


@cache
def definition(type_name: str) -> bytes:
    """The text of a message type and of all that it holds, as schemas of the encoding `ros2msg` have it."""
    if type_name not in recorded_types().fielddefs:
        return bytes(ros2_types().generate_msgdef(type_name, ros_version=2)[0].encode())
    held: dict[str, None] = {}
    _collect(type_name, held)
    first, *others = held
    texts = [f"{_SEPARATOR}\nMSG: {name.replace('/msg/', '/')}\n{_texts()[name]}" for name in others]
    return "".join([_texts()[first], *texts]).encode()


def _collect(type_name: str, held: dict[str, None]) -> None:
    held.setdefault(type_name)
    for _, (kind, what) in recorded_types().fielddefs[type_name][1]:
        kind, what = what[0] if kind in (ARRAY, SEQUENCE) else (kind, what)
        if kind == NAME and what not in held:
            _collect(what, held)
