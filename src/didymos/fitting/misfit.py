"""Whether a twin explains recordings down to the noise of their sensors.

The residual of n samples over the noise, sum e^2 / s^2, is chi-square of n if the twin is right and the noise is white. What is
beyond that by one in a million is told, with the stretch of time where it is worst. That alone makes no interval wrong: they are
made for errors as they are, slow ones too. But they are those of a straight line through the optimum, and worth nothing if the
twin does something else altogether: where a whole run is off by more than a fifth of the motion itself,

    sum e^2 / s^2  >  0.2^2 sum (y - mean y)^2 / s^2        over all channels y of a recording, in units of their noise

the twin is refuted by the channels that are off by as much, and intervals are withheld. A channel that hardly moves, as the
height of a robot that holds it, cannot refute a twin that explains those that do. The fifth is chosen, not derived.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from didymos.fitting.evaluation import Evaluation
from didymos.fitting.noise import channel_noise
from didymos.fitting.signals import channel_error

__all__ = ["Misfit", "misfits"]

_Array = NDArray[np.float64]
_UNLIKELY = 1e-6
_REFUTED = 0.2  # of the motion itself
_STRETCH = 0.05  # of a recording: how long the worst stretch is that is told


@dataclass(frozen=True)
class Misfit:
    """A channel that a twin does not explain down to its noise.

    `ratio` is the error over the noise, `share` the error over the spread of what was recorded, `begin` and `end` [s] where it is
    worst. `refuted`: the twin does something else.
    """

    recording: str
    signal: str
    ratio: float
    share: float
    begin: float
    end: float
    refuted: bool

    @property
    def text(self) -> str:
        """One sentence."""
        name = Path(self.recording).name
        where = f"worst from t = {self.begin:.4g} to {self.end:.4g} s"
        if self.refuted:
            off = f"{self.signal} is off by {self.ratio:.3g} times its noise and {100 * self.share:.0f} % of its motion"
            return f"the twin does not explain {name}: {off}, {where}; the values are not to be trusted, and have no intervals"
        off = f"{name}: {self.signal} is off by {self.ratio:.3g} times its noise, {where}"
        return f"{off}: something is missing in the twin, or a better valley; intervals do not know that"


@dataclass(frozen=True, eq=False)
class _Judged:
    """A channel with the squares of its errors at each stamp, how many numbers they are, its motion's squares and its noise."""

    item: Evaluation
    squares: _Array  # [n]
    count: int
    motion: float
    noise: float

    @classmethod
    def of(cls, item: Evaluation) -> _Judged:
        errors = channel_error(item.channel, item.measured, item.after)
        factor = 4.0 if item.channel.is_orientation else 1.0  # an angle is twice what a quaternion's parts move by
        motion = factor * len(item.time) * float(np.var(item.measured, axis=0).sum())
        return cls(item, np.einsum("ij,ij->i", errors, errors), errors.size, motion, channel_noise(item.channel))


def misfits(evaluations: Sequence[Evaluation], *, whole: bool) -> tuple[Misfit, ...]:
    """What a fit leaves beyond the noise, the worst first; only of `whole` runs, not of windows, can it refute the twin.

    Windows begin at a measured state, whose noise grows along them, so that nothing is said of them here.
    """
    judged = [_Judged.of(item) for item in evaluations if whole and item.channel.column.weight > 0.0 and not item.held_out]
    shares = {}
    for name in dict.fromkeys(one.item.name for one in judged):
        parts = [one for one in judged if one.item.name == name and one.noise > 0.0]
        motion = sum(one.motion / one.noise**2 for one in parts)
        shares[name] = math.sqrt(sum(one.squares.sum() / one.noise**2 for one in parts) / motion) if motion > 0.0 else math.inf
    found = []
    for one in judged:
        item, count, total = one.item, one.count, float(one.squares.sum())
        if one.noise == 0.0 or total / one.noise**2 <= float(stats.chi2.isf(_UNLIKELY, count)):
            continue
        begin, end = _worst(item.time, one.squares)
        share = math.sqrt(total / one.motion) if one.motion > 0.0 else math.inf
        ratio = math.sqrt(total / count) / one.noise
        refuted = min(share, shares[item.name]) > _REFUTED
        found.append(Misfit(item.name, item.channel.column.signal, ratio, share, begin, end, refuted))
    return tuple(sorted(found, key=lambda misfit: (not misfit.refuted, -misfit.ratio)))


def _worst(time: _Array, squares: _Array) -> tuple[float, float]:
    """Between which times [s] a stretch of samples has the largest errors."""
    length = max(2, round(_STRETCH * len(squares)))
    sums = np.convolve(squares, np.ones(length), mode="valid")
    first = int(np.argmax(sums))
    return float(time[first]), float(time[min(first + length, len(time)) - 1])
