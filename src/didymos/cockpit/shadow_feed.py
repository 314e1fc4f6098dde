"""What the page hears of a shadow, without ever holding it up.

The shadow's thread only puts down what it has: an update in a queue that has an end, and, thirty times a second of wall time, the
estimate. Nothing is locked and nothing is drawn there; whoever reads is late or not, and loses the oldest updates where it does
not read at all. `alarms` and `notices` are replaced as a whole and never changed.
"""

from __future__ import annotations

import time as wall
from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.shadow.alarm import Alarm
from didymos.shadow.clock import ClockEstimate
from didymos.shadow.estimate import Estimate, Frame
from didymos.shadow.shadow import Shadow

__all__ = ["Known", "ShadowFeed", "Update"]

PERIOD = 1.0 / 30.0  # [s] of wall time between two estimates
MOST_UPDATES = 20_000  # that wait for a page
MOST_ALARMS, MOST_NOTICES = 200, 100  # the newest of them


@dataclass(frozen=True)
class Known:
    """What the shadow knows at a time: the state, the twin that it believes in, the clock, whether an alarm lasts."""

    estimate: Estimate
    twin: Twin
    clock: ClockEstimate | None
    lasts: bool


@dataclass(frozen=True)
class Update:
    """One update: innovations, inputs of its ticks [ticks, inputs], latency [s] (NaN of a recording); at times what is known."""

    frame: Frame
    inputs: NDArray[np.float64]
    latency: float
    known: Known | None


class ShadowFeed:
    """An audience of a shadow (see `Audience`).

    Attributes:
        updates: what was not read yet, the oldest first.
        known: the newest estimate; None before the robot is found.
        alarms: the newest ones, in their order.
        notices: the newest ones, with the robot's clock [s] at which they were said.
    """

    def __init__(self) -> None:
        self.updates: deque[Update] = deque(maxlen=MOST_UPDATES)
        self.known: Known | None = None
        self.alarms: tuple[Alarm, ...] = ()
        self.notices: tuple[tuple[float, str], ...] = ()
        self._taken, self._time = -np.inf, 0.0

    def frame(self, frame: Frame, shadow: Shadow) -> None:
        """Put an update down."""
        now, known = wall.perf_counter(), None
        if now - self._taken >= PERIOD:
            self._taken = now
            known = Known(shadow.estimate, shadow.observer.twin, shadow.clock.estimate, shadow.judge.lasts)
            self.known = known
        self._time = frame.time
        latency = shadow.latency[-1] if shadow.latency else np.nan
        self.updates.append(Update(frame, shadow.last_step.stretch.inputs, latency, known))

    def alarm(self, alarm: Alarm) -> None:
        """Keep an alarm."""
        self.alarms = (*self.alarms, alarm)[-MOST_ALARMS:]

    def notice(self, text: str) -> None:
        """Keep a notice."""
        self.notices = (*self.notices, (self._time, text))[-MOST_NOTICES:]
