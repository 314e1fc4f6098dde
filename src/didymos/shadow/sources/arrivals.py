"""Arrivals of a live source on their way: heard by one thread, taken by this or another, and what there is to say about the line.

A line is silent once nothing has come for `SILENCE`; that is said once, and once more when it is heard again. A source that
nobody reads keeps what has come last, up to `ROOM` arrivals, and counts what it had to let go.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from threading import Condition

from didymos.shadow.source import Arrival

__all__ = ["ROOM", "SILENCE", "Arrivals"]

SILENCE = 1.0
"""[s] without a word after which a robot is silent."""

ROOM = 200_000
"""Arrivals that wait at most: minutes of a robot with ten sensors."""

_SENTENCES = 100
_MATTERS = 1000  # of which something is said at most: names come from strangers


class Arrivals:
    """A queue with an end, and the notices of the line.

    Args:
        who: the robot and its line, as a sentence has it: `the robot on ROS 2 domain 0`.

    Attributes:
        lost: arrivals that nobody took in time.
        unread: messages that meant nothing.
    """

    def __init__(self, who: str) -> None:
        self.lost = self.unread = 0
        self._who = who
        self._waiting: deque[Arrival] = deque()
        self._notices: deque[str] = deque(maxlen=_SENTENCES)
        self._said: set[str] = set()
        self._came = Condition()
        self._last, self._ever, self._silent = time.monotonic(), False, False

    def put(self, arrivals: Sequence[Arrival]) -> None:
        """What has just come."""
        if not arrivals:
            return
        self.heard(arrivals[-1].received)
        with self._came:
            self._waiting.extend(arrivals)
            over = len(self._waiting) - ROOM
            for _ in range(over):
                self._waiting.popleft()
            if over > 0:
                self._say_once("lost", f"nobody read what came from {self._who}: what is older than {ROOM} arrivals is let go")
                self.lost += over
            self._came.notify()

    def heard(self, now: float) -> None:
        """The robot spoke at a time [s], whatever it said."""
        with self._came:
            if self._silent:
                again = f"is heard again after {now - self._last:.1f} s" if self._ever else "is heard"
                self._notices.append(f"{self._who} {again}")
            self._last, self._ever, self._silent = now, True, False

    def take(self, seconds: float) -> list[Arrival]:
        """All that waits; where nothing does, what comes within so long [s]."""
        with self._came:
            if not self._waiting and seconds > 0.0:
                self._came.wait_for(lambda: bool(self._waiting), seconds)
            taken = list(self._waiting)
            self._waiting.clear()
        return taken

    def watch(self) -> None:
        """Notice that a robot has become silent; to be called now and then."""
        with self._came:
            if not self._silent and time.monotonic() - self._last > SILENCE:
                self._silent = True
                how = f"has been silent for {SILENCE:g} s" if self._ever else "is not heard yet"
                self._notices.append(f"{self._who} {how}")

    def hush(self) -> None:
        """The line is gone, which was said: its silence is no news."""
        with self._came:
            self._silent = True

    def say(self, sentence: str) -> None:
        """Something to say."""
        with self._came:
            self._notices.append(sentence)

    def say_once(self, about: str, sentence: str) -> None:
        """Something to say about a matter, where nothing has been said about it before."""
        with self._came:
            self._say_once(about, sentence)

    def refuse(self, about: str, why: str) -> None:
        """Count a message that means nothing, and say so once per matter."""
        self.unread += 1
        self.say_once(f"unread {about}", f"{about}: {why}; what is like that is counted and left out")

    def notices(self) -> list[str]:
        """What there is to say since the last time."""
        with self._came:
            said = list(self._notices)
            self._notices.clear()
        return said

    def _say_once(self, about: str, sentence: str) -> None:
        if about not in self._said and len(self._said) < _MATTERS:
            self._said.add(about)
            self._notices.append(sentence)
