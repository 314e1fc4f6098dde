"""A bus behind its terminal: what came and is not answered yet, and which controllers were queried in this period."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING

from didymos.engine.run import Run
from didymos.ports.moteus.board import Board
from didymos.ports.moteus.bus import Bus, is_query
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.line import Lines, Message, received, render
from didymos.ports.moteus.numbers import BusPlan
from didymos.ports.moteus.run_drive import RunDrive
from didymos.ports.moteus.tap import Tap
from didymos.ports.moteus.terminal import Terminal
from didymos.ports.serve_options import ServeOptions

if TYPE_CHECKING:
    from didymos.engine.robot_run import RobotRun

__all__ = ["WiredBus"]

_RATE = 200.0  # [Hz] of a step-locked run whose twin has no control program


class WiredBus:
    """A bus behind its terminal; a step-locked one answers each controller once in a period of its robot's control rate."""

    def __init__(self, run: Run, plan: BusPlan, terminal: Terminal, options: ServeOptions, tap: Tap | None = None) -> None:
        self.messages = self.replies = self.refused = 0
        self.plan, self.terminal, self.tap = plan, terminal, tap
        self._lines, self._came = Lines(), deque[tuple[Message | str, bool]]()  # and whether the answer has a checksum
        self._step_locked, self._queried = options.step_locked, set[int]()
        self.due = 0  # the tick at which its next period begins
        simulation = run.simulation
        robots = [simulation.robots[name] for name in plan.robots]
        controls = [robot.twin.file.control for robot in robots]
        rate = max(_RATE if control is None else control.rate for control in controls)
        self._round = max(1, round(1.0 / (rate * simulation.period)))
        self._bus = Bus([controller for robot in robots for controller in _controllers(run, robot, plan, options)])

    @property
    def path(self) -> str:
        """Where a client finds it."""
        return str(self.plan.link or self.terminal.path)

    @property
    def about(self) -> str:
        """Where it is and who is on it, for people."""
        where = f"{self.terminal.path} as {self.plan.link}" if self.plan.link is not None else self.terminal.path
        heard = "" if self.tap is None else f", heard at {self.plan.tap},"
        return f"at {where}{heard} with " + " ".join(f"{name}={number}" for name, number in self.plan.numbers.items())

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
        if self.tap is not None:
            self.tap.flush()

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
        self._tell(item)
        for reply in self._bus.send(item):
            self.replies += 1
            self.terminal.send(render(received(reply), checksum))
            self._tell(reply)

    def _tell(self, message: Message) -> None:
        if self.tap is not None:
            self.tap.tell(message)


def _controllers(run: Run, robot: RobotRun, plan: BusPlan, options: ServeOptions) -> Iterator[Controller]:
    """The controllers of the drives of a robot."""
    for part in robot.twin.file.parts:
        name = f"{robot.name}.{part}" if robot.name else part
        if name in plan.numbers:
            board = Board(run.simulation.twin.name, name, plan.numbers[name])
            yield Controller(RunDrive(run, robot.name, part), board, options.say)
