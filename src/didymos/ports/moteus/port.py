"""The port moteus: every drive of the twin as a moteus on one bus, behind an fdcanusb on a pseudo-terminal.

One loop: it listens until the next slice of ticks is due, answers at once with what the drives said last, and lets the slice
pass. A command is an intervention before the next tick, so that the recording holds it and the run can be repeated,
with the program `idle`. Step-locked, a query to a controller that was queried before in this period lets a period of the twin's
own control rate pass first.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from didymos.engine.judge import Judge
from didymos.engine.pace import Pace
from didymos.engine.run import Run
from didymos.parts.drive import Drive
from didymos.ports.moteus.board import Board
from didymos.ports.moteus.bus import Bus, is_query
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.line import Lines, Message, received, render
from didymos.ports.moteus.numbers import bus_numbers
from didymos.ports.moteus.terminal import Terminal
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
    numbers = bus_numbers(simulation.twin, options.ids)
    terminal = Terminal(options.link)
    try:
        run = Run(simulation, options.record, keep=False)
        judge = Judge(simulation, run.log)
        try:
            drives = {name: _Drive(run, name) for name in numbers}
            boards = {name: Board(simulation.twin.name, name, number) for name, number in numbers.items()}
            bus = Bus([Controller(drives[name], boards[name], options.say) for name in numbers])
            port = _Port(run, bus, terminal, options)
            where = f"{terminal.path} as {options.link}" if options.link is not None else terminal.path
            pace = "on queries" if options.step_locked else "in real time"
            known = " ".join(f"{name}={number}" for name, number in numbers.items())
            run.advance(1)  # until now the drives have said nothing
            options.say(f"{simulation.twin.name} runs {pace}, fdcanusb at {where} with {known}")
            port.step_locked() if options.step_locked else port.real_time()
        finally:
            run.close()
    finally:
        terminal.close()
    return {
        "path": str(options.link or terminal.path),
        "ids": numbers,
        "frames": port.messages,
        "replies": port.replies,
        "refused": port.refused,
        "lost": terminal.lost,
        "verdicts": judge.verdicts(),
    }


class _Drive:
    """A drive of the run, as its controller sees it."""

    def __init__(self, run: Run, name: str) -> None:
        self._run, self._name, self._beat = run, name, 0.0
        self._view = run.simulation.readouts(name)
        self._outputs = [output.name for output in Drive.outputs]
        self._known, self._known_at = dict[str, float](), -1  # a message asks for many of them, a tick changes them

    @property
    def time(self) -> float:
        return self._run.simulation.time

    @property
    def readouts(self) -> Mapping[str, float]:
        tick = self._run.simulation.tick
        if tick != self._known_at:
            self._known, self._known_at = dict(zip(self._outputs, self._view.tolist(), strict=True)), tick
        return self._known

    def parameter(self, name: str) -> float:
        return self._run.simulation.twin.parameters[f"parts.{self._name}.{name}"].value

    def set_parameter(self, name: str, value: float) -> None:
        self._run.intervene("set", f"parts.{self._name}.{name}", value)

    def command(self, values: tuple[float, ...]) -> None:
        self._beat += 1.0
        self._run.intervene("steer", f"inputs.{self._name}", *values[:6], self._beat, *values[6:])


class _Port:
    """The run's side of the wire."""

    def __init__(self, run: Run, bus: Bus, terminal: Terminal, options: ServeOptions) -> None:
        self.messages = self.replies = self.refused = 0
        self._run, self._bus, self._terminal, self._options = run, bus, terminal, options
        self._lines = Lines()
        simulation = run.simulation
        self._slice = max(1, round(_SLICE / simulation.period))
        control = simulation.twin.file.control
        rate = control.rate if control is not None else _RATE
        self._round = max(1, round(1.0 / (rate * simulation.period)))
        self._queried: set[int] = set()
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
        """Let time pass on queries only."""
        while not self._over():
            self._listen(_LOOK_UP)

    def _listen(self, seconds: float) -> None:
        """Answer what comes within a time [s]."""
        for item in self._lines.feed(self._terminal.wait(seconds)):
            if isinstance(item, str):
                self.refused += 1
                self._say(item)
            else:
                self._follow(item)
        self._terminal.flush()

    def _follow(self, message: Message) -> None:
        self.messages += 1
        if self._options.step_locked and is_query(message):
            addressed = set(self._bus.addressed(message))
            if addressed & self._queried:
                self._queried.clear()
                self._pass(self._round)
            self._queried |= addressed
        self._say("OK")
        for reply in self._bus.send(message):
            self.replies += 1
            self._say(received(reply))

    def _say(self, line: str) -> None:
        self._terminal.send(render(line, self._lines.checksum))

    def _pass(self, ticks: int) -> None:
        """Let ticks pass, slice by slice."""
        simulation = self._run.simulation
        while ticks > 0 and not self._over():
            count = min(ticks, self._slice)
            if self._end is not None:
                count = min(count, self._end - simulation.tick)
            self._run.advance(count)
            self._bus.advance(count * simulation.period)
            ticks -= count

    def _over(self) -> bool:
        return self._options.stop.is_set() or (self._end is not None and self._run.simulation.tick >= self._end)
