"""Failure chance: the probability that a run fails, and the interval it lies in, from weighted runs.

Runs that were drawn independently from a proposal, with the weights w_i = phi / q of `cross_entropy.py`, give

    P = mean of y_i,   y_i = w_i if run i failed, else 0,        s^2 = var(y) / n

The interval is Student's on log P, with as many degrees of freedom as failures speak, nu = (sum y)^2 / sum y^2 - 1: P exp(+- t
s / P). Where too few speak it is not believed: `certain` is False, and only an upper bound holds,

    P < (1 - 0.05^(1/n)) / share

since a set of failures of probability P is met by each run with at least `share` P, however badly it was searched.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from didymos.studies.cross_entropy import NOMINAL_SHARE
from didymos.studies.mixture import effective_number

__all__ = ["FailureChance", "failure_chance"]

_Array = NDArray[np.float64]

_SPEAK = 30.0  # effective number of failures from which an interval is believed


@dataclass(frozen=True)
class FailureChance:
    """Probability of failure, its interval, and what it rests on; where it is not `certain`, `high` alone holds."""

    estimate: float
    low: float
    high: float
    certain: bool
    failures: int
    """Runs that failed, of those that count."""
    effective: float
    """Failures of equal weight that would say as much."""
    runs: int
    """Runs that count."""

    @property
    def relative(self) -> float:
        """Half the width of the interval over the estimate."""
        return (self.high - self.low) / (2.0 * self.estimate) if self.estimate > 0.0 else np.inf


def failure_chance(weights: _Array, failed: NDArray[np.bool_], *, level: float = 0.95) -> FailureChance:
    """What weighted runs say; those with the weight NaN only searched, and do not count."""
    counted = ~np.isnan(weights)
    found = np.where(failed[counted], weights[counted], 0.0)
    runs, failures = len(found), int(np.sum(failed[counted]))
    estimate, effective = min(float(found.mean()), 1.0) if runs else 0.0, effective_number(found)
    if effective < _SPEAK:
        high = min(1.0, (1.0 - (1.0 - level) ** (1.0 / runs)) / NOMINAL_SHARE) if runs and not failures else 1.0
        return FailureChance(estimate, 0.0, high, False, failures, effective, runs)
    error = float(found.std(ddof=1)) / np.sqrt(runs) / estimate
    reach = float(stats.t.ppf(0.5 + 0.5 * level, effective - 1.0)) * error
    low, high = estimate * np.exp(-reach), min(1.0, estimate * np.exp(reach))
    return FailureChance(estimate, float(low), float(high), True, failures, effective, runs)
