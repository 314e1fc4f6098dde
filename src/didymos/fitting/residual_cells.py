"""Cells of recordings: what cross-validation leaves out at a time, and the windows of each.

A cell is a whole recording where there are at least four, else a stretch of one, so that there are at least four in all.
Neighbouring samples share their errors, so nothing smaller is ever left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from didymos.describe.twin import Twin
from didymos.errors import InputError
from didymos.fitting.recording import Recording
from didymos.fitting.segments import Segment, Span, whole, windows

__all__ = ["Cell", "cut_cells"]

_CELLS = 4
_SHORT = 5  # samples at least of the windows in which the force that is left over hardly changes
_SHARE = 0.2  # of the windows that are judged: their length


@dataclass(frozen=True)
class Cell:
    """A stretch of a recording: the segments that are judged, and windows of a few samples."""

    recording: int
    segments: tuple[Segment, ...]
    short: tuple[Segment, ...]


def cut_cells(twin: Twin, recordings: Sequence[Recording], window: float | None, between: Span | None) -> list[Cell]:
    """The cells of recordings; whole recordings have no short windows."""
    count = -(-_CELLS // len(recordings))
    cells = []
    for i, recording in enumerate(recordings):
        first, last = float(recording.channels[0].time[0]), recording.seconds
        begin, end = (first, last) if between is None else (max(first, between[0]), min(last, between[1]))
        spans = list(pairwise(np.linspace(begin, end, count + 1).tolist()))
        if window is None:
            cells += [Cell(i, (whole(i, recording, span if count > 1 else between),), ()) for span in spans]
            continue
        judged = _windows(twin, i, recording, window, between)
        interval = float(np.median(np.diff(recording.channels[0].time)))
        short = _windows(twin, i, recording, min(max(_SHORT * interval, _SHARE * window), window), between)
        apart = len(recordings) == 1  # cells are held out one by one: no window may reach into the next
        for span in spans:
            inside, few = (tuple(item for item in found if _lies_in(item, span, apart=apart)) for found in (judged, short))
            if inside and few:
                cells.append(Cell(i, inside, few))
    if len(cells) < 2:
        text = "is too short to leave a part of it out: a residual is judged by what it has not seen"
        raise InputError(text, file=recordings[0].file)
    return cells


def _windows(twin: Twin, index: int, recording: Recording, seconds: float, between: Span | None) -> list[Segment]:
    return windows(index, recording, seconds, None, twin.file.recordings.windows_where, between)


def _lies_in(segment: Segment, span: Span, *, apart: bool) -> bool:
    begin, end = span
    return begin <= segment.at and (segment.at + segment.seconds <= end if apart else segment.at < end)
