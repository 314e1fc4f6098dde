"""A run in progress: ticks pass, what they record is kept, what a person does is applied at a tick and remembered."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from didymos.control.pilot import Looks
from didymos.describe.formula import read_formula
from didymos.engine.intervention import INTERVENTIONS, Intervention, InterventionLog
from didymos.engine.recorder_thread import RecorderThread
from didymos.engine.row_buffer import FreshRows, Row, Rows
from didymos.record.image import Picture
from didymos.record.log import Log
from didymos.record.recorder import Recorder, RecordTo
from didymos.record.rotation import RotatedFile
from didymos.record.rows import GrowingRows

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["PILOT_PERIOD", "Audience", "Run"]

PILOT_PERIOD = 0.02
"""Time [s] of the twin's clock between two looks of a pilot at its channels."""

_RESET = re.compile(r"-reset\d+$")  # of a file that a reset has begun

Audience = Callable[[list[Row], list[tuple[str, Picture]]], None]
"""Takes rows of streams (number in the log, times [s], values), and pictures by the names of their cameras, as they come."""


class Run:
    """A run of a simulation in slices of any length; however it is cut, it gives the same bytes.

    Args:
        simulation: what runs, from where it stands.
        record: an MCAP file, or a `RotatedFile`, that takes the log while the run goes on.
        keep: whether the log and the interventions are held in memory; without, only the recording has them.
        interventions: of an earlier run, to be repeated at their ticks.
        pilot: looks at its channels every `PILOT_PERIOD` of the twin's clock and does what they say; in a run that is not
            piloted it only steers, since there is no table to keep and there are no boxes.
        only: signals of which rows are kept, with those of their streams; all by default.
        beside: whether rows go into the log on a thread of its own, so that the run is not late by it.
    """

    def __init__(
        self,
        simulation: Simulation,
        record: RecordTo | None = None,
        *,
        keep: bool = True,
        interventions: Sequence[Intervention] = (),
        pilot: Looks | None = None,
        only: Collection[str] | None = None,
        beside: bool = True,
    ) -> None:
        for item in simulation.expected:
            if item.stl is not None:
                read_formula(item.stl)  # what it needs may not be there, which is to be known before the run
        self.simulation = simulation
        self.interventions: list[Intervention] = []
        self._ahead = deque(sorted(interventions, key=lambda item: item.tick))
        self._keep = keep
        self._pilot, self._next_look = pilot, simulation.tick
        self._done = self._noted = 0  # interventions until now, and how many of them are in the recording
        simulation.switch_record(True)
        self._log = simulation.new_log(keep=keep, only=only)
        self._recorder_thread = RecorderThread(self._log, beside=beside)
        self._begin_counting()
        self._audience: list[Audience] = []
        self._fresh: FreshRows | None = None
        self._pictures: list[tuple[str, Picture]] = []  # for the recording, which takes them once a chunk
        simulation.take_pictures()
        self._target = record
        self.recorder: Recorder | None = None if record is None else self._log.record_to(record, simulation.cameras)

    @property
    def log(self) -> Log:
        """All that was recorded until now."""
        self.update()
        self._recorder_thread.settle()
        return self._log

    def update(self) -> None:
        """Send on what was recorded since the last chunk; it is in the log soon after."""
        rows = self._take()
        if rows:
            self._recorder_thread.put(rows)

    def listen(self, audience: Audience) -> None:
        """Let somebody hear, on the thread of the run, what is recorded from now on, at each `tell`. The log is as without."""
        if self._fresh is None:
            self.update()
            self._fresh = self.simulation.fresh_rows()
        self._audience.append(audience)

    def tell(self) -> None:
        """Let those who listen hear what was recorded since the last time, before it is in the log."""
        if self._fresh is None:
            return
        rows, pictures = self._fresh.look(), self.simulation.take_pictures()
        self._pictures += pictures
        if rows or pictures:
            for audience in self._audience:
                audience(rows, pictures)

    def _take(self) -> Rows:
        self.tell()
        if self._fresh is not None:
            self._fresh.restart()
        rows = self.simulation.take(self._log.taken)
        if rows:
            self._taken += rows.counts
        return rows

    def _begin_counting(self) -> None:
        """Count the rows of each stream until the end of each chunk: a recording that begins later is cut in the same places."""
        self._taken: NDArray[np.float64] = np.zeros(len(self._log.layouts))
        self._chunks = GrowingRows(len(self._taken))

    def _take_pictures(self) -> list[tuple[str, Picture]]:
        found, self._pictures = self._pictures + self.simulation.take_pictures(), []
        return found

    def advance(self, ticks: int) -> None:
        """Let so many ticks pass."""
        simulation, chunk = self.simulation, self.simulation.chunk
        end = simulation.tick + ticks
        while simulation.tick < end:
            here = simulation.tick
            self._catch_up()
            stop = min(end, here + chunk - here % chunk, self._ahead[0].tick if self._ahead else end, self._look(here, end))
            simulation.advance(stop - here)
            if stop % chunk == 0:
                if self.recorder is not None:
                    self._note(self.recorder)
                rows = self._take()
                if self._keep:
                    self._chunks.hold(np.array([simulation.time]), self._taken[None])
                self._recorder_thread.put(rows, self.recorder, self._take_pictures())

    def _look(self, here: int, end: int) -> int:
        """Let the pilot look, where it is time to; the tick of the next look."""
        if self._pilot is None:
            return end
        if here >= self._next_look:
            period = self.simulation.period
            ticks = max(1, round(PILOT_PERIOD / period))
            self._next_look = here + ticks
            for kind, path, value in self._pilot.look(here * period, ticks * period):
                if kind == "steer" or self.simulation.piloted:
                    self.intervene(kind, path, *value)
        return self._next_look

    def intervene(self, kind: str, path: str, *value: float) -> None:
        """Do something to the run before its next tick, and remember it."""
        self._apply(Intervention(self.simulation.tick, kind, path, tuple(map(float, value))))

    def take_over(self, other: Run, done: Sequence[Intervention], counts: Sequence[int]) -> None:
        """Begin with the past of another run that stood where this one stands: what was done, and so many rows of each stream."""
        self.interventions = [*done]
        self._done = len(done)
        self._log.take_over(other._log, counts)
        self._taken[:] = counts
        times, chunks = other._chunks.view()
        past = int(np.searchsorted(times, self.simulation.time + 1e-9))
        self._chunks.hold(times[:past], chunks[:past])

    def start_recording(self, file: str | Path) -> None:
        """Record into a file from now on; what the log has kept since the run began goes into it first."""
        self.stop_recording()
        self._noted, self._target = 0, file
        self.recorder = self.log.record_to(file, self.simulation.cameras, self._chunks.view(), self._note_until)

    def stop_recording(self) -> None:
        """Complete the recording, if there is one."""
        if self.recorder is not None:
            recorder, self.recorder = self.recorder, None
            try:
                self.update()
                self._recorder_thread.settle()
                for camera, picture in self._take_pictures():
                    recorder.write_picture(camera, picture)
                self._note(recorder)
                if self._done:
                    recorder.note(INTERVENTIONS, {"seconds": repr(self.simulation.time)})
            finally:
                self._log.stop_recording()
                recorder.close()

    def restart(self) -> None:
        """Begin anew from the start, at time 0, with a log of its own. A recording is completed and goes on in the next file.

        A time never runs backwards within a file: `flight.mcap` is followed by `flight-reset1.mcap`, the first that is not there,
        a row of files by its next number. What was done before is not part of the new run, whose interventions begin with none.
        """
        recorded = self.recorder is not None
        self.stop_recording()
        self.update()
        self._recorder_thread.close()
        simulation = self.simulation
        simulation.reset()
        simulation.take_pictures()
        self.interventions, self._pictures = [], []
        self._done = self._noted = self._next_look = 0
        self._ahead.clear()
        self._log = simulation.new_log(keep=self._keep)
        self._recorder_thread = RecorderThread(self._log)
        self._begin_counting()
        if recorded and self._target is not None:
            self._target = self._target if isinstance(self._target, RotatedFile) else _next_file(Path(self._target))
            self.recorder = self._log.record_to(self._target, simulation.cameras)

    def intervention_log(self) -> InterventionLog:
        """How to repeat the run until now, of a run that keeps what was done."""
        simulation = self.simulation
        done = tuple(self.interventions)
        twin = simulation.twin
        return InterventionLog(
            twin.name, simulation.scenario, simulation.seed, simulation.time, done, simulation.piloted, twin.variant,
            simulation.every_input, given=simulation.given,
        )  # fmt: skip

    def close(self) -> None:
        """End the run; its log stays."""
        try:
            self._catch_up()
            self.stop_recording()
            self.update()
        finally:
            self.simulation.switch_record(False)
            self._recorder_thread.close()

    def _catch_up(self) -> None:
        """Repeat what was done until now."""
        while self._ahead and self._ahead[0].tick <= self.simulation.tick:
            self._apply(self._ahead.popleft())

    def _apply(self, item: Intervention) -> None:
        self.simulation.intervene(item)
        self._done += 1
        if self._keep or self.recorder is not None:  # a run that keeps nothing may go on for days
            self.interventions.append(item)

    def _note(self, recorder: Recorder) -> None:
        """Write the interventions since the last flush into the recording, so that a killed run keeps them."""
        self._note_until(recorder, float("inf"))
        if not self._keep:
            self.interventions.clear()

    def _note_until(self, recorder: Recorder, time: float) -> None:
        """Write the interventions that were not written yet and came before a time [s]."""
        first, period = self._done - len(self.interventions), self.simulation.period
        start = max(self._noted, first)
        fresh = {
            f"{i:09d}": item.text
            for i, item in enumerate(self.interventions[start - first :], start)
            if item.tick * period < time - 1e-9
        }
        if fresh:
            self._recorder_thread.settle()
            recorder.note(INTERVENTIONS, fresh)
            self._noted = start + len(fresh)


def _next_file(file: Path) -> Path:
    """Where a recording goes on after a reset: the first file of a further number that is not there."""
    stem = _RESET.sub("", file.stem)
    names = (file.with_name(f"{stem}-reset{number}{file.suffix}") for number in count(1))
    return next(name for name in names if not name.exists())
