"""A live run: one run of a twin or a world from its first tick on, with all that the page shows of it and does to it.

It belongs to the session's thread. Others read it only: `snapshot` and `verdicts` are replaced and never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from didymos.cockpit.checkpoints import Checkpoint, Checkpoints
from didymos.cockpit.history import History
from didymos.cockpit.pilots import Pilots, first_to_fly
from didymos.cockpit.pull import Pull
from didymos.cockpit.robots import RunParameters, named
from didymos.cockpit.snapshot import Snapshot, SnapshotTaker
from didymos.control import Controller
from didymos.control.pilot import Hand, Pilot, SteerSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.intervention import Intervention, save_interventions
from didymos.engine.past import repeat_values
from didymos.engine.run import Run
from didymos.engine.simulation import Simulation
from didymos.engine.verdict import Verdict
from didymos.engine.world_simulation import WorldSimulation

__all__ = ["Begin", "LiveRun", "Past", "Programs", "RunChoice", "from_its_start"]

Programs = Controller | Mapping[str, Controller]
"""A program in the place of the twin's own; of a world, by robot."""

Array = NDArray[np.float64]
LONGEST_PUSH = 60.0  # [s]
MOST_BYTES = 2**24  # of log in memory; more goes to the disk


@dataclass(frozen=True)
class RunChoice:
    """Which run: in a piloted one, the robot that has the sticks has a channel table and boxes as well.

    A twin alone has no name; None is the first robot of a world that sticks can move.
    """

    scenario: str | None = None
    seed: int = 0
    piloted: bool = False
    robot: str | None = None


@dataclass(frozen=True)
class Past:
    """What a run has in common with another that it left at a tick: `done` was done before, from the checkpoint on again."""

    run: LiveRun
    tick: int
    checkpoint: Checkpoint
    done: tuple[Intervention, ...]


class LiveRun:
    """A run under the hands of people.

    Args:
        twin, choice: what runs, a twin or a world; the run keeps a copy of it.
        begin: makes the simulation: from its start, or from elsewhere.
        programs: take the place of the twin's own, for this run alone.
        hand: whoever holds the channels of the pilot.
        say: is given (title, text) of what a person should know.
        values: parameters that differ from the twin's, by path, as interventions before the first tick.
        rows: what the channels move, by robot, instead of what the twins say.
        past: of a branch: what it has in common with the run that it leaves; `values` are part of it.
    """

    def __init__(
        self,
        twin: Twin | World,
        choice: RunChoice,
        *,
        begin: Begin,
        programs: Programs | None,
        hand: Hand,
        say: Callable[[str, str], None],
        values: Mapping[str, float],
        rows: Mapping[str, Sequence[SteerSpec]],
        past: Past | None = None,
    ) -> None:
        self.simulation = begin(twin, choice, programs)
        self.choice = choice if choice.robot is not None else replace(choice, robot=first_to_fly(self.simulation))
        self.untuned = RunParameters(self.simulation)
        self._pilots = Pilots(self.simulation, hand, lambda text: say("Pilot", text), rows, self.choice.robot or "")
        if past is not None:
            repeat_values(self.simulation, past.done[: past.checkpoint.done], past.checkpoint.state.tick)
            self.simulation.restore(past.checkpoint.state)
        self.run = Run(
            self.simulation, pilot=self._pilots, interventions=() if past is None else past.done[past.checkpoint.done :]
        )
        self.log = self.run.log
        self.log.bound(MOST_BYTES, lambda text: say("A long run", text))
        self.verdicts: tuple[Verdict, ...] = ()
        self.branched: tuple[int, ...] = ()
        """Ticks at which it left the runs whose past it has."""
        self.before: History | None = None
        """Where everything was in the run that it left last."""
        self._evaluated = False
        self._ends_of_pushes: dict[str, int] = {}
        self._pull: Pull | None = None
        self._pushes: list[tuple[int, str, int]] = []  # all until now: when, what, until when [ticks]
        self.history = History(self.simulation)
        if past is None:
            for path, value in values.items():
                if path in self.untuned.parameters:  # a scenario may bring a program with other gains
                    self.run.intervene("set", path, value)
        else:
            self.run.take_over(past.run.run, past.done[: past.checkpoint.done], past.checkpoint.rows)
            self.history.take_over(past.run.history, self.simulation.time)
        self.history.add(self.simulation)
        self._checkpoints = Checkpoints(self.run)
        if past is not None:
            self._repeat(past)
        self._taker = SnapshotTaker(self.simulation)
        self.take_snapshot()

    def _repeat(self, past: Past) -> None:
        """Go from a checkpoint to the tick at which this run leaves another."""
        self._checkpoints.take_over(past.run._checkpoints, past.checkpoint)
        self._pilots.asleep = True
        self._advance(past.tick)
        self._pilots.asleep = False
        self._pilots.resume(past.done)
        self._pushes = [push for push in past.run._pushes if push[0] < past.tick]
        last = {link: until for _, link, until in self._pushes}
        self._ends_of_pushes = {link: until for link, until in last.items() if until >= past.tick}
        forces = {item.path: item.value for item in past.done if item.kind == "push"}
        for link in [link for link, force in forces.items() if any(force) and link not in self._ends_of_pushes]:
            self.run.intervene("push", link, 0.0, 0.0, 0.0)  # was pulled then, and nobody pulls now
        self.branched, self.before = (*past.run.branched, past.tick), past.run.history
        if past.run.verdicts and past.tick >= self.end:
            self.verdicts, self._evaluated = past.run.verdicts, True

    def past(self, tick: int) -> Past:
        """What another run would have in common with this one until a tick."""
        checkpoint, done = self._checkpoints.before(tick), self.run.interventions
        later = [item for item in done[checkpoint.done :] if item.tick < tick]
        return Past(self, tick, checkpoint, (*done[: checkpoint.done], *later))

    @property
    def end(self) -> int:
        """The tick at which the scenario is over; without one there is none that a run could reach."""
        return round(self.simulation.seconds / self.simulation.period) if self.choice.scenario is not None else 1 << 60

    @property
    def tuned(self) -> dict[str, float]:
        """Parameters that people have set to something else than they were, by path."""
        values: dict[str, float] = {}
        for item in self.run.interventions:
            values |= item.values if item.kind in ("set", "set_all") else {}
        known = self.untuned.parameters
        return {path: value for path, value in values.items() if path not in known or value != self.untuned.get(path)}

    @property
    def result(self) -> str:
        """How the scenario went, in a sentence, once it is over."""
        asked = [verdict for verdict in self.verdicts if verdict.ok is not None]
        missed = [verdict.name for verdict in asked if not verdict.ok]
        if not self.verdicts:
            return "its time is over; nothing was expected of it"
        if missed:
            return f"{len(missed)} of {len(self.verdicts)} expectations missed: {_some(missed)}"
        open_ = [verdict.name for verdict in self.verdicts if verdict.ok is None]
        told = f"{len(asked)} of {len(self.verdicts)} as expected"
        return told + (f", not reached: {_some(open_)}" if open_ else "")

    @property
    def is_over(self) -> bool:
        """Whether the scenario is over."""
        return self.simulation.tick >= self.end

    @property
    def pilot(self) -> Pilot:
        """The pilot of the robot that has the sticks."""
        return self._pilots.pilot

    def fly(self, robot: str) -> None:
        """Give the sticks to a robot."""
        self._pilots.give_to(robot)
        self.choice = replace(self.choice, robot=robot)

    def advance(self, count: int) -> None:
        """Let ticks pass, stopping where a push ends or a pull is looked at; evaluate the scenario once its time is over."""
        end = self.simulation.tick + count
        while self.simulation.tick < end:
            here = self.simulation.tick
            for link in [link for link, tick in self._ends_of_pushes.items() if tick <= here]:
                del self._ends_of_pushes[link]
                self.run.intervene("push", link, 0.0, 0.0, 0.0)
            pull = self._pull
            if pull is not None and pull.due(here):
                self.run.intervene("push", named(pull.robot.name, pull.link), *pull.act(here))
            looks = [] if pull is None else [pull.next_look]
            self._advance(min([end, *self._ends_of_pushes.values(), *looks]))
            self._evaluate()

    def _advance(self, end: int) -> None:
        """Let ticks pass up to one, and keep what another run, or somebody who looks back, may want of them."""
        simulation, every, rarely = self.simulation, self.history.every, self._checkpoints.every
        while (here := simulation.tick) < end:
            there = min(end, here - here % every + every, here - here % rarely + rarely)
            self.run.advance(there - here)
            if there % every == 0:
                self.history.add(simulation)
            if there % rarely == 0:  # before anything is done at this tick
                self._checkpoints.keep()

    def _evaluate(self) -> None:
        if self.is_over and not self._evaluated:
            self._evaluated = True
            self.verdicts = self.simulation.judge(self.run.log)

    def push(self, link: str, force: tuple[float, float, float], seconds: float) -> None:
        """Push a link (in a world ROBOT.LINK) with a force [N], world frame, for a time [s]."""
        self.run.intervene("push", link, *force)
        ticks = max(1, round(min(seconds, LONGEST_PUSH) / self.simulation.period))
        self._ends_of_pushes[link] = self.simulation.tick + ticks
        self._pushes.append((self.simulation.tick, link, self.simulation.tick + ticks))

    def pull(self, robot: str, link: str, point: Array, stiffness: float, weight: float) -> None:
        """Grab a point of a robot's link, world frame [m], shape [3]; see `Pull`."""
        self.let_go()
        self._pull = Pull(self.simulation, self.simulation.robots[robot], link, point, stiffness, weight)

    def pull_to(self, pointer: Array) -> None:
        """Pull what is grabbed to a point, world frame [m], shape [3]."""
        if self._pull is not None:
            self._pull.pointer = pointer

    def let_go(self) -> None:
        """Let go of what is grabbed."""
        if self._pull is not None:
            self.run.intervene("push", named(self._pull.robot.name, self._pull.link), 0.0, 0.0, 0.0)
            self._pull = None

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
        save_interventions(interventions, replace(self.run.intervention_log(), branched=self.branched))
        return interventions

    def take_snapshot(self) -> None:
        """Show the run as it is now."""
        self.run.update()
        self.snapshot: Snapshot = self._taker.take(self.simulation, None if self._pull is None else self._pull.pulled)

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


def _some(names: Sequence[str]) -> str:
    """The first of several names."""
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
