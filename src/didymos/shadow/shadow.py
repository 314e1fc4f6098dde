"""The shadow: a twin that runs beside its robot, in step with it.

    source -> clock -> feed -> observer -> detector -> those who listen

It only listens. Readings that come late, with a stamp of a stretch that has passed, are taken all the same: the observer goes
back to where it stood before them and forward again. A line that is silent is bridged by prediction once it speaks again; when
the robot's clock jumps, the shadow finds its robot anew.

Beside a running robot the twin is linearised between updates, while the source is waited for: a measurement waits for one piece
of that at most. Of a recording it is linearised on the spot, so that the same file gives the same estimates to the last bit.
"""

from __future__ import annotations

import sys
import time as wall
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from didymos.errors import InputError, RunError
from didymos.shadow.alarm import Alarm
from didymos.shadow.calibration import Calibration
from didymos.shadow.causes import Cause
from didymos.shadow.clock import RobotClock
from didymos.shadow.estimate import Estimate, Frame
from didymos.shadow.feed import Feed, Stretch
from didymos.shadow.first_readings import FirstReadings
from didymos.shadow.judge import Judge
from didymos.shadow.learned import Learned
from didymos.shadow.observer import Observer
from didymos.shadow.selection import compared_signals
from didymos.shadow.source import Arrival, Source, SourceOptions
from didymos.shadow.sources import open_source
from didymos.shadow.summary import Latency, Summary

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation
    from didymos.twin import Twin

__all__ = ["Audience", "Shadow", "Step"]

_Array = NDArray[np.float64]
_SHORTEST, _LONGEST = 0.005, 0.02  # [s] of a stretch
_READ = 0.02  # [s] that a live source is waited for
_BATCH = 0.25  # [s] of a recording that are read at once
_AHEAD = 0.05  # [s] of a recording that are known before a stretch is taken: inputs between samples
_WAITING = 1.0  # [s] of what came all at once, as after a pause, that are heard before stretches are taken
_GRACE = 0.002  # [s] that a stretch waits for other sensors of the same time
_KEPT = 3.0  # [s] of stretches that can be gone back to
_LATEST = 2.0**40  # [s] of a robot's clock: beyond, a double tells no tick from the next
_SAID_AGAIN = 10.0  # [s] after which it is said once more that the twin cannot follow
_BRIDGED = 2.0  # [s] of silence up to which the twin predicts; beyond, the robot is found anew
_TURN = 0.0005  # [s] after which another thread of this process, such as the recorder's, makes room for an update


class Audience(Protocol):
    """Who listens to a shadow, on its thread."""

    def frame(self, frame: Frame, shadow: Shadow) -> None:
        """After an update."""

    def alarm(self, alarm: Alarm) -> None:
        """Something is wrong."""

    def notice(self, text: str) -> None:
        """Something that is good to know."""


@dataclass
class Step:
    """A stretch that was taken, and where the observer stood before it."""

    saved: Any
    stretch: Stretch


class Shadow:
    """A twin beside its robot.

    Args:
        twin: of the robot, as it is thought to be.
        robot: KIND:ADDRESS (`ros2:`, `moteus:PATH`, `mavlink:udp:PORT`, `socket:PORT`, `log:FILE`), or a source.
        scenario: whose settings of the world and start hold.
        calibration: of healthy recordings.
        alarms_per_hour: false alarms that are borne.
        signals: names or patterns of what is compared; chosen by itself where none are given.
        causes: that an alarm chooses from; all that the twin has where none are given.
        options: how the robot is listened to.
        warm_up: [s] in which the state is found and nothing is judged.
        judged: whether alarms are raised at all.
    """

    def __init__(
        self,
        twin: Twin,
        robot: str | Source,
        *,
        scenario: str | None = None,
        calibration: Calibration | None = None,
        alarms_per_hour: float = 0.1,
        signals: Sequence[str] = (),
        causes: Sequence[Cause] | None = None,
        options: SourceOptions | None = None,
        warm_up: float = 2.0,
        judged: bool = True,
    ) -> None:
        if not alarms_per_hour > 0.0:
            raise InputError(f"found {alarms_per_hour:g}, expected alarms per hour above 0", option="alarms_per_hour")
        self.twin, self.scenario = twin, scenario
        self.source = (
            open_source(twin, robot, options or SourceOptions(signals=tuple(signals))) if isinstance(robot, str) else robot
        )
        names = compared_signals(twin, self.source.signals)
        self.observer = Observer(twin, names, scenario=scenario, calibration=calibration, causes=causes)
        self.observer.ahead = self.source.live
        self.judge = Judge(self.observer, alarms_per_hour, warm_up, live=self.source.live)
        self.clock = RobotClock()
        self.summary = Summary()
        self.notices: list[str] = []
        self._latency = Latency()
        self._audience: list[Audience] = []
        self._feed: Feed | None = None
        self._refused = False  # whether a stamp was no time
        self._first = FirstReadings(live=self.source.live, apart=_BRIDGED)
        self._steps: deque[Step] = deque()
        self._newest = -np.inf  # received [s] of what came last
        self._ticks = self._stretch_ticks()
        self._stopped, self._judged = False, judged
        self._lost_at = -np.inf  # the robot's clock [s] when the twin could not follow last
        self.begun = 0.0  # the robot's clock [s] at which it was found last

    def _stretch_ticks(self) -> int:
        """Ticks of a stretch: one reading of the fastest sensor, within bounds."""
        period = self.observer.stepper.period
        rates = [sensor.rate for name, sensor in self.twin.file.sensors.items() if name in self._streams]
        wanted = 1.0 / max(rates) if rates else period
        return max(1, round(min(max(wanted, _SHORTEST), _LONGEST) / period))

    @property
    def _streams(self) -> set[str]:
        return {channel.sensor for channel in self.observer.channels}

    @property
    def estimate(self) -> Estimate:
        """What is known of the robot now."""
        return self.observer.estimate

    @property
    def alarms(self) -> list[Alarm]:
        """All that were raised until now."""
        return self.summary.alarms

    @property
    def latency(self) -> Sequence[float]:
        """From the arrival of a reading to its innovation [s], of the last updates beside a running robot."""
        return self._latency.found

    @property
    def time(self) -> float:
        """The robot's clock [s] until which it was followed."""
        return self.observer.time

    @property
    def stopped(self) -> bool:
        """Whether somebody ended it."""
        return self._stopped

    @property
    def last_step(self) -> Step:
        """The stretch that was taken last, and where the observer stood before it."""
        return self._steps[-1]

    @property
    def found_anew(self) -> bool:
        """Whether that was the first one since the robot was found."""
        return len(self._steps) == 1

    def listen(self, audience: Audience) -> None:
        """Let somebody hear of updates, alarms and notices from now on."""
        self._audience.append(audience)

    def branch(self, setpoints: Mapping[str, float] | None = None, *, scenario: str | None = None) -> Simulation:
        """A simulation that goes on from where the robot is now, driven by the twin's own program, while the shadow goes on.

        `setpoints` hold whatever the `scenario` says of them; see `branch.py` for more.
        """
        from didymos.shadow.branch import branch

        return branch(self.estimate, self.twin, origin=self.observer.stepper, scenario=scenario, setpoints=setpoints)

    def set(self, values: Mapping[str, float]) -> None:
        """Let the twin have other parameters, by path, from now on.

        What it made of the robot with the old ones is forgotten, but for where it is: biases and covariance are those of one who
        has not looked yet, and nothing is judged for the warm-up.
        """
        observer = self.observer
        self._raise(self.judge.finish())
        observer.set(values)
        observer.bias[:] = 0.0
        observer.begin()
        self.twin = self.twin.copy()
        self.twin.set_all(values)
        self._steps.clear()
        self.judge = self.judge.renewed(self.time)

    def tell(self, text: str) -> None:
        """Say a sentence to all who listen."""
        self.notices.append(text)
        for listener in self._audience:
            listener.notice(text)

    def tell_learned(self, learned: Learned) -> None:
        """Say what was learned: to those who have a method `learned`, as a sentence to others."""
        for listener in self._audience:
            hear = getattr(listener, "learned", None)
            if callable(hear):
                hear(learned)
            else:
                listener.notice(str(learned))

    def stop(self) -> None:
        """End `run` after the update that is under way; from any thread."""
        self._stopped = True

    def run(self, seconds: float | None = None, progress: Callable[[float], None] | None = None) -> Summary:
        """Follow the robot for a time [s] of its clock, until the recording ends or until `stop`."""
        begin: float | None = None
        turn = sys.getswitchinterval()
        if self.source.live:
            sys.setswitchinterval(min(turn, _TURN))
        try:
            while not self._stopped:
                try:
                    arrivals = self.source.read(self._work_ahead() if self.source.live else _BATCH)
                except EOFError:
                    self._take(np.inf)
                    break
                for text in self.source.notices():
                    self.tell(text)
                if self.source.live and not arrivals and self._feed is not None:
                    self._take(self._ready())
                if arrivals:
                    self.hear(arrivals)
                    begin = arrivals[0].stamp if begin is None else begin
                    if progress is not None:
                        progress(arrivals[-1].stamp - begin)
                    if seconds is not None and arrivals[-1].stamp - begin >= seconds:
                        break
            self._raise(self.judge.finish())
        finally:
            sys.setswitchinterval(turn)
            self.summary.latency = self._latency.median_and_most
        return self.summary

    def _work_ahead(self) -> float:
        """Make a piece of the next linearisation or of the search for a cause. How long [s] the source is then waited for.

        Not at all where there may be more of it, a moment where a stretch only waits for other sensors of its time.
        """
        try:
            if self._feed is not None and self.observer.linearize_on():
                return 0.0
        except RunError as error:
            self._cannot_follow(error)
        explains, alarm = self.judge.explain_on()
        self._raise(alarm)
        if explains:
            return 0.0
        if self._feed is None:
            return _READ
        return max(0.0, self._feed.received + _GRACE - wall.monotonic()) if self._feed.waits else _READ

    def close(self) -> None:
        """Let go of the robot's line."""
        self.source.close()

    def hear(self, arrivals: Sequence[Arrival]) -> None:
        """Take in what came, and update as far as it goes."""
        live = self.source.live
        for arrival in arrivals:
            if not abs(arrival.stamp) < _LATEST:
                self._refuse_stamp(arrival.stamp)
                continue
            if live:
                timing = self.clock.add(arrival.stamp, arrival.received)
                for text in self.clock.notices():
                    self.tell(text)
                    self._lose()
                if not timing.trusted:
                    continue
            self._put(arrival)
            if self._feed is None:
                continue
            if not live:
                self._take(arrival.stamp - _AHEAD)
            elif arrival.stamp - self._feed.end > _WAITING:
                self._take(min(arrival.stamp - _WAITING, self._ready()))
        if live and self._feed is not None:
            self._take(self._ready())
        self._newest = arrivals[-1].received

    def _refuse_stamp(self, stamp: float) -> None:
        """A time at which no tick can be told from the next would be followed for ever; said once."""
        if not self._refused:
            self.tell(f"a stamp of {stamp:.3g} s is no time of a robot's clock; what comes with such ones is left out")
        self._refused = True

    def _put(self, arrival: Arrival) -> None:
        if self._feed is None:
            if self._first.put(arrival):
                self._begin()
            return
        feed = self._feed
        if arrival.stamp > feed.latest + _BRIDGED:
            self.tell(f"nothing was heard for {arrival.stamp - feed.latest:.1f} s of the robot's clock; it is looked for anew")
            self._lose()
            self._put(arrival)
            return
        whole = feed.complete(np.inf)
        late = feed.put(arrival.stamp, arrival.values)
        if late:
            self._go_back(late)
        if feed.complete(np.inf) > whole:
            feed.received = arrival.received  # others of the same time are waited for from now on
        if self.source.live:
            self._latency.came(arrival.stamp, arrival.received)

    def _ready(self) -> float:
        """Up to when [s] everything has come that is likely to come."""
        feed = self._feed
        assert feed is not None
        return feed.complete(wall.monotonic() - _GRACE)

    def _take(self, until: float) -> None:
        """Update with all stretches that end by a time [s]."""
        feed = self._feed
        if feed is None:
            if until == np.inf and self._first:
                self._begin()
                feed = self._feed
            if feed is None:
                return
        for stretch in feed.ready(feed.latest if until == np.inf else until):
            saved = self.observer.save()
            try:
                frame = self.observer.step(stretch.inputs, stretch.readings, stretch.doubt)
            except RunError as error:
                self._cannot_follow(error)
                return
            self._steps.append(Step(saved, stretch))
            while len(self._steps) * self._ticks * self.observer.stepper.period > _KEPT:
                self._steps.popleft()
            self._latency.compared(frame, wall.monotonic())
            self.summary.count(frame, self._ticks * self.observer.stepper.period)
            for listener in self._audience:
                listener.frame(frame, self)
            if self._stopped:
                return
            if not self._judged:
                continue
            past = [(step.saved, step.stretch) for step in self._steps] if self.judge.due else ()
            self._raise(self.judge.look(frame, past))

    def _raise(self, alarm: Alarm | None) -> None:
        """Tell of an alarm, if there is one."""
        if alarm is not None:
            self.summary.alarms.append(alarm)
            for listener in self._audience:
                listener.alarm(alarm)

    def _cannot_follow(self, error: RunError) -> None:
        """The twin is no more than numbers that mean nothing; said now and then."""
        if self.time - self._lost_at > _SAID_AGAIN:
            self.tell(f"the twin cannot follow: {error}; the robot is looked for anew")
        self._lost_at = self.time
        self._lose()

    def _begin(self) -> None:
        """Find the robot by its first readings."""
        self._feed = self._first.find(self.observer, self._ticks)
        if self._feed is not None:
            self._steps.clear()
            self.begun = self._feed.clock
            self.judge.restart(self.begun)
            self._latency.begin(wall.monotonic())

    def _lose(self) -> None:
        """Look for the robot anew with what comes next."""
        self._feed = None
        self._first.clear()
        self._steps.clear()

    def _go_back(self, late: Sequence[tuple[int, int, int, _Array]]) -> None:
        """Take readings (stretch, tick, channel, values) whose stretches have passed."""
        feed = self._feed
        assert feed is not None
        oldest = feed.done - len(self._steps)
        kept = [item for item in late if item[0] >= oldest]
        self.summary.lost += len(late) - len(kept)
        if not kept:
            return
        self.summary.late += len(kept)
        for number, tick, channel, values in kept:
            step = self._steps[number - oldest]
            step.stretch.readings.append((tick, channel, values))
        first = min(item[0] for item in kept) - oldest
        self.observer.restore(self._steps[first].saved)
        for i in range(first, len(self._steps)):
            step = self._steps[i]
            step.saved = self.observer.save()
            self.observer.step(step.stretch.inputs, step.stretch.readings, step.stretch.doubt, judge=False)
