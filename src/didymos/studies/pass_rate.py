"""Pass rate: the share of runs that meet what is expected, and its interval, also where the interval said when to stop.

k of n independent runs passed. Clopper and Pearson's interval (1934) is the set of rates p that such a count does not
contradict,

    low:  P(K >= k | low) = a / 2,        high:  P(K <= k | high) = a / 2

and holds the truth in at least 1 - a of all sweeps. A sweep that looks again and again, and stops as soon as the interval is
narrow enough, stops a little more often where chance made it narrow. So such a sweep asks for `STOPPED_LEVEL` of each look:
counted exactly over all ways that k can go (a walk over n and k), the interval at the stop then holds the truth in at least 95
of 100 sweeps, whatever the rate (tests/studies/test_pass_rate.py).

Latin hypercubes and scrambled Sobol points err less than independent runs, so their interval is on the safe side. A grid is no
random draw: there the interval speaks of the seeds alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy import stats

__all__ = ["LEVEL", "STOPPED_LEVEL", "PassRate", "next_look", "pass_rate"]

LEVEL = 0.95
STOPPED_LEVEL = 0.97  # of each look, for 0.95 of what they lead to
_FIRST_LOOK = 20
_GROWTH = 1.05  # from look to look: at most so many runs too many


@dataclass(frozen=True)
class PassRate:
    """How many of how many runs passed, their share, and the interval of the rate behind it."""

    passed: int
    runs: int
    low: float
    high: float

    @property
    def estimate(self) -> float:
        """Share of the runs that passed."""
        return self.passed / self.runs if self.runs else math.nan

    @property
    def half_width(self) -> float:
        """Half the width of the interval."""
        return 0.5 * (self.high - self.low)


def pass_rate(passed: int, runs: int, *, level: float = LEVEL) -> PassRate:
    """What a count says of the rate."""
    tail = 0.5 * (1.0 - level)
    low = float(stats.beta.ppf(tail, passed, runs - passed + 1)) if passed > 0 else 0.0
    high = float(stats.beta.isf(tail, passed + 1, runs - passed)) if passed < runs else 1.0
    return PassRate(passed, runs, low, high)


def next_look(runs: int) -> int:
    """After how many runs an interval is looked at again."""
    return max(runs + _FIRST_LOOK, math.ceil(_GROWTH * runs))
