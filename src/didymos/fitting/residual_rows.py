"""Where in a residual the errors lie: segment after segment, in each channel after channel, in each axis after axis.

    [ segment 0: channel 0 axis 0 .. axis k, channel 1 ..., segment 1: ... ]        then priors, and starts that are estimated
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.blocks import Block
from didymos.fitting.recording import Recording
from didymos.fitting.segments import Segment

__all__ = ["ResidualRows"]

_Array = NDArray[np.float64]
_ROOM = 2_000_000  # numbers of residuals and slopes that are held at once
_FAILED = 10.0  # a run that fails counts as an error of so many times the recording's own size, or the first error's


class ResidualRows:
    """The rows of segments of recordings."""

    def __init__(self, recordings: Sequence[Recording], segments: Sequence[Segment]) -> None:
        self._recordings, self._segments = recordings, segments
        self.channels: list[tuple[slice, ...]] = []
        """Rows of each segment's channels."""
        first = 0
        for segment in segments:
            parts = []
            for channel, samples in zip(recordings[segment.recording].channels, segment.samples, strict=True):
                width = 3 if channel.is_orientation else channel.rows.shape[1]
                parts.append(slice(first, first + width * (samples.stop - samples.start)))
                first = parts[-1].stop
            self.channels.append(tuple(parts))
        self.count = first
        """How many errors there are."""

    def of(self, segments: range) -> slice:
        """Rows of some segments in a row."""
        return slice(self.channels[segments.start][0].start, self.channels[segments.stop - 1][-1].stop)

    def recording(self, segments: range) -> NDArray[np.int64]:
        """The recording of each error of some segments in a row, shape [rows]."""
        lengths = [self.channels[i][-1].stop - self.channels[i][0].start for i in segments]
        return np.repeat(np.array([self._segments[i].recording for i in segments], dtype=np.int64), lengths)

    def stretches(self, width: int) -> list[range]:
        """Segments in stretches whose rows, of a `width`, are held at once: whole recordings, as many as there is room for."""
        found: list[range] = []
        for i, segment in enumerate(self._segments):
            if found and self._segments[i - 1].recording == segment.recording:
                found[-1] = range(found[-1].start, i + 1)
            else:
                found.append(range(i, i + 1))
        merged: list[range] = []
        for part in found:
            longer = range(merged[-1].start, part.stop) if merged else part
            if merged and width * self.length(longer) <= _ROOM:
                merged[-1] = longer
            else:
                merged.append(part)
        return merged

    def length(self, segments: range) -> int:
        """How many rows some segments in a row have."""
        rows = self.of(segments)
        return rows.stop - rows.start

    def blocks(self) -> list[Block]:
        """Rows of each axis of each channel, with what is known of its noise."""
        blocks: list[Block] = []
        for i, segment in enumerate(self._segments):
            channels = self._recordings[segment.recording].channels
            for channel, part, samples in zip(channels, self.channels[i], segment.samples, strict=True):
                time = channel.time[samples]
                sd = None if channel.column.sd is None else float(np.sqrt(channel.column.weight)) * channel.column.sd
                for axis, first in enumerate(range(part.start, part.stop, len(time))):
                    blocks.append(Block(segment.recording, f"{channel.column.name} {axis}", time, first, i, sd))
        return blocks

    def far_from(self, segment: int, first: _Array) -> tuple[float, ...]:
        """The error of each channel of a segment whose run fails, from the errors of one that did not, shape [rows]."""
        channels, begin = self._recordings[self._segments[segment].recording].channels, self.channels[segment][0].start
        far = []
        for channel, part in zip(channels, self.channels[segment], strict=True):
            size = np.sqrt(channel.column.weight) * max(float(np.std(channel.rows, axis=0).max()), 1e-9)
            errors = first[part.start - begin : part.stop - begin]
            far.append(_FAILED * max(float(size), float(np.sqrt(np.mean(errors**2)))))
        return tuple(far)

    def errors_of(self, segment: int, far: Sequence[float]) -> _Array:
        """The errors of a segment, shape [rows], where each channel has one and the same."""
        return np.repeat(far, [part.stop - part.start for part in self.channels[segment]])
