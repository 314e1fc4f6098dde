"""A log as one table, for pandas and xarray: signals of several rates on one time base.

    no time base given    all stamps of the signals that were asked for; NaN where a signal has no sample (as in a saved .csv)
    the name of a stream  that stream's stamps; every other signal holds its last sample, NaN before its first
    times [s]             the same at any times

Held, not drawn on lines between samples: no row knows what came later, and an orientation stays one.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from didymos.errors import InputError

if TYPE_CHECKING:
    from didymos.record.log import Log, Signal

__all__ = ["to_pandas", "to_xarray"]

_Table = tuple[NDArray[np.float64], dict[str, NDArray[np.float64]], dict[str, str]]  # times [s]; columns and units by signal


def to_pandas(log: Log, names: Sequence[str], at: str | ArrayLike | None) -> Any:
    """A `pandas.DataFrame`: a column per signal, the time [s] as index, `attrs["units"]` by column."""
    pandas = _library("pandas")
    times, columns, units = _table(log, names, at)
    frame = pandas.DataFrame(columns, index=pandas.Index(times, name="time"))
    frame.attrs["units"] = units
    return frame


def to_xarray(log: Log, names: Sequence[str], at: str | ArrayLike | None) -> Any:
    """An `xarray.Dataset`: a variable per signal over `time` [s], `attrs["units"]` each; the run's texts are its `attrs`."""
    xarray = _library("xarray")
    times, columns, units = _table(log, names, at)
    variables = {name: ("time", values, {"units": units[name]}) for name, values in columns.items()}
    return xarray.Dataset(variables, {"time": ("time", times, {"units": "s"})}, dict(log.metadata))


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(f"this needs {name}; install it with: pip install 'didymos[notebook]'") from None


def _table(log: Log, names: Sequence[str], at: str | ArrayLike | None) -> _Table:
    """The signals of some names, prefixes or patterns, all without any, on one time base."""
    chosen = [signal for name in names for signal in log.select(name)] if names else [log[name] for name in log.signals]
    signals = {signal.name: signal for signal in chosen}
    if "time" in signals:
        raise InputError("a signal is called as the rows of the table are; name those that you need", path="time")
    units = {name: signal.unit for name, signal in signals.items()}
    if at is not None:
        times = _stamps(log, at)
        return times, {name: _held(signal, times) for name, signal in signals.items()}, units
    stamps = list({_base(signal.time): signal.time for signal in signals.values()}.values())
    if len(stamps) == 1:
        return stamps[0].copy(), {name: signal.values.copy() for name, signal in signals.items()}, units
    times = np.unique(np.concatenate(stamps or [np.empty(0)]))
    return times, {name: _spread(signal, times) for name, signal in signals.items()}, units


def _base(times: NDArray[np.float64]) -> tuple[int, int]:
    """What the signals of one stream share: the memory of their stamps."""
    return times.ctypes.data, len(times)


def _stamps(log: Log, at: str | ArrayLike) -> NDArray[np.float64]:
    """The stamps of a stream, by its name or that of one of its signals, or times as they are."""
    if isinstance(at, str):
        streams = [i for i, layout in enumerate(log.layouts) if layout.name == at]
        return log.rows(streams[0])[0] if streams else log.select(at)[0].time
    times = np.asarray(at, np.float64)
    if times.ndim != 1 or not (np.isfinite(times).all() and (np.diff(times) >= 0.0).all()):
        raise InputError("expected the name of a stream, or times [s] that do not decrease", path="at")
    return times


def _held(signal: Signal, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """The last value at or before each time."""
    rows = np.searchsorted(signal.time, times, side="right") - 1
    column = np.full(len(times), np.nan)
    column[rows >= 0] = signal.values[rows[rows >= 0]]
    return column


def _spread(signal: Signal, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """The values at their own stamps, which are among the times."""
    twice = np.flatnonzero(np.diff(signal.time) <= 0.0)
    if len(twice):
        moment = float(signal.time[twice[0]])
        raise InputError(
            f"two samples at {moment!r} s do not fit one table; ask for this stream alone, or say `at`", path=signal.name
        )
    column = np.full(len(times), np.nan)
    column[np.searchsorted(times, signal.time)] = signal.values
    return column
