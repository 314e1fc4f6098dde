"""Files of values: `path: number` lines by parameter path, as a fit and the cockpit write them and every run takes them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from didymos.describe.yaml_file import read_yaml
from didymos.errors import InputError

__all__ = ["check_replaceable_values", "read_values", "write_values"]


def read_values(file: Path) -> dict[str, float]:
    """Numbers by parameter path; what is none is an `InputError` with its line."""
    content, lines = read_yaml(file, may_be_empty=True)
    for path, value in content.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise InputError(f"found {value!r}, expected a finite number", file=file, line=lines[path,], path=path)
    return {path: float(value) for path, value in content.items()}


def check_replaceable_values(file: Path) -> None:
    """Refuse to write values over what is none: the file of a twin, say. An empty one holds nothing that could be lost."""
    if file.is_file():
        try:
            read_values(file)
        except InputError:
            raise InputError("is there already, and no file of values: name another file, or move it away", file=file) from None


def write_values(
    file: Path,
    values: Mapping[str, float],
    *,
    comments: Sequence[str] = (),
    remarks: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Write numbers by parameter path to every digit, below some comments, each with a remark where there is one."""
    check_replaceable_values(file)
    lines = [f"# {comment}" for comment in comments]
    lines += [f"{path}: {value!r}" + (f"  # {remarks[path]}" if path in remarks else "") for path, value in values.items()]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(lines if values else [*lines, "{}"]) + "\n", encoding="utf-8")
