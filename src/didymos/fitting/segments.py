"""Stretches of recordings that are simulated on their own: whole recordings, or windows that begin at the measured state.

A window begins at a sample and is compared at the samples after it, up to its length. Windows that touch what is masked, or begin
where the twin file says that none should (`recordings.windows_where`: a robot that stands on the ground), are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.describe.schema import WhereSpec
from didymos.describe.twin import Twin
from didymos.errors import InputError, nearest, nearest_few
from didymos.fitting.recording import Channel, Recording

__all__ = ["Segment", "Span", "allowed_at", "apart", "cut", "samples_per_window", "whole", "windows"]

_Array = NDArray[np.float64]
Span = tuple[float, float]
_SAME = 0.25  # of a sample interval: how near two stamps are that are one


@dataclass(frozen=True)
class Segment:
    """A stretch of a recording: when it begins [s], how long it is [s], and which samples of each channel it is compared at.

    `measured`: it begins at the state that the recording has there, not where the scenario begins.
    """

    recording: int
    at: float
    seconds: float
    samples: tuple[slice, ...]
    measured: bool


def cut(
    twin: Twin,
    recordings: Sequence[Recording],
    window: float | None,
    every: int | None = None,
    between: Span | None = None,
) -> list[Segment]:
    """Whole recordings, or their windows, one after the other by default; a recording without any is an `InputError`."""
    if window is None:
        return [whole(i, recording, between) for i, recording in enumerate(recordings)]
    where, found = twin.file.recordings.windows_where, []
    for i, recording in enumerate(recordings):
        cut_here = windows(i, recording, window, every, where, between)
        if not cut_here:
            text = f"has no window of {window:g} s that may be used: too short, masked, or never where windows may begin"
            raise InputError(text, file=recording.file)
        found += cut_here
    return found


def whole(index: int, recording: Recording, between: Span | None = None) -> Segment:
    """All of a recording, from where its scenario begins; compared between two times [s] alone, where these are given."""
    begin, end = (0.0, recording.seconds) if between is None else (between[0], min(between[1], recording.seconds))
    samples = tuple(
        slice(int(np.searchsorted(c.time, begin)), int(np.searchsorted(c.time, end, side="right"))) for c in recording.channels
    )
    if any(part.stop <= part.start for part in samples):
        raise InputError(f"has no sample between {begin:g} and {end:g} s", file=recording.file)
    return Segment(index, 0.0, end, samples, False)


def windows(
    index: int,
    recording: Recording,
    seconds: float,
    every: int | None = None,
    where: Sequence[WhereSpec] = (),
    between: Span | None = None,
) -> list[Segment]:
    """Windows of a recording, one every so many samples of its first channel; one after the other by default.

    They lie between two times [s], where these are given.
    """
    clock = recording.channels[0].time
    usual = float(np.median(np.diff(clock)))
    count = samples_per_window(seconds, usual)
    if count < 1:
        raise InputError(f"a window of {seconds:g} s holds no sample, they come every {usual:.3g} s", file=recording.file)
    allowed = allowed_at(recording, clock, where)
    found = []
    for i in range(0, len(clock) - count, every or count):
        begin, end = float(clock[i]), float(clock[i]) + seconds + _SAME * usual
        if not allowed[i] or end > float(clock[-1]) + _SAME * usual or _touches(recording.masked, begin, end):
            continue
        if between is not None and not (between[0] <= begin and end <= between[1] + _SAME * usual):
            continue
        samples = tuple(
            slice(int(np.searchsorted(c.time, begin + _SAME * usual)), int(np.searchsorted(c.time, end)))
            for c in recording.channels
        )
        if all(part.stop > part.start for part in samples):
            found.append(Segment(index, begin, seconds, samples, True))
    return found


def apart(segments: Sequence[Segment]) -> list[Segment]:
    """Of segments in the order of time, those that share no sample: of each recording the first, and the next after its end."""
    kept: list[Segment] = []
    for segment in segments:
        last = kept[-1] if kept else None
        if last is None or segment.recording != last.recording or segment.samples[0].start >= last.samples[0].stop:
            kept.append(segment)
    return kept


def samples_per_window(seconds: float, interval: float) -> int:
    """How many samples a window is compared at, the one that it begins at not among them."""
    return round(seconds / interval)


def _touches(masked: Sequence[tuple[float, float]], begin: float, end: float) -> bool:
    return any(first < end and last > begin for first, last in masked)


def allowed_at(recording: Recording, clock: _Array, where: Sequence[WhereSpec]) -> NDArray[np.bool_]:
    """At which times [s] of a recording all rules hold; shape [n]."""
    allowed = np.ones(len(clock), dtype=bool)
    for rule in where:
        time, values = _column(recording, rule.column)
        here = np.interp(clock, time, values)
        if rule.above is not None:
            allowed &= here > rule.above
        if rule.below is not None:
            allowed &= here < rule.below
    return allowed


def _column(recording: Recording, name: str) -> tuple[_Array, _Array]:
    known = dict(_columns(recording))
    if name not in known:
        text = f"there is no column {name!r}{nearest(name, known)} (there is: {nearest_few(name, known)})"
        raise InputError(text, path="recordings.windows_where")
    return known[name]


def _columns(recording: Recording) -> Iterator[tuple[str, tuple[_Array, _Array]]]:
    """All columns by their keys in the twin file, those of vectors with their axis; what was fed by its target."""
    channels: tuple[Channel, ...] = (*recording.channels, *recording.states)
    for channel in channels:
        rows, signals = channel.rows, channel.signals
        for k, signal in enumerate(signals):
            axis = signal.removeprefix(channel.column.signal)
            yield channel.column.name + axis, (channel.time, rows[:, k])
    for target, table in recording.fed.items():
        yield target, (table[:, 0], table[:, 1])
