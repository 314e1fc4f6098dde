"""A simulation: one run of a twin, or of a world of several robots, step-locked, deterministic, recorded."""

from __future__ import annotations

import hashlib
import threading
import time as wall
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control import Controller, Robot, Values
from didymos.control.pilot import Pilot
from didymos.control.stimulus import StimulusSpec
from didymos.describe.description import Note
from didymos.describe.schema import ExpectationSpec
from didymos.describe.twin import Twin
from didymos.engine import stopwatch
from didymos.engine.allocations import allocation_notes
from didymos.engine.build import Built, build
from didymos.engine.cameras import View
from didymos.engine.compile_ahead import loop_compiled_beside
from didymos.engine.context import LoopContext
from didymos.engine.couplings import CouplingEnds
from didymos.engine.drive import drive
from didymos.engine.failure import failure
from didymos.engine.falling import free_fall
from didymos.engine.gain_check import gain_notes
from didymos.engine.given import Given
from didymos.engine.intervene import Overrides
from didymos.engine.intervention import Intervention
from didymos.engine.link_frames import LinkFrames
from didymos.engine.link_inertia import LinkInertias
from didymos.engine.loop import AHEAD, FINE, SENSED, UNASKED, run_ticks
from didymos.engine.one_thread import alone, another_thread
from didymos.engine.pace import Pace
from didymos.engine.packed_context import Packed
from didymos.engine.poses import poses
from didymos.engine.program_scope import ProgramScope, Skipped
from didymos.engine.robot_run import Entrant, RobotRun
from didymos.engine.row_buffer import FreshRows, Rows, switch_record, take_rows
from didymos.engine.run import Run
from didymos.engine.sampling import Sampling
from didymos.engine.saved_state import State, checked_vector
from didymos.engine.shown_model import ShownModel
from didymos.engine.verdict import Verdict
from didymos.errors import InputError, RunError
from didymos.portable import is_portable
from didymos.record.expected import expected_text
from didymos.record.image import Picture, PinHole
from didymos.record.log import Log
from didymos.record.recorder import RecordTo
from didymos.record.stream import StreamLayout

__all__ = ["Simulation", "State"]

_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


class Simulation:
    """A run of a twin. `control` takes the place of the twin's own program; it may be a Python or a compiled one.

    `step` lets one control period pass, `run` many, with a log. A `piloted` run has a channel table and, where a channel of the
    twin drops them, boxes; its log has both. One with `sampling` serves a recording: see `sampler.py`.

    `robots` are the robots of the run by name. A twin alone is one without a name; what is asked of the run is asked of it.
    """

    def __init__(
        self,
        twin: Twin,
        *,
        seed: int = 0,
        scenario: str | None = None,
        control: Controller | None = None,
        piloted: bool = False,
        sampling: Sampling | None = None,
    ) -> None:
        self._turn = threading.RLock()  # see one_thread.py
        self.seed, self.scenario, self.piloted, self.sampling = seed, scenario, piloted, sampling
        self._given = control
        self.given = Given.to(twin)
        self._enter(self._entrants(twin))
        self.real_time_factor = 0.0
        self.overruns = 0
        self.reset()

    def _entrants(self, twin: Twin) -> list[Entrant]:
        """Who takes part."""
        return [Entrant(twin.copy(), self.scenario, self._given, self.piloted)]

    def _couplings(self) -> Sequence[CouplingEnds]:
        """What joins robots."""
        return ()

    def _enter(self, entrants: list[Entrant]) -> None:
        """Build the model of all robots, and give each its place."""
        robots = [RobotRun(entrant, self.sampling) for entrant in entrants]
        with loop_compiled_beside():
            built = build([robot.plan for robot in robots], self.sampling, self._couplings())
        self.data: mujoco.MjData = built[0].data
        self._state = self.data.plugin_state
        self._timing = built[0].context.timing
        self._clock = self._state[self._timing.loop :]  # a view: ports look at it a hundred times per millisecond
        for robot, own in zip(robots, built, strict=True):
            robot.enter(own, self.seed, self.period)
        self.robots: Mapping[str, RobotRun] = {robot.name: robot for robot in robots}
        self._robots = tuple(robots)
        self.packed = Packed([own.context for own in built])
        self.address = self.packed.address
        self._compiled = all(robot.compiled for robot in robots)
        # whether Python does something between ticks
        self._disturbed = any(robot.changes or robot.cameras.names or robot.fmus for robot in robots)

    # the only robot

    @property
    def only(self) -> RobotRun:
        """The robot of a run that has one."""
        if len(self._robots) != 1:
            raise InputError(f"there are several robots; ask one of them: robots[{self._robots[0].name!r}]")
        return self._robots[0]

    @property
    def twin(self) -> Twin:
        """What runs, as it is now."""
        return self.only.twin

    @property
    def built(self) -> Built:
        """What the run of the robot is made of."""
        return self.only.built

    @property
    def context(self) -> LoopContext:
        """The robot as the compiled loop sees it."""
        return self.only.context

    @property
    def robot(self) -> Robot:
        """The robot as its program sees it."""
        return self.only.robot

    @property
    def program(self) -> Controller | None:
        """The control program that runs."""
        return self.only.program

    @property
    def scope(self) -> ProgramScope:
        """Whose program runs."""
        return self.only.scope

    @property
    def overrides(self) -> Overrides:
        """What a pilot adds to set-points and inputs."""
        return self.only.overrides

    @property
    def stimuli(self) -> tuple[StimulusSpec, ...]:
        """What the scenario moves, its constant set-points first."""
        return self.only.stimuli

    @property
    def measured(self) -> Values:
        """What the sensors say now."""
        return self.only.measured

    @property
    def setpoints(self) -> Values:
        """What the program is asked for now."""
        return self.only.setpoints

    @property
    def expected(self) -> tuple[ExpectationSpec, ...]:
        """What the scenario expects of the program that runs."""
        return self.only.expected

    @property
    def skipped(self) -> tuple[Skipped, ...]:
        """What of the scenario does not apply, because another program runs than the one it was written for."""
        return self.only.skipped

    @property
    def links(self) -> LinkFrames:
        """Where every link and named frame is on the bodies of the model."""
        return self.only.links

    @property
    def pushes(self) -> dict[str, NDArray[np.float64]]:
        """The forces [N] on the links that are pushed now, world frame."""
        return self.only.pushes

    @property
    def channels(self) -> tuple[float, ...]:
        """The pilot's channel table as it is now; empty where the run has no pilot."""
        pilot = self.only.pilot
        return pilot.channels if pilot is not None else ()

    # what it is

    @property
    def model(self) -> mujoco.MjModel:
        """The engine's model, with everything in it that was set."""
        for robot in self._robots:
            robot.live.refresh()
        return self._robots[0].built.assembly.model

    @property
    def period(self) -> float:
        """Time of one tick [s]."""
        return float(self._timing.period)

    @property
    def tick(self) -> int:
        """Ticks since the start."""
        return int(self._clock[0])

    @property
    def time(self) -> float:
        """The twin's clock [s]."""
        return self.tick * self.period

    @property
    def seconds(self) -> float:
        """Duration of the scenario [s]; ten seconds without one."""
        return self.only.seconds

    @property
    def is_undisturbed(self) -> bool:
        """Whether Python does nothing between ticks, and so remembers nothing of a run."""
        return self._compiled and not self._disturbed

    @property
    def expects(self) -> bool:
        """Whether the scenario says what a good run is."""
        return bool(self.expected)

    @property
    def free_fall(self) -> str | None:
        """Why the robot falls for good, in a sentence, where nothing could ever hold it; else None."""
        return free_fall(self)

    @property
    def gain_notes(self) -> tuple[Note, ...]:
        """A note on each servo, drive or actuator whose gains are too stiff for the physics step (`gain_check.py`), and on gains
        that could not be found from the model (`gain_design.py`)."""
        return (*gain_notes(self.built), *self.only.design_notes)

    @property
    def allocation_notes(self) -> tuple[Note, ...]:
        """A note on each axis of its allocations that does nothing; see `allocation_check.py`."""
        return allocation_notes(self.built)

    @property
    def options_left_out(self) -> tuple[Note, ...]:
        """Options of the engine that a robot's description sets and that are not used; a twin alone uses all of its own."""
        return ()

    @property
    def chunk(self) -> int:
        """Ticks between two flushes of a recording."""
        return self._robots[0].built.chunk

    @property
    def shown(self) -> ShownModel:
        """The model with everything that there is to see, for pictures."""
        return self._robots[0].built.assembly.shown

    @property
    def inertias(self) -> LinkInertias:
        """Mass, centre of mass and inertia of every link as they are now."""
        self.only.live.refresh()
        return self.built.assembly.inertias

    # begin, step, run

    @alone
    def reset(self, seed: int | None = None, start: Mapping[str, float] | None = None) -> Values:
        """Back to the start: pose, velocities, memories, clock, the random streams of the seed; what the sensors say there.

        `seed` is another one from now on; `start` are values by path below `start` (`position.z`, `joints.elbow`), for this
        beginning only, that win over the twin's and the scenario's.
        """
        self.begin(seed, start)
        self._tick(0, 0, AHEAD)
        return self.measured

    @alone
    def begin(self, seed: int | None = None, start: Mapping[str, float] | None = None) -> None:
        """As `reset`, but before any reading is taken."""
        self.seed = self.seed if seed is None else seed
        if self.tick > 0:
            for robot in self._robots:
                robot.memory.reset()
        mujoco.mj_resetData(self.model, self.data)
        begins = self._shared(start or {})
        for robot in self._robots:
            robot.overrides.clear()
            robot.begin_with(begins[robot.name])
            robot.place()
            robot.begin_with({})
            robot.close_welds()
        self._settle()
        if any(robot.fmus for robot in self._robots):
            mujoco.mj_forward(self.model, self.data)  # their laws look at the motion with which they begin
            for robot in self._robots:
                robot.fmus.begin(0)
        for robot in self._robots:
            robot.changes.forget()
            robot.cameras.restart(self.seed)
            robot.key_streams(self.seed)

    def step(self, inputs: Mapping[str, float] | None = None, seconds: float | None = None) -> Values:
        """Let one control period pass, or some seconds, and return what the sensors say then; nothing is recorded.

        `inputs` hold until they are set again, and the twin's program is not asked; without any, the program drives.
        """
        if not self._turn.acquire(False):
            raise another_thread()
        try:
            if seconds is not None and not 0.0 < seconds < np.inf:
                raise InputError(f"found {seconds:g}, expected a time above 0 s", option="seconds")
            calls = min(robot.context.robot.control_every for robot in self._robots)
            ticks = calls if seconds is None else max(1, round(seconds / self.period))
            if inputs is None:
                self.advance(ticks, ahead=True)
                return self.measured
            given = self._shared(inputs)
            for name, values in given.items():
                self.robots[name].set_inputs(values)
            self.advance(ticks, ahead=True, unasked=[name for name, values in given.items() if values or not name])
            return self.measured
        finally:
            self._turn.release()

    @alone
    def run(
        self,
        seconds: float | None = None,
        *,
        record: RecordTo | None = None,
        progress: Callable[[float], None] | None = None,
        real_time: bool = False,
        keep: bool = True,
        interventions: Sequence[Intervention] = (),
        pilot: Pilot | None = None,
        only: Collection[str] | None = None,
    ) -> Log:
        """Run for a time [s] (the scenario's by default) and return what was recorded.

        `record` streams the log to an MCAP file, or to a row of them (`RotatedFile`), while the run goes on, `progress` is told
        the clock [s] now and then, `real_time` holds the run back to the wall clock and counts the ticks that came late. Without
        `keep` the log is only streamed. `interventions` of an earlier run are repeated at their ticks; a `pilot` holds the
        channels of a piloted run. With `only`, no rows are kept but of streams with one of these signals. A run that fails
        raises a `RunError` whose `log` is what was recorded until then.
        """
        duration = self.seconds if seconds is None else seconds
        count = round(duration / self.period) if np.isfinite(duration) else 0
        if count < 1:
            raise InputError(f"found {duration:g} s, expected a duration of at least one tick, {self.period:g} s")
        beside = real_time or record is not None
        run = Run(self, record, keep=keep, interventions=interventions, pilot=pilot, only=only, beside=beside)
        pace = Pace(self.period, real_time)
        first, end = self.tick, self.tick + count
        began = wall.perf_counter()
        try:
            while self.tick < end:
                here = self.tick
                run.advance(min(pace.ticks(self.chunk - here % self.chunk), end - here))
                self.overruns += pace.wait(self.tick - here)
                if progress is not None:
                    progress(self.time)
        except (RunError, KeyboardInterrupt) as error:
            error.log = run.log  # type: ignore[union-attr]
            raise
        finally:
            run.close()
            self.real_time_factor = (self.tick - first) * self.period / max(wall.perf_counter() - began, 1e-9)
        return run.log

    def advance(self, count: int, *, ahead: bool = False, unasked: Collection[str] = ()) -> None:
        """Let ticks pass; while a run records, at most `chunk` of them, before `take` takes what they recorded.

        With `ahead`, the readings of the tick that comes next are taken too; the programs of robots that are `unasked` are not
        called, and their inputs stay as they are.
        """
        if not self._turn.acquire(False):
            raise another_thread()
        try:
            for robot in self._robots if unasked else ():
                robot.context.robot.asked[0] = robot.name not in unasked
            in_python = [] if self._compiled else [r for r in self._robots if not r.compiled and r.name not in unasked]
            tick = self.tick
            end = tick + count
            while tick < end:
                undisturbed = end - tick
                if self._disturbed:
                    undisturbed = min(self._disturb(tick), undisturbed)
                last = ahead and tick + undisturbed == end
                if not in_python:
                    self._tick(tick, undisturbed, AHEAD if last else 0)
                else:
                    self._drive(in_python, tick, undisturbed)
                    if last:
                        self._tick(self.tick, 0, AHEAD)
                tick = self.tick
        finally:
            for robot in self._robots if unasked else ():
                robot.context.robot.asked[0] = 1
            self._turn.release()

    def _disturb(self, tick: int) -> int:
        """Do what Python has to do before a tick; how many may pass until the next time."""
        undisturbed = [1 << 60]
        for robot in self._robots:
            due = dict(robot.changes.due(tick))
            if due:
                robot.live.set_all(due)
            robot.cameras.look(tick, self.data)
            robot.fmus.step(tick)
            undisturbed += [robot.changes.until(tick), robot.cameras.until(tick), robot.fmus.until(tick)]
        return min(undisturbed)

    def _drive(self, in_python: Sequence[RobotRun], first: int, count: int) -> None:
        """Let ticks pass in which programs written in Python are asked, beside compiled ones of other robots."""
        if len(self._robots) == 1:
            assert self.program is not None
            drive(self, self.program, first=first, count=count)
            return
        for tick in range(first, first + count):
            self._tick(tick, 0, AHEAD)
            for robot in in_python:
                robot.drive(tick, self.period)
            self._tick(tick, 1, SENSED)

    def _tick(self, first: int, count: int, flags: int) -> None:
        """Let the compiled loop run."""
        for robot in self._robots:
            if robot.live.stale:
                robot.live.refresh()
        stopwatch.stop()
        try:
            tick, status = run_ticks(self.address, first, count, flags)
        finally:
            stopwatch.start()
        self._clock[0] = tick
        if status != FINE:
            raise failure(status, self.time, [robot.built for robot in self._robots])

    def sense(self, tick: int) -> tuple[Values, Values]:
        """Readings and set-points at a tick (see `Plant`)."""
        if not self._turn.acquire(False):
            raise another_thread()
        try:
            self._tick(tick, 0, AHEAD)
            return self.measured, self.setpoints
        finally:
            self._turn.release()

    def act(self, tick: int, inputs: Mapping[str, float]) -> None:
        """Hand over inputs and let one tick pass (see `Plant`)."""
        if not self._turn.acquire(False):
            raise another_thread()
        try:
            self.only.set_inputs(inputs)
            self.only.tell_reports()
            self._tick(tick, 1, SENSED | UNASKED)
        finally:
            self._turn.release()

    def close(self) -> None:
        """Let the control program go, with the process or the line that it may hold; there is no run after it."""
        for robot in self._robots:
            robot.close()

    # state and parameters

    @alone
    def save(self) -> State:
        """The whole state of the run."""
        memories = {robot.name: robot.save_memory() for robot in self._robots}
        return State(self._vector(), self.tick, memories.get("", memories), self._made_by)

    @alone
    def restore(self, state: State) -> None:
        """Continue from a saved state, to the bit; one of another twin, scenario, program or version is an `InputError`."""
        vector = checked_vector(state, self._made_by, mujoco.mj_stateSize(self.model, _STATE))
        before = self._vector()
        mujoco.mj_setState(self.model, self.data, vector, _STATE)
        if self._clock[0] != state.tick:
            mujoco.mj_setState(self.model, self.data, before, _STATE)
            raise InputError(f"this state says that it was saved at tick {state.tick!r}, and its clock says otherwise")
        self._settle()
        for robot in self._robots:
            robot.cameras.forget()
            robot.restore_memory(state.program[robot.name] if robot.name else state.program)

    def set(self, path: str, value: float) -> None:
        """Change a parameter, or all that a pattern matches, from the next tick; one that is fixed for a run is an `InputError`.

        A model that was asked for before (`simulation.model`) shows it then as well; one that is asked for now shows it now.
        """
        self.set_all({path: value})

    def set_all(self, values: Mapping[str, float]) -> None:
        """Change many parameters at once: all of them, or none if one does not fit."""
        if not self._turn.acquire(False):
            raise another_thread()
        try:
            self._set_all(values)
        finally:
            self._turn.release()

    def _set_all(self, values: Mapping[str, float]) -> None:
        self.only.live.set_all(values)

    def get(self, path: str) -> float:
        """The value of a parameter as the run uses it now: a stimulus may have moved it."""
        index = self.built.assembly.numbers.get(path)
        return self.twin.get(path) if index is None else float(self.model.numeric_data[index])

    def begin_at(self, values: Mapping[str, float]) -> None:
        """Begin elsewhere from the next `reset` on: values by paths below `start`, which win over the scenario's."""
        self.twin.set_all(values)

    @alone
    def intervene(self, item: Intervention) -> None:
        """Do what a person did to the run; what does not fit is an `InputError` and changes nothing."""
        if item.kind in ("set", "set_all"):
            self.set_all(item.values)
        else:
            self.only.intervene(item)

    # what it shows

    def readouts(self, part: str) -> NDArray[np.float64]:
        """The outputs of a part, in the order of their declaration, as they are now; a view that changes with time."""
        return self.only.readouts(part)

    def reading(self, sensor: str, quantity: str) -> NDArray[np.float64]:
        """What a sensor says of a quantity (`imu`, `gyro`), as it is now; a view that changes with time."""
        return self.only.reading(sensor, quantity)

    @property
    def views(self) -> Mapping[str, View]:
        """What each camera that is switched on shows now."""
        return self.only.cameras.views

    @property
    def cameras(self) -> tuple[PinHole, ...]:
        """The cameras that are switched on."""
        return self.only.pin_holes

    def take_pictures(self) -> list[tuple[str, Picture]]:
        """The pictures since the last time, by the names of their cameras."""
        return self.only.cameras.take()

    def switch_record(self, on: bool) -> None:
        """Let the loop record rows, or not."""
        for robot in self._robots:
            switch_record(robot.context.record, on)

    def take(self, taken: frozenset[int] | None = None) -> Rows:
        """What the loop recorded since the last time, of the streams of these numbers, of all where there are none given."""
        return take_rows([robot.context.record for robot in self._robots], taken)

    def fresh_rows(self) -> FreshRows:
        """A look at what the loop records, as it comes."""
        return FreshRows([robot.context.record for robot in self._robots])

    def new_log(self, *, keep: bool = True, only: Collection[str] | None = None) -> Log:
        """An empty log for a run of this simulation; it says what is expected of the run, for pictures of it."""
        import didymos

        metadata = {
            "twin": self.twin.name, "scenario": self.scenario or "", "seed": str(self.seed), "version": didymos.__version__,
        }  # fmt: skip
        if self.twin.variant is not None:
            metadata["variant"] = self.twin.variant
        metadata |= self.given.metadata
        if self.piloted:
            metadata["piloted"] = "true"
        if self.every_input:
            metadata["every_input"] = "true"
        if is_portable():
            metadata["portable"] = "true"
        metadata |= expected_text([item.model_dump(mode="json", exclude_defaults=True) for item in self.expected])
        return Log(self.layouts, metadata, keep=keep, only=only)

    @property
    def every_input(self) -> bool:
        """Whether inputs have a rate of their own in the log, as `every_input.py` gives them."""
        return any(robot.twin.file.record.inputs_rate > 0.0 for robot in self.robots.values())

    @property
    def layouts(self) -> tuple[StreamLayout, ...]:
        """What a run records."""
        return tuple(stream.layout for stream in self.built.streams)

    @property
    def judged(self) -> tuple[str, ...] | None:
        """The signals that `judge` looks at; None where it may look at any, as that of a world does."""
        return tuple(name for item in self.expected for signal in item.signals for name in item.columns_of(signal))

    def judge(self, log: Log) -> tuple[Verdict, ...]:
        """What the scenario expects, measured in the log of a run; `skipped` says what does not apply."""
        return tuple(self.only.verdict(item, log) for item in self.expected)

    def events(self, log: Log) -> list[tuple[float, str, str]]:
        """When [s] a report of the control program that has labels changed, which one, and the label."""
        return self.only.events(log)

    def poses(self, log: Log) -> NDArray[np.float64]:
        """Positions of all joints of the engine over the log's own time, for pictures; shape [n, nq]."""
        return poses(self.twin, self.model, self.links.root_body(self.model), log)

    def __repr__(self) -> str:
        program = "no program" if self.program is None else type(self.program).__name__
        scenario = "" if self.scenario is None else f" {self.scenario!r}"
        return f"<Simulation of {self.twin.name}{scenario}: {program}, tick of {self.period:g} s, t = {self.time:g} s>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _continued, (self.twin, self.seed, self.scenario, self._given, self.piloted, self.save())

    # inside

    def _vector(self) -> NDArray[np.float64]:
        """The engine's whole state."""
        vector = np.empty(mujoco.mj_stateSize(self.model, _STATE))
        mujoco.mj_getState(self.model, self.data, vector, _STATE)
        return vector

    @property
    def _made_by(self) -> str:
        import didymos

        programs = ("no program" if robot.program is None else type(robot.program).__name__ for robot in self._robots)
        program, starts = ", ".join(programs), [robot.built.assembly.state.starts for robot in self._robots]
        layout = hashlib.sha256(repr(starts).encode()).hexdigest()[:8]
        about = f"scenario {self.scenario}, {program}, version {didymos.__version__}, layout {layout}"
        return f"{self.twin.name}: {about}"

    def _shared(self, values: Mapping[str, float]) -> dict[str, dict[str, float]]:
        """Values by the robot whose they are."""
        return {"": dict(values)}

    def _settle(self) -> None:
        for robot in self._robots:
            if robot.pilot is not None:
                robot.pilot.settle()


def _continued(
    twin: Twin, seed: int, scenario: str | None, control: Controller | None, piloted: bool, state: State
) -> Simulation:
    """A simulation that goes on where another one was when it was pickled."""
    made = Simulation(twin, seed=seed, scenario=scenario, control=control, piloted=piloted)
    made.restore(state)
    return made
