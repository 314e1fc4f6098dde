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
        lengths = [parts[-1].stop - parts[0].start for parts in self.channels]
        self.recording = np.repeat(np.array([segment.recording for segment in segments], dtype=np.int64), lengths)
        """The recording of each error, shape [count]."""

    def of(self, segments: range) -> slice:
        """Rows of some segments in a row."""
        return slice(self.channels[segments.start][0].start, self.channels[segments.stop - 1][-1].stop)

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

    def far_from(self, first: _Array) -> _Array:
        """Errors of a run that fails, from those of one that did not; shape [count]."""
        far = np.empty(self.count)
        for segment, parts in zip(self._segments, self.channels, strict=True):
            for channel, part in zip(self._recordings[segment.recording].channels, parts, strict=True):
                size = np.sqrt(channel.column.weight) * max(float(np.std(channel.rows, axis=0).max()), 1e-9)
                far[part] = _FAILED * max(size, float(np.sqrt(np.mean(first[part] ** 2))))
        return far
