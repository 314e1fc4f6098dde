"""Verdicts: what was expected of a run, what its log says, and whether it will do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, RunError
from didymos.measures import MEASURES
from didymos.record.log import Log

__all__ = ["Question", "Series", "Verdict", "measure", "series_of"]

Series = tuple[NDArray[np.float64], NDArray[np.float64], str]
"""Times [s] and values, shape [n] each, and the unit of the values."""


@dataclass(frozen=True)
class Verdict:
    """What was expected, what was found, and whether it will do.

    A bound that was not given is None. A run that ended before there was anything to measure, or a real robot that does not tell
    the signal, leaves `value` and `ok` None. Of a formula, `value` is its robustness and `low` is 0.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    ok: bool | None
    unit: str = ""

    @property
    def limit(self) -> float | tuple[float, float]:
        """The one bound that was given, or both."""
        if self.low is not None and self.high is not None:
            return self.low, self.high
        bound = self.high if self.low is None else self.low
        assert bound is not None
        return bound


class Question(Protocol):
    """What an expectation asks of a log, as scenarios write it (`ExpectationSpec`) or as a log keeps it (`Expectation`)."""

    @property
    def name(self) -> str: ...
    @property
    def signal(self) -> str | None: ...
    @property
    def measure(self) -> str: ...
    @property
    def target(self) -> float: ...
    @property
    def point(self) -> Iterable[float] | None: ...
    @property
    def stl(self) -> str | None: ...
    @property
    def after(self) -> float: ...
    @property
    def before(self) -> float | None: ...
    @property
    def low(self) -> float | None: ...
    @property
    def high(self) -> float | None: ...


def series_of(expected: Question, log: Log) -> Series:
    """What an expectation looks at: a signal, or the distance of a position from a point."""
    assert expected.signal is not None
    if expected.point is None:
        signal = log[expected.signal]
        return signal.time, signal.values, signal.unit
    axes = [log[f"{expected.signal}.{axis}"] for axis in "xyz"]
    away = [axis.values - value for axis, value in zip(axes, expected.point, strict=True)]
    return axes[0].time, np.sqrt(sum(np.square(value) for value in away)), axes[0].unit


def measure(expected: Question, log: Log, figure: float | None, series: Series | None = None) -> Verdict:
    """One verdict; `figure` is the value of a figure of the twin where the expectation asks for one.

    `series` is measured instead of a signal where it is given.
    """
    if expected.stl is not None:
        return _met(expected.name, expected.stl, log)
    if expected.signal is None:
        assert figure is not None
        value, unit = figure, "1"
    else:
        try:
            time, values, unit = series_of(expected, log) if series is None else series
        except InputError:
            return Verdict(expected.name, None, expected.low, expected.high, None)
        inside = (time >= expected.after) & (time <= (np.inf if expected.before is None else expected.before))
        if not inside.any():
            return Verdict(expected.name, None, expected.low, expected.high, None, unit)
        ask = MEASURES[expected.measure]
        unit = getattr(ask, "unit", unit)
        try:
            value = float(ask(time[inside], values[inside], expected.target))
        except Exception as error:  # a package's own
            raise RunError(f"the measure {expected.measure!r} failed: {type(error).__name__}: {error}") from error
    ok = (expected.low is None or value >= expected.low) and (expected.high is None or value <= expected.high)
    return Verdict(expected.name, value, expected.low, expected.high, bool(ok), unit)


def _met(name: str, formula: str, log: Log) -> Verdict:
    """The verdict on a formula: its robustness, which has to be at least 0."""
    from didymos.describe.formula import read_formula
    from didymos.record.robustness import robustness

    try:
        found = robustness(read_formula(formula), log)
    except InputError:
        found = None  # a real robot does not tell the signal
    if found is None:
        return Verdict(name, None, 0.0, None, None)
    return Verdict(name, found.value, 0.0, None, found.value >= 0.0, found.unit)
