"""Measures: the one number that an expectation makes of a signal.

    def rise_time(time, values, target):
        '''When the signal has first come within a tenth of its target [s]'''
        ...

    rise_time.unit = "s"

A measure takes the time stamps [s] and the values of the samples that count, shape [n] each, at least one, and the target of the
expectation; it answers with one number, in the unit of the signal unless it has a `unit` of its own. An installed package adds
measures by entry points of the group `didymos.measures`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from didymos.kinds import Functions

__all__ = ["MEASURES", "Measure", "final", "highest", "lowest", "max_error", "mean", "rmse", "span"]

Samples = NDArray[np.float64]
Measure = Callable[[Samples, Samples, float], float]


def max_error(time: Samples, values: Samples, target: float) -> float:
    """The largest distance from the target."""
    return float(np.abs(values - target).max())


def rmse(time: Samples, values: Samples, target: float) -> float:
    """The root of the mean square of the distance from the target."""
    return float(np.sqrt(np.mean((values - target) ** 2)))


def mean(time: Samples, values: Samples, target: float) -> float:
    """The mean of signal minus target."""
    return float((values - target).mean())


def final(time: Samples, values: Samples, target: float) -> float:
    """The last sample minus target."""
    return float((values - target)[-1])


def highest(time: Samples, values: Samples, target: float) -> float:
    """The largest of signal minus target."""
    return float((values - target).max())


def lowest(time: Samples, values: Samples, target: float) -> float:
    """The smallest of signal minus target."""
    return float((values - target).min())


def span(time: Samples, values: Samples, target: float) -> float:
    """The largest less the smallest, whatever the target."""
    return float(np.ptp(values))


MEASURES: Functions[Measure] = Functions(
    "a measure",
    "didymos.measures",
    {
        "max_error": "didymos.measures:max_error",
        "rmse": "didymos.measures:rmse",
        "mean": "didymos.measures:mean",
        "final": "didymos.measures:final",
        "max": "didymos.measures:highest",
        "min": "didymos.measures:lowest",
        "span": "didymos.measures:span",
    },
)
