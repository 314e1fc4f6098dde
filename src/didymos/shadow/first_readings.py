"""The first readings of a robot, by which it is found: enough of them, then where it is and a feed that goes on from there.

Beside a running robot the newest readings count, and stretches end where the sensor reads that is heard most often, of several
the one that is heard soonest: an update need not wait for the stretch after it to be known as whole. Of a recording the first
readings count, so that none of it is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from didymos.shadow.feed import Feed
from didymos.shadow.observer import Observer
from didymos.shadow.source import Arrival
from didymos.shadow.start import find_start

__all__ = ["FirstReadings"]

_Array = NDArray[np.float64]
_ENOUGH = 0.3  # [s] of readings by which the robot is found
_AS_OFTEN = 0.75  # share of the most readings of a channel from which on one is heard as often


class FirstReadings:
    """Collects until there is enough.

    Args:
        live: whether the robot goes on meanwhile.
        apart: [s] that a stamp goes back by at least where it is of another clock.
    """

    def __init__(self, *, live: bool, apart: float) -> None:
        self._live, self._apart = live, apart
        self._kept: list[Arrival] = []

    def __bool__(self) -> bool:
        return bool(self._kept)

    def clear(self) -> None:
        """Forget them."""
        self._kept.clear()

    def put(self, arrival: Arrival) -> bool:
        """Take what came; whether it is enough."""
        if self._kept and arrival.stamp < self._kept[0].stamp - self._apart:
            self._kept.clear()
        self._kept.append(arrival)
        return arrival.stamp - self._kept[0].stamp >= _ENOUGH

    def find(self, observer: Observer, ticks: int) -> Feed | None:
        """Put the twin where the robot is; stretches of so many ticks from there on. None where no reading says where."""
        stepper, kept = observer.stepper, list(self._kept)
        self._kept.clear()
        clock = self._end_of_stretch(observer, kept) if self._live else _on_grid(kept[0].stamp, ticks * stepper.period)
        feed = Feed(observer.channels, stepper.inputs, stepper.period, ticks, clock)
        for arrival in kept:
            feed.put(arrival.stamp, arrival.values)
        readings, inputs = self._of_each(observer, kept)
        if not readings:
            return None
        row = np.array([inputs.get(f"inputs.{name}", 0.0) for name in stepper.inputs])
        find_start(observer, readings, row)
        observer.clock = feed.clock - stepper.tick * stepper.period
        observer.inputs = row
        return feed

    def _end_of_stretch(self, observer: Observer, kept: Sequence[Arrival]) -> float:
        """The robot's clock [s] with the newest reading of the sensor that is heard most often, and soonest of these."""
        stamps: dict[int, list[float]] = {}
        delay: dict[int, float] = {}
        for arrival in kept:
            for number in _whole(observer, arrival.values):
                stamps.setdefault(number, []).append(arrival.stamp)
                delay[number] = min(delay.get(number, np.inf), arrival.received - arrival.stamp)
        if not stamps:
            return kept[-1].stamp
        most = max(map(len, stamps.values()))
        number = min((i for i in stamps if len(stamps[i]) >= _AS_OFTEN * most), key=lambda i: delay[i])
        channel = observer.channels[number]
        return max(stamps[number]) + channel.lead + (0.0 if channel.sensed else observer.stepper.period)

    def _of_each(self, observer: Observer, kept: Sequence[Arrival]) -> tuple[dict[int, _Array], dict[str, float]]:
        """One reading of each channel, by its number, and one value of each input, by its signal.

        Accelerations that are told with the first stamp are left out: they are of a step before the recording.
        """
        readings: dict[int, _Array] = {}
        inputs: dict[str, float] = {}
        for arrival in kept:
            values = arrival.values
            for number in _whole(observer, values):
                before = observer.channels[number].lead > 0.0 and arrival.stamp <= kept[0].stamp
                if self._live or (number not in readings and not before):
                    readings[number] = np.array([values[signal] for signal in observer.channels[number].signals])
            for name, value in values.items():
                if name.startswith("inputs.") and (self._live or name not in inputs):
                    inputs[name] = value
        return readings, inputs


def _on_grid(stamp: float, grid: float) -> float:
    """The last time [s] from zero on that is a multiple of a grid [s]."""
    return float(np.floor(max(stamp, 0.0) / grid) * grid)


def _whole(observer: Observer, values: Mapping[str, float]) -> Iterator[int]:
    """Numbers of the channels of which an arrival has all signals."""
    for number, channel in enumerate(observer.channels):
        if all(signal in values for signal in channel.signals):
            yield number
