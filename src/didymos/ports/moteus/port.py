"""The port moteus: every drive of the twin as a moteus on one bus, behind an fdcanusb on a pseudo-terminal.

One loop: it listens until the next slice of ticks is due, answers at once with what the drives said last, and lets the slice
pass. A command is an intervention before the next tick, so that the recording holds it and the run can be repeated,
with the program `idle`. Step-locked, a query to a controller that was queried before in this period lets a period of the twin's
own control rate pass first.

In a world each robot that has drives has a bus of its own. Step-locked, time passes once every bus waits for it: a driver of
its own for each robot sees the same clock, and no driver is ahead of another.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

from didymos.engine.judge import Judge
from didymos.engine.run import Run
from didymos.ports.moteus.numbers import plan_buses
from didymos.ports.moteus.tap import Tap
from didymos.ports.moteus.terminal import Terminal, wait
from didymos.ports.moteus.wired_bus import WiredBus
from didymos.ports.real_time import RealTime
from didymos.ports.serve_options import ServeOptions

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation

__all__ = ["serve"]

_SLICE = 0.002  # [s] of the twin's clock that pass at once
_LOOK_UP = 0.1  # [s] after which a run that waits for a query looks whether it should end


def serve(simulation: Simulation, options: ServeOptions) -> dict[str, Any]:
    """Serve until the time is over or `options.stop` is set; the facts about it."""
    plans = plan_buses(simulation, options)
    with ExitStack() as opened:
        terminals = [opened.enter_context(closing(Terminal(plan.link))) for plan in plans]
        run = opened.enter_context(closing(Run(simulation, options.record, keep=False)))
        judge = Judge(simulation, run.log)
        taps = [None if plan.tap is None else opened.enter_context(closing(Tap(plan.tap))) for plan in plans]
        wires = zip(plans, terminals, taps, strict=True)
        buses = [WiredBus(run, plan, terminal, options, tap) for plan, terminal, tap in wires]
        port = _Port(run, buses, options)
        pace = "on queries" if options.step_locked else "in real time"
        run.advance(1)  # until now the drives have said nothing
        options.say(f"{simulation.twin.name} runs {pace}, fdcanusb {', '.join(bus.about for bus in buses)}")
        port.step_locked() if options.step_locked else port.real_time()
    paths = {robot: bus.path for bus in buses for robot in bus.plan.robots}
    return {
        **({"path": paths[""]} if "" in paths else {"paths": paths}),
        "ids": {name: number for plan in plans for name, number in plan.numbers.items()},
        "frames": sum(bus.messages for bus in buses),
        "replies": sum(bus.replies for bus in buses),
        "refused": sum(bus.refused for bus in buses),
        "lost": sum(terminal.lost for terminal in terminals),
        **({} if options.tap is None else {"unheard": sum(tap.lost for tap in taps if tap is not None)}),
        "verdicts": judge.verdicts(),
    }


class _Port:
    """The run's side of the wire."""

    def __init__(self, run: Run, buses: Sequence[WiredBus], options: ServeOptions) -> None:
        self._run, self._buses = run, buses
        self._time = RealTime(run, options, piece=_SLICE)
        self._tick = run.simulation.tick  # until which the buses know that time has passed

    def real_time(self) -> None:
        """Let time pass as the wall clock does, and answer meanwhile."""
        self._time.pass_time(lambda: self._listen(0.0), self._listen)

    def step_locked(self) -> None:
        """Let time pass on queries only: to the next period of a bus, once all of them wait."""
        simulation = self._run.simulation
        for bus in self._buses:
            bus.begin(simulation.tick)
        while not self._time.over:
            self._listen(_LOOK_UP)
            while all(bus.waits for bus in self._buses) and not self._time.over:
                self._pass(min(bus.due for bus in self._buses) - simulation.tick)
                for bus in self._buses:
                    if bus.due <= simulation.tick:
                        bus.begin(simulation.tick)
                    bus.answer()

    def _listen(self, seconds: float) -> None:
        """Answer what comes within a time [s]."""
        self._tell_time()
        buses = [bus for bus in self._buses if not bus.waits]
        for bus, data in zip(buses, wait([one.terminal for one in buses], seconds), strict=True):
            bus.feed(data)
            bus.answer()

    def _pass(self, ticks: int) -> None:
        """Let ticks pass, slice by slice."""
        simulation = self._run.simulation
        end = simulation.tick + ticks
        while simulation.tick < end and not self._time.over:
            self._time.advance(min(end - simulation.tick, self._time.ticks))
            self._tell_time()

    def _tell_time(self) -> None:
        """Let the buses know how much time has passed."""
        simulation = self._run.simulation
        passed, self._tick = simulation.tick - self._tick, simulation.tick
        for bus in self._buses if passed else ():
            bus.advance(passed * simulation.period)
