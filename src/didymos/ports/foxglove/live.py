"""A run under the hands of viewers: it plays, stands, steps, begins anew; what they set or steer is an intervention."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from didymos.engine.run import Audience, Run
from didymos.errors import DidymosError, InputError, nearest
from didymos.ports.foxglove.inbox import Inbox
from didymos.ports.real_time import RealTime
from didymos.ports.serve_options import ServeOptions

if TYPE_CHECKING:
    from didymos.engine.simulation import Simulation, State

__all__ = ["LiveRun", "MakeRun"]

_SLICE = 0.005  # [s] of the twin's clock between two looks at what was asked for: viewers draw every 16 ms
_LOOK_UP = 0.1  # [s] after which a run that stands looks whether it should end
_MOST_STATES = 100  # that are held; each is as large as the memory of the engine
_KEPT = "the log of this run is kept, so its time cannot go back"

MakeRun = Callable[["Simulation"], Run]
"""Begins to record a simulation from where it stands."""


class _Playing(RealTime):
    """Time that passes until something about the run as a whole was asked for."""

    def __init__(self, run: Run, options: ServeOptions, inbox: Inbox) -> None:
        super().__init__(run, options, piece=_SLICE)
        self._inbox = inbox

    @property
    def ended(self) -> bool:
        """Whether it is time to end."""
        return super().over

    @property
    def over(self) -> bool:
        """Whether it is time to end, or to do something else."""
        return super().over or self._inbox.about_whole


@dataclass(frozen=True)
class _Step:
    """The tick that a step leads to, and who waits for it."""

    tick: int
    reached: Future[dict[str, float]]


class LiveRun:
    """A run that lets itself be commanded through an inbox.

    Args:
        simulation: what runs, from where it stands.
        make_run: begins a run of it, now and after a reset.
        options: how long; step-locked, time passes by steps only.
        fast: as fast as it goes instead of with the wall clock.
        goes_back: whether it may begin anew, or go on from an earlier state: nobody keeps its log.
    """

    def __init__(
        self, simulation: Simulation, make_run: MakeRun, options: ServeOptions, *, fast: bool = False, goes_back: bool = True
    ) -> None:
        self.simulation, self.inbox = simulation, Inbox()
        self.run = make_run(simulation)
        self.resets = 0
        self._make_run, self._options, self.fast, self._goes_back = make_run, options, fast, goes_back
        self._end = None if options.seconds is None else simulation.time + options.seconds
        self._time = _Playing(self.run, options, self.inbox)
        self._stands = options.step_locked
        self._steps: list[_Step] = []
        self._states: dict[str, State] = {}
        self._audience: Audience | None = None

    def listen(self, audience: Audience) -> None:
        """Let somebody hear all that is recorded, after a reset as well."""
        self._audience = audience
        self.run.listen(audience)

    def pass_time(self, tend: Callable[[], None]) -> None:
        """Let time pass until the run is over; `tend` is called between two slices of ticks, and while the run stands."""

        def between() -> None:
            self.inbox.settle()
            tend()

        while not self._time.ended:
            if self._stands and not self._steps:
                self.inbox.settle(whole=True, wait=_LOOK_UP)
                tend()
                continue
            if self._stands:
                between()
                self._time.advance(min(self._steps[0].tick - self.simulation.tick, self.simulation.chunk))
                self._tell_steppers()
            elif self.fast:
                between()
                self._time.advance(self.simulation.chunk)
            else:
                self._time.pass_time(between)
            self.inbox.settle(whole=True)

    def close(self) -> None:
        """Complete the recording; whoever waits is told that the run has ended."""
        try:
            self.run.close()
        finally:
            self.inbox.close()
            self._drop_steps("the run has ended")

    @property
    def where(self) -> dict[str, float]:
        """The tick, and the time [s]."""
        return {"tick": self.simulation.tick, "time": self.simulation.time}

    # what can be asked for: each is called on the thread of the run, through the inbox

    def pause(self) -> dict[str, float]:
        """Stand."""
        self._stands = True
        return self.where

    def resume(self) -> dict[str, float]:
        """Play."""
        if self._options.step_locked:
            raise InputError("this run is step-locked: its time passes by steps only")
        self._stands = False
        self._drop_steps("the run goes on by itself")
        return self.where

    def step(self, ticks: int) -> Future[dict[str, float]]:
        """Stand, and let so many ticks pass as fast as they go; where it is then, once it is there."""
        self._stands = True
        last = self._steps[-1].tick if self._steps else self.simulation.tick
        step = _Step(last + ticks, Future())
        self._steps.append(step)
        return step.reached

    def reset(self) -> dict[str, float]:
        """Begin anew, at time 0; parameters keep the values that they were set to."""
        self._go_back(lambda: self.simulation.reset())
        return self.where

    def save_state(self, name: str) -> dict[str, float]:
        """Hold the whole state under a name."""
        if name not in self._states and len(self._states) >= _MOST_STATES:
            raise InputError(f"{_MOST_STATES} states are held already; use the name of one again")
        self._states[name] = self.simulation.save()
        return self.where

    def restore_state(self, name: str) -> dict[str, float]:
        """Go on from a state that is held; parameters keep the values that they were set to."""
        state = self._states.get(name)
        if state is None:
            raise InputError(f"no state {name!r} is held{nearest(name, self._states)}")
        self._go_back(lambda: self.simulation.restore(state))
        return self.where

    def intervene(self, kind: str, path: str, values: Sequence[float]) -> dict[str, float]:
        """Do something to the run before its next tick; the recording keeps it."""
        self.run.intervene(kind, path, *values)
        return self.where

    def _go_back(self, change: Callable[[], Any]) -> None:
        if not self._goes_back:
            raise InputError(_KEPT)
        self.run.close()
        change()
        self.run = self._make_run(self.simulation)
        if self._audience is not None:
            self.run.listen(self._audience)
        left = None if self._end is None else max(self._end - self.simulation.time, 0.0)
        self._time = _Playing(self.run, replace(self._options, seconds=left), self.inbox)
        self._drop_steps("the run began anew")
        self.resets += 1

    def _tell_steppers(self) -> None:
        while self._steps and self._steps[0].tick <= self.simulation.tick:
            self._steps.pop(0).reached.set_result(self.where)

    def _drop_steps(self, why: str) -> None:
        steps, self._steps = self._steps, []
        for step in steps:
            step.reached.set_exception(DidymosError(why))
