"""A robot in a run: its twin, its program, what it reads and what it is told, and all that belongs to it alone.

A simulation holds one for each robot. Names here are the robot's own; in a world of several the simulation puts the robot's name
in front of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.air.air_state import AIR_STATE
from didymos.contract import offset_of
from didymos.control import Controller, Values
from didymos.control.compiled_controller import as_compiled
from didymos.describe.description import Note
from didymos.describe.names import readings
from didymos.describe.schema import ExpectationSpec, ScenarioSpec, StartSpec
from didymos.describe.twin import Twin
from didymos.engine.assemble import SCAN
from didymos.engine.begin_anew import begin_anew
from didymos.engine.build import Built, RobotPlan, choose_scenario
from didymos.engine.cameras import Cameras
from didymos.engine.changes import Changes
from didymos.engine.drive import ask
from didymos.engine.figures import thrust_to_weight
from didymos.engine.fmu_parts import FmuParts
from didymos.engine.intervene import Overrides, push
from didymos.engine.intervention import Intervention
from didymos.engine.join import Mount
from didymos.engine.link_frames import LinkFrames
from didymos.engine.live import LiveValues
from didymos.engine.piloted import Piloted
from didymos.engine.program_memory import ProgramMemory
from didymos.engine.program_scope import ProgramScope, Skipped
from didymos.engine.pushes import WRENCH
from didymos.engine.put import put
from didymos.engine.sampling import Sampling, drop_sensors, refuse_fmus, with_fed
from didymos.engine.start import begin, place_at_start
from didymos.engine.verdict import Verdict, check_expected, measure
from didymos.errors import InputError, nearest
from didymos.noise import stream_key
from didymos.record.image import PinHole
from didymos.record.log import Log
from didymos.sensors.camera import Camera, optical_frame
from didymos.sensors.ranging import Lidar
from didymos.sensors.reading import NO_READING, SENSOR_MEMORY

__all__ = ["Entrant", "RobotRun"]

_FMUS = " fmus"  # no attribute of a program has this name


@dataclass(frozen=True)
class Entrant:
    """A robot that takes part in a run.

    `name` is its own in a world, empty for a twin alone; `streams` what its random streams are keyed by, in front of their own
    names. `control` takes the place of its own program; `prefix` stands before its names in the engine. One robot of a world
    `tells_time` to the log, and may tell the momentum of everything.
    """

    twin: Twin
    scenario: str | None = None
    control: Controller | None = None
    piloted: bool = False
    name: str = ""
    prefix: str = ""
    streams: str = ""
    mount: Mount | None = None
    tells_time: bool = True
    whole_momentum: bool = False


class RobotRun:
    """A robot in a run. `enter` says what it brings; `build` gives it its place in a model; then it can run."""

    built: Built
    period: float
    """[s] of a tick."""

    def __init__(self, entrant: Entrant, sampling: Sampling | None = None) -> None:
        self.name, self.scenario, self.piloted = entrant.name, entrant.scenario, entrant.piloted
        self.given, self.streams, self._mount = entrant.control, entrant.streams, entrant.mount
        self._about: ScenarioSpec | None = choose_scenario(entrant.twin, entrant.scenario)
        self.scope = scope = ProgramScope(entrant.twin, entrant.scenario, entrant.control)
        twin = entrant.twin.for_scenario(entrant.scenario, gains=entrant.control is None)
        self.design_notes: tuple[Note, ...] = ()
        if entrant.control is None and twin.gains_to_design:
            from didymos.engine.gain_design import with_designed_gains

            twin, self.design_notes = with_designed_gains(twin)
        self.twin = twin.placed(entrant.prefix)
        self.program = entrant.control if entrant.control is not None else self.twin.make_program()
        self.stimuli = scope.stimuli()
        self._sampled, self._tells_time = sampling is not None, entrant.tells_time
        self._whole_momentum = entrant.whole_momentum
        if sampling is not None:
            refuse_fmus(self.twin)
            self.stimuli = with_fed(self.stimuli, sampling)
            if sampling.is_open_loop:
                self.program = None
                drop_sensors(self.twin, sampling)
        self.compiled = as_compiled(self.program) is not None or self.program is None
        self._start: dict[str, float] = {}

    @property
    def mount(self) -> Mount | None:
        """What holds its root link, where something does."""
        return self._mount

    @property
    def plan(self) -> RobotPlan:
        """What the robot brings to the model."""
        begin, clock = self.begin(), self._tells_time
        whole = self._whole_momentum
        return RobotPlan(self.twin, self.program, self.stimuli, self.scope, begin, self.piloted, self._mount, clock, whole)

    def enter(self, built: Built, seed: int, period: float) -> None:
        """Take the robot's place in a model."""
        self.built, self.data, self.robot, self.context = built, built.data, built.robot, built.context
        self._state, self.period = built.data.plugin_state, period
        self.memory = ProgramMemory(self.program, compiled=self.compiled)
        self.live = LiveValues(built)
        self.overrides = Overrides(built)
        asked = self._about.expect if self._about is not None and not self._sampled else ()
        others: tuple[ExpectationSpec, ...] = ()
        if not self._sampled:
            empty = Log([stream.layout for stream in built.streams], {})
            others = check_expected(self.twin, self.scenario, empty, self.scope)
        self.expected: tuple[ExpectationSpec, ...] = tuple(item for item in asked if item not in others)
        self.skipped: tuple[Skipped, ...] = self.scope.skipped(others)
        self.changes = Changes(built, self.stimuli, period)
        self.cameras = Cameras(self.twin, built.assembly.shown, seed, period, self.streams)
        self.fmus = FmuParts(built, period)
        self.measured = Values(built.measured, self._state, self.cameras.views)
        first = built.assembly.state.starts["setpoints"]
        self.setpoints = Values({name: first + i for i, name in enumerate(self.robot.setpoints)}, self._state)
        rows = zip(self.robot.inputs, self.context.inputs.inputs, strict=True)
        self._commands = {name: int(row["command"]) for name, row in rows}
        self.commands = Values(self._commands, self._state)
        self.pilot = Piloted(built) if self.piloted else None

    @property
    def seconds(self) -> float:
        """Duration of the robot's scenario [s]; ten seconds without one."""
        return self._about.seconds if self._about is not None else 10.0

    @property
    def links(self) -> LinkFrames:
        """Where every link and named frame is on the bodies of the model."""
        return self.built.assembly.links

    def begin(self) -> StartSpec:
        """How the robot begins."""
        start = self.twin.file.start
        if self._about is not None and self._about.start is not None:
            by_hand = {path: self.twin.parameters[path] for path in self.twin.set_by_hand if path.startswith("start.")}
            start = begin(start, self._about.start, by_hand)
        return start

    def begin_with(self, values: Mapping[str, float]) -> None:
        """Values by path below `start` that win over the twin's and the scenario's in the next `place`."""
        self._start = dict(values)

    def place(self, *, objects: bool | None = None) -> None:
        """Put the robot where it begins, and the first one of a run the objects of the world as well, unless told otherwise."""
        model: mujoco.MjModel = self.built.assembly.model
        root, both = self.links.root_body(model), self._tells_time if objects is None else objects
        place_at_start(self.twin, root, model, self.data, self.begin(), self._start, objects=both)

    def _place_alone(self) -> None:
        self.place(objects=False)

    def close_welds(self) -> None:
        """Give the inputs of the welds to other robots that are closed at the start the value that closes them."""
        for item in self.built.assembly.couplings:
            if item.name in self._commands and item.spec.attached:
                self._state[self._commands[item.name]] = 1.0

    def set_inputs(self, inputs: Mapping[str, float]) -> None:
        """Give inputs values that hold until they are set again."""
        for name, value in inputs.items():
            index = self._commands.get(name)
            if index is None:
                known = ", ".join(self._commands)
                raise InputError(f"there is no input {name!r}{nearest(name, self._commands)} (there is: {known})")
            self._state[index] = value

    def drive(self, tick: int, period: float) -> None:
        """Ask a program written in Python, where it is due at a tick, and hand its answer over."""
        assert self.program is not None
        if tick % self.context.robot.control_every == 0:
            self.set_inputs(ask(self.program, tick * period, self.measured, self.setpoints, self.robot.inputs))
        self.tell_reports()

    def tell_reports(self) -> None:
        """Write what a Python program reports to where the log reads it."""
        if self.program is not None and self.program.reports and not self.compiled:
            self._state[self.built.assembly.state.stretch("program")] = self.program.reported()

    def intervene(self, item: Intervention) -> None:
        """Do what a person did to the robot, but for its parameters."""
        if item.kind == "steer":
            self.overrides.apply(item.path, item.value)
        elif item.kind == "push":
            push(self.built, item)
        elif item.kind == "put":
            put(self.built, item.path, item.value)
        elif item.kind == "reset":
            if self._state[self.built.assembly.common.starts["loop"]] > 0:
                self.memory.reset()
            begin_anew(self.built, self._place_alone)
            if self.fmus:
                mujoco.mj_forward(self.built.assembly.model, self.data)
                self.fmus.begin(int(self._state[self.built.assembly.common.starts["loop"]]))
        else:
            if self.pilot is None:
                raise InputError("this run has no pilot; start it with one", path=item.kind)
            self.pilot.apply(item)

    def save_memory(self) -> dict[str, Any]:
        """What is remembered of the robot beside the engine's state: by a Python program, by FMUs."""
        memory = self.memory.save()
        return {**memory, _FMUS: self.fmus.save()} if self.fmus else memory

    def restore_memory(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.memory.restore({key: value for key, value in saved.items() if key != _FMUS})
        if self.fmus:
            self.fmus.restore(saved[_FMUS])

    def close(self) -> None:
        """Let the program and the FMUs go."""
        if self.program is not None:
            self.program.stop()
        self.fmus.close()

    @property
    def pushes(self) -> dict[str, NDArray[np.float64]]:
        """The forces [N] at the centres of mass of the links that are pushed now, world frame."""
        forces = self._state[self.built.assembly.state.stretch("pushing")].reshape(-1, WRENCH)[:, :3]
        return {name: force.copy() for name, force in zip(self.links.links, forces, strict=True) if force.any()}

    def readouts(self, part: str) -> NDArray[np.float64]:
        """The outputs of a part, in the order of their declaration, as they are now; a view that changes with time."""
        view: NDArray[np.float64] = self._state[self.built.assembly.state.stretch(f"outputs:{part}")]
        return view

    def reading(self, sensor: str, quantity: str) -> NDArray[np.float64]:
        """What a sensor says of a quantity (`imu`, `gyro`), as it is now; a view that changes with time."""
        view: NDArray[np.float64] = self._state[self.built.assembly.state.stretch(f"measured:{sensor}.{quantity}")]
        return view

    @property
    def unread_setpoints(self) -> tuple[str, ...]:
        """Set-points of the robot that its compiled program does not read; one in Python may read any of them."""
        program = as_compiled(self.program)
        return () if program is None else tuple(name for name in self.robot.setpoints if name not in program.setpoints)

    def verdict(self, item: ExpectationSpec, log: Log) -> Verdict:
        """One expectation of the robot's scenario, measured in a log that has the robot's names."""
        figure = thrust_to_weight(self.twin, self.built.assembly) if item.figure == "thrust_to_weight" else None
        return measure(item, log, figure)

    @property
    def pin_holes(self) -> tuple[PinHole, ...]:
        """The cameras that are switched on."""
        specs: list[tuple[str, Any]] = [(name, self.cameras.spec(name)) for name in self.cameras.names]
        return tuple(
            PinHole(n, optical_frame(n), s.width, s.height, Camera.focal(s), (s.k1, s.k2, s.p1, s.p2, s.k3), s.colour, s.depth)
            for n, s in specs
        )

    def events(self, log: Log, prefix: str = "") -> list[tuple[float, str, str]]:
        """When [s] a report of the program that has labels changed, which one, and the label; names in the log have a prefix."""
        changes = []
        for item in self.program.reports if self.program is not None else ():
            if item.labels:
                signal = log[f"{prefix}control.{item.name}"]
                for i in np.flatnonzero(np.diff(signal.values, prepend=np.nan)):
                    label = item.labels[int(signal.values[i])]
                    if label:
                        changes.append((float(signal.time[i]), prefix + item.name, label))
        return sorted(changes)

    def key_streams(self, seed: int) -> None:
        """The keys of all random streams, and what scans say about themselves."""
        starts = self.built.assembly.state.starts
        air = starts["air"] + offset_of(AIR_STATE, "key")
        self._state[air : air + 2] = stream_key(seed, f"{self.streams}world.gusts")
        for name, sensor in readings(self.twin).items():
            if sensor.contract is Lidar:
                about: Any = sensor
                scan = starts[f"scan:{name}"]
                self._state[scan : scan + SCAN.itemsize // 8] = *Lidar.angles(about), about.nearest, about.farthest
            first = starts[f"sensor:{name}"]
            memory = self._state[first : first + SENSOR_MEMORY.itemsize // 8].view(SENSOR_MEMORY)[0]
            own = self.streams + name
            memory["key"], memory["loss_key"] = stream_key(seed, own), stream_key(seed, f"{own}.drop_out")
            memory["sampled_at"] = NO_READING
