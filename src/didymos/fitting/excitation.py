"""Excitations: a few numbers of the unit cube in, stimuli out that move set-points or inputs and end where they began.

A family (`sines.py`, `bursts.py`) turns any numbers into an excitation within the range and the speed of what it moves; how large
it is, up to them, is among the numbers. What else it may not exceed, signals of the robot, is seen in a run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from didymos.control.stimulus import StimulusSpec, evaluate

__all__ = ["Family", "Moved", "values_of"]

_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Moved:
    """A set-point or input that is moved: from `home`, between `low` and `high`, at most so fast; in units of the target."""

    target: str
    unit: str
    home: float
    low: float
    high: float
    speed: float = math.inf  # [1/s]

    def from_home(self) -> Moved:
        """The same, counted from home."""
        return replace(self, home=0.0, low=self.low - self.home, high=self.high - self.home)

    def round(self, value: float) -> float:
        """A value to a ten thousandth of the range, so that people can read it."""
        return round(value, 4 - math.floor(math.log10(self.high - self.low)))


class Family(Protocol):
    """Excitations of one kind, of one experiment."""

    @property
    def name(self) -> str:
        """What they are."""

    @property
    def size(self) -> int:
        """How many numbers one is made of."""

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Which of the numbers say how large it is, one for each target: 1 is as large as range and speed allow."""

    def stimuli(self, point: _Array, factor: float = 1.0) -> tuple[StimulusSpec, ...]:
        """The stimuli of numbers, shape [size], each from 0 to 1; as many for any numbers, of the same targets in the same order.

        A `factor` below 1 makes it so much smaller.
        """


def values_of(stimuli: Sequence[StimulusSpec], target: str, times: _Array) -> _Array:
    """What the stimuli of a target add up to at some times [s], shape [n]."""
    none, records = np.zeros((1, 2)), [stimulus.record() for stimulus in stimuli if stimulus.target == target]
    return np.array([sum(float(evaluate(record, none, t)) for record in records) for t in times])
