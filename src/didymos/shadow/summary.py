"""How it went beside a robot: counts, how well the twin fits, and how long a reading took until it was compared."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from didymos.shadow.alarm import Alarm
from didymos.shadow.estimate import Frame

__all__ = ["Latency", "Summary"]

_KEPT = 20_000  # latencies: a hundred seconds of 200 updates each


@dataclass
class Summary:
    """How it went.

    Attributes:
        seconds: of the robot's clock that were watched.
        frames: updates.
        readings: that were compared.
        late: readings that came after their stretch and were taken all the same.
        lost: readings that came too late for that.
        nis: mean of nu' S^-1 nu per reading; 1 where noise and twin are as stated.
        latency: [s] from the arrival of a reading to its innovation: median and 99 %, of a live robot.
        alarms: that were raised.
    """

    seconds: float = 0.0
    frames: int = 0
    readings: int = 0
    late: int = 0
    lost: int = 0
    nis: float = 0.0
    latency: tuple[float, float] = (0.0, 0.0)
    alarms: list[Alarm] = field(default_factory=list)
    _nis: float = 0.0

    def count(self, frame: Frame, seconds: float) -> None:
        """An update, which took the robot so long [s]."""
        self.frames += 1
        self.readings += len(frame.signals)
        self.seconds += seconds
        self._nis += frame.nis
        self.nis = self._nis / max(self.readings, 1)


class Latency:
    """How long [s] it takes from the arrival of the newest reading of an update to its innovation; `found` of the last 20,000.

    What came while the robot was looked for waited for that, and does not count.
    """

    def __init__(self) -> None:
        self._came: list[tuple[float, float]] = []  # a heap: stamp and when it came, of what no update was about yet
        self._since = -math.inf
        self.found: deque[float] = deque(maxlen=_KEPT)

    def came(self, stamp: float, received: float) -> None:
        """Something with a stamp [s] of the robot's clock came at a time [s] of ours."""
        if received >= self._since:
            heappush(self._came, (stamp, received))

    def compared(self, frame: Frame, now: float) -> None:
        """An update was made at a time [s] of ours."""
        newest = -math.inf
        while self._came and self._came[0][0] <= frame.time + 1e-9:
            newest = max(newest, heappop(self._came)[1])
        if frame.signals and newest > -math.inf:
            self.found.append(now - newest)

    def begin(self, now: float) -> None:
        """The robot was found at a time [s] of ours."""
        self._came.clear()
        self._since = now

    @property
    def median_and_most(self) -> tuple[float, float]:
        """Median and 99 % [s]; zero where nothing was compared."""
        if not self.found:
            return 0.0, 0.0
        found = np.array(self.found)
        return float(np.median(found)), float(np.quantile(found, 0.99))
