"""Validate a twin: every recording and every signal in one table, beside published figures where the twin file names them.

What a recording has for itself (`per_recording` of `fit.parameters`: the angle of a gear, the offset of a clock) is fitted to
each before it is judged; everything else stays as it is. Windows overlap where they begin more often than they are long; those
that share no sample are enough for a few numbers, so the fit sees these alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.cluster.executor import Workers
from didymos.describe.schema import FreeSpec
from didymos.describe.twin import Twin
from didymos.fitting.evaluation import rms
from didymos.fitting.horizon import HorizonError, horizon_errors
from didymos.fitting.noise import noise_size
from didymos.fitting.parameterization import Parameterization, free_groups
from didymos.fitting.problem import Problem
from didymos.fitting.recording import Recording
from didymos.fitting.search import search
from didymos.fitting.segments import Segment, Span, apart, cut
from didymos.fitting.signals import channel_error

__all__ = ["Validation", "ValidationRow", "validate"]

_Array = NDArray[np.float64]
_Predictions = list[list[_Array] | None]


@dataclass(frozen=True)
class ValidationRow:
    """RMSE of a signal in a recording: as the twin file has it, with the values at hand, and published for the original."""

    recording: str
    signal: str
    before: float | None
    after: float
    reference: float | None


@dataclass(frozen=True, eq=False)
class Validation:
    """A twin against recordings. `windows` are there where recordings were cut into windows, over all and by recording."""

    twin: str
    window: float | None
    rows: tuple[ValidationRow, ...]
    windows: Mapping[str, HorizonError]
    windows_by_recording: Mapping[str, Mapping[str, HorizonError]]
    windows_as_filed: Mapping[str, HorizonError]  # with nothing fitted to a recording, where any has numbers of its own
    own: Mapping[str, Mapping[str, float]]  # by recording: what it has for itself, by path or pattern
    failed: int  # windows or recordings whose run failed
    findings: tuple[str, ...]


def validate(
    twin: Twin,
    recordings: Sequence[Recording],
    *,
    before: Twin | None = None,
    window: float | None = None,
    between: Span | None = None,
    look_back: float = 0.0,
    threads: Workers = None,
    watch: Callable[[int, float], None] | None = None,
) -> Validation:
    """Judge a twin by recordings, beside what it was `before`.

    Args:
        twin: as it is now.
        recordings: as `read_recordings` gives them.
        before: the same twin with other values.
        window: length [s] of windows that begin at the measured state, one every `recordings.windows_every` samples; whole
            recordings without.
        between: times [s] of each recording between which it is judged.
        look_back: time [s] before a window whose recorded inputs the states of parts have seen when it begins.
        threads: how many, all cores by default; or an executor (`cluster/executor.py`). The result is the same.
        watch: told how many runs there were, and the loss.
    """
    every = twin.file.recordings.windows_every
    segments = cut(twin, recordings, window, every if window is not None else None, between)
    specs = {path: spec for path, spec in twin.file.fit.parameters.items() if spec.per_recording}
    now, own, filed = _predict(twin, recordings, segments, specs, look_back, threads, watch)
    then = None
    if before is not None:
        then, _, _ = _predict(before, recordings, segments, specs, look_back, threads, watch)
    by_recording = {}
    if window is not None:
        for i, recording in enumerate(recordings):
            here = [k for k, segment in enumerate(segments) if segment.recording == i]
            by_recording[recording.name] = horizon_errors(recordings, [segments[k] for k in here], [now[k] for k in here])
    return Validation(
        twin.name, window, _rows(twin, recordings, segments, then, now),
        horizon_errors(recordings, segments, now) if window is not None else {}, by_recording,
        horizon_errors(recordings, segments, filed) if window is not None and filed is not None else {}, own,
        sum(item is None for item in now), tuple(text for recording in recordings for text in recording.findings),
    )  # fmt: skip


def _predict(
    twin: Twin,
    recordings: Sequence[Recording],
    segments: Sequence[Segment],
    specs: Mapping[str, FreeSpec],
    look_back: float,
    threads: Workers,
    watch: Callable[[int, float], None] | None,
) -> tuple[_Predictions, dict[str, dict[str, float]], _Predictions | None]:
    """What a twin says of all segments, None where its run fails; what each recording has for itself; what it says without."""
    groups = free_groups(twin, specs, recordings) if specs else []
    parameters = Parameterization(groups, len(recordings))
    noise = noise_size(recordings)
    best = parameters.start
    if groups:
        fitted = Problem(
            twin, recordings, apart(segments), parameters, noise=noise, threads=threads, watch=watch, look_back=look_back
        )
        try:
            search(fitted, parameters.start, "least-squares", 1, 0)
            best = fitted.best
        finally:
            fitted.close()
    problem = Problem(twin, recordings, segments, parameters, noise=noise, threads=threads, look_back=look_back)
    try:
        filed = problem.predictions_or_none(parameters.start) if groups else None
        own = {
            recording.name: {
                name: float(value)
                for group in groups
                for name, value in zip(group.names, group.reported(best[parameters.stretch(group, i)]), strict=True)
            }
            for i, recording in enumerate(recordings)
        }
        return problem.predictions_or_none(best), own if groups else {}, filed
    finally:
        problem.close()


def _rows(
    twin: Twin, recordings: Sequence[Recording], segments: Sequence[Segment], before: _Predictions | None, now: _Predictions
) -> tuple[ValidationRow, ...]:
    rows = []
    for i, recording in enumerate(recordings):
        published = twin.file.recordings.references.get(recording.scenario or "", {})
        for k, channel in enumerate(recording.channels):
            signal = channel.column.signal
            now_here = _error(recording, segments, now, i, k)
            then_here = None if before is None else _error(recording, segments, before, i, k)
            rows.append(ValidationRow(recording.name, signal, then_here, now_here, published.get(signal)))
    return tuple(rows)


def _error(recording: Recording, segments: Sequence[Segment], predictions: _Predictions, index: int, k: int) -> float:
    channel, errors = recording.channels[k], []
    for segment, found in zip(segments, predictions, strict=True):
        if segment.recording == index and found is not None:
            errors.append(channel_error(channel, channel.rows[segment.samples[k]], found[k]))
    return rms(np.concatenate(errors)) if errors else float("inf")
