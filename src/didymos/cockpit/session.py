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
from pathlib import Path
from typing import Any

from didymos.cockpit.clock import Clock
from didymos.cockpit.live_run import Begin, LiveRun, Programs, RunChoice, from_its_start
from didymos.cockpit.robots import twins_of
from didymos.cockpit.sticks import Sticks
from didymos.control.pilot import SteerSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.errors import DidymosError, InputError, RunError, nearest

__all__ = ["MOST_BYTES", "Session", "Status"]

SNAPSHOT_PERIOD = 1.0 / 30.0  # [s] of wall time between snapshots
MOST_BYTES = 2**30  # of log in memory; where a run needs more, the older half is forgotten


@dataclass(frozen=True)
class Status:
    """How the run goes: playing or not, why it ended (empty: it has not), its real-time factor, late slices."""

    playing: bool = False
    ended: str = ""
    factor: float = 0.0
    overruns: int = 0
    recording: str = ""


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
        self._requests: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
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

    def step(self) -> None:
        """Hold the clock and let one tick pass."""
        self._request(self._step)

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

    def press(self, button: str) -> None:
        """Do what a button of a piloted run does: `drop`, `remove` or `reset`."""
        self._request(lambda: self.live.press(button))

    def set(self, path: str, value: float) -> None:
        """Change a parameter before the next tick."""
        self._request(lambda: self._set(path, value))

    def push(self, link: str, force: tuple[float, float, float], seconds: float) -> None:
        """Push a link (in a world ROBOT.LINK) with a force [N], world frame, for a time [s]."""
        self._request(lambda: self.live.push(link, force, seconds))

    def record(self, on: bool) -> None:
        """Record the run from its beginning into a file of the folder, or complete that file."""
        self._request(self._start_recording if on else self._stop_recording)

    def wait(self) -> None:
        """Return when everything requested so far is done, or the session is closed."""
        done = threading.Event()
        self._request(done.set)
        while not done.wait(0.1) and self._thread.is_alive():
            pass

    def close(self) -> None:
        """End the run, complete its recording, stop the thread; a second call does nothing."""
        self._closed = True
        self._thread.join(10.0)

    def _request(self, request: Callable[[], object]) -> None:
        self._requests.put(request)

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
            try:
                self._requests.get()()
            except DidymosError as error:
                self.notify("Not done", str(error))
            self.live.take_snapshot()

    def _step(self) -> None:
        self._set_playing(False)
        self._advance(1)

    def _advance(self, count: int) -> None:
        """Let ticks pass; a run that fails ends here, a log that fills the memory forgets its older half."""
        if not self.status.ended:
            try:
                self.live.advance(count)
            except RunError as error:
                self._end(str(error))
            if self.live.log.nbytes > MOST_BYTES:
                began = self.live.forget_older_half()
                self.notify("A long run", f"the log fills the memory: what came before t = {began:.0f} s is forgotten")
        if wall.perf_counter() - self.live.snapshot.taken > SNAPSHOT_PERIOD or not self.status.playing:
            self.live.take_snapshot()

    def _end(self, why: str) -> None:
        self._update(playing=False, ended=why)
        self.notify("The run stopped", why)

    def _update(self, **changes: Any) -> None:
        self.status = replace(self.status, **changes)

    def _new_run(self, choice: RunChoice) -> LiveRun:
        return LiveRun(
            self.twin,
            choice,
            begin=self._begin,
            programs=self._control() if self._control else None,
            hand=self.sticks,
            say=lambda text: self.notify("Pilot", text),
            values=self.values,
            rows=self._rows,
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

    def _set_playing(self, on: bool) -> None:
        self._update(playing=on and not self.status.ended, factor=0.0)
        self._set_speed(self._speed)

    def _set_speed(self, speed: float) -> None:
        self._speed = speed
        self._clock = Clock(self.live.simulation, speed)

    def _set(self, path: str, value: float) -> None:
        self.live.run.intervene("set", path, value)
        self.values[path] = float(value)
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
