"""A live run: one run of a twin or a world from its first tick on, with all that the page shows of it and does to it.

It belongs to the session's thread. Others read it only: `snapshot` and `verdicts` are replaced and never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from didymos.cockpit.pilots import Pilots, first_to_fly
from didymos.cockpit.robots import RunParameters, named
from didymos.cockpit.snapshot import Snapshot, SnapshotTaker
from didymos.control import Controller
from didymos.control.pilot import Hand, Pilot, SteerSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.intervention import save_interventions
from didymos.engine.run import Run
from didymos.engine.simulation import Simulation
from didymos.engine.verdict import Verdict
from didymos.engine.world_simulation import WorldSimulation

__all__ = ["Begin", "LiveRun", "Programs", "RunChoice", "from_its_start"]

Programs = Controller | Mapping[str, Controller]
"""A program in the place of the twin's own; of a world, by robot."""

LONGEST_PUSH = 60.0  # [s]


@dataclass(frozen=True)
class RunChoice:
    """Which run: in a piloted one, the robot that has the sticks has a channel table and boxes as well.

    A twin alone has no name; None is the first robot of a world that sticks can move.
    """

    scenario: str | None = None
    seed: int = 0
    piloted: bool = False
    robot: str | None = None


class LiveRun:
    """A run under the hands of people.

    Args:
        twin, choice: what runs, a twin or a world; the run keeps a copy of it.
        begin: makes the simulation: from its start, or from elsewhere.
        programs: take the place of the twin's own, for this run alone.
        hand: whoever holds the channels of the pilot.
        say: takes what the pilot has to tell.
        values: parameters that differ from the twin's, by path, as interventions before the first tick.
        rows: what the channels move, by robot, instead of what the twins say.
    """

    def __init__(
        self,
        twin: Twin | World,
        choice: RunChoice,
        *,
        begin: Begin,
        programs: Programs | None,
        hand: Hand,
        say: Callable[[str], None],
        values: Mapping[str, float],
        rows: Mapping[str, Sequence[SteerSpec]],
    ) -> None:
        self.simulation = begin(twin, choice, programs)
        self.choice = choice if choice.robot is not None else replace(choice, robot=first_to_fly(self.simulation))
        self.untuned = RunParameters(self.simulation)
        self._pilots = Pilots(self.simulation, hand, say, rows, self.choice.robot or "")
        self.run = Run(self.simulation, pilot=self._pilots)
        self.log = self.run.log
        for path, value in values.items():
            if path in self.untuned.parameters:  # a scenario may bring a program with other gains
                self.run.intervene("set", path, value)
        self.verdicts: tuple[Verdict, ...] = ()
        self._evaluated = False
        self._ends_of_pushes: dict[str, int] = {}
        self._taker = SnapshotTaker(self.simulation)
        self.take_snapshot()

    @property
    def pilot(self) -> Pilot:
        """The pilot of the robot that has the sticks."""
        return self._pilots.pilot

    def fly(self, robot: str) -> None:
        """Give the sticks to a robot."""
        self._pilots.give_to(robot)
        self.choice = replace(self.choice, robot=robot)

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
        """Push a link (in a world ROBOT.LINK) with a force [N], world frame, for a time [s]."""
        self.run.intervene("push", link, *force)
        ticks = max(1, round(min(seconds, LONGEST_PUSH) / self.simulation.period))
        self._ends_of_pushes[link] = self.simulation.tick + ticks

    def press(self, button: str) -> None:
        """Do what a button of a piloted run does to the robot that has the sticks: `drop`, `remove` or `reset`."""
        self.run.intervene(button, named(self.choice.robot or "", "robot" if button == "reset" else "boxes"))

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


Begin = Callable[[Twin | World, RunChoice, Programs | None], Simulation]
"""Makes the simulation of a run."""


def from_its_start(what: Twin | World, choice: RunChoice, programs: Programs | None) -> Simulation:
    """A run of a twin or of a world, from its first tick on."""
    if not isinstance(what, World):
        assert not isinstance(programs, Mapping)
        return Simulation(what, seed=choice.seed, scenario=choice.scenario, control=programs, piloted=choice.piloted)
    assert programs is None or isinstance(programs, Mapping)
    flown = (choice.robot,) if choice.piloted and choice.robot is not None else ()
    return WorldSimulation(what, seed=choice.seed, scenario=choice.scenario, control=programs, piloted=flown)
