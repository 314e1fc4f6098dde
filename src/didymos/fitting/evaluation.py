"""An evaluation: what the twin did at the stamps of a recording, before and after a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.fitting.recording import Channel, Recording

__all__ = ["Evaluation", "evaluate"]

_Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A channel of a recording and what the twin did there, before and after; `held_out`: the fit did not see it."""

    file: Path
    scenario: str | None
    held_out: bool
    channel: Channel
    before: _Array
    after: _Array

    @property
    def name(self) -> str:
        """The recording and what was commanded."""
        return f"{self.file}={self.scenario}" if self.scenario not in (None, self.file.stem) else str(self.file)

    @property
    def rmse_before(self) -> float:
        """Root mean squared error before, in the signal's unit."""
        return float(np.sqrt(np.mean((self.before - self.channel.values) ** 2)))

    @property
    def rmse_after(self) -> float:
        """Root mean squared error after, in the signal's unit."""
        return float(np.sqrt(np.mean((self.after - self.channel.values) ** 2)))


def evaluate(
    recordings: Sequence[Recording],
    before: Sequence[Mapping[str, _Array]],
    after: Sequence[Mapping[str, _Array]],
    *,
    held_out: bool,
) -> tuple[Evaluation, ...]:
    """One evaluation per channel; `before` and `after` are the twin's signals of each recording, by name."""
    return tuple(
        Evaluation(recording.file, recording.scenario, held_out, channel, old[channel.column.signal], new[channel.column.signal])
        for recording, old, new in zip(recordings, before, after, strict=True)
        for channel in recording.channels
    )
