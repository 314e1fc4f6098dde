"""What a person sees who waits for the compiler."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

from numba.core import event

__all__ = ["show_progress"]

_USUAL_KERNELS = 90  # that a first run compiles


class _CompileBar(event.Listener):
    """A bar for a person who waits: what is being compiled, and about how much of it is done.

    What is done is counted by the files in the cache, since a second process may compile as well.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._depth = folder, 0
        self._before = self._kept()

    def _kept(self) -> int:
        return sum(1 for _ in self._folder.rglob("*.nbi"))

    def on_start(self, event: Any) -> None:
        """Show the function that is compiled now."""
        self._depth += 1
        done = min((self._kept() - self._before) / _USUAL_KERNELS, 1.0)
        bar = ("#" * round(20 * done)).ljust(20, ".")
        name = event.data["dispatcher"].py_func.__qualname__.strip("_")[:32]
        print(f"\rdidymos: compiling for this machine, once per version [{bar}] {name:<32}", end="", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """Clear the line where nothing more is on its way."""
        self._depth -= 1
        if self._depth == 0:
            print("\r" + " " * 110 + "\r", end="", file=sys.stderr, flush=True)


@cache
def show_progress(folder: Path) -> None:
    """Tell a person who waits what comes into a cache folder; a program that reads our output has nothing to learn from it."""
    if sys.stderr is not None and sys.stderr.isatty():
        event.register("numba:compile", _CompileBar(folder))
