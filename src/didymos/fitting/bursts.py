"""Ramps, stops and bursts: an experiment in stretches, each of which goes to a level, and then rests or oscillates there.

Every stretch has a time of its own. A share of it is the ramp from the last level, as slow as all of it or as fast as a step; in
the rest of it a whole number of waves about the level, sines or anything from triangles to squares, or none. Slow ramps tell of
friction at low speeds, fast ones and sines of inertia and delay, squares of dry friction: where a shaft stops after a step is its
doing, and stays so until the next. The last level is where everything began.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.fitting.excitation import Moved

__all__ = ["Bursts"]

_Array = NDArray[np.float64]
_SLOWEST = 0.1  # of the speed that a target may have
_LONGER = 30.0  # times that one stretch may be longer than another
_STEP = 1e-3  # of the experiment: the least time that a ramp takes
_QUIET = 1.0 / 3.0  # of all amplitudes are none
_ROUND = 1.0 / 3.0  # of all waves are sines
_NUMBERS = 6  # of a stretch


@dataclass(frozen=True)
class Bursts:
    """`count` stretches per target over `seconds`, bursts up to a frequency [Hz]; a ramp takes a `tick` [s] at least."""

    moved: tuple[Moved, ...]
    seconds: float
    band: float
    tick: float
    count: int

    @property
    def name(self) -> str:
        """In words."""
        return f"{self.count} ramps, stops and bursts"

    @property
    def size(self) -> int:
        """Time, share, frequency, corner, amplitude, level per stretch, the size in the place of the last level, per target."""
        return len(self.moved) * _NUMBERS * self.count

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The last number of each target."""
        return _NUMBERS * self.count * np.arange(1, len(self.moved) + 1) - 1

    def stimuli(self, point: _Array, factor: float = 1.0) -> tuple[StimulusSpec, ...]:
        """A ramp and a wave per stretch; a ramp is from zero to what it adds, home stands with the first."""
        made: list[StimulusSpec] = []
        for moved, numbers in zip(self.moved, point.reshape(len(self.moved), -1), strict=True):
            one = replace(moved, speed=moved.speed * max(float(numbers[-1]), _SLOWEST))  # what follows overshoots
            times, shares, frequencies, corners, amplitudes, levels = np.split(numbers, _NUMBERS)
            times = _LONGER**times
            times *= self.seconds / times.sum()
            ends = [self._round(end) for end in np.cumsum(times).tolist()]
            size = factor * float(levels[-1])
            before, begin = 0.0, 0.0
            for i, end in enumerate(ends):
                time = end - begin
                ramp = max(float(shares[i]) ** 2 * time, self.tick, _STEP * self.seconds)
                level = size * _level(one, 2.0 * float(levels[i]) - 1.0) if i < self.count - 1 else 0.0
                most = one.speed * (self.seconds - begin - time) if i < self.count - 1 else 0.0  # it comes home in time
                level, ramp = self._reached(one, before, min(max(level, -most), most), ramp, time)
                home, there = one.home if i == 0 else 0.0, self._round(begin + ramp)
                added = one.round(level - before) if i < self.count - 1 else -before
                made.append(
                    StimulusSpec(target=one.target, kind="ramp", before=home, to=home + added, start=begin, end=there)
                )  # fmt: skip
                before += added
                loud = size * (max(float(amplitudes[i]) - _QUIET, 0.0) / (1.0 - _QUIET)) ** 2
                made.append(self._burst(one, before, there, end - there, float(frequencies[i]), float(corners[i]), loud))
                begin = end
        return tuple(made)

    def _round(self, time: float) -> float:
        """A time [s] to a ten thousandth of the experiment, so that people can read it."""
        return round(time, 4 - math.floor(math.log10(self.seconds)))

    def _reached(self, one: Moved, before: float, level: float, ramp: float, time: float) -> tuple[float, float]:
        """A level and the time of the ramp to it [s], slower or nearer where its speed asks for that."""
        ramp = min(max(ramp, abs(level - before) / one.speed), max(time, self.tick))
        way = min(max(level - before, -one.speed * ramp), one.speed * ramp)
        return before + way, ramp

    def _burst(
        self, one: Moved, level: float, start: float, time: float, frequency: float, corner: float, loud: float
    ) -> StimulusSpec:
        """Waves about a level, sines below a corner of a third, then triangles to squares; of no size where there is no time."""
        wanted = (self.band * self.seconds) ** frequency / self.seconds
        waves = max(1, round(wanted * time)) if time > 0.0 else 1
        time = max(time, self.tick)
        quarter = 0.25 * time / waves
        room = max(min(one.high - one.home - level, one.home + level - one.low), 0.0)
        amplitude = loud * room if waves / time <= self.band else 0.0
        end = self._round(start + time)
        if corner < _ROUND:
            most = one.speed * time / (2.0 * math.pi * waves)
            return StimulusSpec(
                target=one.target, kind="sine", amplitude=one.round(min(amplitude, most)), frequency=round(waves / time, 7),
                start=start, end=end,
            )  # fmt: skip
        rise = min(max(((1.0 - corner) / (1.0 - _ROUND)) ** 2 * quarter, self.tick), quarter)
        rise = min(max(rise, amplitude / one.speed), quarter)  # as square as its speed allows
        return StimulusSpec(
            target=one.target, kind="trapezoid", amplitude=one.round(min(amplitude, one.speed * rise)), rise=round(rise, 7),
            hold=round(2.0 * (quarter - rise), 7), start=start, end=end,
        )  # fmt: skip


def _level(one: Moved, share: float) -> float:
    """A level about home, as far on its side as there is room; small ones are as likely as large ones, nearly."""
    share *= abs(share)
    return share * (one.high - one.home if share > 0.0 else one.home - one.low)
