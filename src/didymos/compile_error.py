"""What a compiler says against a function, as one sentence that names the line."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any

from didymos.errors import InputError, nearest
from didymos.extras import missing

__all__ = ["compile_error"]

_COLOUR = re.compile(r"\x1b\[\d*m")
_LINE = re.compile(r'File "[^"]*", line (\d+)')
_IDLE = ("Failed in", "There are", "- Of which", "- Resolution", "Overload", "With argument", "No match")


def compile_error(function: Callable[..., Any], records: Iterable[Any], error: Exception) -> InputError:
    """The refusal of a function that takes these records (numba's types)."""
    code = function.__code__
    if isinstance(error, KeyError) and error.args and isinstance(error.args[0], str):  # a field that no record has
        name = error.args[0]
        known = [field for record in records for field in getattr(record, "fields", {}) if field != "nothing"]
        text = f"none of its records has {name!r}{nearest(name, known)} (they have: {', '.join(dict.fromkeys(known))})"
        line = _line_of(function, name)
    else:
        said = _COLOUR.sub("", str(error))
        lines = [line.strip() for line in said.partition("During: ")[0].splitlines()]
        text = " ".join(line for line in lines if line and not line.startswith(_IDLE))[:400] or type(error).__name__
        found = _LINE.search(said)
        line = int(found[1]) if found else code.co_firstlineno
        if "scipy" in text:
            what = f"{function.__qualname__} multiplies matrices, which needs"
            return missing(what, "scipy", "fit", file=code.co_filename, line=line)
    return InputError(f"{function.__qualname__} cannot be compiled: {text}", file=code.co_filename, line=line)


def _line_of(function: Callable[..., Any], name: str) -> int:
    """The line of a function in which something is called `.name`; its first line where none is."""
    first = function.__code__.co_firstlineno
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return first
    return next((first + i for i, line in enumerate(lines) if re.search(rf"\.{re.escape(name)}\b", line)), first)
