"""The time of a shadow's log: the robot's own clock, carried on where that one is set back.

    time = stamp + shift

A log never runs backwards. Where a robot starts anew, or its clock is set back by more than `PATIENCE`, the shift is chosen so
that the log goes on by what has passed here meanwhile; so it is where stamps leave the range that a recording can hold.
"""

from __future__ import annotations

__all__ = ["LogClock"]

PATIENCE = 1.0  # [s] that a stamp may lie before the newest: messages overtake each other
_LAST = 2.0**31 - 1.0  # [s]


class LogClock:
    """From stamps of the robot [s] to times of the log [s]; `shift` [s] is what was added last."""

    def __init__(self) -> None:
        self.shift = 0.0
        self._newest, self._received = -1.0, 0.0

    def time(self, stamp: float, received: float) -> float:
        """The time of something that was stamped so and came then, by this machine's clock."""
        time = stamp + self.shift
        if not 0.0 <= time <= _LAST or time < self._newest - PATIENCE:
            passed = max(received - self._received, 0.0) if self._newest >= 0.0 else 0.0
            time = max(self._newest, 0.0) + passed
            self.shift = time - stamp
        if time > self._newest:
            self._newest, self._received = time, received
        return time
