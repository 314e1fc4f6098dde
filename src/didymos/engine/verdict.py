"""Judge a run: measure what a scenario expects in its log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.describe.formula import read_formula
from didymos.describe.schema import ExpectationSpec
from didymos.describe.twin import Twin
from didymos.engine.program_scope import ProgramScope
from didymos.errors import InputError, RunError, nearest
from didymos.measures import MEASURES
from didymos.record.log import Log
from didymos.record.robustness import robustness

__all__ = ["Verdict", "check_expected", "knows", "measure"]


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


def check_expected(twin: Twin, scenario: str | None, log: Log, scope: ProgramScope) -> tuple[ExpectationSpec, ...]:
    """The expectations that no run of this program can answer and that are not its to answer.

    Others that no run can meet are refused, before it has run; `log` is that of the run to come, still empty.
    """
    others = []
    for index, item in enumerate(twin.scenarios[scenario].expect if scenario is not None else ()):
        place = ("scenarios", scenario or "", "expect", index)
        if item.signals:
            missing = [signal for signal in item.signals if not knows(log, signal if item.point is None else f"{signal}.x")]
            if any(scope.lacks(signal) for signal in missing):
                others.append(item)
            elif missing:
                hint = nearest(missing[0], log.signals)
                key = "signal" if item.stl is None else "stl"
                raise twin.mistake(f"no run records {missing[0]!r}{hint}", *place, key)
        elif twin.file.world.gravity == 0.0:
            raise twin.mistake("found no gravity, so there is no weight to compare with", *place, "figure")
    return tuple(others)


def knows(log: Log, signal: str) -> bool:
    """Whether a log has a signal, or can find it from others."""
    try:
        log[signal]
    except InputError:
        return False
    return True


def _signal(expected: ExpectationSpec, log: Log) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """Times, values and unit of what an expectation looks at: a signal, or the distance of a position from a point."""
    assert expected.signal is not None
    if expected.point is None:
        signal = log[expected.signal]
        return signal.time, signal.values, signal.unit
    axes = [log[f"{expected.signal}.{axis}"] for axis in "xyz"]
    away = [axis.values - value for axis, value in zip(axes, expected.point, strict=True)]
    return axes[0].time, np.sqrt(sum(np.square(value) for value in away)), axes[0].unit


def measure(
    expected: ExpectationSpec,
    log: Log,
    figure: float | None,
    series: tuple[NDArray[np.float64], NDArray[np.float64], str] | None = None,
) -> Verdict:
    """One verdict; `figure` is the value of a figure of the twin where the expectation asks for one.

    `series` are times [s] and values that are measured instead of a signal, shape [n] each, and their unit.
    """
    if expected.stl is not None:
        return _met(expected.name, expected.stl, log)
    if expected.signal is None:
        assert figure is not None
        value, unit = figure, "1"
    else:
        try:
            time, values, unit = _signal(expected, log) if series is None else series
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
    try:
        found = robustness(read_formula(formula), log)
    except InputError:
        found = None  # a real robot does not tell the signal
    if found is None:
        return Verdict(name, None, 0.0, None, None)
    return Verdict(name, found.value, 0.0, None, found.value >= 0.0, found.unit)
