"""Lay the wires of a run: every table that the compiled loop reads, from a twin, its model and its program."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.control import CompiledController, Controller
from didymos.control.stimulus import STIMULUS_NUMBERS, StimulusSpec, held_rows
from didymos.describe.names import input_names, part_inputs, readings
from didymos.describe.twin import Twin
from didymos.engine.assemble import Assembly, SensorPlace, readout_place, site_name
from didymos.engine.joint_values import lends
from didymos.engine.loop import RK4, SPACE_ELSEWHERE, SPACE_INPUT, SPACE_PARAMETER, SPACE_PUSH, SPACE_SETPOINT, Wiring
from didymos.engine.streams import StreamPlan
from didymos.errors import InputError, nearest
from didymos.parts import PARTS
from didymos.sensors import SENSORS
from didymos.sensors import reading as r
from didymos.sensors.error import ErrorSpec
from didymos.sensors.kind import LidarSpec, ReadoutSpec, SensorKind
from didymos.spec import number_fields, record_type

__all__ = [
    "compiled_law", "kernel_writable", "measured_places", "moved_parameters", "push_place", "stimulus_table", "tick_rate", "wire",
]  # fmt: skip

_ERROR = record_type(ErrorSpec)
_INT = np.int64


def tick_rate(twin: Twin, program: Controller | None) -> tuple[int, int]:
    """Physics steps per tick and ticks per call of the program.

    A tick is the program's period, or a whole part of it where a sensor reads, or rows of the log are asked for, more often
    than the program is called.
    """
    step, record = twin.file.world.step, twin.file.record
    asked = {name: getattr(record, name) for name in ("rate", "tf_rate") if name in record.model_fields_set}
    for name, rate in asked.items():
        if rate * step > 1.0 + 1e-6:
            raise twin.mistake(f"found {rate:g} Hz, expected at most one row per physics step of {step:g} s", "record", name)
    slowest = max(1, round(0.01 / step)) if program is None else _steps_per_call(program, step)
    fastest = max((*asked.values(), *(sensor.rate for sensor in twin.file.sensors.values())), default=0.0)
    small = [n for n in range(1, math.isqrt(slowest) + 1) if slowest % n == 0]
    for every in (*small, *(slowest // n for n in reversed(small))):  # the divisors in order
        if every / (slowest * step) >= fastest - 1e-6:
            return slowest // every, every
    return 1, slowest


def _steps_per_call(program: Controller, step: float) -> int:
    if math.isinf(program.rate):
        return 1
    steps = 1.0 / (program.rate * step) if program.rate > 0.0 else 0.0
    if steps < 1.0 - 1e-9 or abs(steps - round(steps)) > 1e-6 * steps:
        raise InputError(
            f"{type(program).__name__} asks for {program.rate:g} Hz, expected a rate whose period is a whole number of"
            f" physics steps of {step:g} s",
            path="control.rate",
        )
    return round(steps)


def compiled_law(program: Controller | None) -> CompiledController | None:
    """The program where the loop can call its compiled function, None where it has to be asked in Python."""
    return program if isinstance(program, CompiledController) and program.runs_compiled() else None


def measured_places(twin: Twin, assembly: Assembly) -> dict[str, int]:
    """Name of every reading, and its place in `userdata`; `SENSOR.stamp` is the time [s] at which the reading was taken."""
    found = {}
    for place in assembly.places:
        if place.sensor in twin.file.sensors:
            start = assembly.plan.starts[f"measured:{place.sensor}.{place.quantity}"]
            for i, column in enumerate(place.columns):
                found[f"{place.sensor}.{column}"] = start + i
    return found | {f"{name}.stamp": assembly.plan.starts[f"memory:{name}"] + r.SAMPLED_AT for name in readings(twin)}


def wire(
    twin: Twin,
    assembly: Assembly,
    data: mujoco.MjData,
    program: Controller | None,
    setpoints: tuple[str, ...],
    stimuli: tuple[StimulusSpec, ...],
    streams: tuple[StreamPlan, ...],
    chunk: int,
) -> Wiring:
    """All tables of a run; `chunk` ticks fit into the record buffers between two drains."""
    model, plan = assembly.model, assembly.plan
    substeps, every = tick_rate(twin, program)
    period = substeps * twin.file.world.step
    return Wiring(
        model=model._address,
        data=data._address,
        period=period,
        substeps=substeps,
        integrator=RK4 if twin.file.world.integrator == "rk4" else 0,
        contacts=assembly.contacts,
        ahead=twin.file.world.step if twin.file.world.integrator == "rk4" else 0.0,
        boundary=twin.file.world.boundary,
        free_joints=np.array(
            [model.jnt_qposadr[j] for j in range(model.njnt) if model.jnt_type[j] == mujoco.mjtJoint.mjJNT_FREE], dtype=_INT
        ),
        qpos=data.qpos,
        qvel=data.qvel,
        qacc=data.qacc,
        ctrl=data.ctrl,
        sensordata=data.sensordata,
        userdata=data.userdata,
        xpos=data.xpos.reshape(-1),
        xquat=data.xquat.reshape(-1),
        actuator_force=data.actuator_force,
        numeric=model.numeric_data,
        pushes=plan.starts["pushes"],
        **_sensors(twin, assembly, period),
        **_lidars(twin, assembly, data),
        **_stimuli(twin, assembly, setpoints, stimuli),
        setpoints=np.array([plan.starts["setpoints"], plan.starts["setpoints"] + len(setpoints)], dtype=_INT),
        began=plan.starts["began"],
        hand=plan.starts["hand"],
        **_inputs(twin, assembly),
        **_program(twin, assembly, data, program, setpoints, every),
        **_record(assembly, streams, chunk),
    )


def _sensors(twin: Twin, assembly: Assembly, period: float) -> dict[str, Any]:
    plan, specs = assembly.plan, readings(twin)
    sensors = np.zeros((len(specs), r.SENSOR_WORDS), dtype=_INT)
    numbers = np.zeros((len(specs), r.SENSOR_NUMBERS))
    own = [place for place in assembly.places if place.sensor in specs]
    quantities = np.zeros((len(own), r.QUANTITY_WORDS), dtype=_INT)
    errors = np.zeros(len(own), dtype=_ERROR)
    first = 0
    for i, (name, spec) in enumerate(specs.items()):
        places = [place for place in own if place.sensor == name]
        channels = sum(place.size for place in places)
        memory = plan.starts[f"memory:{name}"]
        room = plan.starts[f"measured:{name}.{places[0].quantity}"] - memory - r.MEMORY_HEAD
        delay = round(spec.delay / period)
        acceleration = any(place.acceleration for place in places)
        key = plan.starts[f"key:{name}"]
        sensors[i] = first, len(places), memory, channels, room // (channels + 2), delay, key, acceleration
        numbers[i] = spec.rate, spec.drop_out, spec.errors, spec.outage_rate, spec.outage_time
        for j, place in enumerate(places, start=first):
            source = assembly.model.sensor(place.engine_name).adr[0]
            out, bias = (plan.starts[f"{kind}:{name}.{place.quantity}"] for kind in ("measured", "bias"))
            quantities[j] = source, place.size, _form(place, SENSORS[spec.kind]), out, bias
            model = getattr(spec, place.quantity)
            errors[j] = tuple(getattr(model, field) for field, _ in number_fields(ErrorSpec))
        first += len(places)
    return {
        "sensors": sensors,
        "sensor_numbers": numbers,
        "quantities": quantities,
        "errors": errors,
        "fresh": np.zeros(len(specs), dtype=_INT),
        "readouts": _readouts(twin, assembly),
    }


def _form(place: SensorPlace, kind: SensorKind) -> int:
    if place.orientation:
        return r.ORIENTATION
    return r.VECTOR if place.size == 3 and not (kind.per_joint or kind.per_readout) else r.SEPARATE


def _readouts(twin: Twin, assembly: Assembly) -> NDArray[np.int64]:
    """Places of the readouts of parts that sensors report: in `userdata` and in `sensordata`, shape [n, 2]."""
    rows = []
    for name, spec in twin.file.sensors.items():
        if isinstance(spec, ReadoutSpec):
            start = assembly.model.sensor(f"didymos:{name}:values").adr[0]
            for i, readout in enumerate(spec.readouts):
                part, index, _ = readout_place(twin, readout)
                rows.append((assembly.plan.starts[f"outputs:{part}"] + index, start + i))
    return np.array(rows, dtype=_INT).reshape(-1, 2)


def _lidars(twin: Twin, assembly: Assembly, data: mujoco.MjData) -> dict[str, Any]:
    """Rows (sensor, site, its link, first in sensordata, rays, first ray), numbers (nearest, farthest), rays by their place."""
    rows, numbers, rays = [], [], [np.zeros((0, 3))]
    for i, (name, spec) in enumerate(readings(twin).items()):
        if isinstance(spec, LidarSpec):
            (place,) = (place for place in assembly.places if place.sensor == name)
            site = assembly.model.site(site_name(twin, name, spec.link))
            first = sum(len(some) for some in rays)
            source = assembly.model.sensor(place.engine_name).adr[0]
            rows.append((i, site.id, assembly.links.number(_link(twin, spec.link)), source, spec.rays, first))
            numbers.append((spec.nearest, spec.farthest))
            rays.append(spec.directions())
    table = np.concatenate(rays)
    return {
        "lidars": np.array(rows, dtype=_INT).reshape(-1, 6),
        "lidar_numbers": np.array(numbers, dtype=np.float64).reshape(-1, 2),
        "rays": table,
        "rays_world": np.zeros_like(table),
        "site_xpos": data.site_xpos,
        "site_xmat": data.site_xmat,
        "geom_type": assembly.model.geom_type,
        "geom_group": assembly.model.geom_group,
        "geom_link": assembly.links.links_of_geoms(assembly.model),
        "geom_size": assembly.model.geom_size,
        "geom_rbound": assembly.model.geom_rbound,
        "geom_xpos": data.geom_xpos,
        "geom_xmat": data.geom_xmat,
    }


def _link(twin: Twin, name: str) -> str:
    """The link that a link or frame belongs to."""
    return twin.description.frames[name].link if name in twin.description.frames else name


def _stimuli(
    twin: Twin, assembly: Assembly, setpoints: tuple[str, ...], stimuli: tuple[StimulusSpec, ...]
) -> dict[str, Any]:
    rows = np.zeros((len(stimuli), STIMULUS_NUMBERS))
    targets = np.zeros((len(stimuli), 5), dtype=_INT)
    tables: list[NDArray[np.float64]] = []
    length = 0
    names = input_names(twin)
    moved = moved_parameters(stimuli)
    for i, stimulus in enumerate(stimuli):
        rows[i] = stimulus.numbers()
        head, _, rest = stimulus.target.partition(".")
        shown = -1
        if head == "setpoints":
            space, index = SPACE_SETPOINT, assembly.plan.starts["setpoints"] + setpoints.index(rest)
        elif head == "inputs":
            space, index = SPACE_INPUT, names.index(rest)
        else:
            shown = assembly.plan.starts["moved"] + moved.index(stimulus.target)
            space, index = SPACE_ELSEWHERE, 0
            if head == "push":
                space, index = SPACE_PUSH, push_place(assembly, rest)
            elif kernel_writable(twin, assembly, stimulus.target):
                space, index = SPACE_PARAMETER, assembly.numbers[stimulus.target]
        tables.append(stimulus_table(twin, stimulus))
        start = length
        length += len(tables[-1])
        targets[i] = space, index, start, length, shown
    table = np.concatenate(tables) if length else np.zeros((1, 2))
    return {"stimuli": rows, "stimulus_targets": targets, "stimulus_tables": table}


def moved_parameters(stimuli: tuple[StimulusSpec, ...]) -> tuple[str, ...]:
    """Paths of the parameters that stimuli move, and the pushes among their targets, each once."""
    targets = (stimulus.target for stimulus in stimuli)
    return tuple(dict.fromkeys(target for target in targets if not target.startswith(("setpoints.", "inputs."))))


def push_place(assembly: Assembly, target: str) -> int:
    """Where in `userdata` the push LINK.AXIS lies."""
    link, _, axis = target.rpartition(".")
    return assembly.plan.starts["pushes"] + 1 + 3 * assembly.links.number(link) + "xyz".index(axis)


def kernel_writable(twin: Twin, assembly: Assembly, path: str) -> bool:
    """Whether the compiled loop can move a parameter itself: a number of the block that no joint of the engine depends on."""
    kind, part, *_ = path.split(".")
    return path in assembly.numbers and not (kind == "parts" and lends(twin, part))


def stimulus_table(twin: Twin, stimulus: StimulusSpec) -> NDArray[np.float64]:
    """Times [s] and values of a stimulus that comes from a file, shape [n, 2]; empty for all others."""
    if stimulus.kind == "rows":
        return held_rows(twin.folder / stimulus.file, stimulus.column, stimulus.start)
    if stimulus.kind == "file":
        return _table(twin.folder / stimulus.file, stimulus.column)
    return np.zeros((0, 2))


def _table(file: Path, column: str) -> NDArray[np.float64]:
    """Rows (time [s], value) of a column of a file, shape [n, 2]."""
    from didymos.record.log import Log

    log = Log.load(file)
    if column not in log.signals:
        hint = nearest(column, log.signals)
        raise InputError(f"there is no column {column!r}{hint} (there is: {', '.join(log.signals)})", file=file)
    signal = log[column]
    table = np.column_stack([signal.time, signal.values])
    if not len(table):
        raise InputError("found no number in this column", file=file, path=column)
    if not np.isfinite(table).all():
        row = int(np.flatnonzero(~np.isfinite(table).all(axis=1))[0])
        raise InputError(f"found {table[row, 1]:g} at {table[row, 0]:g} s, expected finite numbers", file=file, path=column)
    return table


def _inputs(twin: Twin, assembly: Assembly) -> dict[str, Any]:
    commands = assembly.plan.starts["commands"]
    rows: list[tuple[int, int, int]] = []
    ranges: list[tuple[float, ...]] = []
    for _, part, index in part_inputs(twin):
        rows.append((commands + len(rows), assembly.plan.starts[f"inputs:{part}"] + index, -1))
        ranges.append(PARTS[twin.file.parts[part].kind].input_range)
    for actuator in range(assembly.own_actuators):
        rows.append((commands + len(rows), -1, actuator))
        limited = bool(assembly.model.actuator_ctrllimited[actuator])
        ranges.append(tuple(assembly.model.actuator_ctrlrange[actuator]) if limited else (-np.inf, np.inf))
    return {
        "inputs": np.array(rows, dtype=_INT).reshape(-1, 3),
        "input_ranges": np.array(ranges, dtype=np.float64).reshape(-1, 2),
        "input_offsets": np.zeros(len(rows)),
    }


def _program(
    twin: Twin, assembly: Assembly, data: mujoco.MjData, program: Controller | None, setpoints: tuple[str, ...], every: int
) -> dict[str, Any]:
    measured = measured_places(twin, assembly)
    start = assembly.plan.starts
    compiled = compiled_law(program)
    names = input_names(twin)
    if compiled is not None:
        _check_names(compiled, "reading", compiled.reads, measured)
        _check_names(compiled, "input", compiled.writes, names)
    reads = [measured[name] for name in compiled.reads] if compiled else []
    asked = [start["setpoints"] + setpoints.index(name) for name in compiled.setpoints] if compiled else []
    writes = [names.index(name) for name in compiled.writes] if compiled else []
    return {
        "program": compiled.program.address if compiled else 0,
        "control_every": every,
        "settings": compiled.settings if compiled else np.zeros(1),
        "gains": program.gains if program is not None else np.zeros(0),
        "reads": np.array(reads, dtype=_INT),
        "reads_setpoints": np.array(asked, dtype=_INT),
        "writes": np.array(writes, dtype=_INT),
        "memory": data.userdata.ctypes.data + 8 * start["memory"],
        "clock": np.zeros(3),
        "seen": np.zeros(len(reads)),
        "asked": np.zeros(len(asked)),
        "answered": np.zeros(len(writes)),
    }


def _check_names(program: CompiledController, what: str, asked: Sequence[str], known: Collection[str]) -> None:
    for name in asked:
        if name not in known:
            raise InputError(f"{type(program).__name__} asks for the {what} {name!r}, which is not there{nearest(name, known)}")


def _record(assembly: Assembly, streams: tuple[StreamPlan, ...], chunk: int) -> dict[str, Any]:
    table = np.zeros((len(streams), 5), dtype=_INT)
    column = cell = stamp = 0
    for i, stream in enumerate(streams):
        size = len(stream.sources)
        table[i] = column, size, cell, stamp, stream.sensor
        column, cell, stamp = column + size, cell + size * chunk, stamp + chunk
    columns = np.concatenate([stream.sources for stream in streams]).astype(_INT)
    bodies, frames = assembly.links.tables(assembly.model)
    return {
        "link_bodies": bodies,
        "link_frames": frames,
        "link_poses": np.zeros(frames.size),
        "poses_stream": [stream.layout.name for stream in streams].index("tf"),
        "streams": table,
        "stream_rates": np.array([stream.rate for stream in streams]),
        "columns": columns,
        "factors": np.concatenate([stream.factors for stream in streams]),
        "cells": np.zeros(cell),
        "stamps": np.zeros(stamp),
        "counts": np.zeros(len(streams), dtype=_INT),
    }
