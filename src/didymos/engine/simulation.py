"""A simulation: one run of a twin, step-locked, deterministic, recorded."""

from __future__ import annotations

import time as wall
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control import Controller, Robot, Values
from didymos.control.pilot import Pilot
from didymos.control.stimulus import StimulusSpec
from didymos.describe.names import input_names, part_inputs, readings
from didymos.describe.twin import Twin
from didymos.engine.assemble import assemble
from didymos.engine.callback import KEY
from didymos.engine.cameras import Cameras, View
from didymos.engine.changes import Changes
from didymos.engine.drive import drive, start
from didymos.engine.failure import failure
from didymos.engine.figures import rotors, thrust_to_weight
from didymos.engine.intervention import Intervention
from didymos.engine.link_frames import LinkFrames
from didymos.engine.link_inertia import LinkInertias
from didymos.engine.live import set_live
from didymos.engine.loop import (
    FINE,
    SPACE_PUSH,
    begin_tick,
    end_tick,
    run_ticks,
)
from didymos.engine.pace import Pace
from didymos.engine.piloted import Piloted
from didymos.engine.poses import poses
from didymos.engine.program_memory import ProgramMemory
from didymos.engine.run import Run
from didymos.engine.shown_model import ShownModel
from didymos.engine.start import begin, place_at_start
from didymos.engine.streams import plan_streams
from didymos.engine.verdict import Verdict, check_expected, measure
from didymos.engine.wiring import (
    compiled_law,
    kernel_writable,
    measured_places,
    moved_parameters,
    push_place,
    stimulus_table,
    wire,
)
from didymos.errors import InputError, RunError, nearest
from didymos.parts import PARTS
from didymos.record.image import Picture, PinHole
from didymos.record.log import Log
from didymos.sensors.kind import LidarSpec
from didymos.sensors.noise import stream_key

__all__ = ["Simulation", "State"]

_CHUNK = 0.4  # [s] of the twin's clock in a chunk of the record: a killed run loses at most two
_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)


@dataclass(frozen=True)
class State:
    """Everything that a run needs to continue to the bit: the engine's state, the tick, the program's own memory."""

    vector: NDArray[np.float64]
    tick: int
    program: dict[str, Any]


class Simulation:
    """A run of a twin. `control` takes the place of the twin's own program; it may be a Python or a compiled one.

    A `piloted` run has a channel table and, where a channel of the twin drops them, boxes; its log has both. `wiring` is what
    the compiled loop reads.
    """

    def __init__(
        self,
        twin: Twin,
        *,
        seed: int = 0,
        scenario: str | None = None,
        control: Controller | None = None,
        piloted: bool = False,
    ) -> None:
        self.twin = twin.copy()
        self.seed = seed
        self.scenario = scenario
        self.piloted = piloted
        self._about = self._choose(scenario)
        if self._about is not None and scenario is not None:
            self.twin = self.twin.for_scenario(scenario)
        self.program = control if control is not None else self.twin.make_program()
        stimuli = self.stimuli
        read = self.program.setpoints if self.program is not None else ()
        targets = [stimulus.target for stimulus in stimuli if stimulus.target.startswith("setpoints.")]
        self._setpoints = tuple(dict.fromkeys((*read, *(target.partition(".")[2] for target in targets))))
        law = compiled_law(self.program)
        memory = law.memory_size if law is not None else 0
        moved = moved_parameters(stimuli)
        self._assembly = assemble(self.twin, setpoints=len(self._setpoints), memory=memory, moved=len(moved), piloted=piloted)
        self.model = self._assembly.model
        self.data = mujoco.MjData(self.model)
        clock = self._assembly.plan.starts["tick"]
        self._clock = self.data.userdata[clock : clock + 1]  # a view: ports look at it a hundred times per millisecond
        self.robot = Robot(
            inputs=input_names(self.twin),
            measured=tuple(measured_places(self.twin, self._assembly)),
            setpoints=self._setpoints,
            rotors=rotors(self.twin, self._assembly),
        )
        if self.program is not None:
            start(self.program, self.robot)
        self._compiled = law is not None or self.program is None
        self._memory = ProgramMemory(self.program, compiled=self._compiled)
        self._streams = plan_streams(self.twin, self._assembly, self._setpoints, law, moved, piloted)
        check_expected(self.twin, scenario, Log([stream.layout for stream in self._streams], {}))
        self.wiring = self._lay_wires(stimuli)
        self._held = self._hold()
        self._changes = self._plan_changes(stimuli)
        self._measured_places = measured_places(self.twin, self._assembly)
        self._cameras = Cameras(self.twin, self.shown, seed, self.period)
        self._measured = Values(self._measured_places, self.data.userdata, self._cameras.views)
        first = self._assembly.plan.starts["setpoints"]
        self._piloted = Piloted(self.twin, self._assembly, self.data, self._root, self._place) if piloted else None
        self._asked = Values({name: first + i for i, name in enumerate(self._setpoints)}, self.data.userdata)
        self.real_time_factor = 0.0
        self.overruns = 0
        self.reset()
        run_ticks(self.wiring, 0, 0)  # the first run of a fresh install compiles here, not in the measured time

    @property
    def links(self) -> LinkFrames:
        """Where every link and named frame is on the bodies of the model."""
        return self._assembly.links

    @property
    def shown(self) -> ShownModel:
        """The model with everything that there is to see, for pictures."""
        return self._assembly.shown

    @property
    def inertias(self) -> LinkInertias:
        """Mass, centre of mass and inertia of every link as they are now."""
        return self._assembly.inertias

    @property
    def pushes(self) -> dict[str, NDArray[np.float64]]:
        """The forces [N] on the links that are pushed now, world frame."""
        first = self.wiring.pushes + 1
        forces = self.data.userdata[first : first + 3 * len(self.links.links)].reshape(-1, 3)
        return {name: force.copy() for name, force in zip(self.links.links, forces, strict=True) if force.any()}

    @property
    def period(self) -> float:
        """Time of one tick [s]."""
        return float(self.wiring.period)

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

    def reset(self) -> None:
        """Back to the start: pose, velocities, memories, clock, the random streams of the seed."""
        if self.tick > 0:
            self._memory.reset()
        mujoco.mj_resetData(self.model, self.data)
        self._place()
        self._settle()
        air = self._assembly.plan.starts["air"] + KEY
        self.data.userdata[air : air + 2] = stream_key(self.seed, "world.gusts")
        self._changes.forget()
        self._cameras.forget()
        for name, sensor in readings(self.twin).items():
            if isinstance(sensor, LidarSpec):
                scan = self._assembly.plan.starts[f"scan:{name}"]
                self.data.userdata[scan : scan + 5] = *sensor.angles(), sensor.nearest, sensor.farthest
            place = self._assembly.plan.starts[f"key:{name}"]
            self.data.userdata[place : place + 4] = *stream_key(self.seed, name), *stream_key(self.seed, f"{name}.drop_out")

    def close(self) -> None:
        """Let the control program go, with the process or the line that it may hold; there is no run after it."""
        if self.program is not None:
            self.program.stop()

    def save(self) -> State:
        """The whole state of the run."""
        vector = np.empty(mujoco.mj_stateSize(self.model, _STATE))
        mujoco.mj_getState(self.model, self.data, vector, _STATE)
        return State(vector, self.tick, self._memory.save())

    def restore(self, state: State) -> None:
        """Continue from a saved state, to the bit."""
        mujoco.mj_setState(self.model, self.data, state.vector, _STATE)
        self._cameras.forget()
        self._settle()
        self._memory.restore(state.program)

    def set(self, path: str, value: float) -> None:
        """Change a parameter while the run goes on, from the next tick; one that is fixed for a run is an `InputError`."""
        self.set_all({path: value})

    def set_all(self, values: Mapping[str, float]) -> None:
        """Change many parameters at once: all of them, or none if one does not fit."""
        before = {}
        for path in values:
            parameter = self.twin.parameters.get(path)
            if parameter is None:
                raise InputError(f"there is no such parameter{nearest(path, self.twin.parameters)}", path=path)
            if not parameter.live:
                raise InputError("cannot change during a run; set it on the twin before", path=path)
            before[path] = parameter.value
        self.twin.set_all(values)
        try:
            set_live(self.twin, self._assembly, self.wiring, self.program, values)
        except InputError:
            self.twin.set_all(before)
            set_live(self.twin, self._assembly, self.wiring, self.program, before)
            raise

    def begin_at(self, values: Mapping[str, float]) -> None:
        """Begin elsewhere from the next `reset` on: values by paths below `start`, which win over the scenario's."""
        self.twin.set_all(values)

    def get(self, path: str) -> float:
        """The value of a parameter as the run uses it now: a stimulus may have moved it."""
        index = self._assembly.numbers.get(path)
        return self.twin.get(path) if index is None else float(self.model.numeric_data[index])

    def run(
        self,
        seconds: float | None = None,
        *,
        record: str | Path | None = None,
        progress: Callable[[float], None] | None = None,
        real_time: bool = False,
        keep: bool = True,
        interventions: Sequence[Intervention] = (),
        pilot: Pilot | None = None,
    ) -> Log:
        """Run for a time [s] (the scenario's by default) and return what was recorded.

        `record` streams the log to an MCAP file while the run goes on, `progress` is told the clock [s] now and then,
        `real_time` holds the run back to the wall clock and counts the ticks that came late. Without `keep` the log is
        only streamed. `interventions` of an earlier run are repeated at their ticks; a `pilot` holds the channels of a piloted
        run. A run that fails raises a `RunError` whose `log` is what was recorded until then.
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

    def intervene(self, deed: Intervention) -> None:
        """Do what a person did to the run; what does not fit is an `InputError` and changes nothing."""
        if deed.kind == "set":
            self.set(deed.path, deed.value[0])
        elif deed.kind == "steer":
            places = self._held.get(deed.path)
            if places is None:
                raise InputError(f"there is no such set-point or input{nearest(deed.path, self._held)}", path=deed.path)
            if len(deed.value) != len(places):
                raise InputError(f"found {len(deed.value)} numbers, expected {len(places)}", path=deed.path)
            self.data.userdata[places.start : places.stop] = deed.value
        elif deed.kind in ("channels", "drop", "remove", "reset"):
            if self._piloted is None:
                raise InputError("this run has no pilot; start it with one", path=deed.kind)
            if deed.kind == "reset" and self.tick > 0:
                self._memory.reset()
            self._piloted.apply(deed, self.wiring.sensors, self._measured_places.values())
        else:
            if deed.path not in self.twin.description.links:
                raise InputError(f"there is no such link{nearest(deed.path, self.twin.description.links)}", path=deed.path)
            place, userdata = push_place(self._assembly, f"{deed.path}.x"), self.data.userdata
            userdata[self.wiring.pushes], userdata[place : place + 3] = 1.0, deed.value
            for space, index, _, _, shown in self.wiring.stimulus_targets:
                if space == SPACE_PUSH and place <= index < place + 3:
                    userdata[index] += userdata[shown]

    def _place(self) -> None:
        start = self.twin.file.start
        if self._about is not None and self._about.start is not None:
            start = begin(start, self._about.start, {path for path in self.twin.set_by_hand if path.startswith("start.")})
        place_at_start(self.twin, self._root, self.model, self.data, start)

    def _settle(self) -> None:
        if self._piloted is not None:
            self._piloted.settle()

    @property
    def _root(self) -> int:
        return self.links.root_body(self.model)

    @property
    def channels(self) -> tuple[float, ...]:
        """The pilot's channel table as it is now; empty where the run has no pilot."""
        return self._piloted.channels if self._piloted is not None else ()

    @property
    def handles(self) -> tuple[str, ...]:
        """What a pilot can steer: `setpoints.NAME` of every set-point, then `inputs.NAME` of every input."""
        return (*(f"setpoints.{name}" for name in self._setpoints), *(f"inputs.{name}" for name in self.robot.inputs))

    def _hold(self) -> dict[str, range]:
        """Where in `userdata` the hand of a pilot lies on each handle, and on all inputs of a part at once."""
        first = self.wiring.hand
        held = {name: range(first + i, first + i + 1) for i, name in enumerate(self.handles)}
        for name, part, index in part_inputs(self.twin):
            place = held[f"inputs.{name}"].start
            held[f"inputs.{part}"] = range(place - index, place + 1)  # a part's inputs lie side by side
        return held

    def readouts(self, part: str) -> NDArray[np.float64]:
        """The readouts of a part, in the order of its law, as they are now; a view that changes with time."""
        place = self._assembly.plan.starts[f"outputs:{part}"]
        view: NDArray[np.float64] = self.data.userdata[place : place + len(PARTS[self.twin.file.parts[part].kind].outputs)]
        return view

    def reading(self, sensor: str, quantity: str) -> NDArray[np.float64]:
        """What a sensor says of a quantity (`imu`, `gyro`), as it is now; a view that changes with time."""
        first = self._assembly.plan.starts[f"measured:{sensor}.{quantity}"]
        place = next(item for item in self._assembly.places if (item.sensor, item.quantity) == (sensor, quantity))
        view: NDArray[np.float64] = self.data.userdata[first : first + len(place.columns)]
        return view

    @property
    def views(self) -> Mapping[str, View]:
        """What each camera that is switched on shows now."""
        return self._cameras.views

    @property
    def eyes(self) -> tuple[PinHole, ...]:
        """The cameras that are switched on."""
        specs = ((name, self._cameras.spec(name)) for name in self._cameras.names)
        return tuple(PinHole(n, s.link, s.width, s.height, s.focal, s.colour, s.depth) for n, s in specs)

    def take_pictures(self) -> list[tuple[str, Picture]]:
        """The pictures since the last time, by the names of their cameras."""
        return self._cameras.take()

    def judge(self, log: Log) -> tuple[Verdict, ...]:
        """What the scenario expects, measured in the log of a run."""
        expected = self._about.expect if self._about is not None else ()
        verdicts = []
        for item in expected:
            figure = thrust_to_weight(self.twin, self._assembly) if item.figure == "thrust_to_weight" else None
            verdicts.append(measure(item, log, figure))
        return tuple(verdicts)

    def events(self, log: Log) -> list[tuple[float, str, str]]:
        """When [s] a report of the control program that has words changed, which one, and the word."""
        law = compiled_law(self.program)
        found = []
        for name, words in law.words.items() if law is not None else ():
            signal = log[f"control.{name}"]
            for i in np.flatnonzero(np.diff(signal.values, prepend=np.nan)):
                word = words[int(signal.values[i])]
                if word:
                    found.append((float(signal.time[i]), name, word))
        return sorted(found)

    def poses(self, log: Log) -> NDArray[np.float64]:
        """Positions of all joints of the engine over the log's own time, for pictures; shape [n, nq]."""
        return poses(self.twin, self.model, self._root, log)

    def sense(self, tick: int) -> tuple[Values, Values]:
        """Readings and set-points at a tick (see `Plant`)."""
        begin_tick(self.wiring, tick)
        return self._measured, self._asked

    def act(self, tick: int, inputs: Mapping[str, float]) -> None:
        """Hand over inputs and let one tick pass (see `Plant`)."""
        for name, value in inputs.items():
            self.data.userdata[self.wiring.inputs[self.robot.inputs.index(name), 0]] = value
        status = end_tick(self.wiring, tick)
        self._set_tick(tick + (status == FINE))
        if status != FINE:
            raise self._failure(status)

    def _choose(self, scenario: str | None) -> Any:
        if scenario is None:
            return None
        if scenario not in self.twin.scenarios:
            known = ", ".join(self.twin.scenarios) or "none"
            hint = nearest(scenario, self.twin.scenarios)
            raise InputError(f"{self.twin.name} has no scenario {scenario!r}{hint} (it has: {known})")
        return self.twin.scenarios[scenario]

    @property
    def stimuli(self) -> tuple[StimulusSpec, ...]:
        """What the scenario moves, its constant set-points first."""
        if self._about is None:
            return ()
        constants = [
            StimulusSpec(target=f"setpoints.{name}", kind="constant", value=value) for name, value in self._about.setpoints.items()
        ]
        return (*constants, *self._about.stimuli)

    def _lay_wires(self, stimuli: tuple[StimulusSpec, ...]) -> Any:
        from didymos.engine.wiring import tick_rate

        substeps, every = tick_rate(self.twin, self.program)
        ticks = max(1, round(_CHUNK / (substeps * self.twin.file.world.step)))
        self.chunk = -(-ticks // every) * every  # ticks between two flushes of a recording
        return wire(
            self.twin, self._assembly, self.data, self.program, self._setpoints, stimuli, self._streams, self.chunk
        )  # fmt: skip

    def _plan_changes(self, stimuli: tuple[StimulusSpec, ...]) -> Changes:
        """The stimuli that move parameters out of the compiled loop's reach."""
        parameters = [path for path in moved_parameters(stimuli) if not path.startswith("push.")]
        moved = [path for path in parameters if not kernel_writable(self.twin, self._assembly, path)]
        others = [stimulus for stimulus in stimuli if stimulus.target in moved]
        rows = np.array([stimulus.numbers() for stimulus in others])
        return Changes(others, rows, [stimulus_table(self.twin, stimulus) for stimulus in others], self.period)

    def new_log(self, *, keep: bool = True) -> Log:
        """An empty log for a run of this simulation."""
        import didymos

        layouts = tuple(stream.layout for stream in self._streams)
        metadata = {
            "twin": self.twin.name,
            "scenario": self.scenario or "",
            "seed": str(self.seed),
            "version": didymos.__version__,
        }
        if self.twin.variant is not None:
            metadata["variant"] = self.twin.variant
        if self.piloted:
            metadata["piloted"] = "true"
        return Log(layouts, metadata, keep=keep)

    def advance(self, count: int) -> None:
        """Let up to `chunk` ticks pass; `take` takes what they recorded before more can."""
        end = self.tick + count
        while self.tick < end:
            due = dict(self._changes.due(self.tick))
            if due:
                self.set_all(due)
            self._cameras.look(self.tick, self.data)
            ahead = min(self._changes.until(self.tick), self._cameras.until(self.tick))
            self._run_undisturbed(min(end - self.tick, ahead))

    def _run_undisturbed(self, count: int) -> None:
        tick = self.tick
        if self._compiled:
            tick, status = run_ticks(self.wiring, tick, count)
            self._set_tick(tick)
            if status != FINE:
                raise self._failure(status)
        else:
            assert self.program is not None
            drive(self, self.program, first=tick, count=count)

    def _set_tick(self, tick: int) -> None:
        self._clock[0] = tick

    def take(self) -> list[tuple[int, NDArray[np.float64], NDArray[np.float64]]]:
        """What the loop recorded since the last time, as copies: number of the stream, times [s], rows."""
        w = self.wiring
        counts = w.counts.tolist()
        if not any(counts):
            return []
        cells, stamps = w.cells.copy(), w.stamps.copy()
        found = []
        for i, (_, size, cell, stamp, _) in enumerate(w.streams.tolist()):
            rows = counts[i]
            if rows:
                found.append((i, stamps[stamp : stamp + rows], cells[cell : cell + rows * size].reshape(rows, size)))
        w.counts[:] = 0
        return found

    def _failure(self, status: int) -> RunError:
        return failure(
            status,
            self.time,
            model=self.model,
            data=self.data,
            wiring=self.wiring,
            robot=self.robot,
            program=self.program,
        )
