"""Envelopes: curves too dense to be followed are drawn as the band between their extremes, with the mean in it.

A panel has about COLUMNS places beside each other in which a line can go up and down and leave some of the ground to see. Where a
curve goes through most of what it spans within one of them, and that is more than a thick line, it would be a brick of colour.
All other curves are thinned to their extremes within each of FINE columns, which no eye can tell from the whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from didymos.record.panel import Array

__all__ = ["Envelope", "envelope_of", "thinned"]

COLUMNS = 175
DENSE = 0.65  # of what a curve spans but for its beginning or a peak, between the extremes within a column
THICK = 0.08  # of the panel's height
USUAL = (5.0, 95.0)  # [%] of the values: their span
BAND = 120  # columns of a band
FINE = 1500


@dataclass(frozen=True)
class Envelope:
    """Times [s], extremes and mean of a curve, shape [n] each."""

    time: Array
    low: Array
    high: Array
    mean: Array


def envelope_of(time: Array, values: Array, height: float) -> Envelope | None:
    """The band of a curve in a panel of a height [unit of the values]; None where its line can be followed."""
    if len(values) < 4 * COLUMNS or height <= 0.0 or not np.isfinite(values).all():
        return None
    low, high, _ = _extremes(time, values, COLUMNS)
    if float(np.mean(high - low)) < max(DENSE * float(np.diff(np.percentile(values, USUAL))[0]), THICK * height):
        return None
    low, high, first = _extremes(time, values, BAND)
    counts = np.diff([*first, len(values)])
    middle = np.add.reduceat(time, first) / counts
    middle[0], middle[-1] = time[0], time[-1]
    return Envelope(middle, low, high, np.add.reduceat(values, first) / counts)


def thinned(time: Array, values: Array) -> tuple[Array, Array]:
    """A curve by its first, least, largest and last sample within each of so many columns that no more can be seen."""
    if len(values) <= 4 * FINE or not np.isfinite(values).all():
        return time, values
    low, high, first = _extremes(time, values, FINE)
    last = np.append(first[1:], len(values)) - 1
    column = np.repeat(np.arange(len(first)), last - first + 1)
    at_low, at_high = (_first_where(values == extreme[column], column, len(first)) for extreme in (low, high))
    chosen = np.unique(np.concatenate([first, last, at_low, at_high]))
    return time[chosen], values[chosen]


def _extremes(time: Array, values: Array, columns: int) -> tuple[Array, Array, np.ndarray]:
    """Least and largest value within each column of time that has samples, and the number of its first sample."""
    edges = np.linspace(time[0], time[-1], columns + 1)[:-1]
    first = np.unique(np.minimum(np.searchsorted(time, edges), len(time) - 1))
    return np.minimum.reduceat(values, first), np.maximum.reduceat(values, first), first


def _first_where(mask: np.ndarray, column: np.ndarray, columns: int) -> np.ndarray:
    """The number of the first sample of each column at which a mask holds."""
    (places,) = np.nonzero(mask)
    found = np.empty(columns, np.int64)
    found[column[places[::-1]]] = places[::-1]
    return found
