"""What only Unix systems have: taken where it is used, so that all else works anywhere, and missed with one sentence."""

from __future__ import annotations

import time
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from didymos.errors import InputError

__all__ = ["FileLock", "monotonic_of_stamp", "unix_module"]


def unix_module(name: str, purpose: str) -> Any:
    """A module of Python's own that only Unix has; `purpose` is what the user wants it for."""
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{purpose} needs a Unix system: Python has no module {name!r} here") from None


def monotonic_of_stamp(stamp: int, oldest: float) -> float:
    """When the system stamped something, in nanoseconds of its own clock, by `time.monotonic()` [s].

    The system's clock is read first: a pause between the two lets the answer be late, never before the stamp. Where the age is
    not within 0 and the `oldest` [s] the system's clock was set meanwhile, and the answer is now.
    """
    system = time.time_ns()
    now = time.monotonic()
    age = 1e-9 * (system - stamp)
    return now - age if 0.0 <= age < oldest else now


class FileLock:
    """A file that one process at a time holds; it is let go when that process ends, however it does.

    Where a system or a file system has no such locks everybody holds it: what it guards must be right without, if slower.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: IO[str] | None = None

    def acquire(self) -> None:
        """Wait for the file, and hold it."""
        if self._file is not None:
            return
        try:
            locks = import_module("fcntl")
            self._file = self._path.open("w")
            locks.flock(self._file, locks.LOCK_EX)
        except (ImportError, OSError):
            self._close()

    def release(self) -> None:
        """Let the file go, if it is held."""
        if self._file is not None:
            locks = import_module("fcntl")
            locks.flock(self._file, locks.LOCK_UN)  # closing is not enough where a forked process has a copy of the file
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
