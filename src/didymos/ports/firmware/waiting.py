"""Waiting for a firmware: as long as its process lives, whatever else the machine has to do, and not in silence."""

from __future__ import annotations

import sys
import time

__all__ = ["LOOK", "Waiting"]

LOOK = 0.2
"""[s] between two looks whether the process still lives."""
_FIRST = 2.0  # [s] before a word is said; the next ones come after twice as long each


class Waiting:
    """One wait, from now on; `tell` says on stderr what for, where it takes long. `what` reads 'Betaflight to ...'."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begin = time.monotonic()
        self._next = _FIRST

    @property
    def seconds(self) -> float:
        """How long it has lasted [s]."""
        return time.monotonic() - self._begin

    def tell(self) -> None:
        """To be called at each look."""
        if self.seconds >= self._next:
            print(f"didymos: waiting for {self._what}, {self.seconds:.0f} s so far", file=sys.stderr, flush=True)
            self._next = 2.0 * self.seconds
