"""Whether a twin explains recordings down to the noise of their sensors.

The residual of n samples over the noise, sum e^2 / s^2, is chi-square of n if the twin is right and the noise is white. What is
beyond that by one in a million is told, with the stretch of time where it is worst. That alone makes no interval wrong: they are
made for errors as they are, slow ones too. But they are those of a straight line through the optimum, and worth nothing if the
twin does something else altogether: where a whole run is off by more than a fifth of the motion itself, the twin is refuted, and
intervals are withheld. The fifth is chosen, not derived.
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
        return f"{name}: {self.signal} is off by {self.ratio:.3g} times its noise, {where}: something is missing in the twin"


def misfits(evaluations: Sequence[Evaluation], *, whole: bool) -> tuple[Misfit, ...]:
    """What a fit leaves beyond the noise, the worst first; only of `whole` runs, not of windows, can it refute the twin.

    Windows begin at a measured state, whose noise grows along them, so that nothing is said of them here.
    """
    found = []
    for item in evaluations if whole else ():
        channel = item.channel
        size = channel_noise(channel)
        if channel.column.weight == 0.0 or item.held_out or size == 0.0:
            continue
        errors = channel_error(channel, item.measured, item.after)
        squares = np.einsum("ij,ij->i", errors, errors)
        count = errors.size
        if float(squares.sum()) / size**2 <= float(stats.chi2.isf(_UNLIKELY, count)):
            continue
        spread = float(np.sqrt(np.var(item.measured, axis=0).sum())) * (2.0 if channel.is_orientation else 1.0)
        error = float(np.sqrt(squares.mean()))
        begin, end = _worst(item.time, squares)
        share = error / spread if spread > 0.0 else math.inf
        ratio = math.sqrt(float(squares.sum()) / count) / size
        found.append(Misfit(item.name, channel.column.signal, ratio, share, begin, end, share > _REFUTED))
    return tuple(sorted(found, key=lambda misfit: (not misfit.refuted, -misfit.ratio)))


def _worst(time: _Array, squares: _Array) -> tuple[float, float]:
    """Between which times [s] a stretch of samples has the largest errors."""
    length = max(2, round(_STRETCH * len(squares)))
    sums = np.convolve(squares, np.ones(length), mode="valid")
    first = int(np.argmax(sums))
    return float(time[first]), float(time[min(first + length, len(time)) - 1])
