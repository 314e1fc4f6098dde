"""Build the loop context: every table that the compiled loop reads, from a twin, its model and its program."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.air.rotor_wake import JET, ROTOR
from didymos.control import CompiledController, Controller
from didymos.control.compiled_controller import CLOCK, as_compiled
from didymos.control.stimulus import STIMULUS, StimulusSpec
from didymos.describe.names import input_names, part_inputs, readings
from didymos.describe.schema import WorldSpec
from didymos.describe.twin import Twin
from didymos.engine.assemble import Assembly
from didymos.engine.context import (
    ASKED,
    COLUMN,
    INPUT,
    LIDAR,
    READ,
    STREAM,
    TARGET,
    WRITE,
    EngineViews,
    InputTables,
    LidarTables,
    LinkTables,
    LoopContext,
    ProgramTables,
    RecordTables,
    RobotView,
    StimulusTables,
    Target,
    Timing,
    WakeTables,
)
from didymos.engine.couplings import CouplingTables, coupling_tables
from didymos.engine.falling import lowest_heights
from didymos.engine.idle_terms import IdleTerms, plan_idle
from didymos.engine.joint_values import lends
from didymos.engine.link_frames import frame_tables
from didymos.engine.moving import MovingTables
from didymos.engine.moving_objects import free_joints, moving_tables
from didymos.engine.part_table import ROBOT
from didymos.engine.pushes import WRENCH
from didymos.engine.sampling import is_fed
from didymos.engine.schedule import scheduled_parameters, stimulus_table
from didymos.engine.sensor_sites import output_of, site_name
from didymos.engine.streams import StreamPlan, placed_frames
from didymos.errors import InputError, nearest
from didymos.sensors.error import ERROR, fill
from didymos.sensors.ranging import Lidar
from didymos.sensors.reading import QUANTITY, SENSOR, SENSOR_MEMORY, SensorTables
from didymos.sensors.readout import Readout

__all__ = ["WorldTables", "build_context", "input_ranges", "kernel_writable", "measured_indices", "push_index", "world_tables"]

_SAMPLED_AT = SENSOR_MEMORY.fields["sampled_at"][1] // 8  # type: ignore[index]


def measured_indices(twin: Twin, assembly: Assembly) -> dict[str, int]:
    """Name of every reading, and its place in the state; `SENSOR.stamp` is when [s] it was taken, negative before the first."""
    starts = assembly.state.starts
    indices: dict[str, int] = {}
    for item in assembly.quantities:
        if item.sensor in twin.file.sensors:
            start = starts[f"measured:{item.sensor}.{item.quantity}"]
            indices |= {f"{item.sensor}.{column}": start + i for i, column in enumerate(item.columns)}
    return indices | {f"{name}.stamp": starts[f"sensor:{name}"] + _SAMPLED_AT for name in readings(twin)}


def push_index(assembly: Assembly, target: str) -> int:
    """Where in the state the push LINK.AXIS lies."""
    link, _, axis = target.rpartition(".")
    return assembly.state.starts["pushing"] + WRENCH * assembly.links.number(link) + "xyz".index(axis)


def kernel_writable(twin: Twin, assembly: Assembly, path: str) -> bool:
    """Whether the compiled loop can move a parameter itself: one of the part table that no joint of the engine depends on."""
    kind, part, *_ = path.split(".")
    return path in assembly.numbers and not (kind == "parts" and lends(twin, part))


@dataclass(frozen=True)
class WorldTables:
    """What the loop knows of a world as a whole."""

    engine: EngineViews
    timing: Timing
    idle: IdleTerms
    moving: MovingTables
    wakes: WakeTables
    couplings: CouplingTables


def world_tables(twin: Twin, assemblies: Sequence[Assembly], data: mujoco.MjData, substeps: int) -> WorldTables:
    """The tables that all robots of a model share, for ticks of so many physics steps; `twin` is the first robot's."""
    assembly, world = assemblies[0], twin.file.world
    model = assembly.model
    free = free_joints(model, twin)
    return WorldTables(
        EngineViews(
            model=model._address,
            data=data._address,
            state=data.plugin_state,
            qpos=data.qpos,
            qvel=data.qvel,
            qacc=data.qacc,
            ctrl=data.ctrl,
            sensordata=data.sensordata,
            xpos=data.xpos.reshape(-1),
            xquat=data.xquat.reshape(-1),
            actuator_force=data.actuator_force,
            numeric=model.numeric_data,
        ),
        Timing(
            period=substeps * world.step,
            substeps=substeps,
            rk4=world.integrator == "rk4",
            boundary=world.boundary,
            ahead=world.step if world.integrator == "rk4" else 0.0,
            free_joints=model.jnt_qposadr[free].astype(np.int64),
            free_dofs=model.jnt_dofadr[free].astype(np.int64),
            lowest=lowest_heights(model, free),
            loop=assembly.common.starts["loop"],
            looked=assembly.common.starts["looked"],
            clock=np.zeros(1, dtype=CLOCK),
        ),
        plan_idle(model),
        moving_tables(twin, model),
        _wakes(world, assemblies),
        _couplings(assemblies, data),
    )


def _couplings(assemblies: Sequence[Assembly], data: mujoco.MjData) -> CouplingTables:
    couplings, model = assemblies[0].couplings, assemblies[0].model
    welds = [item for item in couplings if item.spec.kind == "weld"]
    inputs = {item.name: assemblies[item.owner].state.starts[f"coupling:{item.name}"] for item in welds}
    return coupling_tables(model, data, couplings, inputs, assemblies[0].common.starts["couplings"])


def _wakes(world: WorldSpec, assemblies: Sequence[Assembly]) -> WakeTables:
    """Room for jets and rotors, where robots feel each other's wakes; one alone has nobody to feel."""
    jets = rotors = 0
    if world.wake.on and len(assemblies) > 1:
        for assembly in assemblies:
            start = assembly.table_start + assembly.table.header
            robot = assembly.model.numeric_data[start : start + ROBOT.itemsize // 8].view(ROBOT)[0]
            jets, rotors = jets + int(robot["jets"]), rotors + int(robot["blowers"])
    return WakeTables(np.zeros(jets, dtype=JET), np.zeros(rotors, dtype=ROTOR))


def build_context(
    world: WorldTables,
    twin: Twin,
    assembly: Assembly,
    data: mujoco.MjData,
    program: Controller | None,
    setpoints: tuple[str, ...],
    stimuli: tuple[StimulusSpec, ...],
    streams: tuple[StreamPlan, ...],
    every: int,
    chunk: int,
    fed_rows: int = 0,
) -> LoopContext:
    """All tables of a robot whose program is called `every` ticks; `chunk` ticks fit into the record buffers between two takes.

    Stimuli that a recording feeds have room for `fed_rows` rows each.
    """
    return LoopContext(
        world.engine,
        world.timing,
        RobotView(
            table=assembly.model.numeric_data.ctypes.data + 8 * assembly.table_start,
            own=assembly.state.starts["robot"],
            control_every=every,
            asked=np.ones(1, dtype=np.int64),
        ),
        _sensors(twin, assembly, data, world.timing.period),
        _lidars(twin, assembly, data),
        _stimuli(twin, assembly, setpoints, stimuli, fed_rows),
        _inputs(twin, assembly),
        _program(twin, assembly, data, program, setpoints),
        assembly.contacts,
        world.idle,
        world.moving,
        world.wakes,
        world.couplings,
        _links(twin, assembly, streams),
        _record(twin, assembly, streams, chunk),
    )


def _rows(items: Iterable[tuple[Any, ...]], layout: np.dtype[Any]) -> NDArray[Any]:
    return np.array(list(items), dtype=layout)


def _sensors(twin: Twin, assembly: Assembly, data: mujoco.MjData, period: float) -> SensorTables:
    starts, specs = assembly.state.starts, readings(twin)
    sensors = np.zeros(len(specs), dtype=SENSOR)
    own = [item for item in assembly.quantities if item.sensor in specs]
    quantities = np.zeros(len(own), dtype=QUANTITY)
    errors = np.zeros(len(own), dtype=ERROR)
    first = 0
    for row, (name, spec) in zip(sensors, specs.items(), strict=True):
        mine = [item for item in own if item.sensor == name]
        channels = sum(item.size for item in mine)
        ring = assembly.state.sizes[f"ring:{name}"]
        row["first_quantity"], row["quantities"], row["channels"] = first, len(mine), channels
        row["memory"], row["capacity"] = starts[f"sensor:{name}"], ring // (channels + 2)
        row["delay"] = round(spec.delay / period)
        row["acceleration"] = any(item.acceleration for item in mine)
        for number in ("rate", "drop_out", "errors", "outage_rate", "outage_time", "temperature_rise"):
            row[number] = getattr(spec, number)
        place = twin.file.world.earth
        row["fix"], row["fixed"], row["origin"] = -1, -1, (place.latitude, place.longitude, place.height)
        row["ellipsoid"] = place.ellipsoid
        if spec.contract.has_fix(spec):
            row["fix"], row["fixed"] = starts[f"fix:{name}"], starts[f"measured:{name}.position"]
        ideal = starts[f"ideal:{name}"]
        for quantity, error, item in zip(quantities[first:], errors[first:], mine, strict=False):
            quantity["in_state"] = not item.engine_name
            quantity["source"] = assembly.model.sensor(item.engine_name).adr[0] if item.engine_name else ideal
            ideal += 0 if item.engine_name else item.size
            quantity["size"] = item.size
            quantity["form"] = item.form
            quantity["reading"], quantity["bias"] = (
                starts[f"{what}:{name}.{item.quantity}"] for what in ("measured", "bias")
            )
            fill(getattr(spec, item.quantity), error)
        first += len(mine)
    return SensorTables(sensors, quantities, errors, data.plugin_state[assembly.state.stretch("fresh")])


def _lidars(twin: Twin, assembly: Assembly, data: mujoco.MjData) -> LidarTables:
    model, rows, rays = assembly.model, [], [np.zeros((0, 3))]
    for i, (name, spec) in enumerate(readings(twin).items()):
        if spec.contract is Lidar:
            about: Any = spec
            link = twin.description.frames[about.link].link if about.link in twin.description.frames else about.link
            first = sum(len(each) for each in rays)
            site = int(model.site(site_name(twin, name, about.link)).id)
            number, ranges = assembly.links.number(link), assembly.state.starts[f"ideal:{name}"]
            rows.append((i, site, number, ranges, about.rays, first, about.nearest, about.farthest, about.scan_time))
            rays.append(Lidar.directions(about))
    directions = np.concatenate(rays)
    return LidarTables(
        lidars=_rows(rows, LIDAR),
        rays=directions,
        rays_world=np.zeros_like(directions),
        site_xpos=data.site_xpos,
        site_xmat=data.site_xmat,
        geom_type=model.geom_type,
        geom_group=model.geom_group,
        geom_link=assembly.links.links_of_geoms(model),
        geom_size=model.geom_size,
        geom_rbound=model.geom_rbound,
        geom_xpos=data.geom_xpos,
        geom_xmat=data.geom_xmat,
    )


def _stimuli(
    twin: Twin, assembly: Assembly, setpoints: tuple[str, ...], stimuli: tuple[StimulusSpec, ...], fed_rows: int
) -> StimulusTables:
    starts = assembly.state.starts
    records = np.zeros(len(stimuli), dtype=STIMULUS)
    targets = []
    tables = [np.zeros((0, 2))]
    names, scheduled = input_names(twin), scheduled_parameters(stimuli)
    for i, stimulus in enumerate(stimuli):
        records[i] = stimulus.record()
        head, _, rest = stimulus.target.partition(".")
        shown = -1
        if head == "setpoints":
            kind, index = Target.SETPOINT, starts["setpoints"] + setpoints.index(rest)
        elif head == "inputs":
            kind, index = Target.INPUT, names.index(rest)
        else:
            shown = starts["scheduled"] + scheduled.index(stimulus.target)
            kind, index = Target.ELSEWHERE, 0
            if head == "push":
                kind, index = Target.PUSH, push_index(assembly, rest)
            elif kernel_writable(twin, assembly, stimulus.target):
                kind, index = Target.PARAMETER, assembly.numbers[stimulus.target]
        first = sum(len(table) for table in tables)
        tables.append(np.zeros((fed_rows, 2)) if is_fed(stimulus) else stimulus_table(twin, stimulus))
        targets.append((kind, index, first, first + len(tables[-1]), shown))
    return StimulusTables(
        stimuli=records,
        targets=_rows(targets, TARGET),
        tables=np.concatenate(tables),
        setpoints=starts["setpoints"],
        setpoint_count=len(setpoints),
        override=starts["override"],
        pushes=starts["pushes"],
        outputs=_reported_outputs(twin, assembly),
    )


def _reported_outputs(twin: Twin, assembly: Assembly) -> NDArray[np.int64]:
    """Outputs of parts that sensors report: where they are in the state, and where their true values belong; shape [n, 2]."""
    rows = []
    for name, spec in twin.file.sensors.items():
        if spec.contract is Readout:
            for i, column in enumerate(spec.readouts):  # type: ignore[attr-defined]
                part, index, _ = output_of(twin, column)
                rows.append((assembly.state.starts[f"outputs:{part}"] + index, assembly.state.starts[f"ideal:{name}"] + i))
    return np.array(rows, dtype=np.int64).reshape(-1, 2)


def input_ranges(twin: Twin, assembly: Assembly) -> dict[str, tuple[float, float]]:
    """Least and largest value of each input by name."""
    rows = _inputs(twin, assembly).inputs
    return {name: (float(row["low"]), float(row["high"])) for name, row in zip(input_names(twin), rows, strict=True)}


def _inputs(twin: Twin, assembly: Assembly) -> InputTables:
    commands = assembly.state.starts["commands"]
    rows: list[tuple[Any, ...]] = []
    for _, part, index in part_inputs(twin):
        item = twin.file.parts[part].contract.inputs[index]
        rows.append((commands + len(rows), assembly.state.starts[f"inputs:{part}"] + index, -1, *item.range))
    for actuator in assembly.own_actuators:
        limited = bool(assembly.model.actuator_ctrllimited[actuator])
        limits = tuple(assembly.model.actuator_ctrlrange[actuator]) if limited else (-np.inf, np.inf)
        rows.append((commands + len(rows), -1, actuator, *limits))
    for name in twin.couplings:
        rows.append((commands + len(rows), assembly.state.starts[f"coupling:{name}"], -1, 0.0, 1.0))
    return InputTables(_rows(rows, INPUT), np.zeros(len(rows)))


def _program(
    twin: Twin, assembly: Assembly, data: mujoco.MjData, program: Controller | None, setpoints: tuple[str, ...]
) -> ProgramTables:
    measured, names, starts = measured_indices(twin, assembly), input_names(twin), assembly.state.starts
    compiled = as_compiled(program)
    if compiled is None:
        nothing = np.zeros(1)
        empty = np.zeros(0, dtype=READ)
        return ProgramTables(0, 0, 0, 0, nothing, nothing, nothing, empty, empty, np.zeros(0, dtype=WRITE))
    _check_names(compiled, "reading", [name for name, _ in compiled.read_offsets], measured)
    _check_names(compiled, "input", [name for name, _ in compiled.write_offsets], names)
    return ProgramTables(
        function=compiled.program.address,
        settings=compiled.settings.ctypes.data,
        gains=compiled.gains.ctypes.data,
        memory=data.plugin_state.ctypes.data + 8 * starts["program"],
        measured=np.zeros(compiled.measurement_layout.itemsize // 8),
        setpoints=np.zeros(compiled.setpoint_layout.itemsize // 8),
        commands=np.zeros(compiled.command_layout.itemsize // 8),
        reads=_rows(((measured[name], offset) for name, offset in compiled.read_offsets), READ),
        asked=_rows(((starts["setpoints"] + setpoints.index(name), offset) for name, offset in compiled.setpoint_offsets), ASKED),
        writes=_rows(((offset, names.index(name)) for name, offset in compiled.write_offsets), WRITE),
    )


def _check_names(program: CompiledController, what: str, asked: Iterable[str], known: Collection[str]) -> None:
    for name in asked:
        if name not in known:
            raise InputError(f"{type(program).__name__} asks for the {what} {name!r}, which is not there{nearest(name, known)}")


def _links(twin: Twin, assembly: Assembly, streams: tuple[StreamPlan, ...]) -> LinkTables:
    bodies, frames = frame_tables(assembly.model, placed_frames(twin, assembly).values())
    names = [stream.layout.name for stream in streams]
    return LinkTables(bodies, frames, np.zeros(frames.size), names.index("tf") if "tf" in names else -1)


def _record(twin: Twin, assembly: Assembly, streams: tuple[StreamPlan, ...], chunk: int) -> RecordTables:
    rows, sensors = [], list(readings(twin))
    columns: list[tuple[int, int, float]] = []
    cell = stamp = 0
    for stream in streams:
        size = len(stream.columns)
        sampled_at = assembly.state.starts[f"sensor:{sensors[stream.sensor]}"] + _SAMPLED_AT if stream.sensor >= 0 else 0
        rows.append((len(columns), size, cell, stamp, stream.sensor, sampled_at, stream.rate))
        columns += stream.columns
        cell, stamp = cell + size * chunk, stamp + chunk
    return RecordTables(
        streams=_rows(rows, STREAM),
        columns=_rows(columns, COLUMN),
        capacity=chunk,
        cell_count=cell,
        stamp_count=stamp,
        cells=np.zeros((2, cell)),
        stamps=np.zeros((2, stamp)),
        counts=np.zeros((2, len(streams)), dtype=np.int64),
        on=np.zeros(1, dtype=np.int64),
        half=np.zeros(1, dtype=np.int64),
    )
