"""The port moteus: every drive of the twin as a moteus on one bus, behind an fdcanusb on a pseudo-terminal.

One loop: it listens until the next slice of ticks is due, answers at once with what the drives said last, and lets the slice
pass. A command is an intervention before the next tick, so that the recording holds it and the run can be repeated,
with the program `idle`. Step-locked, a query to a controller that was queried before in this period lets a period of the twin's
own control rate pass first.

In a world each robot that has drives has a bus of its own. Step-locked, time passes once every bus waits for it: a driver of
its own for each robot sees the same clock, and no driver is ahead of another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import ExitStack, closing
from time import monotonic
from typing import TYPE_CHECKING, Any

from didymos.engine.judge import Judge
from didymos.engine.pace import Pace
from didymos.engine.run import Run
from didymos.ports.moteus.board import Board
from didymos.ports.moteus.bus import Bus, is_query
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.line import Lines, Message, received, render
from didymos.ports.moteus.numbers import BusPlan, plan_buses
from didymos.ports.moteus.run_drive import RunDrive
from didymos.ports.moteus.terminal import Terminal, wait
from didymos.ports.serve_options import ServeOptions

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["serve"]

_SLICE = 0.002  # [s] of the twin's clock that pass at once
_SLACK = 0.1  # [s] that a run may be late and catch up; beyond, its clock falls behind the wall's, and an overrun is counted
_LOOK_UP = 0.1  # [s] after which a run that waits for a query looks whether it should end
_RATE = 200.0  # [Hz] of a step-locked run whose twin has no control program


def serve(simulation: Simulation, options: ServeOptions) -> dict[str, Any]:
    """Serve until the time is over or `options.stop` is set; the facts about it."""
    plans = plan_buses(simulation, options)
    with ExitStack() as opened:
        terminals = [opened.enter_context(closing(Terminal(plan.link))) for plan in plans]
        run = opened.enter_context(closing(Run(simulation, options.record, keep=False)))
        judge = Judge(simulation, run.log)
        lines = [_Line(run, plan, terminal, options) for plan, terminal in zip(plans, terminals, strict=True)]
        port = _Port(run, lines, options)
        pace = "on queries" if options.step_locked else "in real time"
        run.advance(1)  # until now the drives have said nothing
        options.say(f"{simulation.twin.name} runs {pace}, fdcanusb {', '.join(line.about for line in lines)}")
        port.step_locked() if options.step_locked else port.real_time()
    paths = {robot: line.path for line in lines for robot in line.plan.robots}
    return {
        **({"path": paths[""]} if "" in paths else {"paths": paths}),
        "ids": {name: number for plan in plans for name, number in plan.numbers.items()},
        "frames": sum(line.messages for line in lines),
        "replies": sum(line.replies for line in lines),
        "refused": sum(line.refused for line in lines),
        "lost": sum(terminal.lost for terminal in terminals),
        "verdicts": judge.verdicts(),
    }


class _Line:
    """A bus behind its terminal: what came and is not answered yet, and what was queried in this period."""

    def __init__(self, run: Run, plan: BusPlan, terminal: Terminal, options: ServeOptions) -> None:
        self.messages = self.replies = self.refused = 0
        self.plan, self.terminal = plan, terminal
        self._lines, self._came = Lines(), deque[tuple[Message | str, bool]]()  # and whether the answer has a checksum
        self._step_locked, self._queried = options.step_locked, set[int]()
        self.due = 0  # the tick at which its next period begins
        simulation = run.simulation
        robots = [simulation.robots[name] for name in plan.robots]
        controls = [robot.twin.file.control for robot in robots]
        rate = max(_RATE if control is None else control.rate for control in controls)
        self._round = max(1, round(1.0 / (rate * simulation.period)))
        drives = [(robot.name, part) for robot in robots for part in robot.twin.file.parts]
        controllers = []
        for robot, part in drives:
            name = f"{robot}.{part}" if robot else part
            if name in plan.numbers:
                board = Board(simulation.twin.name, name, plan.numbers[name])
                controllers.append(Controller(RunDrive(run, robot, part), board, options.say))
        self._bus = Bus(controllers)

    @property
    def path(self) -> str:
        """Where a client finds it."""
        return str(self.plan.link or self.terminal.path)

    @property
    def about(self) -> str:
        """Where it is and who is on it, for people."""
        where = f"{self.terminal.path} as {self.plan.link}" if self.plan.link is not None else self.terminal.path
        return f"at {where} with " + " ".join(f"{name}={number}" for name, number in self.plan.numbers.items())

    @property
    def waits(self) -> bool:
        """Whether a query has to wait until time has passed."""
        return bool(self._came)

    def feed(self, data: bytes) -> None:
        """Take what a client wrote."""
        self._came.extend((item, self._lines.checksum) for item in self._lines.feed(data))

    def answer(self) -> None:
        """Answer what came, up to a query that has to wait."""
        while self._came:
            item, checksum = self._came[0]
            if self._step_locked and not isinstance(item, str) and is_query(item):
                addressed = set(self._bus.addressed(item))
                if addressed & self._queried:
                    break
                self._queried |= addressed
            self._came.popleft()
            self._follow(item, checksum)
        self.terminal.flush()

    def begin(self, tick: int) -> None:
        """A new period begins."""
        self.due = tick + self._round
        self._queried.clear()

    def advance(self, dt: float) -> None:
        """Let set-points that are moving move on by dt [s]."""
        self._bus.advance(dt)

    def _follow(self, item: Message | str, checksum: bool) -> None:
        if isinstance(item, str):
            self.refused += 1
            self.terminal.send(render(item, checksum))
            return
        self.messages += 1
        self.terminal.send(render("OK", checksum))
        for reply in self._bus.send(item):
            self.replies += 1
            self.terminal.send(render(received(reply), checksum))


class _Port:
    """The run's side of the wire."""

    def __init__(self, run: Run, lines: Sequence[_Line], options: ServeOptions) -> None:
        self._run, self._lines, self._options = run, lines, options
        simulation = run.simulation
        self._slice = max(1, round(_SLICE / simulation.period))
        self._end = None if options.seconds is None else max(1, round(options.seconds / simulation.period))

    def real_time(self) -> None:
        """Let time pass as the wall clock does, and answer meanwhile."""
        simulation = self._run.simulation
        pace = Pace(simulation.period, real_time=True, slack=_SLACK)
        while not self._over():
            began = simulation.tick
            self._pass(self._slice)
            due = monotonic() + pace.left(simulation.tick - began)
            while (left := due - monotonic()) > 0.0:
                self._listen(left)
            self._listen(0.0)
            simulation.overruns += pace.wait(simulation.tick - began)

    def step_locked(self) -> None:
        """Let time pass on queries only: to the next period of a bus, once all of them wait."""
        simulation = self._run.simulation
        for line in self._lines:
            line.begin(simulation.tick)
        while not self._over():
            self._listen(_LOOK_UP)
            while all(line.waits for line in self._lines) and not self._over():
                self._pass(min(line.due for line in self._lines) - simulation.tick)
                for line in self._lines:
                    if line.due <= simulation.tick:
                        line.begin(simulation.tick)
                    line.answer()

    def _listen(self, seconds: float) -> None:
        """Answer what comes within a time [s]."""
        lines = [line for line in self._lines if not line.waits]
        for line, data in zip(lines, wait([line.terminal for line in lines], seconds), strict=True):
            line.feed(data)
            line.answer()

    def _pass(self, ticks: int) -> None:
        """Let ticks pass, slice by slice."""
        simulation = self._run.simulation
        while ticks > 0 and not self._over():
            count = min(ticks, self._slice)
            if self._end is not None:
                count = min(count, self._end - simulation.tick)
            self._run.advance(count)
            for line in self._lines:
                line.advance(count * simulation.period)
            ticks -= count

    def _over(self) -> bool:
        return self._options.stop.is_set() or (self._end is not None and self._run.simulation.tick >= self._end)
