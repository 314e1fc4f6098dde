"""Innovations of a shadow as a log of the page's own: what was told less what was expected, and its standard deviation."""

from __future__ import annotations

from collections.abc import Sequence

from didymos.cockpit.shadow_feed import Update
from didymos.record.log import Log
from didymos.record.stream import Kind, StreamLayout

__all__ = ["INNOVATION", "SIGMA", "ErrorLog"]

INNOVATION, SIGMA = "innovation", "sigma"
MOST_BYTES = 2**24  # of log in memory; more goes to the disk


class ErrorLog:
    """Keeps the innovations of signals with their units; `log` begins anew where the robot's clock goes back."""

    def __init__(self, units: dict[str, str]) -> None:
        self.units = units
        self._layouts = [StreamLayout(name, Kind.SCALARS, (INNOVATION, SIGMA), (unit, unit)) for name, unit in units.items()]
        self._numbers = {name: i for i, name in enumerate(units)}
        self.log, self.time = self._empty(), 0.0

    def _empty(self) -> Log:
        log = Log(self._layouts)
        log.bound(MOST_BYTES)
        return log

    def add(self, updates: Sequence[Update]) -> None:
        """Take updates, in their order."""
        times: list[list[float]] = [[] for _ in self._layouts]
        rows: list[list[tuple[float, float]]] = [[] for _ in self._layouts]
        for update in updates:
            frame = update.frame
            if frame.time < self.time:
                self.log = self._empty()
                times, rows = [[] for _ in self._layouts], [[] for _ in self._layouts]
            self.time = frame.time
            for name, innovation, sigma in zip(frame.signals, frame.innovations, frame.sigmas, strict=True):
                times[self._numbers[name]].append(frame.time)
                rows[self._numbers[name]].append((innovation, sigma))
        for i, stamps in enumerate(times):
            if stamps:
                self.log.append(i, stamps, rows[i])
