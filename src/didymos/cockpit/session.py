"""A session: a run that people watch and touch. One thread lets ticks pass; everything else asks it to do things.

What is requested is done between two ticks, in the order of the requests, and remembered with its tick; so the run can be
repeated without a page, to the same bytes. A restart puts a new `LiveRun` in the place of `live`, as a whole.
"""

from __future__ import annotations

import queue
import threading
import time as wall
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.cockpit.clock import Clock
from didymos.cockpit.live_run import Begin, LiveRun, Past, Programs, RunChoice, from_its_start
from didymos.cockpit.robots import twins_of
from didymos.cockpit.sticks import Sticks
from didymos.control.pilot import SteerSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.errors import DidymosError, InputError, RunError, nearest

__all__ = ["Session", "Status"]

SNAPSHOT_PERIOD = 1.0 / 30.0  # [s] of wall time between snapshots
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Status:
    """How the run goes: playing or not, why it ended (empty: it has not), its real-time factor, late slices.

    `over`: the scenario is over and the run stands at its end; to play is to go on.
    """

    playing: bool = False
    ended: str = ""
    factor: float = 0.0
    overruns: int = 0
    recording: str = ""
    over: bool = False


class Session:
    """The thread of a run under the hands of people, and what they may request of it.

    Args:
        twin: the twin, or a world; the session keeps a copy.
        scenario, seed: of the first run.
        control: makes a control program for each run, instead of the twin's own; for a world, programs by robot.
        folder: where recordings and tuned values go; made when the first is written.
        begin: makes the simulation of each run; from its start by default.
        notify: is given (title, text) when something happened that a person should know.
    """

    def __init__(
        self,
        twin: Twin | World,
        *,
        scenario: str | None = None,
        seed: int = 0,
        control: Callable[[], Programs] | None = None,
        folder: Path = Path("recordings"),
        begin: Begin = from_its_start,
        notify: Callable[[str, str], None] = lambda title, text: None,
    ) -> None:
        self.twin: Twin | World = twin.copy()
        self.robots = tuple(twins_of(self.twin))
        self.folder, self.notify = folder, notify
        self.values: dict[str, float] = {}
        self.sticks = Sticks()
        self._rows: dict[str, tuple[SteerSpec, ...]] = {}
        self._control, self._begin = control, begin
        self._speed = 1.0
        self.stops_at_end = True
        """Whether a run stands still at the end of its scenario; it does not while somebody holds the sticks."""
        self._requests: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._settings: dict[tuple[str, str], tuple[float, ...]] = {}  # that wait for the next tick, by kind and path
        self._setting = threading.Lock()
        self._closed = False
        self.status = Status()
        self.live = self._new_run(RunChoice(scenario, seed))
        self._clock = Clock(self.live.simulation, self._speed)
        self._thread = threading.Thread(target=self._work, name="didymos-run", daemon=True)
        self._thread.start()

    def play(self) -> None:
        """Let the clock run."""
        self._request(lambda: self._set_playing(True))

    def pause(self) -> None:
        """Hold the clock."""
        self._request(lambda: self._set_playing(False))

    def step(self, ticks: int = 1) -> None:
        """Hold the clock and let one tick pass, or some."""
        self._request(lambda: self._step(ticks))

    def set_speed(self, speed: float) -> None:
        """How fast the twin's clock runs on the wall's; infinity: as fast as it can."""
        if not speed > 0.0:
            raise InputError(f"found {speed:g}, expected a positive speed", option="speed")
        self._request(lambda: self._set_speed(speed))

    def restart(self, scenario: str | None, seed: int, *, piloted: bool | None = None) -> None:
        """Begin again; what was tuned stays tuned, at tick 0 of the new run. A piloted run has a channel table and boxes."""
        self._request(lambda: self._restart(scenario, seed, piloted))

    def assign(self, rows: Sequence[SteerSpec]) -> None:
        """Let the channels of the robot that has the sticks move other handles, in this run and in those that follow."""
        self._rows[self.live.choice.robot or ""] = tuple(rows)
        self.live.pilot.assign(rows)

    def fly(self, robot: str) -> None:
        """Give the sticks to another robot of a world; a piloted run begins again with it."""
        self._request(lambda: self._fly(robot))

    def branch(self, time: float) -> None:
        """Leave the run at a time [s] that it has passed: a new one stands there, with the same past to the bit, and waits."""
        self._request(lambda: self._branch(time))

    @property
    def can_branch(self) -> bool:
        """Whether runs begin at their start, so that a branch can be repeated from there."""
        return self._begin is from_its_start

    @property
    def speed(self) -> float:
        """How fast the twin's clock is to run on the wall's."""
        return self._speed

    def press(self, button: str) -> None:
        """Do what a button of a piloted run does: `drop`, `remove` or `reset`."""
        self._request(lambda: self.live.press(button))

    def set(self, path: str, value: float) -> None:
        """Change a parameter before the next tick; of several values that come before it, the last counts."""
        self._request_newest("set", path, value)

    def put(self, path: str, *state: float) -> None:
        """Put a robot (`robot`), an object (`objects.NAME`) or a joint (`joints.NAME`) elsewhere; see `engine/put.py`."""
        self._request_newest("put", path, *state)

    def is_set(self, path: str, kind: str = "set") -> bool:
        """Whether the run has taken, or refused, all values that a path was given."""
        return (kind, path) not in self._settings

    def push(self, link: str, force: tuple[float, float, float], seconds: float) -> None:
        """Push a link (in a world ROBOT.LINK) with a force [N], world frame, for a time [s]."""
        self._request(lambda: self.live.push(link, force, seconds))

    def pull(self, robot: str, link: str, point: Array, stiffness: float, weight: float) -> None:
        """Grab a point of a robot's link, world frame [m], with a spring [N/m] that suits its weight [N]; see `Pull`."""
        self._request(lambda: self.live.pull(robot, link, point, stiffness, weight))

    def pull_to(self, pointer: Array) -> None:
        """Pull what is grabbed to a point, world frame [m]."""
        self._request(lambda: self.live.pull_to(pointer))

    def let_go(self) -> None:
        """Let go of what is grabbed."""
        self._request(lambda: self.live.let_go())

    def record(self, on: bool) -> None:
        """Record the run from its beginning into a file of the folder, or complete that file."""
        self._request(self._start_recording if on else self._stop_recording)

    def wait(self) -> None:
        """Return when everything requested so far is done, or the session is closed."""
        done = threading.Event()

        def show() -> None:
            self.live.take_snapshot()
            done.set()

        self._request(show)
        while not done.wait(0.1) and self._thread.is_alive():
            pass

    def close(self) -> None:
        """End the run, complete its recording, stop the thread; a second call does nothing."""
        self._closed = True
        self._thread.join(10.0)

    def _request(self, request: Callable[[], object]) -> None:
        self._requests.put(request)

    def _request_newest(self, kind: str, path: str, *value: float) -> None:
        """Intervene before the next tick, with the last of several values for the same path."""
        with self._setting:
            waiting = bool(self._settings)
            self._settings[kind, path] = tuple(map(float, value))
        if not waiting:
            self._request(self._set_all)

    def _work(self) -> None:
        while not self._closed:
            self._serve_requests()
            if self.status.playing:
                before = self.live.simulation.tick
                self._advance(self._clock.ticks())
                late = self._clock.wait(self.live.simulation.tick - before)
                self._update(factor=self._clock.factor(), overruns=self.status.overruns + late)
            else:
                wall.sleep(0.005)
        self._serve_requests()
        self._stop_recording()
        self.live.close()

    def _serve_requests(self) -> None:
        while not self._requests.empty():
            self._try(self._requests.get())
            if not self.status.playing:  # else one is taken soon
                self.live.take_snapshot()

    def _try(self, request: Callable[[], object]) -> None:
        try:
            request()
        except DidymosError as error:
            self.notify("Not done", str(error))

    def _step(self, ticks: int) -> None:
        self._set_playing(False)
        self._advance(ticks)

    def _advance(self, count: int) -> None:
        """Let ticks pass; a run that fails ends here, and one whose scenario is over stands still."""
        if not self.status.ended:
            left = self.live.end - self.live.simulation.tick
            try:
                self.live.advance(min(count, left) if left > 0 else count)
            except RunError as error:
                self._end(str(error))
            if left > 0 and self.live.is_over:
                self._finish()
            elif self.status.over:
                self._update(over=False)
        if wall.perf_counter() - self.live.snapshot.taken > SNAPSHOT_PERIOD or not self.status.playing:
            self.live.take_snapshot()

    def _finish(self) -> None:
        """Stand still at the end of the scenario, unless nobody wants that; then only say so."""
        held = any(channel is not None for channel in self.sticks.channels)
        if self.stops_at_end and not held:
            self._update(playing=False, over=True, factor=0.0)
        else:
            self.notify(f"{self.live.choice.scenario} is over", self.live.result)

    def _end(self, why: str) -> None:
        self._update(playing=False, ended=why)
        self.notify("The run stopped", why)

    def _update(self, **changes: Any) -> None:
        self.status = replace(self.status, **changes)

    def _new_run(self, choice: RunChoice, past: Past | None = None) -> LiveRun:
        return LiveRun(
            self.twin,
            choice,
            begin=self._begin,
            programs=self._control() if self._control else None,
            hand=self.sticks,
            say=lambda title, text: self.notify(title, text),
            values=self.values,
            rows=self._rows,
            past=past,
        )

    def _fly(self, robot: str) -> None:
        choice = self.live.choice
        if robot not in self.robots:
            raise InputError(f"there is no robot {robot!r}{nearest(robot, self.robots)}")
        if robot != choice.robot and choice.piloted:
            self._restart(choice.scenario, choice.seed, True, robot)
        else:
            self.live.fly(robot)

    def _restart(self, scenario: str | None, seed: int, piloted: bool | None, robot: str | None = None) -> None:
        self._stop_recording()
        before = self.live
        choice = before.choice
        piloted = choice.piloted if piloted is None else piloted
        self.live = self._new_run(RunChoice(scenario, seed, piloted, choice.robot if robot is None else robot))
        self.status = Status(playing=self.status.playing)
        self._set_speed(self._speed)
        before.close()

    def _branch(self, time: float) -> None:
        before, now = self.live, self.live.simulation.tick
        if not self.can_branch:
            raise InputError("a what-if begins where its robot was; branch by another what-if")
        if not 0.0 <= time < float("inf"):
            raise InputError(f"found {time:g} s, expected a time from 0 on", option="time")
        made = self._new_run(before.choice, before.past(min(int(time / before.simulation.period + 1e-6), now)))
        self._stop_recording()
        self.live, self.values = made, made.tuned
        self.status = Status(over=self.live.simulation.tick == self.live.end)
        self._set_speed(self._speed)
        before.close()
        self.notify("Branched", f"a new run stands at t = {self.live.simulation.time:.2f} s; change something, then play")

    def _set_playing(self, on: bool) -> None:
        playing = on and not self.status.ended
        self._update(playing=playing, factor=0.0, over=self.status.over and not playing)
        self._set_speed(self._speed)

    def _set_speed(self, speed: float) -> None:
        self._speed = speed
        self._clock = Clock(self.live.simulation, speed)

    def _set_all(self) -> None:
        with self._setting:
            settings = self._settings
            for (kind, path), value in settings.items():
                self._try(partial(self._set, kind, path, value))
            self._settings = {}

    def _set(self, kind: str, path: str, value: tuple[float, ...]) -> None:
        self.live.run.intervene(kind, path, *value)
        if kind != "set":
            return
        self.values[path] = value[0]
        if self.values[path] == self.live.untuned.get(path):
            del self.values[path]

    def _start_recording(self) -> None:
        if not self.status.recording:
            self._update(recording=self.live.start_recording(self.folder))

    def _stop_recording(self) -> None:
        name = self.status.recording
        if name:
            interventions = self.live.stop_recording(self.folder / name)
            self._update(recording="")
            self.notify("Recorded", f"{name}, and {interventions.name} with what was done by hand")
