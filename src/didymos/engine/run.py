"""A run in progress: ticks pass, what they record is kept, what a person does is applied at a tick and remembered."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from didymos.engine.drain import Drain
from didymos.engine.intervention import INTERVENTIONS, Deed, Intervention
from didymos.record.mcap_file import McapRecorder

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["Run"]


class Run:
    """A run of a simulation in slices of any length; however it is cut, it gives the same bytes.

    Args:
        simulation: what runs, from where it stands.
        record: an MCAP file that takes the log while the run goes on.
        keep: whether the log is held in memory.
        interventions: of an earlier run, to be repeated at their ticks.
    """

    def __init__(
        self,
        simulation: Simulation,
        record: str | Path | None = None,
        *,
        keep: bool = True,
        interventions: Sequence[Intervention] = (),
    ) -> None:
        self.simulation = simulation
        self.interventions: list[Intervention] = []
        self._ahead = deque(sorted(interventions, key=lambda item: item.tick))
        self._noted = 0
        self.log = simulation.new_log(keep=keep)
        self._recorder = None if record is None else self.log.record_to(record)
        self._drain = Drain(simulation.wiring, self.log)

    def advance(self, count: int) -> None:
        """Let `count` ticks pass. What they record is in the log soon after each chunk; `update` hurries it."""
        simulation, chunk = self.simulation, self.simulation.chunk
        end = simulation.tick + count
        while simulation.tick < end:
            here = simulation.tick
            self._catch_up()
            stop = min(end, here + chunk - here % chunk, self._ahead[0].tick if self._ahead else end)
            simulation.advance(stop - here)
            if stop % chunk == 0:
                self._drain.take(self._flush())

    def update(self) -> None:
        """Bring the log up to the last tick."""
        self._drain.settle()

    def intervene(self, kind: str, path: str, *value: float) -> None:
        """Do something to the run before its next tick, and remember it."""
        self._apply(Intervention(self.simulation.tick, kind, path, tuple(map(float, value))))

    def start_recording(self, file: str | Path) -> None:
        """Record into a file from now on; what the log has kept since the run began goes into it first."""
        self.stop_recording()
        self._noted = 0
        self._recorder = self.log.record_to(file)

    def stop_recording(self) -> None:
        """Bring the log up to the last tick, and complete the recording, if there is one."""
        recorder, self._recorder = self._recorder, None
        try:
            self._drain.settle()
            if recorder is not None:
                _write_notes(recorder, self._notes())
                if self.interventions:
                    recorder.note(INTERVENTIONS, {"seconds": repr(self.simulation.time)})
        finally:
            self.log.stop_recording()
            if recorder is not None:
                recorder.close()

    def deed(self) -> Deed:
        """How to repeat the run until now."""
        simulation = self.simulation
        done = tuple(self.interventions)
        return Deed(simulation.twin.name, simulation.scenario, simulation.seed, simulation.time, done)

    def close(self) -> None:
        """End the run; its log stays."""
        try:
            self._catch_up()
            self.stop_recording()
        finally:
            self._drain.close()

    def _catch_up(self) -> None:
        """Repeat what was done until now."""
        while self._ahead and self._ahead[0].tick <= self.simulation.tick:
            self._apply(self._ahead.popleft())

    def _apply(self, item: Intervention) -> None:
        self.simulation.intervene(item)
        self.interventions.append(item)

    def _flush(self) -> partial[None] | None:
        """What the recorder does after a chunk: a killed run keeps it, and what was done by hand until then."""
        return None if self._recorder is None else partial(_flush, self._recorder, self._notes())

    def _notes(self) -> dict[str, str]:
        """The interventions since the last flush."""
        fresh = {f"{i:06d}": item.text for i, item in enumerate(self.interventions[self._noted :], start=self._noted)}
        self._noted = len(self.interventions)
        return fresh


def _write_notes(recorder: McapRecorder, notes: dict[str, str]) -> None:
    if notes:
        recorder.note(INTERVENTIONS, notes)


def _flush(recorder: McapRecorder, notes: dict[str, str]) -> None:
    _write_notes(recorder, notes)
    recorder.flush()
