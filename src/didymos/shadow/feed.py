"""From what comes of the robot to what the observer takes: stretches of ticks with their inputs and readings.

Time is cut into stretches of equal length on the twin's own clock. Inputs are sampled at its ticks (`input_samples.py`). A
reading belongs to the tick of its stamp; of several of a channel within a stretch the last one counts. A sensor's reading at the
begin of a stretch belongs to the one before, which ends there; what hangs on the inputs of its tick belongs to that one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from didymos.shadow.channels import Channel
from didymos.shadow.input_samples import InputSamples
from didymos.shadow.observer import Reading

__all__ = ["Feed", "Late", "Stretch"]

_Array = NDArray[np.float64]
Late = tuple[int, int, int, _Array]
"""Stretch, tick in it, number of the channel and values of a reading that came after its stretch."""


@dataclass(frozen=True)
class Stretch:
    """Ticks that the observer takes at once: inputs [ticks, inputs], how far off they may be (None: all are known), readings."""

    inputs: _Array
    doubt: _Array | None
    readings: list[Reading]


@dataclass(frozen=True)
class _Plan:
    """What an arrival of some names holds: inputs that come together, their places, and whole channels."""

    samples: InputSamples | None
    names: tuple[str, ...]
    channels: tuple[tuple[int, tuple[str, ...]], ...]


class Feed:
    """Collects arrivals, hands out stretches.

    Args:
        channels: of the observer.
        inputs: names of the twin's inputs.
        period: [s] of a tick.
        ticks: of a stretch.
        clock: the robot's clock [s] at tick 0.

    Attributes:
        done: stretches that were handed out.
        received: our clock [s] when the last arrival came.
        latest: stamp [s] of the latest arrival.
    """

    def __init__(self, channels: Sequence[Channel], inputs: Sequence[str], period: float, ticks: int, clock: float) -> None:
        self.channels, self.period, self.ticks, self.clock = channels, period, ticks, clock
        self._inputs = {f"inputs.{name}": i for i, name in enumerate(inputs)}
        self._of = {signal: i for i, channel in enumerate(channels) for signal in channel.signals}
        self._samples: dict[tuple[str, ...], tuple[InputSamples, NDArray[np.int64]]] = {}
        self._plans: dict[tuple[str, ...], _Plan] = {}
        self._readings: dict[int, dict[int, tuple[int, _Array]]] = {}  # stretch -> channel -> tick, values
        self._fullest = -1  # the newest stretch that has a reading
        self.done = 0
        self.received, self.latest = 0.0, -np.inf

    def put(self, stamp: float, values: Mapping[str, float]) -> list[Late]:
        """What came with a stamp [s] of the robot's clock; readings whose stretch has passed are handed back."""
        plan = self._plan(tuple(values))
        if plan.samples is not None:
            plan.samples.add(stamp, np.array([values[name] for name in plan.names], dtype=np.float64))
        late: list[Late] = []
        for number, signals in plan.channels:
            found = np.array([values[signal] for signal in signals], dtype=np.float64)
            if not np.isfinite(found).all():
                continue
            channel = self.channels[number]
            tick = round((stamp - self.clock + channel.lead) / self.period)
            stretch = (tick - 1) // self.ticks if channel.sensed else tick // self.ticks
            if stretch >= self.done:
                self._readings.setdefault(stretch, {})[number] = (tick - stretch * self.ticks, found)
                self._fullest = max(self._fullest, stretch)
            elif stretch >= 0:
                late.append((stretch, tick - stretch * self.ticks, number, found))
        self.latest = max(self.latest, stamp)
        return late

    def _plan(self, names: tuple[str, ...]) -> _Plan:
        plan = self._plans.get(names)
        if plan is None:
            inputs = tuple(name for name in names if name in self._inputs)
            if inputs and inputs not in self._samples:
                places = np.array([self._inputs[name] for name in inputs], dtype=np.int64)
                self._samples[inputs] = InputSamples(inputs, self.period), places
            numbers = dict.fromkeys(self._of[name] for name in names if name in self._of)
            whole = tuple((i, self.channels[i].signals) for i in numbers if set(self.channels[i].signals) <= set(names))
            plan = self._plans[names] = _Plan(self._samples[inputs][0] if inputs else None, inputs, whole)
        return plan

    @property
    def begin(self) -> float:
        """The robot's clock [s] at which the next stretch begins."""
        return self.clock + self.done * self.ticks * self.period

    @property
    def end(self) -> float:
        """The robot's clock [s] at which the next stretch ends."""
        return self.begin + self.ticks * self.period

    def complete(self, now: float) -> float:
        """Up to when [s] of the robot's clock stretches may be taken, at a time `now` [s] of ours that has waited a little.

        A stretch is complete with a reading of its last tick, for which others of the same time were waited a moment, or with
        one of a later stretch.
        """
        whole = self.waits and self.received <= now
        return self.clock + (self._fullest + (1 if whole else 0)) * self.ticks * self.period

    @property
    def waits(self) -> bool:
        """Whether the newest stretch has a reading of its last tick, and may be taken in a moment."""
        last = self._readings.get(self._fullest, {})
        return any(tick >= self.ticks - (0 if self.channels[number].sensed else 1) for number, (tick, _) in last.items())

    def ready(self, until: float) -> Iterator[Stretch]:
        """Stretches that end by a time [s] of the robot's clock, in order."""
        while self.end <= until + 1e-9:
            found = self._readings.pop(self.done, {})
            readings = [(tick, number, values) for number, (tick, values) in sorted(found.items())]
            made = Stretch(*self._sampled(), readings)
            self.done += 1
            yield made

    def _sampled(self) -> tuple[_Array, _Array | None]:
        """Inputs at the ticks of the next stretch and how far off they may be, None where all are known; [ticks, inputs] each."""
        first = self.done * self.ticks
        times: _Array = self.clock + (first + np.arange(self.ticks, dtype=np.float64)) * self.period
        found, doubt, guessed = np.zeros((self.ticks, len(self._inputs))), np.zeros((self.ticks, len(self._inputs))), False
        for samples, places in self._samples.values():
            values, off = samples.at(times, first)
            found[:, places] = values
            if off is not None:
                doubt[:, places], guessed = off, True
        return found, doubt if guessed else None
