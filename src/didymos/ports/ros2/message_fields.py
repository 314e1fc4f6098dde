"""Fields of ROS 2 messages by path: `twist.linear.x`, `position.0`, `motors.2.status.error`.

A path goes down through nested messages by name, and into arrays and sequences by number. Whether there is such a field is known
from the message's definition alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from didymos.errors import InputError, nearest
from didymos.record.message_types import ros2_types

__all__ = ["Leaf", "find_field", "fit_number", "reader"]

_BASE, _NAME, _ARRAY, _SEQUENCE = 1, 2, 3, 4  # rosbags' Nodetype
_FLOATS = ("float32", "float64")


@dataclass(frozen=True)
class Leaf:
    """A field: what it holds (`float64`, `string`, `bool`, ...), its node in the definition, whether it is a row of them."""

    base: str
    node: tuple[int, Any]
    row: bool
    steps: tuple[str | int, ...]

    @property
    def text(self) -> bool:
        """Whether it holds text, not numbers."""
        return self.base == "string"


def find_field(type_name: str, path: str) -> Leaf:
    """The field of a message at a path: a number, a text, or a row of one of them; anything else is an `InputError`."""
    node: tuple[int, Any] = (_NAME, type_name)
    steps: list[str | int] = []
    for step in path.split("."):
        kind, what = node
        if kind == _NAME:
            fields = dict(ros2_types().fielddefs[what][1])
            if step not in fields:
                raise InputError(f"{what} has no field {step!r}{nearest(step, fields)} (it has: {', '.join(fields)})")
            node = fields[step]
            steps.append(step)
        elif kind in (_ARRAY, _SEQUENCE):
            if not step.isascii() or not step.isdigit() or len(step) > 4 or (what[1] and int(step) >= what[1]):
                most = f" below {what[1]}" if what[1] else ""
                raise InputError(f"found {step!r} in {path!r}, expected a number{most}, the place in a row")
            node = what[0]
            steps.append(int(step))
        else:
            raise InputError(f"found {path!r}, but {'.'.join(map(str, steps))!r} is a single value")
    kind, what = node
    row = kind in (_ARRAY, _SEQUENCE)
    inner, of = what[0] if row else node
    if inner != _BASE:
        held = of if isinstance(of, str) else "rows"
        raise InputError(f"{path!r} of {type_name} holds {held}, expected the path of a number or a text in it")
    return Leaf(of[0], node, row, tuple(steps))


def reader(leaf: Leaf) -> Callable[[Any], Any]:
    """What takes the value of a field out of a message; a row that is too short is an `InputError`."""

    def read(message: Any) -> Any:
        for step in leaf.steps:
            if isinstance(step, str):
                message = getattr(message, step)
            elif step < len(message):
                message = message[step]
            else:
                raise InputError(f"found a row of {len(message)} where {'.'.join(map(str, leaf.steps))} is expected")
        return message

    return read


def fit_number(base: str, value: float) -> Any:
    """A number as a field of a kind can hold it: whole ones are rounded, and kept in their range."""
    if base in _FLOATS:
        return float(value)
    if base == "bool":
        return bool(value)
    if value != value:
        return 0
    bits = 8 if base in ("byte", "char") else int(base.removeprefix("u").removeprefix("int"))
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if base.startswith("int") else (0, 2**bits - 1)
    return int(min(max(round(value) if abs(value) < 1e30 else value, low), high))
