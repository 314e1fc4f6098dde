"""The process that learns: it gets what the robot told in blocks, fits windows of them, and hands back what it found.

Beside a live robot it is nice, and sleeps so that it takes no more than a share of one core. It ends when it is told to, or when
whoever started it is gone, killed or not; an interrupt from the keyboard is left to the other.
"""

from __future__ import annotations

import os
import queue
import signal
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from didymos.errors import DidymosError
from didymos.shadow.feed import Stretch
from didymos.shadow.observer import Observer
from didymos.shadow.window_fit import WindowFit, WindowFitter

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.shadow.calibration import Calibration
    from didymos.shadow.causes import Cause
    from didymos.shadow.chosen import Chosen

__all__ = ["Block", "Found", "Job", "learn"]

_NICE = 10
_WAIT = 0.5  # [s] between two looks whether the other is still there
_NAP = 0.005  # [s] of sleep at least


@dataclass(frozen=True)
class Job:
    """What is learned: parameters of a twin that reads signals, from windows of so many blocks, with a share of a core.

    `asked` is whether windows are fitted when that is asked for, and not by themselves.
    """

    twin: Twin
    signals: tuple[str, ...]
    scenario: str | None
    calibration: Calibration
    chosen: tuple[Chosen, ...]
    blocks: int
    share: float
    asked: bool


@dataclass(frozen=True)
class Block:
    """Stretches that follow a state that an observer saved, from a time to another [s]; `first` of a row without a gap."""

    since: float
    until: float
    saved: Any
    stretches: Sequence[Stretch]
    first: bool
    fit: bool


@dataclass(frozen=True)
class Found:
    """A window that was fitted, from a time to another [s]; or why it could not be."""

    since: float
    until: float
    fit: WindowFit | None
    problem: str = ""


class _Gone(Exception):
    """Nobody waits for an answer any more."""


class _Learner:
    def __init__(self, job: Job, inbox: Any, outbox: Any) -> None:
        self._job, self._inbox, self._outbox = job, inbox, outbox
        self._parent = os.getppid()
        self._window: deque[Block] = deque(maxlen=job.blocks)
        self._fitted = -np.inf  # the end [s] of the last window
        self._asked = False

    def run(self) -> None:
        job = self._job

        def observer(causes: Sequence[Cause]) -> Observer:
            return Observer(job.twin, job.signals, scenario=job.scenario, calibration=job.calibration, causes=causes)

        fitter = WindowFitter(job.chosen, observer)
        while True:
            self._drain(_WAIT)
            whole = len(self._window) == job.blocks and self._window[-1].until > self._fitted
            if self._asked or (whole and not job.asked):
                self._asked = False
                self._fit(fitter)

    def _fit(self, fitter: WindowFitter) -> None:
        blocks = list(self._window)
        self._begun, self._spent = time.monotonic(), time.process_time()
        stretches = [stretch for block in blocks for stretch in block.stretches]
        since, self._fitted = blocks[0].since, blocks[-1].until
        try:
            found = Found(since, self._fitted, fitter.fit(blocks[0].saved, stretches, self._pause))
        except (DidymosError, np.linalg.LinAlgError) as error:
            fitter.theta = np.zeros_like(fitter.theta)
            found = Found(since, self._fitted, None, str(error))
        self._outbox.put(found)

    def _pause(self) -> None:
        """Take in what came, and sleep where more than the share was taken."""
        self._drain(0.0)
        spent, passed = time.process_time() - self._spent, time.monotonic() - self._begun
        owed = spent / self._job.share - passed
        if owed > _NAP:
            time.sleep(owed)

    def _drain(self, wait: float) -> None:
        if os.getppid() != self._parent:
            raise _Gone
        try:
            while True:
                block = self._inbox.get(wait > 0.0, wait or None)
                if block is None:
                    raise _Gone
                if block.first:
                    self._window.clear()
                self._window.append(block)
                self._asked |= block.fit
                wait = 0.0
        except queue.Empty:
            return


def learn(job: Job, inbox: Any, outbox: Any) -> None:
    """The process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if not job.asked:
        os.nice(_NICE)
    try:
        _Learner(job, inbox, outbox).run()
    except _Gone:
        outbox.cancel_join_thread()
