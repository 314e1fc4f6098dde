"""What a worker of a fit does: coordinates and segments in, what the twin says of them, or how far off it is, out.

Work travels to the workers of a cluster (`cluster/`) with the twin and the recordings as they were read; the predictors that it
keeps, one for each thread that calls it, stay where they are. A run depends on nothing that was before it.
"""

from __future__ import annotations

import queue
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.describe.twin import Twin
from didymos.errors import InputError, RunError
from didymos.fitting.described import DescribedTwins
from didymos.fitting.parameterization import Parameterization
from didymos.fitting.prediction import Predictor, State
from didymos.fitting.recording import Recording
from didymos.fitting.segments import Segment
from didymos.fitting.signals import channel_error

__all__ = ["SegmentAnswer", "SegmentTask", "SegmentWork"]

_Array = NDArray[np.float64]
_OFFSET = "recording.clock_offset"


@dataclass(frozen=True, eq=False)
class SegmentTask:
    """Segments in a row, the coordinates at which they are run, and where each begins, None where the scenario does.

    What is asked for are weighted errors, or without `weighted` what the twin says.
    """

    point: _Array
    segments: range
    starts: tuple[State | None, ...]
    weighted: bool = True


@dataclass(frozen=True, eq=False)
class SegmentAnswer:
    """By segment what was asked for, an array for each channel; None where a run failed.

    `impossible` says that values were such as no robot can have.
    """

    found: tuple[list[_Array] | None, ...]
    impossible: bool = False


class SegmentWork:
    """Runs of a twin over segments of recordings."""

    def __init__(
        self,
        twin: Twin,
        recordings: Sequence[Recording],
        segments: Sequence[Segment],
        parameters: Parameterization,
        look_back: float,
    ) -> None:
        self.twin, self.recordings, self.segments, self.parameters = twin, recordings, segments, parameters
        self.look_back = look_back
        self._open()

    def _open(self) -> None:
        self._described = DescribedTwins(self.twin)
        self._free: queue.SimpleQueue[Predictor] = queue.SimpleQueue()

    def __call__(self, task: SegmentTask) -> SegmentAnswer:
        """Run segments one after the other."""
        found: list[list[_Array] | None] = []
        impossible = False
        with self.predictor() as predictor:
            for i, start in zip(task.segments, task.starts, strict=True):
                try:
                    said = self.predict(predictor, task.point, i, start)
                    found.append(self.errors(i, said) if task.weighted else said)
                except RunError:
                    found.append(None)
                except InputError:
                    if not task.weighted:
                        raise
                    found.append(None)  # the start's values were fine: these no robot can have
                    impossible = True
        return SegmentAnswer(tuple(found), impossible)

    @contextmanager
    def predictor(self) -> Iterator[Predictor]:
        """A predictor that nobody else uses meanwhile."""
        try:
            predictor = self._free.get_nowait()
        except queue.Empty:
            predictor = Predictor(self.twin, self.recordings, self.segments, self._described, self.look_back)
        try:
            yield predictor
        finally:
            self._free.put(predictor)

    def predict(self, predictor: Predictor, point: _Array, index: int, start: State | None, late: float = 0.0) -> list[_Array]:
        """What the twin says of a segment's channels, of a recording that is `late` [s] beside its clock offset."""
        segment = self.segments[index]
        values = self.parameters.values(point, segment.recording)
        if late:
            values = values | {_OFFSET: values.get(_OFFSET, 0.0) + late}
        return predictor.predict(segment, values, start)

    def errors(self, index: int, said: Sequence[_Array]) -> list[_Array]:
        """Weighted errors of what the twin says of a segment's channels."""
        segment = self.segments[index]
        channels = self.recordings[segment.recording].channels
        return [
            np.sqrt(channel.column.weight) * channel_error(channel, channel.rows[samples], one).T.ravel()
            for channel, samples, one in zip(channels, segment.samples, said, strict=True)
        ]

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key not in ("_described", "_free")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._open()
