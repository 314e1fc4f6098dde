"""When to raise an alarm: four tests of the innovations, with a rate of false alarms that the user sets.

**Causes.** The Bayes factor exp(L) of a cause that began at a given time (`glr.py`) is, without any change, a martingale of mean
one: the chance that it ever exceeds 1/a is at most a (Ville). With b begins per hour and n causes, the threshold

    h = log(b n / rate)

lets at most `rate` false alarms per hour pass, whatever the readings, as far as noise and twin are as stated. Where they are not,
healthy recordings say by how much d^2 / J is larger than it should be (`inflation` of a calibration); J and d are divided by it.
Window and CUSUM have inflations of their own, larger the shorter the healthy recordings were: what was the largest in a time H is
exceeded once in a time R at log R / log H of it.

**Window.** The sum of nu' S^-1 nu over a window is chi-square distributed with as many degrees of freedom as there were readings:
what no declared cause explains is found here. **CUSUM**, g+ = max(0, g + z - k), g- likewise, over each normalised innovation z,
finds a small shift that lasts; P(g > h) <= exp(-2 k h) at a time. **Level** (`level.py`), with a calibration only, finds an
acceleration that the twin lacks and that has come to stay. Each has a tenth of the rate, shared over all looks.

A crossing is not told at once: for a moment the causes are weighed on, until one is clear or `settle` has passed.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from didymos.shadow.estimate import Frame
from didymos.shadow.observer import Observer

__all__ = ["CUSUM", "WINDOW", "Crossing", "Detector"]

_Array = NDArray[np.float64]
_WINDOWS = (0.2, 1.0)  # [s]
_DRIFT = 0.5  # k, of CUSUM
_SHARE = 0.1  # of the rate of false alarms for what no cause explains
_SELDOM = 0.01
WINDOW, CUSUM = "window", "cusum"
"""What a calibration calls these tests."""
_CLEAR = 8.0  # by which the logarithm of one cause's Bayes factor leads all others when it is clear


class Crossing:
    """A test that has exceeded its threshold: when [s], by what, over what."""

    def __init__(self, time: float, statistic: float, threshold: float, declared: bool) -> None:
        self.time, self.statistic, self.threshold, self.declared = time, statistic, threshold, declared


class Detector:
    """Looks at every update of an observer.

    Args:
        alarms_per_hour: false alarms that are borne.
        warm_up: [s] at the begin in which nothing is tested, while the state is still being found.
    """

    def __init__(self, observer: Observer, alarms_per_hour: float, *, warm_up: float = 1.0) -> None:
        self.observer, self.warm_up = observer, warm_up
        begins = 3600.0 / observer.glr.period
        self.threshold = math.log(begins * max(len(observer.causes), 1) / alarms_per_hour)
        self.inflation = np.array([observer.calibration.inflation.get(cause.title, 1.0) for cause in observer.causes])
        self.rate = _SHARE * alarms_per_hour
        normal = observer.calibration
        healthy = max(normal.healthy.get("seconds", 0.0), 10.0)
        longer = max(math.log(3600.0 / alarms_per_hour) / math.log(healthy), 1.0)  # log R / log H
        self._wilder = {name: longer * value for name, value in normal.inflation.items() if name in (WINDOW, CUSUM)}
        self._began = 0.0
        self._sums: list[deque[tuple[float, float, int]]] = [deque() for _ in _WINDOWS]
        rows = len(observer.names)
        self._high, self._low = np.zeros(rows), np.zeros(rows)
        self.energy = np.zeros(rows)  # z^2 of each error, lately
        self._seen = 0.0

    def begin(self, time: float) -> None:
        """Test nothing for the time of the warm-up, from a time [s] on."""
        self._began = self._seen = time
        self.restart()

    def watch(self, frame: Frame) -> float:
        """Take an update in without a test; the time [s] since the last one."""
        step = max(frame.time - self._seen, 1e-6)
        self._seen = frame.time
        self._collect(frame, step)
        return step

    def look(self, frame: Frame) -> Crossing | None:
        """The clearest crossing after an update, if any."""
        step = self.watch(frame)
        if frame.time - self._began < self.warm_up:
            self.restart()
            return None
        gains = self.gains()
        best = float(gains.max()) if gains.size else 0.0
        if best > self.threshold:
            return Crossing(frame.time, best, self.threshold, True)
        return self._window(frame, step) or self._cusum(frame, step) or self._level(frame)

    def gains(self, *, tolerant: bool = True) -> _Array:
        """L of every begin and cause; shape [begins, causes]. With tolerance as a fault, without as an explanation."""
        return self.observer.glr.ratios(self.inflation, tolerant=tolerant)[0]

    def lead(self) -> float:
        """By how much the best explanation leads the next one."""
        gains = self.gains(tolerant=False)
        if gains.size == 0 or gains.shape[1] < 2:
            return math.inf
        best = np.sort(gains.max(axis=0))
        return float(best[-1] - best[-2])

    @property
    def is_clear(self) -> bool:
        """Whether one cause explains what is seen and no other does."""
        return self.lead() > _CLEAR

    def _collect(self, frame: Frame, step: float) -> None:
        residual = self.observer.residual
        self.energy *= math.exp(-step / 0.5)
        if residual is None:
            return
        z = frame.innovations / frame.sigmas
        np.add.at(self.energy, residual.rows, z**2)
        rows = residual.rows
        self._high[rows] = np.maximum(0.0, self._high[rows] + z - _DRIFT)
        self._low[rows] = np.maximum(0.0, self._low[rows] - z - _DRIFT)
        for window, sums in zip(_WINDOWS, self._sums, strict=True):
            sums.append((frame.time, frame.nis, len(z)))
            while sums and sums[0][0] < frame.time - window:
                sums.popleft()

    def _forget(self) -> None:
        self._high[:], self._low[:] = 0.0, 0.0
        for sums in self._sums:
            sums.clear()

    def _window(self, frame: Frame, step: float) -> Crossing | None:
        looks = 3600.0 / step * len(_WINDOWS)
        inflation = self._wilder.get(WINDOW, 1.0)
        for total, count in self._totals():
            if total > inflation * count:
                chance, allowed = float(chi2.logsf(total / inflation, count)), math.log(self.rate / 2.0 / looks)
                if chance < allowed:
                    return Crossing(frame.time, -chance, -allowed, False)
        return None

    def _cusum(self, frame: Frame, step: float) -> Crossing | None:
        looks = 3600.0 / step * 2 * len(self._high)
        threshold = self._wilder.get(CUSUM, 1.0) * math.log(2.0 * looks / self.rate) / (2.0 * _DRIFT)
        highest = self._highest()
        return Crossing(frame.time, highest, threshold, False) if highest > threshold else None

    def _totals(self) -> list[tuple[float, int]]:
        """nu' S^-1 nu and readings of each window that has any."""
        found = [(sum(nis for _, nis, _ in sums), sum(n for *_, n in sums)) for sums in self._sums]
        return [pair for pair in found if pair[1] > 0]

    def _highest(self) -> float:
        return max(float(self._high.max(initial=0.0)), float(self._low.max(initial=0.0)))

    def wildness(self) -> dict[str, float]:
        """By how much the window and the sums of CUSUM are wilder now than they are once in a hundred looks by chance."""
        window = max((total / float(chi2.isf(_SELDOM, count)) for total, count in self._totals()), default=0.0)
        by_chance = math.log(2.0 * max(len(self._high), 1) / _SELDOM) / (2.0 * _DRIFT)
        return {WINDOW: window, CUSUM: self._highest() / by_chance}

    def _level(self, frame: Frame) -> Crossing | None:
        normal = self.observer.calibration
        found = self.observer.level.crossing(normal.level, normal.healthy.get("seconds", 0.0), self.rate)
        return None if found is None else Crossing(frame.time, *found, False)

    def clearest(self, count: int = 3) -> tuple[str, ...]:
        """The signals whose innovations are largest lately."""
        order = np.argsort(-self.energy)[:count]
        return tuple(self.observer.names[i] for i in order if self.energy[i] > 0.0)

    def restart(self) -> None:
        """Begin anew after an alarm."""
        self.observer.glr.restart()
        self._forget()
