"""Values from the command line: `--set PATH=VALUE`, `--with FILE.yaml` and `NAME=NAME` pairs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path

from didymos.errors import InputError

__all__ = ["bus_numbers", "finite", "limits", "pairs", "ranges", "read_settings", "settings"]


def pairs(texts: Iterable[str], option: str) -> dict[str, str]:
    """`A=B` texts as a mapping; `option` names where they came from."""
    found: dict[str, str] = {}
    for text in texts:
        left, equals, right = (piece.strip() for piece in text.partition("="))
        if not (left and equals and right):
            raise InputError(f"found {text!r}, expected two names or values joined by '='", path=option)
        if left in found:
            raise InputError(f"{left!r} is given twice", path=option)
        found[left] = right
    return found


def settings(texts: Iterable[str], option: str = "--set") -> dict[str, float]:
    """`PATH=VALUE` texts as numbers by parameter path."""
    return {path: finite(value, f"{option} {path}") for path, value in pairs(texts, option).items()}


def ranges(texts: Iterable[str], option: str) -> dict[str, tuple[float, float]]:
    """`PATH=LOW:HIGH` texts as pairs of numbers by parameter path."""
    return {path: limits(value, f"{option} {path}") for path, value in pairs(texts, option).items()}


def limits(text: str, path: str) -> tuple[float, float]:
    """`LOW:HIGH` as two numbers; `path` names where it came from."""
    low, colon, high = text.partition(":")
    if not colon:
        raise InputError(f"found {text!r}, expected LOW:HIGH", path=path)
    return finite(low, path), finite(high, path)


def bus_numbers(texts: Iterable[str]) -> dict[str, int]:
    """`DRIVE=N` texts as whole numbers by name."""
    found = {}
    for text in texts:
        name, equals, number = text.rpartition("=")
        if not equals or not name or not (number.isascii() and number.isdigit()):
            raise InputError(f"found {text!r}, expected DRIVE=N", path="--id")
        found[name] = int(number)
    return found


def read_settings(file: Path) -> dict[str, float]:
    """Numbers by parameter path from a YAML file of `path: value` lines, as a fit writes it."""
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedMap
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        content = YAML(typ="rt").load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", file=file) from error
    except UnicodeDecodeError as error:
        raise InputError("is not a text file in UTF-8", file=file) from error
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise InputError(f"is not YAML: {error.problem}", file=file, line=line) from error
    except YAMLError as error:
        raise InputError(f"is not YAML: {error}", file=file) from error
    if content is None:
        return {}
    if not isinstance(content, CommentedMap):
        raise InputError(f"found a {type(content).__name__}, expected lines of 'path: value'", file=file)
    return {str(path): _value(value, str(path), file, content.lc.key(path)[0] + 1) for path, value in content.items()}


def _value(value: object, path: str, file: Path, line: int) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"found {value!r}, expected a finite number", file=file, line=line, path=path)
    return float(value)


def finite(text: str, path: str) -> float:
    """A text as a finite number; `path` names where it came from."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"found {text!r}, expected a finite number", path=path)
    return value
