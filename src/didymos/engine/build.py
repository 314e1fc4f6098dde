"""Build a run: from twins, their scenarios and programs to a model, its data and the tables of the loop."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control import Controller, Robot
from didymos.control.compiled_controller import as_compiled
from didymos.control.stimulus import StimulusSpec
from didymos.describe.check_values import check_tick
from didymos.describe.joint_units import of_part, program_setpoints
from didymos.describe.names import driven_joints, input_names, movable_joints, part_inputs, readings
from didymos.describe.schema import ScenarioSpec, StartSpec
from didymos.describe.twin import Twin
from didymos.engine.actuators import actuators_of
from didymos.engine.allocations import allocations_of
from didymos.engine.assemble import Assembly, Member, assemble_all
from didymos.engine.build_context import WorldTables, build_context, input_ranges, measured_indices, world_tables
from didymos.engine.contact_frame import ContactFrames
from didymos.engine.context import LoopContext
from didymos.engine.couplings import CouplingEnds
from didymos.engine.drive import start
from didymos.engine.figures import rotors
from didymos.engine.join import Mount
from didymos.engine.program_scope import ProgramScope
from didymos.engine.sampling import Sampling, only
from didymos.engine.schedule import scheduled_parameters, tick_rate
from didymos.engine.streams import StreamPlan, plan_streams

__all__ = ["Built", "RobotPlan", "build", "choose_scenario"]

_CHUNK = 0.4  # [s] of the twin's clock in a chunk of the record: a killed run loses at most two


@dataclass(frozen=True)
class Built:
    """All that a robot's run is made of; robots of one world share model and data."""

    twin: Twin
    program: Controller | None
    assembly: Assembly
    data: mujoco.MjData
    robot: Robot
    streams: tuple[StreamPlan, ...]
    context: LoopContext
    measured: dict[str, int]  # name of a reading -> index in the state
    chunk: int  # ticks between two flushes of a recording
    contact_frames: ContactFrames | None
    initial: NDArray[np.float64]  # set-points before anybody sets them, shape [setpoints]


def choose_scenario(twin: Twin, scenario: str | None) -> ScenarioSpec | None:
    """The scenario of a name; None without one."""
    return None if scenario is None else twin.scenario(scenario)


@dataclass(frozen=True)
class RobotPlan:
    """What a robot brings to a run: the twin as it is in the model, its program, what moves it, its start and its mount."""

    twin: Twin
    program: Controller | None
    stimuli: tuple[StimulusSpec, ...]
    scope: ProgramScope
    start: StartSpec
    piloted: bool = False
    mount: Mount | None = None
    tells_time: bool = True  # one of a world does
    whole_momentum: bool = False

    @property
    def units(self) -> dict[str, str]:
        """Names and units of its set-points."""
        return _setpoints(self.twin, self.scope.setpoints(), self.program, self.stimuli)

    @property
    def member(self) -> Member:
        """What it needs of the model."""
        words = sum(item.size for item in self.program.reports) if self.program is not None else 0
        compiled = as_compiled(self.program)
        if compiled is not None:
            words = compiled.memory_layout.itemsize // 8
        scheduled = len(scheduled_parameters(self.stimuli))
        return Member(self.twin, len(self.units), words, scheduled, self.piloted, self.mount, self.whole_momentum)


def build(
    plans: Sequence[RobotPlan], sampling: Sampling | None = None, couplings: Sequence[CouplingEnds] = ()
) -> tuple[Built, ...]:
    """Compile robots into one model and lay out the tables of their run; each program is told which robot it drives.

    A run that serves a recording (`sampling`) is that of one robot, and records nothing but the signals that are asked for.
    """
    for plan in plans:
        if plan.program is not None:
            plan.program.name_joints(driven_joints(plan.twin), plan.twin.folder)
    frames = ContactFrames() if any(plan.twin.file.contacts for plan in plans) else None
    assemblies = assemble_all([plan.member for plan in plans], couplings)
    data = mujoco.MjData(assemblies[0].model)
    timings = [tick_rate(plan.twin, plan.program) for plan in plans]
    substeps = math.gcd(*(steps for steps, _ in timings))
    tables = world_tables(plans[0].twin, assemblies, data, substeps)
    ticks = max(1, round(_CHUNK / tables.timing.period))
    if sampling is not None:
        ticks = round(sampling.seconds / tables.timing.period) + 2
    calls = math.lcm(*(steps * every // substeps for steps, every in timings))
    chunk = -(-ticks // calls) * calls if len(plans) == 1 or calls <= ticks else ticks
    return tuple(
        _build_robot(plan, assembly, data, tables, steps * every // substeps, chunk, frames, sampling)
        for plan, assembly, (steps, every) in zip(plans, assemblies, timings, strict=True)
    )


def _build_robot(
    plan: RobotPlan,
    assembly: Assembly,
    data: mujoco.MjData,
    tables: WorldTables,
    every: int,
    chunk: int,
    frames: ContactFrames | None,
    sampling: Sampling | None,
) -> Built:
    twin, program, stimuli, scope = plan.twin, plan.program, plan.stimuli, plan.scope
    units, scheduled = plan.units, scheduled_parameters(stimuli)
    setpoints, measured = tuple(units), measured_indices(twin, assembly)
    turning, actuators = rotors(twin, assembly), actuators_of(twin, assembly.model, assembly.own_actuators)
    place = twin.file.world.earth
    robot = Robot(
        inputs=input_names(twin), measured=tuple(measured), setpoints=setpoints, rotors=turning,
        sensors=readings(twin), actuators=actuators, allocation=allocations_of(twin, assembly, turning, actuators),
        posture=_posture(twin, assembly.model, plan.start), gravity=twin.file.world.gravity,
        units=_units(twin, assembly, units), rate=_rate(twin, program), make_model=partial(getattr, twin, "model"),
        input_ranges=input_ranges(twin, assembly), origin=(place.latitude, place.longitude, place.height),
    )
    if program is not None:
        start(program, robot)
    recorded = _setpoints(twin, scope.setpoints_here(), program, stimuli)
    shown = {name: (unit, setpoints.index(name)) for name, unit in recorded.items()}
    streams = plan_streams(twin, assembly, shown, program, scheduled, plan.piloted, plan.tells_time)
    if sampling is not None:
        streams = only(streams, sampling.signals)
    for name in twin.file.parts:
        check_tick(twin, name, tables.timing.period)
    rows = 0 if sampling is None else sampling.rows
    context = build_context(tables, twin, assembly, data, program, setpoints, stimuli, streams, every, chunk, rows)
    initial = _initial(program, scope.initial(robot), setpoints, stimuli)
    return Built(twin, program, assembly, data, robot, streams, context, measured, chunk, frames, initial)


def _posture(twin: Twin, model: mujoco.MjModel, start_spec: StartSpec) -> dict[str, float]:
    """Where each joint that turns or slides begins."""
    joints = {name: model.joint(twin.description.joints[name].engine_joints[0]) for name in movable_joints(twin.description)}
    drawn = {name: float(model.qpos0[int(joint.qposadr[0])]) for name, joint in joints.items()}
    return drawn | {name: value for name, value in start_spec.joints.items() if isinstance(value, float)}


def _rate(twin: Twin, program: Controller | None) -> float:
    """Calls of the program per second [Hz]; where there is none, steps of the physics."""
    return 1.0 / twin.file.world.step if program is None or math.isinf(program.rate) else program.rate


def _initial(
    program: Controller | None, filed: Mapping[str, float], setpoints: tuple[str, ...], stimuli: tuple[StimulusSpec, ...]
) -> NDArray[np.float64]:
    """What each set-point is before anybody sets it: what the program says, but for those that a stimulus moves.

    `filed` is what the file's program says, where another one runs that does not.
    """
    moved = {stimulus.target for stimulus in stimuli}
    values = {**filed, **(program.initial if program is not None else {})}
    return np.array([0.0 if f"setpoints.{name}" in moved else values.get(name, 0.0) for name in setpoints])


def _units(twin: Twin, assembly: Assembly, setpoints: Mapping[str, str]) -> dict[str, str]:
    """Units by `inputs.NAME`, `measured.NAME` and `setpoints.NAME`; the description's own actuators do not say theirs."""
    units = dict.fromkeys((f"inputs.{name}" for name in input_names(twin)), "")
    for name, part, index in part_inputs(twin):
        spec = twin.file.parts[part]
        units[f"inputs.{name}"] = of_part(twin.description, spec, spec.contract.inputs[index].unit)
    for item in assembly.quantities:
        if item.sensor in twin.file.sensors:
            units |= {f"measured.{item.sensor}.{name}": unit for name, unit in zip(item.columns, item.units, strict=True)}
    units |= {f"measured.{name}.stamp": "s" for name in readings(twin)}
    return units | {f"setpoints.{name}": unit for name, unit in setpoints.items()}


def _setpoints(
    twin: Twin, declared: Mapping[str, str], program: Controller | None, stimuli: tuple[StimulusSpec, ...]
) -> dict[str, str]:
    """Names and units of the set-points of a run: declared ones, those that the program reads, those that only stimuli know."""
    units = {**declared}
    for name, unit in program_setpoints(twin.description, program).items():
        units[name] = units.get(name) or unit
    for stimulus in stimuli:
        if stimulus.target.startswith("setpoints."):
            units.setdefault(stimulus.target.partition(".")[2], "")
    return units
