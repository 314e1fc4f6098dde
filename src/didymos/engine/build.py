"""Build a run: from a twin, a scenario and a program to a model, its data and the tables of the loop."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control import Controller, Robot
from didymos.control.compiled_controller import as_compiled
from didymos.control.stimulus import StimulusSpec
from didymos.describe.check_values import check_tick
from didymos.describe.names import driven_joints, input_names, movable_joints, part_inputs, readings
from didymos.describe.schema import ScenarioSpec, StartSpec
from didymos.describe.twin import Twin
from didymos.engine.actuators import actuators_of
from didymos.engine.assemble import Assembly, assemble
from didymos.engine.build_context import build_context, measured_indices
from didymos.engine.contact_frame import ContactFrames
from didymos.engine.context import LoopContext
from didymos.engine.drive import start
from didymos.engine.figures import rotors
from didymos.engine.program_scope import ProgramScope, program_setpoints
from didymos.engine.sampling import Sampling, only
from didymos.engine.schedule import scheduled_parameters, tick_rate
from didymos.engine.streams import StreamPlan, plan_streams
from didymos.errors import InputError, nearest

__all__ = ["Built", "build", "choose_scenario"]

_CHUNK = 0.4  # [s] of the twin's clock in a chunk of the record: a killed run loses at most two


@dataclass(frozen=True)
class Built:
    """All that a run is made of."""

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
    if scenario is None:
        return None
    if scenario not in twin.scenarios:
        known = ", ".join(twin.scenarios) or "none"
        hint = nearest(scenario, twin.scenarios)
        raise InputError(f"{twin.name} has no scenario {scenario!r}{hint} (it has: {known})")
    return twin.scenarios[scenario]


def build(
    twin: Twin,
    program: Controller | None,
    stimuli: tuple[StimulusSpec, ...],
    scope: ProgramScope,
    start_spec: StartSpec,
    *,
    piloted: bool,
    sampling: Sampling | None = None,
) -> Built:
    """Compile a twin and lay out the tables of its run; the program is told which robot it drives and how it begins.

    A run that serves a recording (`sampling`) records nothing but the signals that are asked for.
    """
    if program is not None:
        program.name_joints(driven_joints(twin), twin.folder)
    units = _setpoints(scope.setpoints(), program, stimuli)
    setpoints, scheduled, compiled = tuple(units), scheduled_parameters(stimuli), as_compiled(program)
    words = sum(item.size for item in program.reports) if program is not None else 0
    if compiled is not None:
        words = compiled.memory_layout.itemsize // 8
    frames = ContactFrames() if twin.file.contacts else None
    assembly = assemble(twin, setpoints=len(setpoints), memory=words, scheduled=len(scheduled), piloted=piloted)
    data = mujoco.MjData(assembly.model)
    measured = measured_indices(twin, assembly)
    robot = Robot(
        inputs=input_names(twin), measured=tuple(measured), setpoints=setpoints, rotors=rotors(twin, assembly),
        sensors=readings(twin), actuators=actuators_of(twin, assembly.model, assembly.own_actuators),
        posture=_posture(twin, assembly.model, start_spec), gravity=twin.file.world.gravity,
        units=_units(twin, assembly, units), rate=_rate(twin, program), make_model=partial(getattr, twin, "model"),
    )
    if program is not None:
        start(program, robot)
    recorded = _setpoints(scope.setpoints_here(), program, stimuli)
    shown = {name: (unit, setpoints.index(name)) for name, unit in recorded.items()}
    streams = plan_streams(twin, assembly, shown, program, scheduled, piloted)
    if sampling is not None:
        streams = only(streams, sampling.signals)
    timing = tick_rate(twin, program)
    substeps, every = timing
    for name in twin.file.parts:
        check_tick(twin, name, substeps * twin.file.world.step)
    period = substeps * twin.file.world.step
    ticks = max(1, round(_CHUNK / period)) if sampling is None else round(sampling.seconds / period) + 2
    chunk = -(-ticks // every) * every
    rows = 0 if sampling is None else sampling.rows
    context = build_context(twin, assembly, data, program, setpoints, stimuli, streams, timing, chunk, rows)
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
        units[f"inputs.{name}"] = twin.file.parts[part].contract.inputs[index].unit
    for item in assembly.quantities:
        if item.sensor in twin.file.sensors:
            units |= {f"measured.{item.sensor}.{name}": unit for name, unit in zip(item.columns, item.units, strict=True)}
    units |= {f"measured.{name}.stamp": "s" for name in readings(twin)}
    return units | {f"setpoints.{name}": unit for name, unit in setpoints.items()}


def _setpoints(
    declared: Mapping[str, str], program: Controller | None, stimuli: tuple[StimulusSpec, ...]
) -> dict[str, str]:
    """Names and units of the set-points of a run: declared ones, those that the program reads, those that only stimuli know."""
    units = {**declared}
    for name, unit in program_setpoints(program).items():
        units[name] = units.get(name) or unit
    for stimulus in stimuli:
        if stimulus.target.startswith("setpoints."):
            units.setdefault(stimulus.target.partition(".")[2], "")
    return units
