"""Text files of tables: bounded in size, read as lines, numbers with the line that they stand in."""

from __future__ import annotations

import math
from pathlib import Path

from didymos.errors import InputError

__all__ = ["number_in", "read_lines"]

_LARGEST = 4 * 2**20  # [bytes]


def read_lines(file: Path) -> list[str]:
    """The lines of a text file of at most 4 MiB; an `InputError` where it cannot be read."""
    try:
        if not file.is_file():
            raise InputError("there is no such file", file=file)
        if file.stat().st_size > _LARGEST:
            raise InputError(f"has more than {_LARGEST} bytes, expected a table", file=file)
        raw = file.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=file) from None
    if b"\0" in raw:
        raise InputError("is no text", file=file)
    return raw.decode("utf-8-sig", errors="replace").splitlines()


def number_in(text: str, file: Path, line: int) -> float:
    """A finite number; an `InputError` with file and line where it is none."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or abs(value) > 1e12:
        raise InputError(f"found {text.strip()[:40]!r}, expected a number", file=file, line=line)
    return value
