"""A simulation: one run of a twin, step-locked, deterministic, recorded."""

from __future__ import annotations

import hashlib
import threading
import time as wall
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.air.air_state import AIR_STATE
from didymos.contract import offset_of
from didymos.control import Controller, Values
from didymos.control.compiled_controller import as_compiled
from didymos.control.pilot import Pilot
from didymos.control.stimulus import StimulusSpec
from didymos.describe.description import Note
from didymos.describe.names import readings
from didymos.describe.schema import ExpectationSpec, StartSpec
from didymos.describe.twin import Twin
from didymos.engine import stopwatch
from didymos.engine.assemble import SCAN
from didymos.engine.build import build, choose_scenario
from didymos.engine.cameras import Cameras, View
from didymos.engine.changes import Changes
from didymos.engine.compile_ahead import loop_compiled_beside
from didymos.engine.drive import drive
from didymos.engine.failure import failure
from didymos.engine.falling import free_fall
from didymos.engine.figures import thrust_to_weight
from didymos.engine.gain_check import gain_notes
from didymos.engine.intervene import Overrides, push
from didymos.engine.intervention import Intervention
from didymos.engine.link_frames import LinkFrames
from didymos.engine.link_inertia import LinkInertias
from didymos.engine.live import LiveValues
from didymos.engine.loop import AHEAD, FINE, SENSED, UNASKED, run_ticks
from didymos.engine.one_thread import alone, another_thread
from didymos.engine.pace import Pace
from didymos.engine.packed_context import pack
from didymos.engine.piloted import Piloted
from didymos.engine.poses import poses
from didymos.engine.program_memory import ProgramMemory
from didymos.engine.program_scope import ProgramScope, Skipped
from didymos.engine.row_buffer import Rows, switch_record, take_rows
from didymos.engine.run import Run
from didymos.engine.sampling import Sampling, drop_sensors, with_fed
from didymos.engine.saved_state import State, checked_vector
from didymos.engine.shown_model import ShownModel
from didymos.engine.start import begin, place_at_start
from didymos.engine.verdict import Verdict, check_expected, measure
from didymos.errors import InputError, RunError, nearest
from didymos.noise import stream_key
from didymos.portable import is_portable
from didymos.record.image import Picture, PinHole
from didymos.record.log import Log
from didymos.record.recorder import RecordTo
from didymos.sensors.camera import Camera, optical_frame
from didymos.sensors.ranging import Lidar
from didymos.sensors.reading import NO_READING, SENSOR_MEMORY

__all__ = ["Simulation", "State"]

_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


class Simulation:
    """A run of a twin. `control` takes the place of the twin's own program; it may be a Python or a compiled one.

    `step` lets one control period pass, `run` many, with a log. A `piloted` run has a channel table and, where a channel of the
    twin drops them, boxes; its log has both. One with `sampling` serves a recording: see `sampler.py`.
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
        self.twin = twin.copy()
        self.seed, self.scenario, self.piloted, self.sampling = seed, scenario, piloted, sampling
        self._about = choose_scenario(self.twin, scenario)
        self.scope = scope = ProgramScope(self.twin, scenario, control)
        self.twin = self.twin.for_scenario(scenario, gains=control is None)
        self._given = control
        self.program = control if control is not None else self.twin.make_program()
        self.stimuli: tuple[StimulusSpec, ...] = scope.stimuli()
        """What the scenario moves, its constant set-points first."""
        if sampling is not None:
            self.stimuli = with_fed(self.stimuli, sampling)
            if sampling.is_open_loop:
                self.program = None
                drop_sensors(self.twin, sampling)
        with loop_compiled_beside():
            self.built = build(
                self.twin, self.program, self.stimuli, scope, self._begin(), piloted=piloted, sampling=sampling
            )  # fmt: skip
        self.data, self.robot = self.built.data, self.built.robot
        self.context, self.packed = self.built.context, pack(self.built.context)
        self.address = int(self.packed.ctypes.data)
        self._state = self.data.plugin_state
        self._clock = self._state[self.context.timing.loop :]  # a view: ports look at it a hundred times per millisecond
        self._compiled = as_compiled(self.program) is not None or self.program is None
        self._memory = ProgramMemory(self.program, compiled=self._compiled)
        self._live = LiveValues(self.built)
        self.overrides = Overrides(self.built)
        asked = self._about.expect if self._about is not None and sampling is None else ()
        others: tuple[ExpectationSpec, ...] = ()
        if sampling is None:
            others = check_expected(self.twin, scenario, Log([stream.layout for stream in self.built.streams], {}), scope)
        self.expected: tuple[ExpectationSpec, ...] = tuple(item for item in asked if item not in others)
        """What the scenario expects of the program that runs."""
        self.skipped: tuple[Skipped, ...] = scope.skipped(others)
        """What of the scenario does not apply, because another program runs than the one it was written for."""
        self._changes = Changes(self.built, self.stimuli, self.period)
        self._cameras = Cameras(self.twin, self.shown, seed, self.period)
        self._disturbed = bool(self._changes or self._cameras.names)  # by what Python has to do between ticks
        self.measured = Values(self.built.measured, self._state, self._cameras.views)
        first = self.built.assembly.state.starts["setpoints"]
        self.setpoints = Values({name: first + i for i, name in enumerate(self.robot.setpoints)}, self._state)
        rows = zip(self.robot.inputs, self.context.inputs.inputs, strict=True)
        self._commands = {name: int(row["command"]) for name, row in rows}
        self._piloted = Piloted(self.built, self._place) if piloted else None
        self._start: dict[str, float] = {}
        self.real_time_factor = 0.0
        self.overruns = 0
        self.reset()

    # what it is

    @property
    def model(self) -> mujoco.MjModel:
        """The engine's model, with everything in it that was set."""
        self._live.refresh()
        return self.built.assembly.model

    @property
    def period(self) -> float:
        """Time of one tick [s]."""
        return float(self.context.timing.period)

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
        return self._about.seconds if self._about is not None else 10.0

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
        """A note on each servo, drive or actuator whose gains are too stiff for the physics step; see `gain_check.py`."""
        return gain_notes(self.built)

    @property
    def chunk(self) -> int:
        """Ticks between two flushes of a recording."""
        return self.built.chunk

    @property
    def links(self) -> LinkFrames:
        """Where every link and named frame is on the bodies of the model."""
        return self.built.assembly.links

    @property
    def shown(self) -> ShownModel:
        """The model with everything that there is to see, for pictures."""
        return self.built.assembly.shown

    @property
    def inertias(self) -> LinkInertias:
        """Mass, centre of mass and inertia of every link as they are now."""
        self._live.refresh()
        return self.built.assembly.inertias

    @property
    def pushes(self) -> dict[str, NDArray[np.float64]]:
        """The forces [N] on the links that are pushed now, world frame."""
        forces = self._state[self.built.assembly.state.stretch("pushing")].reshape(-1, 3)
        return {name: force.copy() for name, force in zip(self.links.links, forces, strict=True) if force.any()}

    @property
    def channels(self) -> tuple[float, ...]:
        """The pilot's channel table as it is now; empty where the run has no pilot."""
        return self._piloted.channels if self._piloted is not None else ()

    # begin, step, run

    @alone
    def reset(self, seed: int | None = None, start: Mapping[str, float] | None = None) -> Values:
        """Back to the start: pose, velocities, memories, clock, the random streams of the seed; what the sensors say there.

        `seed` is another one from now on; `start` are values by path below `start` (`position.z`, `joints.elbow`), for this
        beginning only, that win over the twin's and the scenario's.
        """
        self.seed = self.seed if seed is None else seed
        if self.tick > 0:
            self._memory.reset()
        mujoco.mj_resetData(self.model, self.data)
        self.overrides.clear()
        self._start = dict(start or {})
        self._place()
        self._start = {}
        self._settle()
        self._changes.forget()
        self._cameras.restart(self.seed)
        self._key_streams()
        self._tick(0, 0, AHEAD)
        return self.measured

    def step(self, inputs: Mapping[str, float] | None = None, seconds: float | None = None) -> Values:
        """Let one control period pass, or some seconds, and return what the sensors say then; nothing is recorded.

        `inputs` hold until they are set again, and the twin's program is not asked; without any, the program drives.
        """
        if not self._turn.acquire(False):
            raise another_thread()
        try:
            if seconds is not None and not 0.0 < seconds < np.inf:
                raise InputError(f"found {seconds:g}, expected a time above 0 s", option="seconds")
            ticks = self.context.timing.control_every if seconds is None else max(1, round(seconds / self.period))
            if inputs is None:
                self.advance(ticks, ahead=True)
                return self.measured
            for name, value in inputs.items():
                index = self._commands.get(name)
                if index is None:
                    known = ", ".join(self._commands)
                    raise InputError(f"there is no input {name!r}{nearest(name, self._commands)} (there is: {known})")
                self._state[index] = value
            self.advance(ticks, ahead=True, asked=False)
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
    ) -> Log:
        """Run for a time [s] (the scenario's by default) and return what was recorded.

        `record` streams the log to an MCAP file, or to a row of them (`RotatedFile`), while the run goes on, `progress` is told
        the clock [s] now and then, `real_time` holds the run back to the wall clock and counts the ticks that came late. Without
        `keep` the log is only streamed. `interventions` of an earlier run are repeated at their ticks; a `pilot` holds the
        channels of a piloted run. A run that fails raises a `RunError` whose `log` is what was recorded until then.
        """
        duration = self.seconds if seconds is None else seconds
        count = round(duration / self.period) if np.isfinite(duration) else 0
        if count < 1:
            raise InputError(f"found {duration:g} s, expected a duration of at least one tick, {self.period:g} s")
        run = Run(self, record, keep=keep, interventions=interventions, pilot=pilot)
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

    def advance(self, count: int, *, ahead: bool = False, asked: bool = True) -> None:
        """Let ticks pass; while a run records, at most `chunk` of them, before `take` takes what they recorded.

        With `ahead`, the readings of the tick that comes next are taken too; where nobody is `asked`, the inputs stay
        as they are.
        """
        if not self._turn.acquire(False):
            raise another_thread()
        try:
            tick = self.tick
            end = tick + count
            while tick < end:
                undisturbed = end - tick
                if self._disturbed:
                    due = dict(self._changes.due(tick))
                    if due:
                        self.set_all(due)
                    self._cameras.look(tick, self.data)
                    undisturbed = min(self._changes.until(tick), self._cameras.until(tick), undisturbed)
                last = ahead and tick + undisturbed == end
                if self._compiled or not asked:
                    self._tick(tick, undisturbed, (AHEAD if last else 0) | (0 if asked else UNASKED))
                else:
                    assert self.program is not None
                    drive(self, self.program, first=tick, count=undisturbed)
                    if last:
                        self._tick(self.tick, 0, AHEAD)
                tick = self.tick
        finally:
            self._turn.release()

    def _tick(self, first: int, count: int, flags: int) -> None:
        """Let the compiled loop run."""
        if self._live.stale:
            self._live.refresh()
        stopwatch.stop()
        try:
            tick, status = run_ticks(self.address, first, count, flags)
        finally:
            stopwatch.start()
        self._clock[0] = tick
        if status != FINE:
            raise failure(status, self.time, built=self.built)

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
            for name, value in inputs.items():
                self._state[self._commands[name]] = value
            if self.program is not None and self.program.reports and not self._compiled:
                self._state[self.built.assembly.state.stretch("program")] = self.program.reported()
            self._tick(tick, 1, SENSED | UNASKED)
        finally:
            self._turn.release()

    def close(self) -> None:
        """Let the control program go, with the process or the line that it may hold; there is no run after it."""
        if self.program is not None:
            self.program.stop()

    # state and parameters

    @alone
    def save(self) -> State:
        """The whole state of the run."""
        return State(self._vector(), self.tick, self._memory.save(), self._made_by)

    @alone
    def restore(self, state: State) -> None:
        """Continue from a saved state, to the bit; one of another twin, scenario, program or version is an `InputError`."""
        vector = checked_vector(state, self._made_by, mujoco.mj_stateSize(self.model, _STATE))
        before = self._vector()
        mujoco.mj_setState(self.model, self.data, vector, _STATE)
        if self._clock[0] != state.tick:
            mujoco.mj_setState(self.model, self.data, before, _STATE)
            raise InputError(f"this state says that it was saved at tick {state.tick!r}, and its clock says otherwise")
        self._cameras.forget()
        self._settle()
        self._memory.restore(state.program)

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
            self._live.set_all(values)
        finally:
            self._turn.release()

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
        if item.kind == "set":
            self.set(item.path, item.value[0])
        elif item.kind == "steer":
            self.overrides.apply(item.path, item.value)
        elif item.kind == "push":
            push(self.built, item)
        else:
            if self._piloted is None:
                raise InputError("this run has no pilot; start it with one", path=item.kind)
            if item.kind == "reset" and self.tick > 0:
                self._memory.reset()
            self._piloted.apply(item)

    # what it shows

    def readouts(self, part: str) -> NDArray[np.float64]:
        """The outputs of a part, in the order of their declaration, as they are now; a view that changes with time."""
        view: NDArray[np.float64] = self._state[self.built.assembly.state.stretch(f"outputs:{part}")]
        return view

    def reading(self, sensor: str, quantity: str) -> NDArray[np.float64]:
        """What a sensor says of a quantity (`imu`, `gyro`), as it is now; a view that changes with time."""
        view: NDArray[np.float64] = self._state[self.built.assembly.state.stretch(f"measured:{sensor}.{quantity}")]
        return view

    @property
    def views(self) -> Mapping[str, View]:
        """What each camera that is switched on shows now."""
        return self._cameras.views

    @property
    def cameras(self) -> tuple[PinHole, ...]:
        """The cameras that are switched on."""
        specs: list[tuple[str, Any]] = [(name, self._cameras.spec(name)) for name in self._cameras.names]
        return tuple(
            PinHole(n, optical_frame(n), s.width, s.height, Camera.focal(s), (s.k1, s.k2, s.p1, s.p2, s.k3), s.colour, s.depth)
            for n, s in specs
        )

    def take_pictures(self) -> list[tuple[str, Picture]]:
        """The pictures since the last time, by the names of their cameras."""
        return self._cameras.take()

    def switch_record(self, on: bool) -> None:
        """Let the loop record rows, or not."""
        switch_record(self.context.record, on)

    def take(self) -> Rows:
        """What the loop recorded since the last time."""
        return take_rows(self.context.record)

    def new_log(self, *, keep: bool = True) -> Log:
        """An empty log for a run of this simulation."""
        import didymos

        metadata = {
            "twin": self.twin.name, "scenario": self.scenario or "", "seed": str(self.seed), "version": didymos.__version__,
        }  # fmt: skip
        if self.twin.variant is not None:
            metadata["variant"] = self.twin.variant
        if self.piloted:
            metadata["piloted"] = "true"
        if is_portable():
            metadata["portable"] = "true"
        return Log(tuple(stream.layout for stream in self.built.streams), metadata, keep=keep)

    def judge(self, log: Log) -> tuple[Verdict, ...]:
        """What the scenario expects, measured in the log of a run; `skipped` says what does not apply."""
        verdicts = []
        for item in self.expected:
            figure = thrust_to_weight(self.twin, self.built.assembly) if item.figure == "thrust_to_weight" else None
            verdicts.append(measure(item, log, figure))
        return tuple(verdicts)

    def events(self, log: Log) -> list[tuple[float, str, str]]:
        """When [s] a report of the control program that has labels changed, which one, and the label."""
        changes = []
        for item in self.program.reports if self.program is not None else ():
            if item.labels:
                signal = log[f"control.{item.name}"]
                for i in np.flatnonzero(np.diff(signal.values, prepend=np.nan)):
                    label = item.labels[int(signal.values[i])]
                    if label:
                        changes.append((float(signal.time[i]), item.name, label))
        return sorted(changes)

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

        program = "no program" if self.program is None else type(self.program).__name__
        layout = hashlib.sha256(repr(self.built.assembly.state.starts).encode()).hexdigest()[:8]
        about = f"scenario {self.scenario}, {program}, version {didymos.__version__}, layout {layout}"
        return f"{self.twin.name}: {about}"

    def _begin(self) -> StartSpec:
        start = self.twin.file.start
        if self._about is not None and self._about.start is not None:
            by_hand = {path: self.twin.parameters[path] for path in self.twin.set_by_hand if path.startswith("start.")}
            start = begin(start, self._about.start, by_hand)
        return start

    def _place(self) -> None:
        root = self.links.root_body(self.model)
        place_at_start(self.twin, root, self.model, self.data, self._begin(), self._start)

    def _settle(self) -> None:
        if self._piloted is not None:
            self._piloted.settle()

    def _key_streams(self) -> None:
        """The keys of all random streams, and what scans say about themselves."""
        starts = self.built.assembly.state.starts
        air = starts["air"] + offset_of(AIR_STATE, "key")
        self._state[air : air + 2] = stream_key(self.seed, "world.gusts")
        for name, sensor in readings(self.twin).items():
            if sensor.contract is Lidar:
                about: Any = sensor
                scan = starts[f"scan:{name}"]
                self._state[scan : scan + SCAN.itemsize // 8] = *Lidar.angles(about), about.nearest, about.farthest
            first = starts[f"sensor:{name}"]
            memory = self._state[first : first + SENSOR_MEMORY.itemsize // 8].view(SENSOR_MEMORY)[0]
            memory["key"], memory["loss_key"] = stream_key(self.seed, name), stream_key(self.seed, f"{name}.drop_out")
            memory["sampled_at"] = NO_READING


def _continued(
    twin: Twin, seed: int, scenario: str | None, control: Controller | None, piloted: bool, state: State
) -> Simulation:
    """A simulation that goes on where another one was when it was pickled."""
    made = Simulation(twin, seed=seed, scenario=scenario, control=control, piloted=piloted)
    made.restore(state)
    return made
