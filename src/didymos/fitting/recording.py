"""A recording of the real robot, beside the scenario of the twin that was commanded: columns mapped to signals of a run.

Time is the recording's own: every sample is compared with the twin at its stamp, so jitter costs nothing. What cannot be
trusted is refused: values that are not numbers, time that runs backwards (the readers of files see to that), gaps, and units
that are wrong by a factor that has a name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest
from didymos.record.log import Log, Signal

__all__ = ["Channel", "Column", "Recording", "check_units", "read_recording"]

_GAP = 20.0  # times the usual interval; a busy computer is late by five
_MATCH = 0.08  # how near to a named factor a ratio has to be
_ALIKE = 0.9  # correlation from which on two signals have the same shape
_TURN = 2.0 * math.pi


@dataclass(frozen=True)
class Column:
    """A column of a recording: the signal it measures, what to multiply it with, and the weight of its squared error."""

    name: str
    signal: str
    scale: float = 1.0
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Channel:
    """One column as read: stamps [s] and values in the signal's unit, shape [n] each."""

    column: Column
    time: NDArray[np.float64]
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Recording:
    """A file, the scenario that was commanded, and its channels."""

    file: Path
    scenario: str | None
    channels: tuple[Channel, ...]

    @property
    def seconds(self) -> float:
        """The last stamp [s]."""
        return max(float(channel.time[-1]) for channel in self.channels)


def read_recording(twin: Twin, text: str | Path, columns: Mapping[str, Column]) -> Recording:
    """Read `FILE` or `FILE=SCENARIO`; without a scenario it is the one that is called as the file is.

    A column of weight 0 may be missing; any other is an `InputError`.
    """
    name, equals, scenario = str(text).rpartition("=")
    if not equals or Path(str(text)).exists():
        name, scenario = str(text), ""
    file = Path(name)
    log = Log.load(file)
    if not columns:
        raise InputError("does not say which columns mean which signals; see `columns`", file=twin.source, path="fit.columns")
    present = [column for column in columns.values() if column.weight > 0.0 or column.name in log]
    channels = tuple(_channel(file, log, column) for column in present)
    return Recording(file, _scenario(twin, file, scenario), channels)


def _scenario(twin: Twin, file: Path, name: str) -> str | None:
    known = tuple(twin.scenarios)
    if not name:
        if file.stem in known:
            return file.stem
        if len(known) < 2:
            return known[0] if known else None
        options = ", ".join(known)
        raise InputError(f"which scenario was commanded? Write {file.name}=SCENARIO with one of {options}", file=file)
    if name not in known:
        raise InputError(f"{twin.name} has no scenario {name!r}{nearest(name, known)}", file=file)
    return name


def _channel(file: Path, log: Log, column: Column) -> Channel:
    if column.name not in log:
        known = ", ".join(log.signals)
        raise InputError(f"there is no column {column.name!r}{nearest(column.name, log.signals)} (it has: {known})", file=file)
    signal = log[column.name]
    bad = np.flatnonzero(~np.isfinite(signal.values))
    if len(bad):
        value = signal.values[bad[0]]
        raise InputError(f"found {value} at t = {signal.time[bad[0]]:.6g} s, expected a number", file=file, path=column.name)
    _check_time(file, signal)
    return Channel(column, signal.time, signal.values * column.scale)


def _check_time(file: Path, signal: Signal) -> None:
    if len(signal.time) < 2:
        raise InputError(f"found {len(signal.time)} samples, expected a motion", file=file, path=signal.name)
    if signal.time[0] < 0.0:
        text = f"begins at t = {signal.time[0]:.6g} s, expected the command's begin at 0"
        raise InputError(text, file=file, path=signal.name)
    intervals = np.diff(signal.time)
    if intervals.min() <= 0.0:
        at = signal.time[int(np.argmin(intervals)) + 1]
        raise InputError(f"time does not increase at t = {at:.6g} s", file=file, path=signal.name)
    usual, worst = float(np.median(intervals)), int(np.argmax(intervals))
    if intervals[worst] > _GAP * usual:
        raise InputError(
            f"a gap of {intervals[worst]:.3g} s at t = {signal.time[worst]:.6g} s, where samples come every {usual:.3g} s;"
            " give the pieces as files of their own",
            file=file, path=signal.name,
        )  # fmt: skip


def check_units(twin: Twin, recording: Recording, simulated: Mapping[str, NDArray[np.float64]]) -> None:
    """Refuse a channel that looks like the twin's signal (by signal name, at the channel's stamps) times a named factor."""
    named = _factors(twin)
    for channel in recording.channels:
        real, ours = channel.values, simulated[channel.column.signal]
        spread = float(np.std(real) * np.std(ours))
        if spread == 0.0 or abs(float(np.corrcoef(real, ours)[0, 1])) < _ALIKE:
            continue
        factor = float(np.std(real) / np.std(ours))
        for name, value in named.items():
            if abs(factor / value - 1.0) < _MATCH and abs(math.log(factor)) > 0.25:
                raise InputError(
                    f"is {factor:.3g} times what the twin does, which is {name}: wrong units?"
                    f" Give the column a scale of {1 / value:.6g}",
                    file=recording.file, path=channel.column.name,
                )  # fmt: skip


def _factors(twin: Twin) -> dict[str, float]:
    """Factors that mistaken units leave behind, by name."""
    factors = {"2 pi (rad for revolutions)": _TURN, "180/pi (degrees for rad)": 180.0 / math.pi, "1000 (milli)": 1000.0}
    for name, part in twin.file.parts.items():
        ratio = getattr(part, "ratio", 1.0)
        if ratio != 1.0:
            factors[f"the ratio {ratio:g} of {name} (motor for output)"] = ratio
            factors[f"the ratio of {name} over 2 pi (motor revolutions for rad at the output)"] = ratio / _TURN
            factors[f"the ratio of {name} times 2 pi"] = ratio * _TURN
            factors[f"the ratio of {name} times 180/pi (degrees at the motor for rad at the output)"] = ratio * 180.0 / math.pi
    return factors | {f"one over {name}": 1.0 / value for name, value in factors.items()}
