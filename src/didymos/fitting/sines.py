"""Sums of sines: a finite Fourier series over the length T of an experiment, whose orders k are free as well.

    x(t) = x_0 + s sum_i [ a_i sin(w_i t) + b_i (cos(w_i t) - 1) ] / k_i,     w_i = 2 pi k_i / T,     sum_i a_i = 0

Position and velocity at the end are those of the begin, where both are at rest (Swevers et al., IEEE Trans. Robot. Autom. 13,
1997, for arms). The size s is at most what range and speed allow, found on a grid of 24 points in the shortest wave.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec
from didymos.fitting.excitation import Moved

__all__ = ["Sines"]

_Array = NDArray[np.float64]
_PER_WAVE = 24


@dataclass(frozen=True)
class Sines:
    """Sums of `count` sines per target, up to a frequency [Hz], over `seconds`."""

    moved: tuple[Moved, ...]
    seconds: float
    band: float
    count: int

    @property
    def name(self) -> str:
        """In words."""
        return f"sum of {self.count} sines"

    @property
    def size(self) -> int:
        """Order and two amplitudes per sine, and the size, per target."""
        return len(self.moved) * (3 * self.count + 1)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The last number of each target."""
        return (3 * self.count + 1) * np.arange(1, len(self.moved) + 1) - 1

    def stimuli(self, point: _Array, factor: float = 1.0) -> tuple[StimulusSpec, ...]:
        """`count` sines per target; the offset that brings the begin home stands with the first."""
        made: list[StimulusSpec] = []
        most = max(1.0, math.floor(self.band * self.seconds + 1e-9))
        for one, numbers in zip(self.moved, point.reshape(len(self.moved), -1), strict=True):
            first, second, third = np.split(numbers[:-1], 3)
            orders = np.clip(np.round(most**first), 1.0, most)
            a, b = 2.0 * second - 1.0, (2.0 * third - 1.0) / orders
            a = (a - a.mean()) / orders
            size = factor * float(numbers[-1]) * self._largest(one, orders, a, b)
            amplitudes = [one.round(size * math.hypot(*pair)) for pair in zip(a, b, strict=True)]
            phases = [round(math.atan2(*pair), 4) for pair in zip(b, a, strict=True)]
            begin = sum(amplitude * math.sin(phase) for amplitude, phase in zip(amplitudes, phases, strict=True))
            for i, (order, amplitude, phase) in enumerate(zip(orders.tolist(), amplitudes, phases, strict=True)):
                made.append(
                    StimulusSpec(
                        target=one.target, kind="sine", amplitude=amplitude, frequency=order / self.seconds, phase=phase,
                        offset=one.home - begin if i == 0 else 0.0,
                    )
                )  # fmt: skip
        return tuple(made)

    def _largest(self, one: Moved, orders: _Array, a: _Array, b: _Array) -> float:
        """The size at which a shape touches its range or its speed."""
        turns = 2.0 * math.pi * np.outer(np.linspace(0.0, 1.0, int(_PER_WAVE * orders.max()) + 1), orders)
        sines, cosines = np.sin(turns), np.cos(turns)
        shape = sines @ a + (cosines - 1.0) @ b
        rates = (cosines @ (a * orders) - sines @ (b * orders)) * 2.0 * math.pi / self.seconds
        parts = (
            (one.high - one.home, float(shape.max())), (one.home - one.low, float(-shape.min())),
            (one.speed, float(np.abs(rates).max())),
        )  # fmt: skip
        return min((room / way for room, way in parts if way > 0.0), default=0.0)
