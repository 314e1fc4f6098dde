"""What is wrong with a recording, said before anybody fits it.

    for finding in examine(Log.load("flight.csv")):
        print(finding.text)

`examine` looks at the clock of every stream (gaps, repeated stamps, what the reader of the file had to change), at every signal
(`bad_samples.py`), at velocities beside their positions (`derivative.py`), and at the flight as a whole: did it leave the ground?
Which samples are bad, one by one, says `bad_samples`; nothing is changed here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, nearest
from didymos.record.bad_samples import Faults, faults_of, gaps, usual_interval
from didymos.record.derivative import disagreement
from didymos.record.log import Log, Signal
from didymos.record.quantities import Quantity, heights, motors, quantities, rates

__all__ = ["KINDS", "MENDED", "Finding", "examine", "judge", "masks", "repeated_files"]

KINDS: Mapping[str, str] = {
    "clock": "stamps that the reader had to change or leave out",
    "gap": "samples missing for 20 times the usual interval",
    "repeated": "stamps that are not later than the one before",
    "not_a_number": "NaN or infinity",
    "spike": "samples that leave the signal and come back",
    "leap": "a position or orientation that moves where nothing can",
    "drawn": "samples on a straight line: interpolated or extrapolated, not measured",
    "held": "the same value for 20 times as long as usual: a sensor that hangs",
    "length": "a quaternion whose length is not one",
    "flip": "a quaternion that changes its sign: the same rotation, and mended",
    "rate": "a velocity that is not the rate of its position",
    "ground": "a flight that never left the ground",
    "same": "two files with the same content",
    "damage": "a file that is cut off or damaged",
}
"""What can be wrong, by kind."""

MENDED = frozenset({"flip", "clock"})
"""Kinds after which every sample can be used."""

_FEW = 3  # findings of a kind and signal that are told one by one
_LOWEST_FLIGHT = 0.1  # [m] between the lowest and the highest sample
_ON_GROUND = 0.2  # [m] below which a robot's centre, or what is tracked of it, stands on the ground
_REST = 10  # samples at which all motors say their least: none of them turns


@dataclass(frozen=True)
class Finding:
    """Something wrong with a signal, a stream or, where `signal` is empty, the whole recording.

    Attributes:
        signal: name of the signal, of what several have in common (`imu.gyro`), of the stream, or empty.
        kind: one of `KINDS`.
        time: where it begins [s].
        seconds: from there to where it ends [s].
        count: samples, or intervals for a gap.
        text: one sentence.
    """

    signal: str
    kind: str
    time: float
    seconds: float
    count: int
    text: str


def examine(log: Log, signals: Collection[str] | None = None) -> tuple[Finding, ...]:
    """All that is wrong with a log, or with some of its signals, in the order: whole, clocks, signals."""
    return judge(log, signals)[0]


def masks(log: Log, signals: Collection[str] | None = None) -> dict[str, NDArray[np.bool_]]:
    """The bad samples of every signal of a log, or of some, by name; shape [n] each, True where a sample is not to be believed.

    As `bad_samples` has them for the whole vector or quaternion to which a signal belongs; a velocity is bad as well where it is
    not the rate of its position.
    """
    return judge(log, signals)[1]


@np.errstate(over="ignore", invalid="ignore")
def judge(log: Log, signals: Collection[str] | None = None) -> tuple[tuple[Finding, ...], dict[str, NDArray[np.bool_]]]:
    """What `examine` and `masks` give, at once."""
    for name in signals or ():
        if name not in log:
            raise InputError(f"no signal {name!r} in this log{nearest(name, log.signals)}")
    looked_at = quantities(log, signals)
    found = [*_whole(log), *_clocks(log, signals)]
    bad: dict[Quantity, NDArray[np.bool_]] = {}
    for quantity in looked_at:
        time, values = quantity.values(log)
        faults = faults_of(time, values, quantity.nature)
        found += _of_signal(quantity, time, faults)
        bad[quantity] = faults.bad
        for before in gaps(time):
            bad[quantity][before : before + 2] = True
    for position, velocity in rates(log, looked_at):
        time, values = position.values(log)
        mask = disagreement(time, values, velocity.values(log)[1])
        found += _runs(velocity.name, "rate", time, mask, f"is not the rate of {position.name}")
        bad[velocity] |= mask
    return tuple(found), {name: bad[quantity] for quantity in looked_at for name in quantity.signals}


def repeated_files(logs: Mapping[str, Log]) -> tuple[Finding, ...]:
    """Logs, by the names of their files, that hold the same values as one before, whatever they call them."""
    first: dict[tuple[bytes, ...], str] = {}
    found = []
    for name, log in logs.items():
        content = tuple(sorted(log[signal].values.tobytes() for signal in log.signals))
        if content in first:
            found.append(Finding("", "same", 0.0, 0.0, 0, f"{name} has the same content as {first[content]}"))
        first.setdefault(content, name)
    return tuple(found)


def _whole(log: Log) -> Iterator[Finding]:
    if "damage" in log.metadata:
        yield Finding("", "damage", 0.0, 0.0, 0, f"the file is damaged, the rest was kept: {log.metadata['damage']}")
    if "time_order" in log.metadata:
        yield Finding("", "clock", 0.0, 0.0, 0, log.metadata["time_order"])
    turning, high = motors(log), [log[name] for name in heights(log)]
    ranges = [float(np.nanmax(x.values) - np.nanmin(x.values)) for x in high if np.isfinite(x.values).any()]
    if turning and ranges and 0.0 < max(ranges) < _LOWEST_FLIGHT and _stands(log, turning, high):
        ran = any(np.nanmax(log[name].values, initial=0.0) > np.nanmin(log[name].values, initial=0.0) for name in turning)
        how = "though the motors ran" if ran else "and the motors stood still"
        span = log[turning[0]].time
        text = f"never left the ground: the height stays within {max(ranges):.2g} m, {how}"
        yield Finding("", "ground", float(span[0]), float(span[-1] - span[0]), len(span), text)


def _stands(log: Log, motors_of_it: Sequence[str], heights_of_it: Sequence[Signal]) -> bool:
    """Whether what keeps its height keeps that of the ground: it is none, or motors rest there. A hover that was cut does not."""
    if any(float(np.nanmax(np.abs(signal.values))) < _ON_GROUND for signal in heights_of_it if np.isfinite(signal.values).any()):
        return True
    idle = [log[name].values == np.nanmin(log[name].values) for name in motors_of_it if np.isfinite(log[name].values).any()]
    together = [mask for mask in idle if len(mask) == len(idle[0])]
    return bool(together) and int(np.all(together, axis=0).sum()) >= _REST


def _clocks(log: Log, signals: Collection[str] | None) -> Iterator[Finding]:
    for i, layout in enumerate(log.layouts):
        if signals is not None and not set(layout.signals) & set(signals):
            continue
        time, name = log.rows(i)[0], layout.name or "time"
        usual = usual_interval(time)
        for before in gaps(time):
            begin, width = float(time[before]), float(time[before + 1] - time[before])
            text = f"{name} has a gap of {width:.3g} s at {begin:.6g} s, where samples come every {usual:.3g} s"
            yield Finding(layout.name, "gap", begin, width, 1, text)
        again = np.concatenate((np.zeros(min(len(time), 1), bool), np.diff(time) <= 0.0))
        yield from _runs(layout.name, "repeated", time, again, "repeats a stamp")


def _of_signal(quantity: Quantity, time: NDArray[np.float64], faults: Faults) -> Iterator[Finding]:
    name = quantity.name
    yield from _runs(name, "not_a_number", time, faults.not_numbers, "is not a number")
    yield from _runs(name, "spike", time, faults.spikes & ~faults.drawn, "leaves its course and comes back")
    yield from _runs(name, "leap", time, faults.leaps & ~faults.drawn, "leaps")
    end = "extrapolated, nothing was measured any more" if faults.drawn[-1:].any() else "interpolated, not measured"
    yield from _runs(name, "drawn", time, faults.drawn, f"lies on a straight line: {end}")
    yield from _runs(name, "held", time, faults.held, "stays the same to the last digit")
    yield from _runs(name, "length", time, faults.lengths, "is no unit quaternion")
    yield from _runs(name, "flip", time, faults.flips, "changes its sign, which is mended")


def _runs(signal: str, kind: str, time: NDArray[np.float64], mask: NDArray[np.bool_], says: str) -> list[Finding]:
    """A finding for each stretch of a mask, or one for all where they are many."""
    name = signal or "time"
    edges = np.flatnonzero(np.diff(np.concatenate(([False], mask, [False])).astype(np.int8)))
    starts, ends = edges[::2], edges[1::2] - 1
    if len(starts) > _FEW:
        first, last, count = float(time[starts[0]]), float(time[ends[-1]]), int(mask.sum())
        text = f"{name} {says}: {len(starts)} times from {first:.6g} s to {last:.6g} s, {count} samples"
        return [Finding(signal, kind, first, last - first, count, text)]
    found = []
    for start, end in zip(starts, ends, strict=True):
        first, width, count = float(time[start]), float(time[end] - time[start]), int(end - start + 1)
        how_long = f"for {width:.3g} s, {count} samples" if count > 1 else "for a sample"
        found.append(Finding(signal, kind, first, width, count, f"{name} {says}, from {first:.6g} s {how_long}"))
    return found
