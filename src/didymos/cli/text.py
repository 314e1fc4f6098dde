"""What the verbs print: aligned columns for people, one JSON object for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

__all__ = ["INDENT", "number", "print_json", "print_table", "vector"]

INDENT = "  "


def number(value: float | None, unit: str = "") -> str:
    """Six significant digits and the unit unless it is one; a dash for a value that is not there."""
    if value is None:
        return "-"
    return f"{value:.6g}{' ' + unit if unit not in ('', '1') else ''}"


def vector(values: Iterable[float]) -> str:
    """Numbers side by side, six significant digits each."""
    return " ".join(f"{value:.6g}" for value in values)


def print_table(rows: Sequence[Sequence[str]], headers: Sequence[str] = (), *, title: str = "") -> None:
    """Print columns that line up, never wrapped or cut, so that `grep` and `awk` can read them; nothing if no rows."""
    if not rows:
        return
    lines = [headers, *rows] if headers else list(rows)
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    if title:
        print(title)
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print((INDENT + INDENT.join(cells)).rstrip())


def print_json(result: Mapping[str, object]) -> None:
    """Print the one JSON object of a verb; numbers that JSON cannot hold (NaN, infinity) become null."""
    sys.stdout.write(json.dumps(_plain(result), allow_nan=False) + "\n")


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, str | bool | int) or value is None:
        return value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if hasattr(value, "tolist"):  # NumPy's numbers and arrays
        return _plain(value.tolist())
    if isinstance(value, Iterable):
        return [_plain(item) for item in value]
    raise TypeError(f"cannot print {type(value).__name__} as JSON")
