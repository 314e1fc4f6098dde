"""Level test: an acceleration that the twin lacks, another one than a moment ago, and for good.

What a filter adds to velocities, K nu, is what the robot was accelerated by beyond what its twin knows of. Over some seconds

    a(t) = 1/T sum K nu,     c(t) = a(t) - a(t - T)

is the mean of that and how far it has moved. A robot that flies with a battery or markers of its own has an a of its own, from
begin to end; manoeuvres that the twin has not quite right come and go within T; both leave c small. A motor that becomes weak
does not. White or coloured, c of healthy recordings says how much is normal: the largest of n independent values of a normal
distribution of standard deviation s is about s sqrt(2 log n), so what was the largest, m, in a time H of healthy recordings is
exceeded once in a time R by chance at

    h = m sqrt(log(R / T) / log(H / T))

Without a calibration nothing is tested. T is chosen (from eight recorded flights): longer than manoeuvres, and much longer than
the filter needs to follow. It finds what begins and stays; what comes at once is for the other tests (`detector.py`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["LevelTest"]

_Array = NDArray[np.float64]
_WINDOW = 3.0  # T [s]
_FOUND = 1.0  # [s] at the begin in which the state is still being found
_LEAST = 3.0  # R / T and H / T at least


class LevelTest:
    """Of every degree of freedom of a filter.

    Attributes:
        change: c, [m/s^2 or rad/s^2], shape [nv]; zeros until there is enough of it.
    """

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = tuple(kinds)
        self.change = np.zeros(len(self._kinds))
        self.restart()

    def restart(self) -> None:
        """The robot is found anew."""
        self._past: deque[tuple[float, _Array]] = deque()  # end of an update [s], sum of what was added until then
        self._sum = np.zeros(len(self._kinds))
        self._began: float | None = None
        self.change[:] = 0.0

    def add(self, time: float, added: _Array) -> None:
        """What an update that ends at a time [s] has added to the velocities [nv]."""
        self._began = time if self._began is None else self._began
        if time - self._began < _FOUND:
            return
        self._sum = self._sum + added
        self._past.append((time, self._sum))
        while self._past[0][0] < time - 2.0 * _WINDOW - 1e-9:
            self._past.popleft()
        if time - self._past[0][0] > 2.0 * _WINDOW - 0.1:
            middle = self._past[len(self._past) // 2]
            before = (middle[1] - self._past[0][1]) / (middle[0] - self._past[0][0])
            self.change = (self._sum - middle[1]) / (time - middle[0]) - before

    def largest(self) -> dict[str, float]:
        """|c| of each degree of freedom, by kind and number: `linear 2`."""
        return {f"{kind} {dof}": abs(float(self.change[dof])) for dof, kind in enumerate(self._kinds)}

    def crossing(self, normal: Mapping[str, float], seconds: float, rate: float) -> tuple[float, float] | None:
        """|c| and h where it exceeds that most, if anywhere; `normal` is m by name in so many seconds, `rate` per hour."""
        seen = max(seconds / _WINDOW, _LEAST)
        borne = max(3600.0 / rate / _WINDOW, _LEAST)
        margin = math.sqrt(max(math.log(borne) / math.log(seen), 1.0))
        found = [(value, margin * normal[name]) for name, value in self.largest().items() if normal.get(name, 0.0) > 0.0]
        beyond = [pair for pair in found if pair[0] > pair[1]]
        return max(beyond, key=lambda pair: pair[0] / pair[1], default=None)
