"""What a look ahead says: of each limit, how probable it is that it is reached, and when.

    p = k / N,    95 % interval by Wilson:    (p + z^2/2N +- z sqrt(p (1 - p) / N + z^2 / 4 N^2)) / (1 + z^2 / N),   z = 1.96

k of N branches reach it within the horizon. The interval is that of the counting alone: what the uncertainty of state and
parameters leaves open is in p itself. Times are quantiles over the branches that reach it.

Reference: E. B. Wilson, Probable inference, the law of succession, and statistical inference, J. Am. Stat. Assoc. 22 (1927).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.shadow.limits import ContactLimit, SignalLimit

__all__ = ["Event", "Outlook", "wilson"]

_Array = NDArray[np.float64]
_Z = 1.959963984540054
_QUANTILES = (0.05, 0.5, 0.95)


def wilson(hits: int, count: int) -> tuple[float, float]:
    """95 % interval of a probability of which `hits` of `count` were seen."""
    share, spread = hits / count, _Z * _Z / count
    middle = (share + 0.5 * spread) / (1.0 + spread)
    half = _Z * math.sqrt(share * (1.0 - share) / count + 0.25 * spread / count) / (1.0 + spread)
    return max(middle - half, 0.0), min(middle + half, 1.0)


@dataclass(frozen=True)
class Event:
    """A limit and how branches came to it.

    Attributes:
        limit: what may happen.
        times: [s] from now, of the branches in which it does, sorted.
        branches: of all.
    """

    limit: SignalLimit | ContactLimit
    times: _Array
    branches: int

    @property
    def probability(self) -> float:
        """Within the horizon."""
        return len(self.times) / self.branches

    @property
    def interval(self) -> tuple[float, float]:
        """95 % of the probability, of the counting alone."""
        return wilson(len(self.times), self.branches)

    def quantile(self, share: float) -> float | None:
        """[s] from now, over the branches in which it happens; None where there is none."""
        return float(np.quantile(self.times, share)) if len(self.times) else None

    @property
    def median(self) -> float | None:
        """[s] from now, where it happens."""
        return self.quantile(0.5)

    def __str__(self) -> str:
        low, high = self.interval
        text = f"{self.limit}: {100.0 * self.probability:.0f} % ({100.0 * low:.0f} to {100.0 * high:.0f} %)"
        if not len(self.times):
            return text
        early, middle, late = (self.quantile(share) for share in _QUANTILES)
        return f"{text}, in {middle:.2f} s ({early:.2f} to {late:.2f} s)"

    @property
    def facts(self) -> dict[str, Any]:
        """As plain data, for scripts."""
        low, high = self.interval
        early, middle, late = (self.quantile(share) for share in _QUANTILES)
        return {
            "limit": self.limit.name, "kind": self.limit.kind, "probability": self.probability, "low": low, "high": high,
            "seconds": middle, "seconds_5": early, "seconds_95": late,
        }  # fmt: skip


@dataclass(frozen=True)
class Outlook:
    """All that a look ahead found.

    Attributes:
        time: [s] of the robot's clock at which it was taken.
        seconds: how far it goes.
        branches: how many were run.
        events: one for each limit that is not reached now, the most probable first; those that happen in no branch as well.
        present: limits that are reached already.
        broken: branches that ended before their time, because the simulation diverged or left the world.
    """

    time: float
    seconds: float
    branches: int
    events: tuple[Event, ...]
    present: tuple[SignalLimit | ContactLimit, ...]
    broken: int = 0

    @property
    def likely(self) -> tuple[Event, ...]:
        """The events that happen in at least one branch."""
        return tuple(event for event in self.events if len(event.times))

    def __getitem__(self, name: str) -> Event:
        return next(event for event in self.events if event.limit.name == name)

    def __str__(self) -> str:
        told = [str(event) for event in self.likely] or [f"nothing within {self.seconds:g} s"]
        return "\n".join(told)

    @property
    def facts(self) -> dict[str, Any]:
        """As plain data, for scripts."""
        return {
            "time": self.time, "seconds": self.seconds, "branches": self.branches, "broken": self.broken,
            "events": [event.facts for event in self.events], "present": [limit.name for limit in self.present],
        }  # fmt: skip
