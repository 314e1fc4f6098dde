"""Samples of a recording that are not to be believed, sample by sample.

    mask = bad_samples(time, position, nature="pose")        # time [s], shape [n]; position shape [n, 3]; mask shape [n]

    not a number, a stamp that repeats the one before            always
    spike                                                        `spikes.py`
    drawn on a line, held                                        `unmeasured.py`
    leap                                                         of a pose: a position or orientation does not leap
    length                                                       of a quaternion: it is one
    either side of a gap                                         20 times the usual interval

A mask covers one neighbour each side as well. Commands (set-points, what a controller puts out) may do anything that is a number.
Where a ray of a scan saw nothing, it is no number, and nothing is wrong. A quaternion may flip its sign, which is the same
rotation: that is told, and mended by `frames.without_sign_flips`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from didymos.errors import InputError, nearest
from didymos.record.frames import without_sign_flips
from didymos.record.spikes import spikes_and_leaps
from didymos.record.unmeasured import GAP, drawn, held

__all__ = ["GAP", "Faults", "Nature", "bad_samples", "faults_of", "gaps", "usual_interval"]

_Array = NDArray[np.float64]
_Mask = NDArray[np.bool_]

Nature = Literal["measured", "pose", "quaternion", "command", "scan"]
"""What a signal is: measured, measured and unable to leap, an orientation of four columns, told by someone, rays of a scan."""

_LENGTH = 0.02  # by which a quaternion may be off one
_DUST = 1e-9  # of the largest number of a vector: a column that moves no more than this is rounding
_FEW = 8  # different values; such a signal is a switch, which may do anything
_LOOK = 1000  # samples that tell most signals from a switch


@dataclass(frozen=True, eq=False)
class Faults:
    """Which samples of a signal are wrong, and how; masks of shape [n] each. `flips` are the one kind that can be mended."""

    not_numbers: _Mask
    repeated: _Mask
    spikes: _Mask
    leaps: _Mask
    drawn: _Mask
    held: _Mask
    lengths: _Mask
    flips: _Mask

    @property
    def bad(self) -> _Mask:
        """All that cannot be mended, and one neighbour each side."""
        mask = self.not_numbers | self.repeated | self.spikes | self.leaps | self.drawn | self.held | self.lengths
        wide = mask.copy()
        wide[1:] |= mask[:-1]
        wide[:-1] |= mask[1:]
        return wide


def bad_samples(time: ArrayLike, values: ArrayLike, nature: Nature = "measured") -> _Mask:
    """Samples that are not to be believed, with one neighbour each side, and those either side of a gap; shape [n].

    Args:
        time: stamps [s], shape [n], not decreasing.
        values: a signal, shape [n], or a vector, shape [n, columns].
        nature: what it is; a quaternion has four columns, its parts in any order.
    """
    stamps, rows = np.asarray(time, np.float64), np.asarray(values, np.float64)
    mask = faults_of(stamps, rows, nature).bad
    for before in gaps(stamps):
        mask[before : before + 2] = True
    return mask


def gaps(time: _Array) -> NDArray[np.int64]:
    """The samples after which the next comes `GAP` times later than usual."""
    usual = usual_interval(time)
    return np.flatnonzero(np.diff(time) > GAP * usual) if usual > 0.0 else np.empty(0, np.int64)


def usual_interval(time: _Array) -> float:
    """The median interval [s] between samples that differ in time; zero where there are none."""
    steps = np.diff(time)
    forward = steps[steps > 0.0]
    return float(np.median(forward)) if len(forward) else 0.0


@np.errstate(over="ignore", invalid="ignore")  # numbers of a file may be anything
def faults_of(time: _Array, values: _Array, nature: Nature = "measured") -> Faults:
    """What is wrong with each sample of a signal, shape [n], or a vector, shape [n, columns]."""
    if nature not in get_args(Nature):
        raise InputError(f"{nature!r} is no nature of a signal{nearest(nature, get_args(Nature))}", option="nature")
    rows = values if values.ndim == 2 else values.reshape(-1, 1)
    if len(rows) != len(time) or (nature == "quaternion" and rows.shape[1] != 4):
        raise InputError(f"found {len(time)} stamps and values of shape {values.shape}, which do not fit")
    none = np.zeros(len(rows), bool)
    not_numbers: _Mask = none if nature == "scan" else ~np.all(np.isfinite(rows), axis=1)
    repeated = np.concatenate((none[:1], np.diff(time) <= 0.0))
    spikes, leaps, lines, hangs, lengths, flips = (none.copy() for _ in range(6))
    whole = np.flatnonzero(~not_numbers & ~repeated)
    if nature == "quaternion":
        lengths[whole] = np.abs(np.linalg.norm(rows[whole], axis=1) - 1.0) > _LENGTH
        mended = without_sign_flips(rows)
        turned = np.sum(mended[whole] * rows[whole], axis=1) < 0.0
        flips[whole[1:]] = turned[1:] != turned[:-1]
        rows = mended
    if nature not in ("command", "scan") and len(whole) > 2:
        told = rows[whole]
        new = whole[np.concatenate(([True], np.any(told[1:] != told[:-1], axis=1)))]  # samples that say something new
        if nature == "quaternion":
            new = new[~lengths[new]]
        if not _is_switch(rows[new]):
            spikes[new], leaps[new] = spikes_and_leaps(time[new], rows[new])
        hangs[whole] = held(told, time[whole])
        for column in told.T[np.ptp(told, axis=0) > _DUST * float(np.abs(told).max())]:
            lines[whole] |= drawn(time[whole], column)
    if nature not in ("pose", "quaternion"):
        leaps[:] = False
    return Faults(not_numbers, repeated, spikes, leaps, lines, hangs, lengths, flips)


def _is_switch(rows: _Array) -> bool:
    return all(len(np.unique(column[:_LOOK])) <= _FEW and len(np.unique(column)) <= _FEW for column in rows.T)
