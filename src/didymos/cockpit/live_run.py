"""A live run: one run of a twin from its first tick on, with all that the page shows of it and does to it.

It belongs to the session's thread. Others read it only: `snapshot` and `verdicts` are replaced and never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from didymos.cockpit.snapshot import Snapshot, SnapshotTaker
from didymos.control import Controller
from didymos.control.pilot import Hand, Pilot, SteerSpec
from didymos.describe.twin import Twin
from didymos.engine.intervention import save_interventions
from didymos.engine.run import Run
from didymos.engine.simulation import Simulation
from didymos.engine.verdict import Verdict

__all__ = ["LiveRun", "RunChoice"]

LONGEST_PUSH = 60.0  # [s]


@dataclass(frozen=True)
class RunChoice:
    """Which run of a twin: a piloted one has a channel table and boxes."""

    scenario: str | None = None
    seed: int = 0
    piloted: bool = False


class LiveRun:
    """A run under the hands of people.

    Args:
        twin, choice: what runs; the run keeps a copy of the twin.
        program: takes the place of the twin's own, for this run alone.
        hand: whoever holds the channels of the pilot.
        say: takes what the pilot has to tell.
        values: parameters that differ from the twin's, by path, as interventions before the first tick.
        rows: what the channels move, instead of what the twin says.
    """

    def __init__(
        self,
        twin: Twin,
        choice: RunChoice,
        *,
        program: Controller | None,
        hand: Hand,
        say: Callable[[str], None],
        values: Mapping[str, float],
        rows: Sequence[SteerSpec] | None,
    ) -> None:
        self.choice = choice
        self.simulation = Simulation(
            twin, seed=choice.seed, scenario=choice.scenario, control=program, piloted=choice.piloted
        )
        self.untuned = self.simulation.twin.copy()
        self.pilot = Pilot(self.untuned.file.pilot, self.simulation.overrides.names, hand, say)
        if rows is not None:
            self.pilot.assign(rows)
        self.run = Run(self.simulation, pilot=self.pilot)
        self.log = self.run.log
        for path, value in values.items():
            if path in self.untuned.parameters:  # a scenario may bring a program with other gains
                self.run.intervene("set", path, value)
        self.verdicts: tuple[Verdict, ...] = ()
        self._evaluated = False
        self._ends_of_pushes: dict[str, int] = {}
        self._taker = SnapshotTaker(self.simulation)
        self.take_snapshot()

    def advance(self, count: int) -> None:
        """Let ticks pass, stopping where a push ends; evaluate the scenario once its time is over."""
        end = self.simulation.tick + count
        while self.simulation.tick < end:
            here = self.simulation.tick
            for link in [link for link, tick in self._ends_of_pushes.items() if tick <= here]:
                del self._ends_of_pushes[link]
                self.run.intervene("push", link, 0.0, 0.0, 0.0)
            self.run.advance(min([end, *self._ends_of_pushes.values()]) - here)
            self._evaluate()

    def _evaluate(self) -> None:
        over = self.simulation.time >= self.simulation.seconds
        if over and not self._evaluated and self.choice.scenario is not None:
            self._evaluated = True
            self.verdicts = self.simulation.judge(self.run.log)

    def push(self, link: str, force: tuple[float, float, float], seconds: float) -> None:
        """Push a link with a force [N], world frame, for a time [s]."""
        self.run.intervene("push", link, *force)
        ticks = max(1, round(min(seconds, LONGEST_PUSH) / self.simulation.period))
        self._ends_of_pushes[link] = self.simulation.tick + ticks

    def press(self, button: str) -> None:
        """Do what a button of a piloted run does: `drop`, `remove` or `reset`."""
        self.run.intervene(button, "robot" if button == "reset" else "boxes")

    def start_recording(self, folder: Path) -> str:
        """Record from the first tick on into a new file of a folder; its name."""
        folder.mkdir(parents=True, exist_ok=True)
        stem = f"{self.simulation.twin.name}-{self.choice.scenario or 'free'}"
        name = next(name for i in range(1, 10**6) if not (folder / (name := f"{stem}-{i:03d}.mcap")).exists())
        self.run.start_recording(folder / name)
        return name

    def stop_recording(self, file: Path) -> Path:
        """Complete the recording, and keep beside it what was done by hand; the file of that."""
        self.run.stop_recording()
        interventions = file.with_suffix(".yaml")
        save_interventions(interventions, self.run.intervention_log())
        return interventions

    def forget_older_half(self) -> float:
        """Let go of the older half of the log in memory; where the rest begins [s]."""
        return self.run.log.forget_older_half()  # of which everything that was recorded is a part by now

    def take_snapshot(self) -> None:
        """Show the run as it is now."""
        self.run.update()
        self.snapshot: Snapshot = self._taker.take(self.simulation)

    def close(self) -> None:
        """End the run; its log stays."""
        try:
            self.run.close()
        finally:
            self.simulation.close()
