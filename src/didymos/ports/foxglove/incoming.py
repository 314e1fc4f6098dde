"""A message of a viewer, in JSON or CDR, as the ROS 2 message that it means.

Viewers without ROS 2's message definitions publish JSON, with the fields of the ROS 2 type: {"linear": {"x": 0.5}}. What is left
out is zero; a field that the type does not have, or a value of another kind, is an `InputError`.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from didymos.errors import InputError, nearest
from didymos.record.message_types import ARRAY, NAME, SEQUENCE, ros2_types

__all__ = ["ENCODINGS", "read_message"]

ENCODINGS = ("json", "cdr")
"""What viewers may publish, the one that needs least of them first."""

_LONGEST = 1_000_000  # [bytes] of a command


def read_message(type_name: str, encoding: str, data: bytes) -> Any:
    """The message of a ROS 2 type in some bytes; whatever is none is an `InputError`."""
    if len(data) > _LONGEST:
        raise InputError(f"found a message of {len(data)} bytes, expected {_LONGEST} at most")
    if encoding == "json":
        return _from_json(_parsed(data), type_name, "")
    if encoding != "cdr":
        raise InputError(f"found the encoding {encoding!r}, expected one of: {', '.join(ENCODINGS)}")
    try:
        return ros2_types().deserialize_cdr(data, type_name)
    except Exception:  # whatever bytes that are no such message make the library raise
        raise InputError(f"these {len(data)} bytes are no {type_name} in CDR") from None


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise InputError("this is no JSON") from None


def _from_json(value: Any, type_name: str, where: str) -> Any:
    """A message of a type, from the fields that it was given."""
    if not isinstance(value, dict):
        raise InputError(f"found {_short(value)}, expected the fields of a {type_name}", path=where or None)
    fields = dict(ros2_types().fielddefs[type_name][1])
    for name in value:
        if name not in fields:
            raise InputError(f"{type_name} has no field {_short(name)}{nearest(name, fields)}", path=where or None)
    return SimpleNamespace(
        **{name: _field(value.get(name), about, f"{where}.{name}" if where else name) for name, about in fields.items()}
    )


def _field(value: Any, about: Any, where: str) -> Any:
    kind, inner = about
    if kind == NAME:
        return _from_json({} if value is None else value, inner, where)
    if kind in (SEQUENCE, ARRAY):
        if not isinstance(value, list | None):
            raise InputError(f"found {_short(value)}, expected a list", path=where)
        return [_field(item, inner[0], where) for item in value or ()]
    if inner[0] == "string":
        if not isinstance(value, str | None):
            raise InputError(f"found {_short(value)}, expected a text", path=where)
        return value or ""
    if isinstance(value, bool) or not isinstance(value, int | float | None):
        raise InputError(f"found {_short(value)}, expected a number", path=where)
    try:
        return float(value or 0)
    except OverflowError:
        raise InputError("found a number that is too large", path=where) from None


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
