"""Plain data as the text of a twin file: one line where it fits, keys below each other where not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["block", "flow", "wrapped"]

_WIDEST = 120
_NO_WORDS = ("y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf")


def flow(value: Any) -> str:
    """A value in one line; a word in quotes where YAML would read anything else out of it."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{flow(str(key))}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        text = f"{value:.12g}"
        return text.replace("e", ".0e", 1) if "e" in text and "." not in text else text  # YAML takes 1e-5 for a word
    if isinstance(value, int):
        return str(value)
    text = str(value)
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text) and text.lower() not in _NO_WORDS:
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def block(key: str, record: Mapping[str, Any], indent: int, *, widest: int = _WIDEST) -> str:
    """A key and its record, indented by some columns: in one line where that is not too long."""
    margin = " " * indent
    line = f"{margin}{flow(key)}: {flow(record)}\n"
    if len(line) <= widest:
        return line
    inner = "".join(wrapped(name, value, indent + 2) for name, value in record.items())
    return f"{margin}{flow(key)}:\n{inner}"


def wrapped(key: str, value: Any, indent: int) -> str:
    """A key and its value in braces or brackets, over as many lines as it takes; records of a list have a line each."""
    margin = " " * indent
    head = f"{margin}{flow(key)}: "
    if len(head + flow(value)) <= _WIDEST or not isinstance(value, Mapping | list | tuple):
        return f"{head}{flow(value)}\n"
    if not isinstance(value, Mapping) and any(isinstance(item, Mapping) for item in value):
        return f"{head.rstrip()}\n" + "".join(f"{margin}  - {flow(item)}\n" for item in value)
    if isinstance(value, Mapping):
        items, marks = [f"{flow(str(name))}: {flow(item)}" for name, item in value.items()], "{}"
    else:
        items, marks = [flow(item) for item in value], "[]"
    lines = [head + marks[0]]
    for position, item in enumerate(items):
        text = item + ("," if position < len(items) - 1 else marks[1])
        if len(lines[-1]) + len(text) >= _WIDEST:
            lines.append(" " * len(head))
        lines[-1] += ("" if lines[-1].endswith((marks[0], " ")) else " ") + text
    return "\n".join(line.rstrip() for line in lines) + "\n"
