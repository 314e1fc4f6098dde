"""A recording of the real robot as a fit sees it: what was measured, what the robot got, and the state it was in.

Columns of a file are turned into the twin's own words by what the twin file says of them (`recordings`): units, frames, order of
a quaternion. Time is the recording's own: every sample is compared with the twin at its stamp, so jitter costs nothing. What
cannot be trusted is left out and told (`Recording.findings`): samples that are no numbers, jump or repeat, gaps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["Channel", "Column", "Recording"]

_Array = NDArray[np.float64]
_VECTORS = {3: ("x", "y", "z"), 4: ("w", "x", "y", "z")}


@dataclass(frozen=True)
class Column:
    """What one or several columns of a recording mean; see `ColumnSpec` of the twin file.

    `signal` is the signal, input, set-point or start value that they are; `use` says which of these.
    """

    name: str
    signal: str
    scale: float = 1.0
    weight: float = 1.0
    columns: tuple[str, ...] = ()
    use: str = "signal"
    unit: str = ""
    frame: str = ""
    order: str = "wxyz"
    sd: float | None = None
    alignment: tuple[float, float, float] = (0.0, 0.0, 0.0)  # [rad] rotation vector from an attitude's frame to the robot's

    @property
    def sources(self) -> tuple[str, ...]:
        """The columns of the file."""
        return self.columns or (self.name,)


@dataclass(frozen=True, eq=False)
class Channel:
    """Columns as read: stamps [s], shape [n], and values in the signal's unit, shape [n], or [n, k] of a vector or quaternion."""

    column: Column
    time: _Array
    values: _Array

    @property
    def rows(self) -> _Array:
        """The values with an axis of their own, shape [n, k]."""
        return self.values.reshape(len(self.time), -1)

    @property
    def signals(self) -> tuple[str, ...]:
        """The signals of the twin, one for each column of `rows`."""
        count = self.rows.shape[1]
        if count == 1:
            return (self.column.signal,)
        return tuple(f"{self.column.signal}.{axis}" for axis in _VECTORS[count])

    @property
    def is_orientation(self) -> bool:
        """Whether it is a unit quaternion, whose error is a rotation."""
        return self.rows.shape[1] == 4


@dataclass(frozen=True, eq=False)
class Recording:
    """A file, the scenario that was commanded, and its channels.

    `fed` holds what the robot got, by `inputs.NAME` or `setpoints.NAME`: rows (time [s], value), shape [n, 2]. `states` holds
    channels that only say where a window begins, `masked` the stretches [s] that no window may touch, `findings` a sentence for
    everything that was left out.
    """

    file: Path
    scenario: str | None
    channels: tuple[Channel, ...]
    fed: Mapping[str, _Array] = field(default_factory=dict)
    states: tuple[Channel, ...] = ()
    masked: Sequence[tuple[float, float]] = ()
    findings: tuple[str, ...] = ()

    @property
    def seconds(self) -> float:
        """The last stamp [s]."""
        return max(float(channel.time[-1]) for channel in self.channels)

    @property
    def name(self) -> str:
        """The file and what was commanded."""
        return f"{self.file}={self.scenario}" if self.scenario not in (None, self.file.stem) else str(self.file)
