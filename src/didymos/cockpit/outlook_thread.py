"""Look-ahead for the page, on a thread of its own: every now and then from the newest estimate, a quarter of a core at most."""

from __future__ import annotations

import threading
import time as wall

from didymos.cockpit.shadow_feed import ShadowFeed
from didymos.describe.twin import Twin
from didymos.errors import DidymosError
from didymos.shadow.look_ahead import LookAhead
from didymos.shadow.outlook import Outlook
from didymos.shadow.stepper import Stepper

__all__ = ["OutlookThread"]

BRANCHES, SECONDS = 20, 3.0
LEAST = 0.5  # [s] between two looks
REST = 3.0  # times that a look took, until the next


class OutlookThread:
    """Looks ahead while it is `on`; `outlook` is the newest, None before the first, `said` why there is none."""

    def __init__(self, feed: ShadowFeed, twin: Twin, origin: Stepper, scenario: str | None) -> None:
        self._feed, self._twin, self._origin, self._scenario = feed, twin, origin, scenario
        self.outlook: Outlook | None = None
        self.said = ""
        self._on, self._closed = threading.Event(), threading.Event()
        self._thread: threading.Thread | None = None

    def switch(self, on: bool) -> None:
        """Look, or rest; the first time, the branches are made."""
        if on:
            self._on.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="didymos-look-ahead", daemon=True)
                self._thread.start()
        else:
            self._on.clear()
            self.outlook = None

    def close(self) -> None:
        """End."""
        self._closed.set()
        self._on.set()
        if self._thread is not None:
            self._thread.join(10.0)

    def _work(self) -> None:
        try:
            ahead = LookAhead(self._twin, scenario=self._scenario, branches=BRANCHES, seconds=SECONDS)
            while not self._closed.is_set():
                self._on.wait()
                began, known = wall.perf_counter(), self._feed.known
                if known is not None and not self._closed.is_set():
                    found = ahead.look(known.estimate, origin=self._origin)
                    if self._on.is_set():
                        self.outlook = found
                self._closed.wait(max(LEAST, REST * (wall.perf_counter() - began)))
        except DidymosError as error:
            self.said = str(error)
