"""Whether a recording lags the twin where no lag is free: parameters bend to explain it, and their intervals stay narrow.

A column that lags by d says y(t - d) where the twin says y(t), so the residual holds d dy/dt. Lags of all columns of a recording,
d_c, are coordinates beside the fitted ones,

    r = J x - sum_c d_c dy_c/dt + noise,        dy/dt of the twin by central differences

and are told by the same regression as these, over all that the noise may be (`confidence.py`). One whose interval of 99.9999 %
does not hold 0 is told, with what to free. Lags that agree (chi-square, one in a thousand) are one of the whole recording. A lag
that parameters can imitate (viscous friction makes a servo lag) is told only as far as the data tell both apart.

Whole runs only: a window begins at what its columns say, and lags with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from didymos.fitting.blocks import Block
from didymos.fitting.confidence import confidence

__all__ = ["Lag", "lags"]

_Array = NDArray[np.float64]
_UNLIKELY = 1e-6
_APART = 1e-3
_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True)
class Lag:
    """By how much [s] a column of a recording, or all of it, is behind the twin, and half of the 95 % interval of that."""

    recording: str
    column: str | None
    seconds: float
    half_width: float

    @property
    def text(self) -> str:
        """One sentence."""
        what = Path(self.recording).name if self.column is None else f"{Path(self.recording).name}: {self.column}"
        side = "behind" if self.seconds > 0.0 else "ahead of"
        size = f"{1e3 * abs(self.seconds):.3g} +- {1e3 * self.half_width:.2g} ms {side} the twin"
        free = "recording.clock_offset" if self.column is None else f"recording.delay.{self.column}"
        return f"{what} is {size}, which values and intervals do not know: free {free}, or look for what else delays it"


def lags(
    jacobian: _Array, residual: _Array, blocks: Sequence[Block], slopes: _Array, names: Sequence[str], *, belief: float = 1.0
) -> tuple[Lag, ...]:
    """Lags that the residual [m] shows beside its Jacobian [m, n], the largest against its interval first.

    `slopes` [errors]: how errors change with a lag of their own channel. `names` are those of the recordings, the groups of the
    blocks, whose channels are called by their columns.
    """
    found: list[tuple[float, Lag]] = []
    beliefs = np.setdiff1d(np.arange(len(residual)), np.concatenate([block.rows for block in blocks]))
    for group, name in enumerate(names):
        own = [block for block in blocks if block.group == group and np.any(slopes[block.rows])]
        if own:
            found += _of_recording(jacobian, residual, own, slopes, beliefs, name, belief)
    return tuple(lag for _, lag in sorted(found, key=lambda item: -item[0]))


def _of_recording(
    jacobian: _Array, residual: _Array, blocks: Sequence[Block], slopes: _Array, beliefs: NDArray[np.intp], name: str,
    belief: float,
) -> list[tuple[float, Lag]]:
    """Lags of one recording with how sure they are; parameters are free beside them."""
    columns = list(dict.fromkeys(column_of(block) for block in blocks))
    rows = np.concatenate([*(block.rows for block in blocks), beliefs])
    ends = np.cumsum([0, *(len(block.time) for block in blocks)])
    moved = [replace(block, first=int(first)) for block, first in zip(blocks, ends[:-1], strict=True)]
    late = np.zeros((len(rows), len(columns)))
    for block, here in zip(blocks, moved, strict=True):
        late[here.rows, columns.index(column_of(block))] = slopes[block.rows]
    whole = np.hstack([jacobian[rows], late])
    known = confidence(whole, residual[rows], moved, belief=belief, level=1.0 - _UNLIKELY)
    lag, room = known.shift[-len(columns) :], known.half_width[-len(columns) :]
    sure = np.abs(lag) > room
    if not sure.any():
        return []
    told = np.isfinite(room)
    covariance = known.covariance[-len(columns) :, -len(columns) :][np.ix_(told, told)]
    weight = np.linalg.inv(covariance)
    common = float(weight.sum(axis=0) @ lag[told] / weight.sum())
    apart = lag[told] - common
    if apart @ weight @ apart <= stats.chi2.isf(_APART, max(len(apart) - 1, 1)):
        return [(float(np.max(np.abs(lag) / room)), Lag(name, None, common, _NORMAL_95 / float(np.sqrt(weight.sum()))))]
    deviation = np.sqrt(np.diag(known.covariance)[-len(columns) :])
    return [
        (float(abs(lag[c]) / room[c]), Lag(name, columns[c], float(lag[c]), _NORMAL_95 * float(deviation[c])))
        for c in np.flatnonzero(sure)
    ]


def column_of(block: Block) -> str:
    """The column whose axis a block is."""
    return block.channel.rpartition(" ")[0]
