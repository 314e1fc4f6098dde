"""What an expression of a description may hold: plain data of bounded size, and nothing that leads on to the machine.

Every value that an expression makes or meets passes `checked`: its type is one of a short list, and it is small. A container
counts with all that it contains, each time that it is contained, so that ten lists of ten lists of ten lists ... cannot grow
without end when they are printed. Imports nothing of Didymos: the child process of xacro starts with it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

__all__ = ["ExpressionError", "checked", "combined", "formatted", "iterated", "weight"]

_MOST_BITS = 4096  # of a whole number
_MOST_CHARACTERS = 1_000_000
_MOST_WEIGHT = 1_000_000  # characters of text and entries of containers, all told
_MOST_ITEMS = 100_000
_WIDEST = 1000  # a width or precision in a format

_VIEWS: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_CONTAINERS: tuple[Any, ...] = (list, tuple, dict, set, frozenset, *_VIEWS)
_ITERABLE: tuple[Any, ...] = (*_CONTAINERS, str, range)
_DATA: tuple[Any, ...] = (bool, int, float, complex, str, bytes, type(None), range, slice, datetime.date, *_CONTAINERS)


class ExpressionError(Exception):
    """Why an expression is not evaluated, as a sentence."""


def checked(value: Any) -> Any:
    """The value itself, where it is plain data of bounded size."""
    if isinstance(value, (bool, float)) or value is None:
        return value
    if isinstance(value, int):
        if value.bit_length() > _MOST_BITS:
            raise ExpressionError(f"a whole number has {value.bit_length()} bits, expected at most {_MOST_BITS}")
    elif isinstance(value, (str, bytes)):
        if len(value) > _MOST_CHARACTERS:
            raise ExpressionError(f"a text has {len(value)} characters, expected at most {_MOST_CHARACTERS}")
    elif isinstance(value, _CONTAINERS):
        weight(value)
    elif not isinstance(value, _DATA):
        raise ExpressionError(f"a value of the type {type(value).__name__!r} is not allowed in an expression")
    return value


def weight(value: Any) -> int:
    """How much a value holds: entries and characters; an `ExpressionError` where that is too much, or never ends."""
    total, waiting = 0, [value]
    while waiting:
        here = waiting.pop()
        total += 1
        if isinstance(here, (str, bytes)):
            total += len(here)
        elif isinstance(here, dict):
            waiting += [*dict.keys(here), *dict.values(here)]
        elif isinstance(here, _CONTAINERS):
            waiting += list.__iter__(here) if isinstance(here, list) else list(here)
        elif not isinstance(here, _DATA):
            raise ExpressionError(f"a value of the type {type(here).__name__!r} is not allowed in an expression")
        if total + len(waiting) > _MOST_WEIGHT:
            raise ExpressionError(f"a list or dictionary holds more than {_MOST_WEIGHT} entries and characters in all")
    return total


def iterated(value: Any) -> list[Any]:
    """What a container, a text or a range holds, one after the other."""
    if not isinstance(value, _ITERABLE):
        raise ExpressionError(f"a value of the type {type(value).__name__!r} cannot be gone through")
    if len(value) > _MOST_ITEMS:
        raise ExpressionError(f"{len(value)} values are gone through, expected at most {_MOST_ITEMS}")
    return list(value)


def combined(operation: str, compute: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """The result of a binary operation, refused before it is computed where it would be huge."""
    both_whole = isinstance(left, int) and isinstance(right, int)
    if operation == "Pow" and both_whole and right > 0 and left.bit_length() * right > 2 * _MOST_BITS:
        raise ExpressionError(f"a power has more than {_MOST_BITS} bits")
    if operation == "LShift" and both_whole and right > _MOST_BITS:
        raise ExpressionError(f"a shift is by {right} bits, expected at most {_MOST_BITS}")
    if operation == "Mult":
        for repeated, times in ((left, right), (right, left)):
            is_repeated = isinstance(repeated, (str, bytes, list, tuple)) and isinstance(times, int)
            if is_repeated and times * weight(repeated) > _MOST_WEIGHT:
                raise ExpressionError(f"a text or list is repeated {times} times, which is too long")
    if operation == "Mod" and isinstance(left, (str, bytes)):
        _check_widths(str(left), r"%(?:\([^)]*\))?([^a-zA-Z%]*)")
        if "*" in str(left):
            raise ExpressionError("a format with '*' is not allowed in an expression")
    return checked(compute(left, right))


def formatted(text: str, arguments: list[Any], named: dict[str, Any]) -> str:
    """``text.format(...)`` with fields that are names or numbers alone: no attribute, no index, no field in a field."""
    from string import Formatter

    for _, field, spec, _ in Formatter().parse(text):
        if field is not None and not re.fullmatch(r"\w*", field):
            raise ExpressionError(f"the field {field!r} of a format is not allowed, expected a name or a number")
        if field is not None and field.startswith("_"):
            raise ExpressionError(f"the field {field!r} of a format is not allowed: it starts with an underscore")
        if spec and ("{" in spec or "}" in spec):
            raise ExpressionError("a field inside of a field of a format is not allowed in an expression")
        _check_widths(spec or "", r"(.*)")
    return text.format(*arguments, **named)


def _check_widths(text: str, pattern: str) -> None:
    for part in re.findall(pattern, text, flags=re.DOTALL):
        for digits in re.findall(r"\d+", part):
            if len(digits) > 9 or int(digits) > _WIDEST:
                raise ExpressionError(f"a format is {digits[:12]} wide, expected at most {_WIDEST}")
