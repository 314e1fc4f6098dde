"""A playhead: which moment of something that was recorded is shown, and how it moves on with the wall clock."""

from __future__ import annotations

import time as wall
from collections.abc import Callable

__all__ = ["Playhead"]


class Playhead:
    """Stands at a time [s], or plays from there at a speed; `now` is the wall's clock [s]."""

    def __init__(self, now: Callable[[], float] = wall.perf_counter) -> None:
        self._now = now
        self._begin, self._since = 0.0, 0.0
        self.playing = False
        self.speed = 1.0

    @property
    def time(self) -> float:
        """Where it is [s]."""
        return self._begin + (self._now() - self._since) * self.speed if self.playing else self._begin

    def seek(self, time: float) -> None:
        """Go to a time [s]; it plays on from there if it plays."""
        self._begin, self._since = time, self._now()

    def play(self) -> None:
        """Play on from here."""
        self.seek(self.time)
        self.playing = True

    def pause(self) -> None:
        """Stand still here."""
        self.seek(self.time)
        self.playing = False

    def set_speed(self, speed: float) -> None:
        """How many seconds of what was recorded pass in one of the wall's."""
        self.seek(self.time)
        self.speed = speed
