"""Keep a run in step with the wall clock, and count what came late."""

from __future__ import annotations

import time

__all__ = ["Pace"]

_SLICE = 0.01  # [s]: ticks are bundled up to this before the wall clock is looked at


class Pace:
    """Holds a run back to real time, or lets it run free; up to `slack` [s] behind, it races to catch up."""

    def __init__(self, period: float, real_time: bool, *, slack: float = 0.0) -> None:
        self._period, self._real_time, self._slack = period, real_time, slack
        self._began = time.perf_counter()
        self._done = 0

    def ticks(self, chunk: int) -> int:
        """How many ticks to run before the next look at the clock."""
        return max(1, round(_SLICE / self._period)) if self._real_time else chunk

    def left(self, ticks: int) -> float:
        """Time [s] until the wall clock is where `ticks` more ticks end; none where the run does not wait for it."""
        if not self._real_time:
            return 0.0
        return self._began + (self._done + ticks) * self._period - time.perf_counter()

    def wait(self, ticks: int) -> int:
        """After `ticks` ticks, wait for the wall clock; 1 where they came later than their own length allows."""
        self._done += ticks
        if not self._real_time:
            return 0
        ahead = self._began + self._done * self._period - time.perf_counter()
        if ahead > 0.0:
            time.sleep(ahead)
            return 0
        if ahead < -max(ticks * self._period, self._slack):
            self._began -= ahead  # a late run goes on from here instead of racing to catch up
            return 1
        return 0
