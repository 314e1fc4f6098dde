"""All arrivals of a recording as one table: a row for each stamp, a column for each signal, NaN where a stamp has none of it.

Streams of different rates share a row where they share a stamp. A row becomes an arrival by the columns that it has; rows that
have the same ones are turned together, so that ten minutes of 400 Hz take a second or two.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from didymos.shadow.source import Arrival

__all__ = ["ArrivalTable", "Stream", "joined"]

_Array = NDArray[np.float64]
Stream = tuple[_Array, Sequence[str], _Array]
"""Stamps [s], shape [n], signals, and values, shape [n, signals]."""


@dataclass(frozen=True, eq=False)
class ArrivalTable:
    """Arrivals of a recording of a name: stamps [s], shape [n], that increase, and values, shape [n, signals]."""

    name: str
    stamps: _Array
    signals: tuple[str, ...]
    values: _Array

    def arrivals(self, first: int, end: int, received: float) -> list[Arrival]:
        """Some rows as arrivals, which came `received` [s] after their stamps."""
        columns, which = self._patterns
        made: list[Arrival | None] = [None] * (end - first)
        stamps, here = self.stamps[first:end].tolist(), which[first:end]
        for pattern in np.unique(here):
            at, kept = np.flatnonzero(here == pattern), columns[pattern]
            names = [self.signals[column] for column in kept]
            rows = self.values[first + at][:, kept].tolist()
            for row, place in zip(rows, at.tolist(), strict=True):
                made[place] = Arrival(stamps[place], stamps[place] + received, dict(zip(names, row, strict=True)))
        return [item for item in made if item is not None]

    @cached_property
    def _patterns(self) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
        """The sets of columns that rows have, and which of them each row has, shape [n]."""
        there = np.isfinite(self.values)
        _, first, which = np.unique(np.packbits(there, axis=1), axis=0, return_index=True, return_inverse=True)
        return [np.flatnonzero(there[row]) for row in first], which.reshape(-1)


def joined(name: str, streams: Sequence[Stream]) -> ArrivalTable:
    """One table of several streams. Of two rows of a stream at one stamp the later one stays; a row without a number goes."""
    signals = tuple(dict.fromkeys(signal for _, names, _ in streams for signal in names))
    places = {signal: column for column, signal in enumerate(signals)}
    stamps = np.unique(np.concatenate([times for times, _, _ in streams]) if streams else np.empty(0))
    values = np.full((len(stamps), len(signals)), np.nan)
    for times, names, rows in streams:
        columns = [places[signal] for signal in names]
        values[np.searchsorted(stamps, times)[:, None], columns] = np.where(np.isfinite(rows), rows, np.nan)
    kept = np.isfinite(values).any(axis=1)
    return ArrivalTable(name, stamps[kept], signals, values[kept])
