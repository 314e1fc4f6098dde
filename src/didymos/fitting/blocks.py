"""What stretches of a residual are: one axis of one channel of one recording or window each, and which of them go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "NoiseKind", "noise_kinds", "stamp_of", "window_of"]

_Array = NDArray[np.float64]
_Rows = NDArray[np.intp]
_OWN = 100  # samples from which on a recording's channels have a noise of their own; shorter recordings share one


@dataclass(frozen=True, eq=False)
class Block:
    """A stretch of the residual. Errors of one group (a recording) may have a common cause; groups are independent."""

    group: int
    channel: str
    time: _Array  # [m] stamps [s]
    first: int  # where its samples begin in the residual
    window: int = 0
    sd: float | None = None  # of white noise, in units of the residual, where a user knows it

    @property
    def rows(self) -> _Rows:
        """Its rows of the residual, shape [m]."""
        return np.arange(self.first, self.first + len(self.time))


@dataclass(frozen=True, eq=False)
class NoiseKind:
    """Channels of the same stamps whose noise is of one kind; `rows[c]` has one array [stretches, m] per length of stretch."""

    rows: list[list[_Rows]]
    sd: list[float | None]  # of each channel


def noise_kinds(jacobian: _Array, residual: _Array, blocks: Sequence[Block]) -> list[NoiseKind]:
    """All kinds of noise; channels with the same stamps in the same window stand together.

    A channel that is all zero (of weight 0) is left out.
    """
    panels: dict[tuple[int, int, bytes], list[Block]] = {}
    for block in blocks:
        if np.any(jacobian[block.rows]) or np.any(residual[block.rows]):
            panels.setdefault((block.group, block.window, block.time.tobytes()), []).append(block)
    samples: dict[tuple[int, tuple[str, ...]], int] = {}
    named = []
    for panel in panels.values():
        panel.sort(key=lambda block: block.channel)
        key = (panel[0].group, tuple(block.channel for block in panel))
        samples[key] = samples.get(key, 0) + len(panel[0].time)
        named.append((key, panel))
    kinds: dict[tuple[int, tuple[str, ...]], dict[int, list[list[Block]]]] = {}
    for (group, names), panel in named:
        own = (group if samples[group, names] >= _OWN else -1, names)
        kinds.setdefault(own, {}).setdefault(len(panel[0].time), []).append(panel)
    return [
        NoiseKind(
            [[np.stack([panel[c].rows for panel in alike]) for alike in lengths.values()] for c in range(len(names))],
            [next(iter(lengths.values()))[0][c].sd for c in range(len(names))],
        )
        for (_, names), lengths in kinds.items()
    ]


def window_of(blocks: Sequence[Block], rows: int) -> _Rows:
    """The window of each row, in the order of time, recording after recording; all are one where no recording has several."""
    begins: dict[tuple[int, int], float] = {}
    for block in blocks:
        key = (block.group, block.window)
        begins[key] = min(begins.get(key, np.inf), float(block.time[0]))
    found = np.zeros(rows, dtype=np.intp)
    if len({group for group, _ in begins}) < len(begins):
        order = {key: i for i, key in enumerate(sorted(begins, key=lambda key: (key[0], begins[key])))}
        for block in blocks:
            found[block.rows] = order[block.group, block.window]
    return found


def stamp_of(blocks: Sequence[Block], rows: int) -> _Rows:
    """The stamp of each row among those of the densest channel, counted in the order of time, recording after recording."""
    groups: dict[int, list[Block]] = {}
    for block in blocks:
        groups.setdefault(block.group, []).append(block)
    found, before = np.zeros(rows, dtype=np.intp), 0
    for _, members in sorted(groups.items()):
        channels: dict[str, list[_Array]] = {}
        for block in members:
            channels.setdefault(block.channel, []).append(block.time)
        densest = np.unique(np.concatenate(max(channels.values(), key=lambda times: sum(map(len, times)))))
        between = 0.5 * (densest[1:] + densest[:-1])
        for block in members:
            found[block.rows] = before + np.searchsorted(between, block.time)
        before += len(densest)
    return found
