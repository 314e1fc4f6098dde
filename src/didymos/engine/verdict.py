"""Judge a run: measure what a scenario expects in its log."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.describe.schema import ExpectationSpec
from didymos.errors import InputError
from didymos.record.log import Log

__all__ = ["Verdict", "measure", "signal_values"]


@dataclass(frozen=True)
class Verdict:
    """What was expected, what was found, and whether it will do. `limit` is the bound in words of the file."""

    name: str
    value: float
    limit: float | tuple[float, float]
    ok: bool
    unit: str = ""


def _euler(log: Log, stream: str, angle: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    w, x, y, z = (log[f"{stream}.orientation.{axis}"] for axis in "wxyz")
    if angle == "tilt":
        found = np.arccos(np.clip(1.0 - 2.0 * (x.values**2 + y.values**2), -1.0, 1.0))
    elif angle == "roll":
        found = np.arctan2(2.0 * (w.values * x.values + y.values * z.values), 1.0 - 2.0 * (x.values**2 + y.values**2))
    elif angle == "pitch":
        found = np.arcsin(np.clip(2.0 * (w.values * y.values - z.values * x.values), -1.0, 1.0))
    else:
        found = np.arctan2(2.0 * (w.values * z.values + x.values * y.values), 1.0 - 2.0 * (y.values**2 + z.values**2))
    return w.time, found


def signal_values(log: Log, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64], str]:
    """Stamps [s], values and unit of a recorded signal, or of an angle of a stream that has an orientation."""
    stream, _, last = name.rpartition(".")
    if last in ("roll", "pitch", "yaw", "tilt") and f"{stream}.orientation.w" in log.signals:
        return *_euler(log, stream, last), "rad"
    signal = log[name]
    return signal.time, signal.values, signal.unit


def measure(expected: ExpectationSpec, log: Log, figure: float | None) -> Verdict:
    """One verdict; `figure` is the value of a figure of the twin where the expectation asks for one."""
    if expected.signal is None:
        assert figure is not None
        value, unit = figure, "1"
    else:
        time, values, unit = signal_values(log, expected.signal)
        inside = (time >= expected.after) & (time <= (np.inf if expected.before is None else expected.before))
        if not inside.any():
            raise InputError(f"{expected.signal!r} was not recorded in the time that {expected.name!r} looks at")
        error = values[inside] - expected.target
        value = float(
            {
                "max_error": lambda: np.abs(error).max(),
                "rmse": lambda: np.sqrt(np.mean(error**2)),
                "mean": lambda: error.mean(),
                "final": lambda: error[-1],
                "max": lambda: error.max(),
                "min": lambda: error.min(),
            }[expected.measure]()
        )
    low = -np.inf if expected.low is None else expected.low
    high = np.inf if expected.high is None else expected.high
    limit: float | tuple[float, float] = (low, high)
    if expected.low is None:
        limit = high
    elif expected.high is None:
        limit = low
    return Verdict(expected.name, value, limit, bool(low <= value <= high), unit)
