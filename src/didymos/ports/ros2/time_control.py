"""Who lets time pass: a served run that can be paused, stepped, reset and ended from outside.

    PLAYING   time passes as the wall clock does
    PAUSED    the clock stands; steps let single ticks pass
    STOPPED   as if it had just been started, and paused
    QUITTING  the run ends, as at Ctrl-C

A run that is served step-locked is PAUSED and never plays: its time passes on command anyway, by `/step` or by the steps here.
A step is a tick, the shortest time that a run can be advanced by.

Steps are taken a few milliseconds of wall-clock time at once, so that the wire is tended meanwhile, whatever their number.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from didymos.engine.put import free_joints, state_of
from didymos.ports.ros2.simulation_types import Results, States

if TYPE_CHECKING:
    from didymos.engine.run import Run
    from didymos.ports.real_time import RealTime
    from didymos.ports.serve_options import ServeOptions

__all__ = ["Refused", "Steps", "TimeControl"]

_AT_ONCE = 0.005  # [s] of the wall clock that steps may take before the wire is tended again


class Refused(Exception):
    """What cannot be done: a code of `Result` and a sentence."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code, self.text = code, text


class Steps:
    """Steps on their way: `left` and `done` count them; `told` is called after each one, where somebody wants to know."""

    def __init__(self, count: int, told: Callable[[Steps], None] | None = None) -> None:
        self.left, self.done, self.told = count, 0, told


class TimeControl:
    """Pauses, steps, resets and ends a run.

    Args:
        run: what runs.
        clock: what lets it pass in real time.
        options: how it is served.
        advance: lets so many ticks pass at once and tells what they recorded.
        restarted: called after the run has begun anew.
    """

    def __init__(
        self, run: Run, clock: RealTime, options: ServeOptions, advance: Callable[[int], None], restarted: Callable[[], None]
    ) -> None:
        self._run, self._clock, self._options = run, clock, options
        self._advance, self._restarted = advance, restarted
        self._stopped_at: int | None = None  # the tick at which it was stopped; once it is past, it is no longer
        self._quitting = self._going = False
        self.steps: Steps | None = None
        self.resets, self.restored = 0, list[str]()  # how often it was reset, and which parameters the last reset put back
        simulation = run.simulation
        self._values = {
            name: {path: item.value for path, item in robot.twin.parameters.items() if item.live}
            for name, robot in simulation.robots.items()
        }
        first = next(iter(simulation.robots.values())).built
        joints = {path: joint for path, joint in free_joints(first).items() if path != "robot"}
        self._objects = {path: state_of(simulation.model, simulation.data, joint) for path, joint in joints.items()}

    @property
    def state(self) -> States:
        """What holds now."""
        if self._quitting:
            return States.QUITTING
        if self._stopped_at == self._run.simulation.tick:
            return States.STOPPED
        return States.PAUSED if self._clock.paused or self._options.step_locked else States.PLAYING

    def set_state(self, target: int) -> None:
        """Pause, play, stop or quit."""
        if target not in list(States):
            raise Refused(Results.INCORRECT_TRANSITION, f"found the state {target}, expected 0 (stopped) to 3 (quitting)")
        if target == self.state:
            raise Refused(Results.ALREADY_IN_TARGET_STATE, f"the simulation is {self.state.name.lower()} already")
        if target == States.PLAYING and self._options.step_locked:
            text = "this run is served step-locked: time passes on /step, step_simulation and simulate_steps only"
            raise Refused(Results.STATE_TRANSITION_ERROR, text)
        if target == States.PLAYING and self.steps is not None:
            raise Refused(Results.STATE_TRANSITION_ERROR, "steps are on their way")
        self._stopped_at = None
        if target == States.QUITTING:
            self._quitting = True
            self._options.stop.set()
            return
        self._clock.paused = target != States.PLAYING
        if target == States.STOPPED:
            self.reset(time=True)
            self._stopped_at = self._run.simulation.tick

    def begin_steps(self, steps: Steps) -> None:
        """Let steps pass from now on, while paused."""
        if self.steps is not None:
            raise Refused(Results.OPERATION_FAILED, "steps are on their way already")
        if self.state != States.PAUSED:
            raise Refused(Results.OPERATION_FAILED, f"the simulation is {self.state.name.lower()}, expected it to be paused")
        self.steps = steps

    def reset(self, *, time: bool) -> None:
        """Back to the start: with `time` all of it, as if it were served anew; without, what moves, while the clock goes on."""
        if self.steps is not None:
            raise Refused(Results.INCORRECT_STATE, "steps are on their way")
        run, simulation = self._run, self._run.simulation
        if not time:
            for name in simulation.robots:
                run.intervene("reset", f"{name}.robot" if name else "robot")
            for path, state in self._objects.items():
                run.intervene("put", path, *state)
            return
        self.resets += 1
        changed = self._changed()
        simulation.set_all(changed)
        self.restored = list(changed)
        run.restart()
        self._stopped_at = None
        self._restarted()

    def go_on(self) -> Steps | None:
        """Take some of the steps on their way; those that are through, or that the end of the run has cut off."""
        if self._going:  # other features are tended between the ticks of a step
            return None
        self._going = True
        try:
            return self._go_on()
        finally:
            self._going = False

    def _go_on(self) -> Steps | None:
        steps, run = self.steps, self._run
        end = time.monotonic() + _AT_ONCE
        while steps is not None and steps.left and not self._clock.over and time.monotonic() < end:
            count = 1 if steps.told is not None else min(steps.left, run.simulation.chunk)
            before = run.simulation.tick
            self._advance(count)
            passed = run.simulation.tick - before
            steps.left, steps.done = steps.left - passed, steps.done + passed
            if steps.told is not None:
                steps.told(steps)
        if steps is not None and (not steps.left or self._clock.over):
            self.steps = None
            return steps
        return None

    def _changed(self) -> dict[str, float]:
        """The parameters that were set since the run was served, and what they were before, by the paths of the run."""
        found = {}
        for name, robot in self._run.simulation.robots.items():
            for path, before in self._values[name].items():
                if robot.twin.parameters[path].value != before:
                    found[path if not name or path.startswith("world.") else f"{name}.{path}"] = before
        return found
