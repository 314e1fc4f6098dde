"""The shadow: a twin that runs beside its robot, in step with it.

    source -> clock -> feed -> observer -> detector -> those who listen

It only listens. Readings that come late, with a stamp of a stretch that has passed, are taken all the same: the observer goes
back to where it stood before them and forward again. A line that is silent is bridged by prediction once it speaks again; when
the robot's clock jumps, the shadow finds its robot anew.
"""

from __future__ import annotations

import time as wall
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
from didymos.shadow.judge import Judge
from didymos.shadow.learned import Learned
from didymos.shadow.observer import Observer
from didymos.shadow.selection import compared_signals
from didymos.shadow.source import Arrival, Source, SourceOptions
from didymos.shadow.sources import open_source
from didymos.shadow.start import find_start

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation
    from didymos.twin import Twin

__all__ = ["Audience", "Shadow", "Step", "Summary"]

_Array = NDArray[np.float64]
_SHORTEST, _LONGEST = 0.005, 0.02  # [s] of a stretch
_FIRST = 0.3  # [s] of readings by which the robot is found
_READ = 0.02  # [s] that a live source is waited for
_BATCH = 0.25  # [s] of a recording that are read at once
_AHEAD = 0.05  # [s] of a recording that are known before a stretch is taken: inputs between samples
_GRACE = 0.002  # [s] that a stretch waits for other sensors of the same time
_KEPT = 3.0  # [s] of stretches that can be gone back to
_LATEST = 2.0**40  # [s] of a robot's clock: beyond, a double tells no tick from the next
_SAID_AGAIN = 10.0  # [s] after which it is said once more that the twin cannot follow
_BRIDGED = 2.0  # [s] of silence up to which the twin predicts; beyond, the robot is found anew


class Audience(Protocol):
    """Who listens to a shadow, on its thread."""

    def frame(self, frame: Frame, shadow: Shadow) -> None:
        """After an update."""

    def alarm(self, alarm: Alarm) -> None:
        """Something is wrong."""

    def notice(self, text: str) -> None:
        """Something that is good to know."""


@dataclass
class Summary:
    """How it went.

    Attributes:
        seconds: of the robot's clock that were watched.
        frames: updates.
        readings: that were compared.
        late: readings that came after their stretch and were taken all the same.
        lost: readings that came too late for that.
        nis: mean of nu' S^-1 nu per reading; 1 where noise and twin are as stated.
        latency: [s] from the arrival of a reading to its innovation: median and 99 %, of a live robot.
        alarms: that were raised.
    """

    seconds: float = 0.0
    frames: int = 0
    readings: int = 0
    late: int = 0
    lost: int = 0
    nis: float = 0.0
    latency: tuple[float, float] = (0.0, 0.0)
    alarms: list[Alarm] = field(default_factory=list)


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
        self.judge = Judge(self.observer, alarms_per_hour, warm_up)
        self.clock = RobotClock()
        self.summary = Summary()
        self.notices: list[str] = []
        self.latency: deque[float] = deque(maxlen=20_000)
        self._audience: list[Audience] = []
        self._feed: Feed | None = None
        self._refused = False  # whether a stamp was no time
        self._first: list[tuple[float, Mapping[str, float]]] = []
        self._steps: deque[Step] = deque()
        self._newest = -np.inf  # received [s] of what came last
        self._nis = 0.0
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
        try:
            while not self._stopped:
                try:
                    arrivals = self.source.read(self._patience if self.source.live else _BATCH)
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
        finally:
            self._finish()
        return self.summary

    @property
    def _patience(self) -> float:
        """How long [s] the source is waited for: a moment where a stretch only waits for other sensors of its time."""
        return _GRACE if self._feed is not None and self._feed.waits else _READ

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
            if not live and self._feed is not None:
                self._take(arrival.stamp - _AHEAD)
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
            if self._first and arrival.stamp < self._first[0][0] - _BRIDGED:
                self._first.clear()  # of another clock
            self._first.append((arrival.stamp, arrival.values))
            if arrival.stamp - self._first[0][0] >= _FIRST:
                self._begin()
            return
        feed = self._feed
        if arrival.stamp > feed.latest + _BRIDGED:
            self.tell(f"nothing was heard for {arrival.stamp - feed.latest:.1f} s of the robot's clock; it is looked for anew")
            self._lose()
            self._put(arrival)
            return
        late = feed.put(arrival.stamp, arrival.values)
        if late:
            self._go_back(late)
        feed.received = arrival.received

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
        for stretch in feed.ready(min(until, feed.latest)):
            saved = self.observer.save()
            try:
                frame = self.observer.step(stretch.inputs, stretch.readings, stretch.doubt)
            except RunError as error:
                if feed.begin - self._lost_at > _SAID_AGAIN:
                    self.tell(f"the twin cannot follow: {error}; the robot is looked for anew")
                self._lost_at = feed.begin
                self._lose()
                return
            self._steps.append(Step(saved, stretch))
            while len(self._steps) * self._ticks * self.observer.stepper.period > _KEPT:
                self._steps.popleft()
            self._count(frame, feed)
            for listener in self._audience:
                listener.frame(frame, self)
            if not self._judged:
                continue
            alarm = self.judge.look(frame, [(step.saved, step.stretch) for step in self._steps] if self.judge.due else ())
            if alarm is not None:
                self.summary.alarms.append(alarm)
                for listener in self._audience:
                    listener.alarm(alarm)

    def _count(self, frame: Frame, feed: Feed) -> None:
        summary = self.summary
        summary.frames += 1
        summary.readings += len(frame.signals)
        summary.seconds += self._ticks * self.observer.stepper.period
        self._nis += frame.nis
        if self.source.live and frame.signals:
            self.latency.append(wall.monotonic() - feed.received)

    def _begin(self) -> None:
        """Find the robot by its first readings."""
        observer, stepper = self.observer, self.observer.stepper
        first = max(self._first[0][0], 0.0) if not self.source.live else self._first[0][0]
        grid = self._ticks * stepper.period
        clock = np.floor(self._first[-1][0] / grid) * grid if self.source.live else np.floor(first / grid) * grid
        feed = Feed(observer.channels, stepper.inputs, stepper.period, self._ticks, float(clock))
        readings: dict[int, _Array] = {}
        inputs: dict[str, float] = {}
        for stamp, values in self._first:
            feed.put(stamp, values)
            for number, channel in enumerate(observer.channels):
                if all(signal in values for signal in channel.signals) and (self.source.live or number not in readings):
                    readings[number] = np.array([values[signal] for signal in channel.signals])
            for name, value in values.items():
                if name.startswith("inputs.") and (self.source.live or name not in inputs):
                    inputs[name] = value
        if not readings:
            self._first.clear()
            return
        row = np.array([inputs.get(f"inputs.{name}", 0.0) for name in stepper.inputs])
        find_start(observer, readings, row)
        observer.clock = feed.clock - stepper.tick * stepper.period
        observer.inputs = row
        self._first.clear()
        self._steps.clear()
        self.judge.restart(feed.clock)
        self.begun = feed.clock
        self._feed = feed

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

    def _finish(self) -> None:
        summary = self.summary
        summary.nis = self._nis / max(summary.readings, 1)
        if self.latency:
            found = np.array(self.latency)
            summary.latency = float(np.median(found)), float(np.quantile(found, 0.99))
