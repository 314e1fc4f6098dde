"""Margin: how far inside what it expects a run stays, as one number that falls below zero where it fails.

Of one expectation it is the distance of the measured value from the nearer bound, in the expectation's unit; of an expectation
in signal temporal logic, whose value is its robustness and whose bound is 0, it is the robustness. Expectations of several
units are compared after each is divided by its spread over some runs, and the worst counts:

    margin = min_j min(value_j - low_j, high_j - value_j) / spread_j

A run that did not come to its end, or whose value is no number, is at -infinity.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.engine.verdict import Verdict
from didymos.studies.trial import Trial

__all__ = ["margin", "margins", "spreads", "worst"]

_Array = NDArray[np.float64]


def margin(verdict: Verdict) -> float:
    """Distance of the measured value from its nearer bound, negative outside; NaN where nothing was measured."""
    if verdict.value is None:
        return math.nan
    if math.isnan(verdict.value):
        return -math.inf
    below = math.inf if verdict.low is None else verdict.value - verdict.low
    above = math.inf if verdict.high is None else verdict.high - verdict.value
    return min(below, above)


def margins(trials: Sequence[Trial], names: Sequence[str]) -> _Array:
    """Margins of each run and expectation, [runs, names]; NaN where nothing was measured."""
    table = np.full((len(trials), len(names)), math.nan)
    places = {name: index for index, name in enumerate(names)}
    for row, trial in zip(table, trials, strict=True):
        for verdict in trial.verdicts:
            row[places[verdict.name]] = margin(verdict)
    return table


def spreads(table: _Array) -> _Array:
    """How much each expectation's margin differs between runs, [names]: 0.74 of its interquartile range, or what there is."""
    found = []
    for column in table.T:
        known = column[np.isfinite(column)]
        quarter = 0.7413 * float(np.subtract(*np.percentile(known, [75.0, 25.0]))) if len(known) else 0.0
        widest = quarter or (float(np.std(known)) if len(known) else 0.0)
        found.append(widest if widest > 0.0 and math.isfinite(widest) else 1.0)
    return np.array(found)


def worst(table: _Array, spread: _Array, failed: NDArray[np.bool_]) -> _Array:
    """The worst margin of each run over its spread, [runs]; a run that failed is never above 0, one that did not never below."""
    scaled = np.where(np.isnan(table), math.inf, table) / spread
    least = scaled.min(axis=1, initial=math.inf)
    least = np.where(failed, np.minimum(least, 0.0), np.maximum(least, 0.0))
    return np.where(failed & np.isnan(table).all(axis=1), -math.inf, least)
