"""What is not installed with the core: one sentence, with the command that installs it."""

from __future__ import annotations

import importlib.util
from typing import Any

from didymos.errors import InputError

__all__ = ["missing", "require"]


def missing(what: str, library: str, extra: str, **place: Any) -> InputError:
    """The refusal where a library of an extra is not installed; `place` says where it was asked for, as in `InputError`."""
    return InputError(f"{what} {library}; install it with: pip install 'didymos[{extra}]'", **place)


def require(what: str, library: str, extra: str, **place: Any) -> None:
    """Refuse where a library is not installed, without importing it; `what` is the beginning of the sentence: "a fit needs".

    Raises:
        InputError: it is not installed.
    """
    try:
        found = importlib.util.find_spec(library) is not None
    except ModuleNotFoundError:
        found = False
    if not found:
        raise missing(what, library, extra, **place)
