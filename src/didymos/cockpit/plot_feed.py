"""Plots of the pages: each page says what it draws, and gets that of the last seconds at once, then what is new.

    page      plots.hello                                 it is there
              plots.want   names, window [s]              what it draws while it follows the run
              plots.glance names                          whose latest values it lists
              plots.fetch  id, names, from, to [s], points    a stretch; points 0: every sample
              plots.save   name, layout / plots.forget name
    cockpit   plots.signals  run, twin, kind, names, units, pairs, first, bands    of another run: another number
              plots.samples  run, now, names, from, t0, y0, t1, y1, ...    what the page has from that time on is replaced
              plots.values   run, names, values
              plots.stretch  run, id, names, t0, y0, ...
              plots.events   run, events [[t, kind, text], ...]
              plots.layouts  layouts [{name, twin, own, layout}, ...]

All logs are read on the page's thread, in `update`; where no page draws anything, that does nothing.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from didymos.cockpit.decimation import last_stretch, thinned
from didymos.cockpit.feed import Feed, Visitor
from didymos.cockpit.layouts import Layouts
from didymos.cockpit.plot_source import PlotSource
from didymos.cockpit.signals import Array

__all__ = ["Event", "PlotFeed"]

Event = tuple[float, str, str]
"""When [s], its kind (`end`, `event`, `hand`, `alarm`, `verdict`), and what happened."""

STRETCHES = 2000  # of a window: each has two samples on a page at most
MOST_NAMES, MOST_GLANCED = 120, 250
MOST_SAMPLES = 2_000_000  # of a fetched stretch, all signals together; more is thinned out
MOST_REQUESTS = 32  # of a page that wait
SHORTEST, LONGEST = 0.1, 3600.0  # [s] of a window
SLOW = 16  # messages that a page has not read yet; it gets no more samples then, and misses none later
GLANCES = 5  # updates between two tellings of latest values


@dataclass
class _Guest:
    """A page: what it draws, and what it knows. Written by the server's thread are only `names` to `requests`."""

    names: tuple[str, ...] = ()
    window: float = 10.0  # [s]
    glanced: tuple[str, ...] = ()
    requests: list[dict[str, Any]] = field(default_factory=list)
    source: PlotSource | None = None
    events: tuple[Event, ...] | None = None
    layouts: int = -1
    begins: dict[str, float] = field(default_factory=dict)  # from where each signal is sent next [s]
    ends: dict[str, float] = field(default_factory=dict)  # until where each was sent [s]
    drawn: tuple[tuple[str, ...], float] | None = None
    now: float = math.nan


class PlotFeed:
    """Serves the plots of all pages. `update` is called some ten times a second, on one thread."""

    def __init__(self, feed: Feed, twin: str, layouts: Layouts, notify: Callable[[str, str], None]) -> None:
        self._twin, self._layouts, self._notify = twin, layouts, notify
        self._guests: dict[Visitor, _Guest] = {}
        self._lock = threading.Lock()
        self._source: PlotSource | None = None
        self._run = self._count = 0
        feed.on("plots.hello", lambda visitor, _: self._greet(visitor))
        feed.on("plots.want", self._want)
        feed.on("plots.glance", self._glance)
        for topic in ("plots.fetch", "plots.save", "plots.forget"):
            feed.on(topic, self._ask)
        feed.left(self._leave)

    @property
    def guests(self) -> tuple[_Guest, ...]:
        """The pages that have plots, in the order in which they came."""
        with self._lock:
            return tuple(self._guests.values())

    def _greet(self, visitor: Visitor) -> None:
        with self._lock:
            self._guests[visitor] = _Guest()

    def _leave(self, visitor: Visitor) -> None:
        with self._lock:
            self._guests.pop(visitor, None)

    def _want(self, visitor: Visitor, message: dict[str, Any]) -> None:
        names, window = _names(message, MOST_NAMES), _number(message, "window")
        guest = self._guests[visitor]
        guest.names, guest.window = names, min(max(window, SHORTEST), LONGEST)

    def _glance(self, visitor: Visitor, message: dict[str, Any]) -> None:
        self._guests[visitor].glanced = _names(message, MOST_GLANCED)

    def _ask(self, visitor: Visitor, message: dict[str, Any]) -> None:
        requests = self._guests[visitor].requests
        if len(requests) < MOST_REQUESTS:
            requests.append(message)

    def update(self, source: PlotSource, now: float, events: Callable[[], tuple[Event, ...]]) -> None:
        """Tell each page what is new; `now` [s] is the clock that it follows."""
        with self._lock:
            guests = list(self._guests.items())
        if not guests:
            self._source = None  # holds on to no log
            return
        if self._source is None or list(self._source.logs.values()) != list(source.logs.values()):
            self._run += 1
        self._source = source
        self._count += 1
        happened = events()
        for visitor, guest in guests:
            self._answer(visitor, guest)
            if visitor.waiting > SLOW:
                continue
            self._introduce(visitor, guest)
            if guest.events != happened:
                guest.events = happened
                visitor.send("plots.events", {"run": self._run, "events": happened})
            self._send_samples(visitor, guest, now)
            if self._count % GLANCES == 0:
                self._send_values(visitor, guest)

    def _introduce(self, visitor: Visitor, guest: _Guest) -> None:
        """Tell a page of signals and layouts, where it does not know them."""
        source = self._source
        assert source is not None
        if guest.source is not source:
            if guest.source is None or guest.source.logs != source.logs:
                guest.begins, guest.events, guest.now = {}, None, math.nan
            guest.source = source
            visitor.send("plots.signals", {"run": self._run, "twin": self._twin, **source.message})
        if guest.layouts != self._layouts.version:
            guest.layouts = self._layouts.version
            visitor.send("plots.layouts", {"layouts": self._layouts.offered(self._twin)})

    def _send_samples(self, visitor: Visitor, guest: _Guest, now: float) -> None:
        source, drawn = self._source, (guest.names, guest.window)
        assert source is not None
        whole = source.seconds
        window = guest.window if whole is None else max(whole, SHORTEST)
        if drawn != guest.drawn:
            same_window = guest.drawn is not None and guest.drawn[1] == guest.window
            guest.begins = {name: guest.begins[name] for name in guest.names if name in guest.begins} if same_window else {}
            guest.drawn = drawn
        period = window / STRETCHES
        told: list[str] = []
        since: list[float | None] = []
        arrays: dict[str, Array] = {}
        for name in guest.names:
            if name not in source:
                continue
            known = guest.begins.get(name)
            begin = max(-math.inf if known is None else known, now - 1.1 * window if whole is None else -math.inf)
            times, values = source.tail(name, begin)
            if not len(times) or (known is not None and times[-1] <= guest.ends[name]):
                continue
            guest.begins[name] = last_stretch(times, period)
            guest.ends[name] = float(times[-1])
            arrays[f"t{len(told)}"], arrays[f"y{len(told)}"] = thinned(times, values, period)
            told.append(name)
            since.append(None if known is None else float(begin))
        if told or now != guest.now:
            guest.now = now
            visitor.send("plots.samples", {"run": self._run, "now": now, "names": told, "from": since}, **arrays)

    def _send_values(self, visitor: Visitor, guest: _Guest) -> None:
        source = self._source
        assert source is not None
        names = [name for name in guest.glanced if name in source]
        if names:
            latest = [source.last(name) for name in names]
            visitor.send("plots.values", {"run": self._run, "names": names}, values=np.array(latest))

    def _answer(self, visitor: Visitor, guest: _Guest) -> None:
        while guest.requests:
            message = guest.requests.pop(0)
            topic = message["topic"]
            try:
                if topic == "plots.fetch":
                    self._fetch(visitor, message)
                elif topic == "plots.save":
                    self._layouts.save(self._twin, message["name"], message["layout"])
                else:
                    self._layouts.forget(self._twin, message["name"])
            except OSError as error:
                self._notify("Not kept", f"the layout cannot be written: {error}")
            except (KeyError, TypeError, ValueError):
                continue  # nothing that a page of ours asks

    def _fetch(self, visitor: Visitor, message: dict[str, Any]) -> None:
        """Send a stretch of signals, thinned out to what a page can show."""
        source = self._source
        assert source is not None
        names = [name for name in _names(message, MOST_NAMES) if name in source]
        begin, end, points = (_number(message, key) for key in ("from", "to", "points"))
        curves = []
        for name in names:
            times, values = source.tail(name, begin)
            count = int(np.searchsorted(times, end, side="right"))
            curves.append((times[:count], values[:count]))
        total = sum(len(times) for times, _ in curves)
        if end > begin and (points > 0.0 or total > MOST_SAMPLES):
            period = (end - begin) / max(points, 0.5 * MOST_SAMPLES / max(1, len(names)) if points <= 0.0 else 1.0)
            curves = [thinned(times, values, period) for times, values in curves]
        arrays = {key: value for i, (t, y) in enumerate(curves) for key, value in ((f"t{i}", t), (f"y{i}", y))}
        visitor.send("plots.stretch", {"run": self._run, "id": int(message["id"]), "names": names}, **arrays)


def _names(message: dict[str, Any], most: int) -> tuple[str, ...]:
    names: Sequence[Any] = message["names"]
    if not isinstance(names, list) or len(names) > most or not all(isinstance(name, str) for name in names):
        raise ValueError("expected a list of names")
    return tuple(names)


def _number(message: dict[str, Any], key: str) -> float:
    value = float(message[key])
    if not math.isfinite(value):
        raise ValueError("expected a finite number")
    return value
