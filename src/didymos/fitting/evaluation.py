"""An evaluation: what the twin did at the stamps of a recording, before and after a fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.recording import Channel, Recording
from didymos.fitting.segments import Segment
from didymos.fitting.signals import channel_error

__all__ = ["Evaluation", "evaluate", "rms"]

_Array = NDArray[np.float64]


def rms(errors: _Array) -> float:
    """Root of the mean squared length of errors, shape [n, k]."""
    return float(np.sqrt(np.mean(np.einsum("ij,ij->i", errors, errors))))


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A channel of a recording and what the twin did there; `held_out`: the fit did not see it.

    Stamps [s], shape [n]; what was recorded, what the twin said before and after, shape [n, k] each. Of a recording that was
    cut into windows, all of them one after the other.
    """

    recording: Recording
    held_out: bool
    channel: Channel
    time: _Array
    measured: _Array
    before: _Array
    after: _Array

    @property
    def file(self) -> Path:
        """The recording's file."""
        return self.recording.file

    @property
    def name(self) -> str:
        """The recording and what was commanded."""
        return self.recording.name

    @property
    def rmse_before(self) -> float:
        """Root mean squared error before, in the signal's unit; of the length of a vector's or of the angle of an attitude's."""
        return rms(channel_error(self.channel, self.measured, self.before))

    @property
    def rmse_after(self) -> float:
        """Root mean squared error after."""
        return rms(channel_error(self.channel, self.measured, self.after))


def evaluate(
    recordings: Sequence[Recording],
    segments: Sequence[Segment],
    before: Sequence[Sequence[_Array]],
    after: Sequence[Sequence[_Array]],
    *,
    held_out: bool,
) -> tuple[Evaluation, ...]:
    """One evaluation per channel of each recording; `before` and `after` are the twin's, by segment and channel."""
    made = []
    for index, recording in enumerate(recordings):
        of_it = [i for i, segment in enumerate(segments) if segment.recording == index]
        if not of_it:
            continue
        for k, channel in enumerate(recording.channels):
            parts = [segments[i].samples[k] for i in of_it]
            made.append(
                Evaluation(
                    recording, held_out, channel, _joined([channel.time[part] for part in parts]),
                    _joined([channel.rows[part] for part in parts]),
                    _joined([before[i][k] for i in of_it]), _joined([after[i][k] for i in of_it]),
                )
            )  # fmt: skip
    return tuple(made)


def _joined(parts: Sequence[_Array]) -> _Array:
    """Parts one after the other; a single one, that of a whole recording, is not copied."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
