"""Find the source of a module and parse it, without importing anything of it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path

from didymos.errors import InputError

__all__ = ["find_source", "parse_file"]

_LARGEST_FILE = 1_000_000  # [bytes]


def find_source(module: str, folder: Path) -> Path | None:
    """The file of FILE.py, relative to a folder, or of a module, without importing it; None for a module without source."""
    if module.endswith(".py"):
        return folder / module
    places: Sequence[str] | None = None
    steps = module.split(".")
    origin: str | None = None
    for index in range(len(steps)):
        spec = None if index and places is None else _spec_of_module(".".join(steps[: index + 1]), places)
        if spec is None:
            raise InputError(f"there is no module {module!r}")
        places, origin = spec.submodule_search_locations, spec.origin
    return Path(origin) if origin is not None and origin.endswith(".py") else None


def _spec_of_module(name: str, places: Sequence[str] | None) -> ModuleSpec | None:
    """Where a module stands; unlike importlib's own way, the package around it is not imported."""
    for finder in sys.meta_path:
        try:
            spec = finder.find_spec(name, places)
        except (ValueError, ImportError):
            continue
        if spec is not None:
            return spec
    return None


def parse_file(file: Path) -> ast.Module:
    """The syntax tree of a Python file; an `InputError` where it is none."""
    try:
        if not file.is_file():
            raise InputError("there is no such file", file=file)
        content = file.read_bytes()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=file) from None
    if len(content) > _LARGEST_FILE:
        raise InputError(f"found {len(content)} bytes, expected at most {_LARGEST_FILE}", file=file)
    try:
        return ast.parse(content)
    except SyntaxError as error:
        raise InputError(f"is not Python: {error.msg}", file=file, line=error.lineno) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"is not Python: {error or type(error).__name__}", file=file) from None
