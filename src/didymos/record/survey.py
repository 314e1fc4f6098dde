"""What a log holds, stream by stream and signal by signal: rates, ranges, gaps, and which samples are bad."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.record.bad_samples import gaps, usual_interval
from didymos.record.health import Finding, judge
from didymos.record.log import Log

__all__ = ["Gathered", "SignalSurvey", "StreamSurvey", "Survey", "gathered", "survey"]

_TOGETHER = 0.2  # [s]: findings of a kind that begin and end within it are told together


@dataclass(frozen=True)
class StreamSurvey:
    """One stream: its samples come `rate` times a second [Hz], from `first` to `last` [s]; None where there are too few."""

    name: str
    signals: tuple[str, ...]
    samples: int
    rate: float | None
    first: float | None
    last: float | None
    gaps: int


@dataclass(frozen=True)
class SignalSurvey:
    """One signal: range of its numbers (None where it has none), samples that are bad, and those that are no number."""

    name: str
    unit: str
    stream: str
    samples: int
    rate: float | None
    low: float | None
    high: float | None
    gaps: int
    bad: int
    not_numbers: int


@dataclass(frozen=True, eq=False)
class Survey:
    """All of a log; `masks` are the bad samples by signal, shape [n] each."""

    first: float
    last: float
    streams: tuple[StreamSurvey, ...]
    signals: dict[str, SignalSurvey]
    findings: tuple[Finding, ...]
    masks: dict[str, NDArray[np.bool_]]


@dataclass(frozen=True)
class Gathered:
    """Findings of one kind that signals share: they begin and end together. Times [s]."""

    kind: str
    time: float
    seconds: float
    count: int
    signals: tuple[str, ...]
    text: str


@np.errstate(over="ignore", invalid="ignore")
def survey(log: Log, signals: Collection[str] | None = None) -> Survey:
    """Look at a log, or at some of its signals."""
    findings, bad = judge(log, signals)
    streams, found = [], {}
    for i, layout in enumerate(log.layouts):
        time, _ = log.rows(i)
        chosen = tuple(name for name in layout.signals if name in bad)
        if not chosen and (signals is not None or layout.signals):
            continue
        usual, missing = usual_interval(time), len(gaps(time))
        rate = 1.0 / usual if usual > 0.0 else None
        first, last = (float(time[0]), float(time[-1])) if len(time) else (None, None)
        streams.append(StreamSurvey(layout.name, chosen, len(time), rate, first, last, missing))
        for name in chosen:
            values, unit = log[name].values, log[name].unit
            numbers = values[np.isfinite(values)]
            low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (None, None)
            lost = len(values) - len(numbers)
            found[name] = SignalSurvey(
                name, unit, layout.name, len(time), rate, low, high, missing, int(bad[name].sum()), lost
            )
    begin = min((stream.first for stream in streams if stream.first is not None), default=0.0)
    end = max((stream.last for stream in streams if stream.last is not None), default=0.0)
    return Survey(begin, end, tuple(streams), found, findings, bad)


def gathered(findings: Sequence[Finding]) -> tuple[Gathered, ...]:
    """Findings, those together that are of one kind and of one time, the ones with most samples first."""
    groups: list[list[Finding]] = []
    for finding in findings:
        for group in groups:
            other = group[0]
            ends = abs(finding.time + finding.seconds - other.time - other.seconds)
            if finding.kind == other.kind and abs(finding.time - other.time) <= _TOGETHER and ends <= _TOGETHER:
                group.append(finding)
                break
        else:
            groups.append([finding])
    made = [
        Gathered(
            group[0].kind, min(one.time for one in group), max(one.seconds for one in group), max(one.count for one in group),
            tuple(dict.fromkeys(one.signal for one in group)), group[0].text,
        )
        for group in groups
    ]  # fmt: skip
    return tuple(sorted(made, key=lambda one: (bool("".join(one.signals)), -one.count, one.time)))
