"""The first readings of a robot, by which it is found: enough of them, then where it is and a feed that goes on from there.

Beside a running robot the newest readings count and stretches begin with them; of a recording the first ones do, so that none of
it is passed over.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from didymos.shadow.feed import Feed
from didymos.shadow.observer import Observer
from didymos.shadow.source import Arrival
from didymos.shadow.start import find_start

__all__ = ["FirstReadings"]

_Array = NDArray[np.float64]
_ENOUGH = 0.3  # [s] of readings by which the robot is found


class FirstReadings:
    """Collects until there is enough.

    Args:
        live: whether the robot goes on meanwhile.
        apart: [s] that a stamp goes back by at least where it is of another clock.
    """

    def __init__(self, *, live: bool, apart: float) -> None:
        self._live, self._apart = live, apart
        self._kept: list[tuple[float, Mapping[str, float]]] = []

    def __bool__(self) -> bool:
        return bool(self._kept)

    def clear(self) -> None:
        """Forget them."""
        self._kept.clear()

    def put(self, arrival: Arrival) -> bool:
        """Take what came; whether it is enough."""
        if self._kept and arrival.stamp < self._kept[0][0] - self._apart:
            self._kept.clear()
        self._kept.append((arrival.stamp, arrival.values))
        return arrival.stamp - self._kept[0][0] >= _ENOUGH

    def find(self, observer: Observer, ticks: int) -> Feed | None:
        """Put the twin where the robot is; stretches of so many ticks from there on. None where no reading says where."""
        stepper, kept = observer.stepper, list(self._kept)
        self._kept.clear()
        grid = ticks * stepper.period
        begin = kept[-1][0] if self._live else max(kept[0][0], 0.0)
        feed = Feed(observer.channels, stepper.inputs, stepper.period, ticks, float(np.floor(begin / grid) * grid))
        for stamp, values in kept:
            feed.put(stamp, values)
        readings, inputs = self._of_each(observer, kept)
        if not readings:
            return None
        row = np.array([inputs.get(f"inputs.{name}", 0.0) for name in stepper.inputs])
        find_start(observer, readings, row)
        observer.clock = feed.clock - stepper.tick * stepper.period
        observer.inputs = row
        return feed

    def _of_each(
        self, observer: Observer, kept: list[tuple[float, Mapping[str, float]]]
    ) -> tuple[dict[int, _Array], dict[str, float]]:
        """One reading of each channel, by its number, and one value of each input, by its signal."""
        readings: dict[int, _Array] = {}
        inputs: dict[str, float] = {}
        for _, values in kept:
            for number, channel in enumerate(observer.channels):
                if all(signal in values for signal in channel.signals) and (self._live or number not in readings):
                    readings[number] = np.array([values[signal] for signal in channel.signals])
            for name, value in values.items():
                if name.startswith("inputs.") and (self._live or name not in inputs):
                    inputs[name] = value
        return readings, inputs
