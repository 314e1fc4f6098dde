"""What only Unix systems have: taken where it is used, so that all else works anywhere, and missed with one sentence."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from didymos.errors import InputError

__all__ = ["unix_module"]


def unix_module(name: str, purpose: str) -> Any:
    """A module of Python's own that only Unix has; `purpose` is what the user wants it for."""
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{purpose} needs a Unix system: Python has no module {name!r} here") from None
