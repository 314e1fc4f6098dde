"""The log of both sides of a shadow, written while it runs: what the robot told, and what the twin made of it.

    imu.gyro.x                      what the robot told, under the twin's own names, as it came
    twin.imu.gyro.x.predicted       what the twin expected there, at the stamp of the reading
    twin.imu.gyro.x.innovation      told less expected; of an attitude, a rotation vector [rad] in the body's frame
    twin.imu.gyro.x.sigma           the standard deviation that it should have
    twin.base, twin.joints          the estimated state, `twin.sigma` its standard deviations (`state_streams.py`)
    shadow.nis, shadow.readings     normalised innovation squared of an update, and how many readings it had, which is its mean
    shadow.alarms                   alarms until then

Alarms, notices and parameters that were learned are texts of the recording besides: `alarms.1`, `notices.1`, `learned.1` and so
on, JSON each. Times are the robot's (`log_clock.py`). So `didymos log`, `plot`, `compare` and `fit` read it as a recording of the
robot, and a shadow does as well.

Signals that came together until the file is opened, with the first rows that are written, are one stream; where one of them is
missing later, its value is NaN. Rows go to the disk every 0.4 s on a thread of their own, so that what is killed keeps all but
its last second.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from didymos.engine.recorder_thread import RecorderThread
from didymos.engine.simulation import Simulation
from didymos.record.log import Log
from didymos.record.recorder import Recorder, RecordTo
from didymos.record.stream import Kind, StreamLayout
from didymos.shadow.log_clock import LogClock
from didymos.shadow.signal_groups import PredictedGroup, SignalGroup, grouped
from didymos.shadow.state_streams import StateStreams

if TYPE_CHECKING:
    from didymos.describe.twin import Twin
    from didymos.shadow.alarm import Alarm
    from didymos.shadow.estimate import Frame
    from didymos.shadow.learned import Learned
    from didymos.shadow.shadow import Shadow
    from didymos.shadow.source import Arrival

__all__ = ["ShadowRecording"]

_Array = NDArray[np.float64]
_FLUSH = 0.4  # [s] between two writes
_ALARMS, _NOTICES, _LEARNED = "alarms", "notices", "learned"


class ShadowRecording:
    """Hears what a source tells (see `Hears`) and what a shadow says (an audience of it), and keeps both."""

    def __init__(
        self, record: RecordTo, twin: Twin, robot: str, *, units: Mapping[str, str], scenario: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        simulation = Simulation(twin, scenario=scenario)
        self._state = StateStreams(simulation.model)
        self._metadata = {**simulation.new_log().metadata, "robot": robot}
        self._record, self._units, self._now = record, units, clock
        self._clock, self._written = LogClock(), clock()
        self._arrivals: list[tuple[float, Mapping[str, float]]] = []
        self._frames: list[tuple[float, Frame]] = []
        self._estimates: list[tuple[_Array, _Array, _Array]] = []
        self._counts: list[int] = []
        self._notes: list[tuple[str, str]] = []
        self._alarms, self._said = 0, Counter[str]()
        self._log: Log | None = None
        self._ends: list[float] = []
        self.late = 0
        self.compared: Collection[str] | None = None

    compared: Collection[str] | None
    """Signals that the shadow predicts, where that is known before anything comes; None: all."""
    late: int
    """Rows that came after later ones of their stream were written; they are left out."""

    def heard(self, arrivals: Sequence[Arrival]) -> None:
        """Keep what the robot told."""
        for item in arrivals:
            if math.isfinite(item.stamp):
                self._arrivals.append((self._clock.time(item.stamp, item.received), item.values))
        if self._now() - self._written >= _FLUSH:
            self._flush()

    def frame(self, frame: Frame, shadow: Shadow) -> None:
        """Keep what the twin made of it."""
        estimate = shadow.estimate
        self._frames.append((frame.time + self._clock.shift, frame))
        self._estimates.append((estimate.qpos, estimate.qvel, np.diagonal(estimate.covariance)))
        self._counts.append(self._alarms)

    def alarm(self, alarm: Alarm) -> None:
        """Keep it as an event."""
        self._alarms += 1
        self._notes.append((_ALARMS, json.dumps({**alarm.facts, "text": str(alarm)})))

    def notice(self, text: str) -> None:
        """Keep a sentence, and when it was said."""
        said = self._frames[-1][0] if self._frames else max(self._ends, default=0.0)
        self._notes.append((_NOTICES, json.dumps({"time": said, "text": text})))

    def learned(self, learned: Learned) -> None:
        """Keep what parameters were found."""
        self._notes.append((_LEARNED, json.dumps({**learned.facts, "text": str(learned)})))

    def close(self) -> None:
        """Complete the file."""
        self._flush(last=True)
        if self._log is not None:
            self._thread.close()
            self._log.stop_recording()
            self._recorder.close()

    def _flush(self, *, last: bool = False) -> None:
        """Hand over what there is; a recording of nothing is still a file, once it is closed."""
        self._written = self._now()
        if self._log is None:
            if not (self._arrivals or last):
                return
            self._open()
        rows, self._arrivals = self._arrivals, []
        frames, self._frames = self._frames, []
        estimates, self._estimates = self._estimates, []
        counts, self._counts = self._counts, []
        notes, self._notes = self._notes, []
        self._thread.put(self._chunk(rows, frames, estimates, counts, notes), self._recorder)

    def _open(self) -> None:
        keys = [tuple(values) for _, values in self._arrivals]
        self._groups = grouped(keys, self._units)
        self._predicted = [made for group in self._groups if (made := PredictedGroup.of(group, self.compared)).places]
        about = StreamLayout("shadow", Kind.SCALARS, ("nis", "readings", "alarms"), ("1", "1", "1"))
        layouts = [*(g.layout for g in self._groups), *(g.layout for g in self._predicted), *self._state.layouts, about]
        self._log = Log(layouts, self._metadata, keep=False)
        self._ends = [0.0] * len(layouts)
        self._recorder: Recorder = self._log.record_to(self._record)
        self._thread = RecorderThread(self._log)

    def _chunk(
        self, arrivals: Sequence[tuple[float, Mapping[str, float]]], frames: Sequence[tuple[float, Frame]],
        estimates: Sequence[tuple[_Array, _Array, _Array]], counts: Sequence[int], notes: Sequence[tuple[str, str]],
    ) -> Iterator[tuple[int, _Array, _Array]]:  # fmt: skip
        """Rows of all streams, made on the thread that writes them; texts go first."""
        for kind, text in notes:
            self._said[kind] += 1
            self._recorder.note(kind, {str(self._said[kind]): text})
        tables = _of_arrivals(self._groups, arrivals) + _of_frames(self._predicted, frames)
        times = np.array([stamp for stamp, _ in frames])
        if len(frames):
            states = self._state.tables(*(np.array(column) for column in zip(*estimates, strict=True)))
            tables += [(times, table) for table in states]
            about = [(frame.nis, len(frame.signals), count) for (_, frame), count in zip(frames, counts, strict=True)]
            tables.append((times, np.array(about, dtype=np.float64)))
        for index, (stamps, rows) in enumerate(tables):
            yield (index, *self._in_order(index, stamps, rows))

    def _in_order(self, index: int, times: _Array, rows: _Array) -> tuple[_Array, _Array]:
        """Rows by time, without those that come before what is written already."""
        order = np.argsort(times, kind="stable")
        times, rows = np.rint(times[order] * 1e9) / 1e9, rows[order]
        kept = times >= self._ends[index]
        self.late += int(len(times) - kept.sum())
        if kept.any():
            self._ends[index] = float(times[-1])
        return times[kept], rows[kept]


def _of_arrivals(groups: Sequence[SignalGroup], arrivals: Sequence[tuple[float, Mapping[str, float]]]) -> list[Any]:
    """Times and rows of each group."""
    kept: list[tuple[list[float], list[list[float]]]] = [([], []) for _ in groups]
    plans: dict[tuple[str, ...], list[int]] = {}
    for stamp, values in arrivals:
        key = tuple(values)
        plan = plans.get(key)
        if plan is None:
            plan = plans[key] = [i for i, group in enumerate(groups) if not group.members.isdisjoint(key)]
        for i in plan:
            times, rows = kept[i]
            times.append(stamp)
            rows.append([values.get(name, np.nan) for name in groups[i].signals])
    return [_table(times, rows, len(group.signals)) for group, (times, rows) in zip(groups, kept, strict=True)]


def _of_frames(groups: Sequence[PredictedGroup], frames: Sequence[tuple[float, Frame]]) -> list[Any]:
    """The same of predictions, each at the stamp of its reading."""
    where = {name: (i, *places) for i, group in enumerate(groups) for name, places in group.places.items()}
    kept: list[tuple[list[float], list[_Array]]] = [([], []) for _ in groups]
    for end, frame in frames:
        begun: dict[tuple[int, float], _Array] = {}  # by group and stamp
        stamps = (frame.stamps + (end - frame.time)).tolist()
        for k, name in enumerate(frame.signals):
            place = where.get(name)
            if place is None:
                continue
            i, predicted, innovation, sigma = place
            row = begun.get((i, stamps[k]))
            if row is None:
                row = begun[i, stamps[k]] = np.full(len(groups[i].layout.columns), np.nan)
                kept[i][0].append(stamps[k])
                kept[i][1].append(row)
            if predicted >= 0:
                row[predicted] = frame.measured[k] - frame.innovations[k]
            row[innovation], row[sigma] = frame.innovations[k], frame.sigmas[k]
    return [_table(times, rows, len(group.layout.columns)) for group, (times, rows) in zip(groups, kept, strict=True)]


def _table(times: Sequence[float], rows: Sequence[Any], width: int) -> tuple[_Array, _Array]:
    return np.array(times, dtype=np.float64), np.array(rows, dtype=np.float64).reshape(len(times), width)
