"""Time on the page: the run as it is now, any moment that it has passed, or the logs of a replay; one timeline for all of them.

While somebody looks back, the run goes on, or stands, as it likes. All pages share one state, and `web/scripts/timeline_live.js`
shows it.
"""

from __future__ import annotations

import math
import threading
import time as wall
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.cockpit.feed import Feed, Visitor
from didymos.cockpit.live_run import LiveRun
from didymos.cockpit.playhead import Playhead
from didymos.cockpit.plot_feed import Event
from didymos.cockpit.run_events import RunEvents, events_of_log
from didymos.cockpit.session import Session
from didymos.engine.playback import Playback

__all__ = ["Timeline"]

SLOWEST, FASTEST = 0.01, 100.0  # of what was recorded
EVENTS_PERIOD = 0.5  # [s] of the wall between two looks for new events
NEAR = 1e-6  # [s] from the end of a log that are its end
Array = NDArray[np.float64]


class Timeline:
    """What of time is shown. `positions` are those of all joints of the robots, and of a ghost, where it is not the run's now."""

    def __init__(self, session: Session, feed: Feed) -> None:
        self._session, self._feed = session, feed
        self._lock = threading.RLock()  # pages ask on the server's thread, another one draws
        self._head = Playhead()
        self._live: LiveRun = session.live
        self._looks_back = False
        self._playbacks: Sequence[Playback] = ()
        self._run_events = RunEvents(session.live)
        self.events: tuple[Event, ...] = ()
        """What happened in what is shown; replaced, never changed."""
        self._told_of: Sequence[Playback] = ()
        self._looked = -math.inf
        self._sent: dict[str, Any] = {}
        self.hidden = False
        """Whether the scene belongs to somebody else: to the robot of a shadow."""
        self.close_replay: Callable[[], None] = lambda: None
        """Called where somebody goes back from a replay to the run."""
        for name, handler in {
            "hello": self._greet, "seek": self._seek, "play": self._play, "pause": self._pause, "speed": self._set_speed,
            "live": self._go_live, "branch": self._branch,
        }.items():  # fmt: skip
            feed.on(f"time.{name}", handler)

    @property
    def is_live(self) -> bool:
        """Whether the run is shown as it is now."""
        return not self._looks_back and not self._playbacks

    @property
    def time(self) -> float:
        """The time that is shown [s]."""
        return self._live.snapshot.time if self.is_live else min(self._head.time, self.span[1])

    @property
    def span(self) -> tuple[float, float]:
        """From when to when there is something to show [s]."""
        if self._playbacks:
            return min(playback.begin for playback in self._playbacks), max(playback.end for playback in self._playbacks)
        return self._live.history.begin, self._live.snapshot.time

    @property
    def playing(self) -> bool:
        """Whether time goes on in what is shown."""
        return self._session.status.playing if self.is_live else self._head.playing

    @property
    def speed(self) -> float:
        """How fast."""
        return self._session.speed if self.is_live else self._head.speed

    @property
    def positions(self) -> list[Array] | None:
        """Positions of all joints [nq] of the robots as they are to be shown, then of ghosts; None for the run as it is now."""
        with self._lock:
            if self._playbacks:
                return [playback.at(self.time) for playback in self._playbacks]
            return [self._live.history.at(self.time)] if self._looks_back else None

    def seek(self, time: float) -> None:
        """Show another time [s]."""
        with self._lock:
            begin, end = self.span
            if self.is_live:
                self._head.pause()
            self._looks_back = not self._playbacks
            self._head.seek(min(max(time, begin), end))

    def play(self) -> None:
        """Let time go on: in the run, or in what is shown of the past; a log that is over begins again."""
        with self._lock:
            if self.is_live:
                self._session.play()
                return
            if self._playbacks and self._head.time >= self.span[1] - NEAR:
                self._head.seek(self.span[0])
            self._head.play()

    def pause(self) -> None:
        """Hold it."""
        with self._lock:
            if self.is_live:
                self._session.pause()
            else:
                self._head.pause()

    def set_speed(self, speed: float) -> None:
        """How fast it goes; infinity for a run: as fast as it can."""
        with self._lock:
            if self.is_live:
                self._session.set_speed(speed)
            else:
                self._head.set_speed(min(max(speed, SLOWEST), FASTEST))

    def go_live(self) -> None:
        """Show the run as it is now."""
        with self._lock:
            self._looks_back = False
            self._head.pause()
            if self._playbacks:
                self.close_replay()

    def update(self, playbacks: Sequence[Playback]) -> None:
        """Follow the run, or the logs that are open; tell the pages."""
        with self._lock:
            if playbacks is not self._playbacks:
                self._playbacks, self._looked = playbacks, -math.inf
                self._head.pause()
                self._head.seek(self.span[0] if playbacks else 0.0)
                self._looks_back = False
            if self._session.live is not self._live:
                self._live = self._session.live
                self._run_events, self._looks_back = RunEvents(self._live), False
            if self._head.playing and self._head.time >= self.span[1]:
                if self._looks_back and self._session.status.playing:
                    self._looks_back = False  # it has caught up
                self._head.pause()
                self._head.seek(self.span[1])
            self._tell()

    def _tell(self) -> None:
        begin, end = self.span
        live, speed, status = self.is_live, self.speed, self._session.status
        state = {
            "from": begin, "to": end, "time": self.time, "playing": self.playing, "live": live, "replay": bool(self._playbacks),
            "speed": None if speed == math.inf else speed, "period": self._live.simulation.period, "hidden": self.hidden,
            "branch": self._session.can_branch and not self._playbacks, "notice": self._notice(live, status.over, status.ended),
        }  # fmt: skip
        if state != self._sent:
            self._sent = state
            self._feed.tell("time.state", state)
        now = wall.perf_counter()
        if now - self._looked > EVENTS_PERIOD and self._feed.visitors:
            self._looked = now
            self._look_for_events()

    def _notice(self, live: bool, over: bool, ended: str) -> dict[str, str] | None:
        """A line above the track, and what its button says."""
        if self._playbacks:
            return None
        if ended and live:
            return {"text": f"The run stopped: {ended}"}
        if over and live:
            return {"text": f"{self._live.choice.scenario} is over: {self._live.result}", "button": "Go on"}
        return None

    def _look_for_events(self) -> None:
        if not self._playbacks:
            self._run_events.update(self._session.status.ended)
            events = self._run_events.events
        elif self._told_of is not self._playbacks:
            events = events_of_log(self._live.simulation, self._playbacks[0].log)
        else:
            return
        self._told_of = self._playbacks
        if events is not self.events:
            self.events = events
            self._feed.tell("time.events", {"events": events})

    def _greet(self, visitor: Visitor, message: dict[str, Any]) -> None:
        with self._lock:
            visitor.send("time.state", self._sent)
            visitor.send("time.events", {"events": self.events})

    def _seek(self, visitor: Visitor, message: dict[str, Any]) -> None:
        self.seek(_number(message["t"]))

    def _play(self, visitor: Visitor, message: dict[str, Any]) -> None:
        self.play()

    def _pause(self, visitor: Visitor, message: dict[str, Any]) -> None:
        self.pause()

    def _set_speed(self, visitor: Visitor, message: dict[str, Any]) -> None:
        self.set_speed(math.inf if message["x"] is None else max(_number(message["x"]), SLOWEST))

    def _go_live(self, visitor: Visitor, message: dict[str, Any]) -> None:
        self.go_live()

    def _branch(self, visitor: Visitor, message: dict[str, Any]) -> None:
        self._session.branch(_number(message["t"]))


def _number(value: object) -> float:
    """A finite number of a page's message; anything else is a `ValueError`."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"found {value!r}, expected a finite number")
    return float(value)
