"""A session: a run that people watch and touch. One thread lets ticks pass; everything else asks it to do things.

What is asked is done between two ticks, in the order in which it was asked, and remembered with its tick; so the run can be
repeated without a page, to the same bytes. The page reads `frame`, a snapshot that the thread replaces and never changes.
"""

from __future__ import annotations

import queue
import threading
import time as wall
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from didymos.cockpit.frame import Camera, Frame
from didymos.cockpit.sticks import Sticks
from didymos.control import Controller
from didymos.control.pilot import Pilot, SteerSpec
from didymos.describe.twin import Twin
from didymos.engine.intervention import save_interventions
from didymos.engine.pace import Pace
from didymos.engine.run import Run
from didymos.engine.simulation import Simulation
from didymos.engine.verdict import Verdict
from didymos.errors import DidymosError, InputError, RunError

__all__ = ["MOST_BYTES", "Pulse", "Session"]

FRAME_PERIOD = 1.0 / 30.0  # [s] of wall time between snapshots
SLACK = 0.1  # [s] that a run may fall behind the wall clock and still catch up
FACTOR_WINDOW = 1.0  # [s] of wall time over which the real-time factor is measured
MOST_BYTES = 2**30  # of log in memory; a run that would need more stops and says so


@dataclass(frozen=True)
class Pulse:
    """How the run goes: playing or not, why it ended (empty: it has not), its real-time factor, late slices."""

    playing: bool = False
    ended: str = ""
    factor: float = 0.0
    overruns: int = 0
    recording: str = ""


class Session:
    """A run under the hands of people.

    Args:
        twin: the twin; the session keeps a copy.
        scenario, seed: of the first run.
        control: makes a control program for each run, instead of the twin's own.
        folder: where recordings and tuned values go; made when the first is written.
        notify: told (title, text) when something happened that a person should know.
    """

    def __init__(
        self,
        twin: Twin,
        *,
        scenario: str | None = None,
        seed: int = 0,
        control: Callable[[], Controller] | None = None,
        folder: Path = Path("recordings"),
        notify: Callable[[str, str], None] = lambda title, text: None,
    ) -> None:
        self.twin, self.folder, self.notify = twin.copy(), folder, notify
        self.scenario, self.seed = scenario, seed
        self.speed = 1.0
        self.values: dict[str, float] = {}
        self.verdicts: tuple[Verdict, ...] = ()
        self.generation = 0
        self.pulse = Pulse()
        self.sticks, self.piloted = Sticks(), False
        self._rows: tuple[SteerSpec, ...] | None = None
        self._control = control
        self._wishes: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._pushes: dict[str, int] = {}
        self._closed = False
        self._begin()
        self._thread = threading.Thread(target=self._work, name="didymos-run", daemon=True)
        self._thread.start()

    def play(self) -> None:
        """Let the clock run."""
        self._wish(lambda: self._set_playing(True))

    def pause(self) -> None:
        """Hold the clock."""
        self._wish(lambda: self._set_playing(False))

    def step(self) -> None:
        """Hold the clock and let one tick pass."""
        self._wish(self._step)

    def set_speed(self, speed: float) -> None:
        """How fast the twin's clock runs on the wall's; infinity: as fast as it can."""
        if not speed > 0.0:
            raise InputError(f"found {speed:g}, expected a positive speed", path="speed")
        self._wish(lambda: self._set_speed(speed))

    def restart(self, scenario: str | None, seed: int, *, piloted: bool | None = None) -> None:
        """Begin again; what was tuned stays tuned, at tick 0 of the new run. A piloted run has a channel table and boxes."""
        self._wish(lambda: self._restart(scenario, seed, self.piloted if piloted is None else piloted))

    def assign(self, rows: Sequence[SteerSpec]) -> None:
        """Let the channels of the pilot move other handles, in this run and in those that follow."""
        self._rows = tuple(rows)
        self.pilot.assign(self._rows)

    def press(self, kind: str) -> None:
        """Do what a button of a piloted run does: `drop`, `remove` or `reset`."""
        self._wish(lambda: self.run.intervene(kind, "robot" if kind == "reset" else "boxes"))

    def set(self, path: str, value: float) -> None:
        """Change a parameter before the next tick."""
        self._wish(lambda: self._set(path, value))

    def push(self, link: str, force: tuple[float, float, float], seconds: float) -> None:
        """Push a link with a force [N], world frame, for a time [s]."""
        self._wish(lambda: self._push(link, force, seconds))

    def record(self, on: bool) -> None:
        """Record the run from its beginning into a file of the folder, or complete that file."""
        self._wish(lambda: self._record(on))

    def wait(self) -> None:
        """Return when everything asked so far is done, or the session is closed."""
        done = threading.Event()
        self._wish(done.set)
        while not done.wait(0.1) and self._thread.is_alive():
            pass

    def close(self) -> None:
        """End the run, complete its recording, stop the thread; a second call does nothing."""
        self._closed = True
        self._thread.join(10.0)

    def base(self, path: str) -> float:
        """The value of a parameter before anybody tuned it in this cockpit."""
        return self.untuned.get(path)

    @property
    def log_name(self) -> str:
        """Name of the next recording, free in the folder."""
        stem = f"{self.twin.name}-{self.scenario or 'free'}"
        return next(name for i in range(1, 10**6) if not (self.folder / (name := f"{stem}-{i:03d}.mcap")).exists())

    def _wish(self, wish: Callable[[], None]) -> None:
        self._wishes.put(wish)

    def _step(self) -> None:
        self._set_playing(False)
        self._pass(1)

    def _begin(self) -> None:
        self.simulation = Simulation(
            self.twin,
            seed=self.seed,
            scenario=self.scenario,
            control=self._control() if self._control else None,
            piloted=self.piloted,
        )
        self.untuned = self.simulation.twin.copy()
        self.pilot = Pilot(self.untuned.file.pilot, self.simulation.handles, self.sticks, lambda text: self.notify("Pilot", text))
        if self._rows is not None:
            self.pilot.assign(self._rows)
        self.run = Run(self.simulation, pilot=self.pilot)
        self.log = self.run.log
        for path, value in self.values.items():
            if path in self.untuned.parameters:  # a scenario may bring a program with other gains
                self.run.intervene("set", path, value)
        self._pushes.clear()
        self._judged = False
        self.verdicts = ()
        self.camera = Camera(self.simulation)
        self.pulse = Pulse(playing=self.pulse.playing)
        self._pace_anew()
        self.generation += 1
        self._snap()

    def _pace_anew(self) -> None:
        real = self.speed != float("inf")
        self._pace = Pace(self.simulation.period / (self.speed if real else 1.0), real, slack=SLACK)
        self._marks = [(wall.perf_counter(), self.simulation.tick)]

    def _work(self) -> None:
        while not self._closed:
            self._obey()
            if self.pulse.playing:
                here = self.simulation.tick
                self._pass(self._pace.ticks(self.simulation.chunk))
                late = self._pace.wait(self.simulation.tick - here)
                self._measure(late)
            else:
                wall.sleep(0.005)
        self._obey()
        if self.pulse.recording:
            self._record(False)
        self.run.close()

    def _obey(self) -> None:
        while not self._wishes.empty():
            try:
                self._wishes.get()()
            except DidymosError as error:
                self.notify("Not done", str(error))
            self._snap()

    def _pass(self, count: int) -> None:
        """Let ticks pass, stopping where a push ends."""
        end = self.simulation.tick + count
        try:
            while self.simulation.tick < end and not self.pulse.ended:
                here = self.simulation.tick
                for link in [link for link, until in self._pushes.items() if until <= here]:
                    del self._pushes[link]
                    self.run.intervene("push", link, 0.0, 0.0, 0.0)
                self.run.advance(min([end, *self._pushes.values()]) - here)
                self._judge()
        except RunError as error:
            self._stop(str(error))
        if wall.perf_counter() - self.frame.taken > FRAME_PERIOD or not self.pulse.playing:
            self._snap()

    def _judge(self) -> None:
        if not self._judged and self.simulation.time >= self.simulation.seconds and self.scenario is not None:
            self._judged = True
            self.verdicts = self.simulation.judge(self.run.log)
        if self.log.nbytes > MOST_BYTES:
            self._stop("the log of this run fills the memory; restart to go on")

    def _stop(self, why: str) -> None:
        self._set_pulse(playing=False, ended=why)
        self.notify("The run stopped", why)

    def _set_pulse(self, **changes: object) -> None:
        self.pulse = Pulse(**(vars(self.pulse) | changes))

    def _set_playing(self, on: bool) -> None:
        self._set_pulse(playing=on and not self.pulse.ended, factor=0.0)
        self._pace_anew()

    def _set_speed(self, speed: float) -> None:
        self.speed = speed
        self._pace_anew()

    def _restart(self, scenario: str | None, seed: int, piloted: bool) -> None:
        if self.pulse.recording:
            self._record(False)
        before, old = (self.scenario, self.seed, self.piloted), self.run
        self.scenario, self.seed, self.piloted = scenario, seed, piloted
        try:
            self._begin()
        except DidymosError:
            self.scenario, self.seed, self.piloted = before
            raise
        old.close()

    def _set(self, path: str, value: float) -> None:
        self.run.intervene("set", path, value)
        self.values[path] = float(value)
        if self.values[path] == self.base(path):
            del self.values[path]

    def _push(self, link: str, force: tuple[float, float, float], seconds: float) -> None:
        self.run.intervene("push", link, *force)
        self._pushes[link] = self.simulation.tick + max(1, round(min(seconds, 60.0) / self.simulation.period))

    def _record(self, on: bool) -> None:
        if on and not self.pulse.recording:
            self.folder.mkdir(parents=True, exist_ok=True)
            name = self.log_name
            self.run.start_recording(self.folder / name)
            self._set_pulse(recording=name)
        elif not on and self.pulse.recording:
            name = self.pulse.recording
            self.run.stop_recording()
            save_interventions((self.folder / name).with_suffix(".yaml"), self.run.deed())
            self._set_pulse(recording="")
            self.notify("Recorded", f"{name}, and {Path(name).with_suffix('.yaml').name} with what was done by hand")

    def _measure(self, late: int) -> None:
        now = wall.perf_counter()
        self._marks = [mark for mark in self._marks if mark[0] > now - FACTOR_WINDOW] or self._marks[-1:]
        if len(self._marks) < 2 or now - self._marks[-1][0] > FACTOR_WINDOW / 20:
            self._marks.append((now, self.simulation.tick))
        then, tick = self._marks[0]
        factor = (self.simulation.tick - tick) * self.simulation.period / max(now - then, 1e-3)
        self._set_pulse(factor=factor, overruns=self.pulse.overruns + late)

    def _snap(self) -> None:
        self.run.update()
        self.frame: Frame = self.camera.take(self.simulation, self.generation)
