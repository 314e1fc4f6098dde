"""What happened in a run, as marks in time: what its program reported, what people did, what was found, how and why it ended."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence

import numpy as np

from didymos.cockpit.live_run import LiveRun
from didymos.cockpit.plot_feed import Event
from didymos.engine.intervention import INTERVENTIONS, Intervention
from didymos.engine.simulation import Simulation
from didymos.errors import DidymosError
from didymos.record.log import Log
from didymos.shadow.alarm import Alarm
from didymos.web.hand_marks import HandMarks

__all__ = ["RunEvents", "alarm_events", "events_of_log"]

MOST = 2000  # of one run; where there are more, every second one goes
_MARKS = {True: "✓", False: "✗ missed", None: "not reached"}


class RunEvents:
    """The events of a live run, read as they come. `events` is replaced and never changed."""

    def __init__(self, live: LiveRun) -> None:
        self.live = live
        self.events: tuple[Event, ...] = ()
        self._found: list[Event] = []
        self._done = 0
        self._marks = HandMarks()
        self._seen: dict[str, tuple[int, float]] = {}

    def update(self, ended: str) -> bool:
        """Take in what happened since the last time; `ended` is why the run stopped. Whether anything did."""
        live, before = self.live, len(self._found)
        period = live.simulation.period
        done = live.run.interventions
        self._found += _by_hand(done[self._done :], period, self._marks)
        self._done = len(done)
        self._read_reports()
        if len(self._found) > MOST:
            self._found = self._found[::2]
        events = [*self._found, *((tick * period, "branch", "left the run before") for tick in live.branched)]
        events += self._of_the_end(live.end * period)
        if ended:
            events.append((live.snapshot.time, "alarm", ended))
        changed = len(self._found) != before or len(events) != len(self.events)
        if changed:
            self.events = tuple(sorted(events, key=lambda event: event[0]))
        return changed

    def _of_the_end(self, end: float) -> list[Event]:
        """The end of the scenario, and what was found there."""
        live = self.live
        if live.choice.scenario is None:
            return []
        events: list[Event] = [(end, "end", f"end of {live.choice.scenario}")]
        for verdict in live.verdicts:
            value = "" if verdict.value is None else f": {verdict.value:.4g} {verdict.unit.removesuffix('1')}".rstrip()
            events.append((end, "alarm" if verdict.ok is False else "verdict", f"{_MARKS[verdict.ok]} {verdict.name}{value}"))
        return events

    def _read_reports(self) -> None:
        for head, name, labels in reports(self.live.simulation):
            signal = self.live.log[f"{head}control.{name}"]
            count = min(len(signal.time), len(signal.values))
            start, last = self._seen.get(head + name, (0, np.nan))
            values = signal.values[start:count]
            for i in np.flatnonzero(np.diff(values, prepend=last)):
                label = labels[int(values[i])] if 0 <= int(values[i]) < len(labels) else ""
                if label:
                    self._found.append((float(signal.time[start + i]), "event", f"{head}{name}: {label}"))
            if count > start:
                self._seen[head + name] = count, float(values[-1])


def _by_hand(done: Sequence[Intervention], period: float, marks: HandMarks) -> list[Event]:
    """Interventions that are worth a mark."""
    timed = [(item.tick * period, item) for item in done]
    return [(time, "hand", text) for time, item in timed if (text := marks.text(item, time)) is not None]


def alarm_events(alarms: Sequence[Alarm]) -> tuple[Event, ...]:
    """Alarms of a shadow."""
    return tuple((alarm.time, "alarm", f"alarm {alarm.number}: {alarm}") for alarm in alarms)


def reports(simulation: Simulation) -> list[tuple[str, str, tuple[str, ...]]]:
    """Prefix of the robot in the log, name and labels of every report of a program that has labels."""
    return [
        (f"{name}." if name else "", item.name, tuple(item.labels))
        for name, robot in simulation.robots.items()
        for item in (robot.program.reports if robot.program is not None else ())
        if item.labels
    ]


def events_of_log(simulation: Simulation, log: Log) -> tuple[Event, ...]:
    """What a log of a file tells: reports of the program, what was done by hand; a log of others tells neither."""
    found: list[Event] = []
    with contextlib.suppress(DidymosError, IndexError):
        found += [(time, "event", f"{name}: {label}") for time, name, label in simulation.events(log)]
    texts = [text for key, text in log.metadata.items() if key.startswith(f"{INTERVENTIONS}.") and not key.endswith(".seconds")]
    done: list[Intervention] = []
    for text in texts:
        with contextlib.suppress(DidymosError, ValueError, RecursionError):
            done.append(Intervention.read(json.loads(text)))
    found += _by_hand(done, simulation.period, HandMarks())
    return tuple(sorted(found)[:MOST])
