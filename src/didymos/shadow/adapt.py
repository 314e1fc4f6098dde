"""A shadow that learns: chosen parameters of its twin are estimated anew over a sliding window, in a process of their own.

    shadow -> blocks of what the robot told -> learner (`learner.py`, `window_fit.py`) -> `Learned` -> those who listen

Beside a live robot the learner goes through one window after the other as fast as its share of a core lets it, and the shadow
never waits for it. Beside a recording the shadow waits for each answer, at times of the robot's clock, so that the same recording
gives the same numbers.

The twin takes values over where the user says so (`take`), those whose interval does not hold what it has. Then what the observer
made of the robot with the old ones is forgotten but for where it is, and alarms rest for the warm-up.
"""

from __future__ import annotations

import multiprocessing
import queue
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from didymos.errors import InputError
from didymos.shadow.chosen import chosen_parameters
from didymos.shadow.learned import Learned, LearnedValue, learned_values, save_learned
from didymos.shadow.learner import Block, Found, Job, learn

if TYPE_CHECKING:
    from didymos.shadow.alarm import Alarm
    from didymos.shadow.estimate import Frame
    from didymos.shadow.feed import Stretch
    from didymos.shadow.shadow import Shadow

__all__ = ["Adapter"]

_FOUND = 1.0  # [s] after the robot was found that are not learned from: what its parts remember is only guessed then
_BLOCK = 0.5  # [s]; readings that come later than that are not learned from
_SHARE = 0.25  # of one core
_WAITING = 120  # blocks on their way; more are dropped
_PATIENCE = 5.0  # [s] for the learner to end


class Adapter:
    """Learns parameters beside a shadow, whose audience it joins.

    Args:
        shadow: before it runs.
        paths: of parameters, patterns whose parameters have one value, or titles of causes (`friction of JOINT`): `chosen.py`.
        take: whether the twin takes over what was learned; or of which of the paths.
        window: [s] of the robot's clock.
        every: [s] between windows of a recording; half a window by default. Beside a live robot it is as often as `share` lets.
        save: a file of values, written anew with each window that showed something.
        share: of one core that the learner may take beside a live robot.
    """

    def __init__(
        self, shadow: Shadow, paths: Sequence[str], *, take: bool | Collection[str] = False, window: float = 10.0,
        every: float | None = None, save: Path | None = None, share: float = _SHARE,
    ) -> None:  # fmt: skip
        if not 1.0 <= window <= 600.0:
            raise InputError(f"found {window:g} s, expected a window of 1 to 600 s", option="window")
        if not 0.0 < share <= 1.0:
            raise InputError(f"found {share:g}, expected a share of one core: above 0, at most 1", option="share")
        observer = shadow.observer
        described = shadow.twin.for_scenario(shadow.scenario)
        self.chosen = chosen_parameters(described, paths)
        self.learned: list[Learned] = []
        self.latest: dict[str, tuple[float, LearnedValue]] = {}
        """Time and value of each that is known, by name."""
        self._shadow, self._save = shadow, save
        self._taken = frozenset(paths if take is True else take or ())
        self._has = {one.name: one.base for one in self.chosen}  # numbers that the twin has
        self._blocks = max(1, round(window / _BLOCK))
        self._every = max(1, round((0.5 * window if every is None else every) / _BLOCK))
        self._waits = not shadow.source.live
        context = multiprocessing.get_context("spawn")
        self._inbox, self._outbox = context.Queue(_WAITING), context.Queue()
        job = Job(
            shadow.twin, observer.stepper.signals, shadow.scenario, observer.calibration, self.chosen, self._blocks,
            1.0 if self._waits else share, self._waits,
        )  # fmt: skip
        self._process: Any = context.Process(target=learn, args=(job, self._inbox, self._outbox), daemon=True)
        self._process.start()
        self._clock: float | None = None
        self._begin = 0.0  # [s] of the robot's clock
        self._gap, self._sent = True, 0  # blocks since the last gap
        self._closed: Block | None = None
        self._open: tuple[float, Any, list[Stretch]] | None = None
        shadow.listen(self)

    def frame(self, frame: Frame, shadow: Shadow) -> None:
        """Keep what was told, hand it over block by block, and hear what was learned."""
        saved, stretch = shadow.last_step.saved, shadow.last_step.stretch
        if shadow.observer.clock != self._clock:  # the robot was found, or found anew
            self._clock, self._gap, self._open, self._closed = shadow.observer.clock, True, None, None
            self._begin = frame.time + _FOUND
        if frame.time < self._begin:
            return
        if self._open is None:
            self._open = frame.time - len(stretch.inputs) * shadow.observer.stepper.period, saved, []
        since, first, stretches = self._open
        stretches.append(stretch)
        if frame.time - since >= _BLOCK - 1e-9:
            self._open = None
            if self._closed is not None:
                self._send(self._closed)
            self._closed = Block(since, frame.time, first, stretches, first=False, fit=False)
            if not self._waits:
                self._hear()

    def alarm(self, alarm: Alarm) -> None:
        """Nothing: what is wrong shows in what is learned."""

    def notice(self, text: str) -> None:
        """Nothing."""

    def close(self) -> None:
        """End the learner; what it is at is lost."""
        if self._process is None:
            return
        try:
            self._inbox.put_nowait(None)
        except queue.Full:
            self._process.terminate()
        self._process.join(_PATIENCE)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join()
        self._inbox.cancel_join_thread()
        self._process = None
        if not self.learned:
            self._shadow.tell(f"nothing was learned: no window of {self._blocks * _BLOCK:g} s was complete and gone through yet")

    def _send(self, block: Block) -> None:
        if self._process is None:
            return
        if not self._process.is_alive():
            self._shadow.tell("the process that learns parameters has ended; nothing is learned from now on")
            self._process = None
            return
        self._sent = 1 if self._gap else self._sent + 1
        fit = self._waits and self._sent >= self._blocks and (self._sent - self._blocks) % self._every == 0
        try:
            self._inbox.put_nowait(replace(block, first=self._gap, fit=fit))
        except queue.Full:
            self._gap = True
            return
        self._gap = False
        if fit:
            self._hear(wait=True)

    def _hear(self, *, wait: bool = False) -> None:
        """What was learned since the last time."""
        while self._process is not None:
            try:
                found: Found = self._outbox.get(wait, 1.0 if wait else None)
            except queue.Empty:
                if wait and self._process.is_alive():
                    continue
                return
            wait = False
            self._tell(found)

    def _tell(self, found: Found) -> None:
        if found.fit is None:
            self._shadow.tell(f"nothing was learned from {found.since:.1f} to {found.until:.1f} s: {found.problem}")
            return
        parameters = learned_values(self.chosen, found.fit)
        parameters = tuple(replace(one, taken=self._is_taken(one)) for one in parameters)
        taken = [one for one in parameters if one.taken]
        if taken:
            self._shadow.set({path: value for one in taken for path, value in one.values.items()})
            self._has |= {one.name: one.value for one in taken}
        learned = Learned(found.until, found.since, parameters, found.fit.nis, found.fit.settled)
        self.learned.append(learned)
        self.latest |= {one.name: (found.until, one) for one in parameters if one.known}
        if self._save is not None and self.latest:
            save_learned(self._save, self._shadow.twin.name, self.latest)
        self._shadow.tell_learned(learned)

    def _is_taken(self, one: LearnedValue) -> bool:
        low, high = one.interval
        return one.known and one.name in self._taken and not low <= self._has[one.name] <= high
