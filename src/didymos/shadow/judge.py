"""From a test that is exceeded to an alarm with its likely cause, and when to look for the next one.

A crossing waits until one cause is clear, or `settle` has passed; then the likeliest causes are tried in branches of the twin
(`hypotheses.py`). Afterwards the twin is known to be wrong: its unknown accelerations are taken larger, so that it goes on
following the robot, and it is tested again after a while. As long as the twin does not fit it is the same alarm; once it has
fitted for some seconds the alarm is over, and the next one can come.

Causes are tried on the spot for a recording. Beside a running robot (`live`) they are tried in pieces between updates
(`explain_on`), so that no measurement waits for them; the alarm comes when they are through.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.shadow.alarm import Alarm, Likely
from didymos.shadow.detector import Crossing, Detector
from didymos.shadow.estimate import Frame
from didymos.shadow.feed import Stretch
from didymos.shadow.hypotheses import Branches
from didymos.shadow.observer import Observer

__all__ = ["Judge"]

_Array = NDArray[np.float64]
_SETTLE = 0.8  # [s] after a crossing in which causes are weighed on
_LEAST = 0.5  # [s] of that at least
_TRIED = 6  # causes that are tried in branches, beside the likeliest of each kind and all delays
_BEFORE = 0.1  # [s] before the thought begin from which branches run
_CROSSED = (0.02, 0.06, 0.12, 0.2)  # [s] before a crossing, at which a cause may have begun as well
_LONGEST = 1.0  # [s] of a branch
_BEYOND = 5.0  # standard deviations of nu' S^-1 nu
_LOOSE = 10.0  # unknown accelerations after an alarm, of those before
_REST = 2.0  # [s] after an alarm until it is tested again
_CLEARED = 5.0  # [s] without a crossing after which an alarm is over


@dataclass(frozen=True)
class _Search:
    """What is tried: a begin [s], states and the stretches after them, begins among these, sizes of causes with deviations."""

    since: float
    past: tuple[tuple[Any, Stretch], ...] = ()
    begins: tuple[int, ...] = ()
    sizes: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    period: float = 1.0


class Judge:
    """Raises alarms of an observer; `live` beside a running robot, where `explain_on` is called between updates."""

    def __init__(self, observer: Observer, alarms_per_hour: float, warm_up: float, *, live: bool = False) -> None:
        self.observer, self._rate, self._live = observer, alarms_per_hour, live
        self.detector = Detector(observer, alarms_per_hour, warm_up=warm_up)
        self._branches = Branches(observer)
        if live:
            _ = self._branches.branch  # to build it takes longer than a measurement may wait
        self._explaining: Generator[None, None, Alarm | None] | None = None
        self._pending: Crossing | None = None
        self._count = 0
        self._active: str | None = None  # title of the cause of the alarm that lasts
        self._rest_until = -np.inf
        self._rest = _REST
        self._quiet_since: float | None = None
        self._wild: deque[tuple[float, bool]] = deque(maxlen=400)  # when [s] an update was beyond chance

    def renewed(self, time: float) -> Judge:
        """One of the same observer, whose twin has changed at a time [s]; it goes on counting."""
        made = Judge(self.observer, self._rate, self.detector.warm_up, live=self._live)
        made._count = self._count
        made.restart(time)
        return made

    @property
    def due(self) -> bool:
        """Whether the next look may need what was seen lately."""
        return self._pending is not None

    @property
    def lasts(self) -> bool:
        """Whether what the last alarm was about goes on."""
        return self._active is not None

    def restart(self, time: float) -> None:
        """Begin anew: the robot was just found, at a time [s]."""
        self._pending, self._active, self._quiet_since = None, None, None
        self._rest_until = -np.inf
        self.observer.looseness = 1.0
        self.detector.begin(time)

    def look(self, frame: Frame, past: Sequence[tuple[Any, Stretch]]) -> Alarm | None:
        """After an update: an alarm, where one is due. `past` are states and the stretches that followed them, up to now."""
        now = frame.time
        count = len(frame.signals)
        self._wild.append((now, count > 0 and frame.nis > count + _BEYOND * math.sqrt(2.0 * count)))
        if now < self._rest_until or self._explaining is not None:
            self.detector.watch(frame)
            return None
        if self.observer.looseness != 1.0:
            self.observer.looseness = 1.0
            self.detector.begin(now)
        crossing = self.detector.look(frame)
        if self._pending is None:
            if crossing is None:
                self._calm(now)
                return None
            self._pending, self._quiet_since = crossing, None
            return None
        waited = now - self._pending.time
        if waited < _LEAST or (waited < _SETTLE and not self.detector.is_clear):
            return None
        self._explaining = self._raise(now, past)
        return None if self._live else self.finish()

    def explain_on(self) -> tuple[bool, Alarm | None]:
        """Make a piece of the search for causes, where one is under way; whether there was one, and the alarm at its end."""
        if self._explaining is None:
            return False, None
        try:
            next(self._explaining)
        except StopIteration as end:
            self._explaining = None
            return True, end.value
        return True, None

    def finish(self) -> Alarm | None:
        """The alarm whose causes are still being looked for, if there is one."""
        alarm: Alarm | None = None
        while self._explaining is not None:
            _, alarm = self.explain_on()
        return alarm

    def _calm(self, now: float) -> None:
        if self._active is None:
            return
        if self._quiet_since is None:
            self._quiet_since = now
        elif now - self._quiet_since > _CLEARED:
            self._active, self._rest = None, _REST

    def _raise(self, now: float, past: Sequence[tuple[Any, Stretch]]) -> Generator[None, None, Alarm | None]:
        """The twin is wrong from now on; the alarm comes once its causes are known."""
        crossing, self._pending = self._pending, None
        assert crossing is not None
        signals, search = self.detector.clearest(), self._search(crossing, now, past)
        self.observer.looseness = _LOOSE
        self.detector.restart()
        known, self._active = self._active, ""
        self._rest = min(2.0 * self._rest, 30.0) if known is not None else _REST
        self._rest_until = now + self._rest
        return self._explained(crossing, now, signals, search, first=known is None)

    def _explained(
        self, crossing: Crossing, now: float, signals: tuple[str, ...], search: _Search, *, first: bool
    ) -> Generator[None, None, Alarm | None]:
        since, likely = yield from self._explain(now, search)
        if self._active is not None and likely:
            self._active = f"{likely[0].cause} {likely[0].of}"
        if not first:
            return None
        self._count += 1
        return Alarm(self._count, now, since, signals, crossing.statistic, crossing.threshold, likely)

    def _onset(self, begin: float) -> float:
        """When [s] it began: the first of updates beyond chance in a row, where there are such around a begin; else the begin."""
        wild = [time for time, beyond in self._wild if beyond and time >= begin - _BEFORE]
        if not wild:
            return begin
        step = self._wild[-1][0] - self._wild[-2][0] if len(self._wild) > 1 else 0.0
        return max(begin - _BEFORE, wild[0] - step)

    def _candidates(self, gains: _Array) -> list[int]:
        """Causes to try in branches, the likeliest by L [causes] first: the first few, the first of each kind, and all delays.

        What is not linear in its size (friction that turns round, a reading of another time) may be thought less of than it is
        worth.
        """
        causes = self.observer.causes
        order = [int(c) for c in np.argsort(-gains)]
        chosen, kinds = order[:_TRIED], {causes[c].name for c in order[:_TRIED]}
        for c in order[_TRIED:]:
            if causes[c].name not in kinds or causes[c].name == "delay":
                chosen.append(c)
                kinds.add(causes[c].name)
        return chosen

    def _search(self, crossing: Crossing, now: float, past: Sequence[tuple[Any, Stretch]]) -> _Search:
        """What is to be tried, from what is known at a time [s]."""
        glr = self.observer.glr
        gains = self.detector.gains(tolerant=False)
        if gains.size == 0:
            return _Search(crossing.time)
        best = gains.argmax(axis=0)
        chosen = self._candidates(gains.max(axis=0))
        since = self._onset(glr.begins[int(best[chosen[0]])])
        sizes = {c: glr.size(int(best[c]), c, float(self.detector.inflation[c])) for c in chosen}
        period = self.observer.stepper.period * len(past[-1][1].inputs) if past else 1.0
        count = min(len(past), round(min(now - since + _BEFORE, _LONGEST + _BEFORE) / period))
        if count < 2:
            return _Search(since)
        times = [since, *(glr.begins[int(best[c])] for c in chosen[:_TRIED]), *(crossing.time - early for early in _CROSSED)]
        begins = dict.fromkeys(count - round(min(now - one, _LONGEST) / period) for one in times)
        inside = tuple(begin for begin in begins if 0 <= begin < count)
        return _Search(since, tuple(past[-count:]), inside or (0,), sizes, period)

    def _explain(self, now: float, search: _Search) -> Generator[None, None, tuple[float, tuple[Likely, ...]]]:
        """When it began, and causes with their probabilities."""
        if not search.past:
            return search.since, ()
        tried = [(c, size) for c, (size, _) in search.sizes.items()]
        stretches = [stretch for _, stretch in search.past]
        found = yield from self._branches.explain(search.past[0][0], stretches, search.begins, tried)
        gain = np.array([one.gain for one in found]) / np.maximum([self.detector.inflation[one.cause] for one in found], 1.0)
        if gain.max() < 0.5 * self.detector.threshold:
            return search.since, ()
        since = now - (len(stretches) - found[int(gain.argmax())].since) * search.period
        weight = np.exp(gain - gain.max())
        weight /= weight.sum()
        likely = []
        for one, share in sorted(zip(found, weight, strict=True), key=lambda pair: -pair[1]):
            cause = self.observer.causes[one.cause]
            likely.append(Likely(cause.name, cause.of, one.size, search.sizes[one.cause][1], cause.unit, float(share)))
        return since, tuple(likely)
