"""Distributions: how likely each value of a varied parameter is.

| text | density |
|---|---|
| `LOW:HIGH` | the same everywhere from `LOW` to `HIGH` |
| `log:LOW:HIGH` | the same for every factor: log(x) is uniform from log(LOW) to log(HIGH) |
| `normal:MEAN:SD` | exp(-(x - MEAN)^2 / (2 SD^2)), cut off at the bounds of the parameter itself |

All are reached through their quantile function x = F^-1(p): p uniform in (0, 1) gives x its distribution, so every way of
covering the unit cube (`sampling.py`) serves every distribution.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from didymos.errors import InputError

__all__ = ["Distribution", "LogUniform", "Normal", "Range", "Uniform", "distributions"]

_Array = NDArray[np.float64]


class Distribution(Protocol):
    """What a varied parameter is drawn from."""

    @property
    def reach(self) -> tuple[float, float]:
        """The chances between which a grid has its levels."""

    @property
    def ends(self) -> tuple[float, ...]:
        """Values that the parameter must be able to have."""

    def quantile(self, chance: _Array) -> _Array:
        """The value below which `chance` of all draws lie, elementwise."""

    def within(self, low: float | None, high: float | None) -> Distribution:
        """The same where a parameter has bounds of its own."""

    def facts(self) -> object:
        """It as plain data for JSON."""


@dataclass(frozen=True)
class Uniform:
    """The same everywhere from `low` to `high`."""

    low: float
    high: float

    def __post_init__(self) -> None:
        _in_order(self.low, self.high)

    @property
    def reach(self) -> tuple[float, float]:
        return 0.0, 1.0

    @property
    def ends(self) -> tuple[float, ...]:
        return self.low, self.high

    def quantile(self, chance: _Array) -> _Array:
        return self.low + (self.high - self.low) * chance

    def within(self, low: float | None, high: float | None) -> Uniform:
        return self

    def facts(self) -> list[float]:
        return [self.low, self.high]


@dataclass(frozen=True)
class LogUniform:
    """The same for every factor from `low` to `high`, both above zero."""

    low: float
    high: float

    def __post_init__(self) -> None:
        _in_order(self.low, self.high)
        if not self.low > 0.0:
            raise InputError(f"found {self.low:g}, expected a number above 0: it is drawn by its logarithm")

    @property
    def reach(self) -> tuple[float, float]:
        return 0.0, 1.0

    @property
    def ends(self) -> tuple[float, ...]:
        return self.low, self.high

    def quantile(self, chance: _Array) -> _Array:
        drawn = np.exp(math.log(self.low) + (math.log(self.high) - math.log(self.low)) * chance)
        return np.clip(drawn, self.low, self.high)

    def within(self, low: float | None, high: float | None) -> LogUniform:
        return self

    def facts(self) -> dict[str, list[float]]:
        return {"log": [self.low, self.high]}


@dataclass(frozen=True)
class Normal:
    """A bell around `mean` with the standard deviation `deviation`, cut off at `low` and `high`."""

    mean: float
    deviation: float
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        if not self.deviation > 0.0:
            raise InputError(f"found a standard deviation of {self.deviation:g}, expected a number above 0")
        if not self.low < self.mean < self.high:
            raise InputError(f"found a mean of {self.mean:g}, expected one between {self.low:g} and {self.high:g}")

    @property
    def reach(self) -> tuple[float, float]:
        """Two standard deviations to both sides."""
        return float(ndtr(-2.0)), float(ndtr(2.0))

    @property
    def ends(self) -> tuple[float, ...]:
        """Its mean: it is cut where the parameter ends."""
        return (self.mean,)

    def quantile(self, chance: _Array) -> _Array:
        first, last = ndtr((self.low - self.mean) / self.deviation), ndtr((self.high - self.mean) / self.deviation)
        inside = np.clip(first + (last - first) * chance, 1e-300, 1.0 - 2.0**-53)
        inner = (np.nextafter(self.low, self.high), np.nextafter(self.high, self.low))  # a bound itself may not be allowed
        return np.clip(self.mean + self.deviation * ndtri(inside), *inner)

    def within(self, low: float | None, high: float | None) -> Normal:
        lowest, highest = -math.inf if low is None else low, math.inf if high is None else high
        return replace(self, low=max(self.low, lowest), high=min(self.high, highest))

    def facts(self) -> dict[str, list[float]]:
        return {"normal": [self.mean, self.deviation]}


Range = tuple[float, float] | Distribution
"""What may be given for a varied parameter: (low, high), or a distribution."""


def distributions(ranges: Mapping[str, Range]) -> dict[str, Distribution]:
    """What each parameter is drawn from, by path; a pair is a uniform range."""
    found: dict[str, Distribution] = {}
    for path, given in ranges.items():
        try:
            found[path] = Uniform(*given) if isinstance(given, tuple) else given
        except InputError as error:
            raise InputError(str(error), path=path) from None
    return found


def _in_order(low: float, high: float) -> None:
    if not low <= high:
        raise InputError(f"found a range from {low:g} to {high:g}, expected the smaller number first")
