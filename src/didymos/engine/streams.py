"""What a run records: the streams of a twin and where in the engine's arrays each column comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco

from didymos.air.air_state import AIR_STATE
from didymos.contract import ODOMETRY, offset_of
from didymos.control import Controller
from didymos.control.compiled_controller import as_compiled
from didymos.control.pilot import CHANNELS
from didymos.describe.joint_units import of_part, report_units
from didymos.describe.names import part_inputs, readings
from didymos.describe.twin import Twin
from didymos.engine.assemble import SCAN, Assembly
from didymos.engine.boxes import is_box
from didymos.engine.context import Source
from didymos.engine.earth_truth import EARTH_COLUMNS
from didymos.engine.link_frames import WORLD, LinkFrame
from didymos.engine.object_streams import object_streams
from didymos.engine.sensor_sites import MOMENTUM, TRUTH, WHOLE_MOMENTUM, optical_frames
from didymos.record.messages import covariances
from didymos.record.stream import Kind, StreamLayout
from didymos.sensors.ranging import Lidar

__all__ = ["StreamPlan", "placed_frames", "plan_streams"]

_SCAN = tuple(name.replace("_", ".") for name in SCAN.names or ())
_SCAN_UNITS = ("rad", "rad", "rad", "m", "m")
_MOTION_UNITS = ("m",) * 3 + ("1",) * 4 + ("m/s",) * 3 + ("rad/s",) * 3
_POSE_UNITS = _MOTION_UNITS[:7]

Columns = list[tuple[int, int, float]]
"""Source, index in it, factor; see `context.COLUMN`."""


@dataclass(frozen=True)
class StreamPlan:
    """A stream: its layout, its rate [Hz], the sensor that triggers it or -1, where its columns come from."""

    layout: StreamLayout
    rate: float
    sensor: int
    columns: Columns


def _of(source: int, start: int, count: int, factor: float = 1.0) -> Columns:
    return [(source, start + i, factor) for i in range(count)]


def plan_streams(
    twin: Twin,
    assembly: Assembly,
    setpoints: Mapping[str, tuple[str, int]],
    program: Controller | None,
    scheduled: tuple[str, ...],
    piloted: bool = False,
    clock: bool = True,
) -> tuple[StreamPlan, ...]:
    """Clock (of one robot of a world), truth, joints, poses of links, set-points (name -> unit and number), inputs, parts, the
    air, the Earth where it is on, what the program reports and its odometry, parameters that stimuli move, momentum, objects that
    move (beside the clock), channels and boxes of a pilot, then every sensor.
    """
    record, starts = twin.file.record, assembly.state.starts
    streams = [StreamPlan(StreamLayout("clock", Kind.CLOCK, (), ()), record.rate, -1, [])] if clock else []
    streams += [
        _truth(twin, assembly, record.rate),
        *_joints(twin, assembly, record.rate),
        _poses(twin, assembly, record.tf_rate),
    ]
    if setpoints:
        units, numbers = zip(*setpoints.values(), strict=True)
        columns = [(Source.STATE, starts["setpoints"] + number, 1.0) for number in numbers]
        streams.append(StreamPlan(StreamLayout("setpoints", Kind.SCALARS, tuple(setpoints), units), record.rate, -1, columns))
    streams += _inputs(twin, assembly, record.inputs_rate or record.rate)
    streams += _parts(twin, assembly, record.rate)
    if record.air:
        start = starts["air"] + offset_of(AIR_STATE, "wind_at_root")
        turn = starts["air"] + offset_of(AIR_STATE, "gust_rate")
        names = ("wind.x", "wind.y", "wind.z", "speed", "rate.x", "rate.y", "rate.z")
        layout = StreamLayout("air", Kind.SCALARS, names, ("m/s",) * 4 + ("rad/s",) * 3)
        streams.append(StreamPlan(layout, record.rate, -1, _of(Source.STATE, start, 4) + _of(Source.STATE, turn, 3)))
    if twin.file.world.earth.on:
        layout = StreamLayout("earth", Kind.SCALARS, tuple(EARTH_COLUMNS), tuple(EARTH_COLUMNS.values()))
        streams.append(StreamPlan(layout, record.rate, -1, _of(Source.STATE, starts["earth_truth"], len(EARTH_COLUMNS))))
    streams += _program(twin, assembly, program, record.rate)
    if scheduled:
        units = tuple("N" if path.startswith("push.") else twin.parameters[path].unit for path in scheduled)
        layout = StreamLayout("parameters", Kind.SCALARS, scheduled, units)
        streams.append(StreamPlan(layout, record.rate, -1, _of(Source.STATE, starts["scheduled"], len(scheduled))))
    if record.momentum:
        sensor = twin.description.own_name(MOMENTUM)
        streams.append(_momentum(assembly.model, MOMENTUM, sensor, assembly.carried, record.rate))
    if clock and assembly.whole_momentum:
        streams.append(_momentum(assembly.model, f"{WORLD}.{MOMENTUM}", WHOLE_MOMENTUM, WORLD, record.rate))
    if clock:
        streams += [StreamPlan(layout, record.rate, -1, columns) for layout, columns in object_streams(assembly.model)]
    if piloted:
        streams += _pilot(twin, assembly, record.rate, record.tf_rate)
    for index, name in enumerate(readings(twin)):
        streams += [_sensor(twin, assembly, name, index), *_fix(twin, assembly, name, index)]
    return tuple(streams)


def _program(twin: Twin, assembly: Assembly, program: Controller | None, rate: float) -> list[StreamPlan]:
    """What a program tells about itself, and its own odometry."""
    if program is None:
        return []
    streams, start = [], assembly.state.starts["program"]
    names = report_units(twin.description, program)
    compiled = as_compiled(program)
    if names:
        columns = _of(Source.STATE, start, len(names))
        if compiled is not None:
            columns = []
            for item in program.reports:
                columns += _of(Source.STATE, start + offset_of(compiled.memory_layout, item.name.replace(".", "_")), item.size)
        layout = StreamLayout("control", Kind.SCALARS, tuple(names), tuple(names.values()))
        streams.append(StreamPlan(layout, rate, -1, columns))
    if compiled is not None and compiled.odometry is not None:
        first = start + offset_of(compiled.memory_layout, compiled.odometry)
        layout = StreamLayout("odom", Kind.ODOMETRY, ODOMETRY, _MOTION_UNITS, "odom", twin.description.root)
        streams.append(StreamPlan(layout, rate, -1, _of(Source.STATE, first, len(ODOMETRY))))
    return streams


def _momentum(model: mujoco.MjModel, name: str, sensor: str, body: str, rate: float) -> StreamPlan:
    """Linear momentum, angular momentum about the common centre of mass, and kinetic energy of all that moves."""
    velocity, angular, energy = (int(model.sensor(f"{sensor}:{what}").adr[0]) for what in ("velocity", "angular", "energy"))
    mass = float(model.body_subtreemass[model.body(body).id])
    columns = _of(Source.SENSORDATA, velocity, 3, mass) + _of(Source.SENSORDATA, angular, 3) + _of(Source.SENSORDATA, energy, 1)
    names = (*(f"linear.{axis}" for axis in "xyz"), *(f"angular.{axis}" for axis in "xyz"), "energy")
    units = ("N s",) * 3 + ("N m s",) * 3 + ("J",)
    return StreamPlan(StreamLayout(name, Kind.SCALARS, names, units), rate, -1, columns)


def _pilot(twin: Twin, assembly: Assembly, rate: float, tf_rate: float) -> list[StreamPlan]:
    """The channel table, and where the boxes are, if there are any."""
    names = tuple(f"ch{i}" for i in range(CHANNELS))
    layout = StreamLayout("channels", Kind.SCALARS, names, ("1",) * CHANNELS)
    streams = [StreamPlan(layout, rate, -1, _of(Source.STATE, assembly.state.starts["channels"], CHANNELS))]
    prefix = twin.description.prefix
    boxes = [body for body in range(assembly.model.nbody) if is_box(assembly.model, body, prefix)]
    if boxes:
        names = tuple(f"box{i + 1}" for i in range(len(boxes)))
        columns: Columns = []
        for body in boxes:
            columns += _of(Source.XPOS, 3 * body, 3) + _of(Source.XQUAT, 4 * body, 4)
        layout = StreamLayout("boxes", Kind.TF, _pose_columns(names), _POSE_UNITS * len(boxes), labels=names)
        streams.append(StreamPlan(layout, tf_rate, -1, columns))
    return streams


def _truth(twin: Twin, assembly: Assembly, rate: float) -> StreamPlan:
    quantities = [item for item in assembly.quantities if item.sensor == TRUTH]
    columns: Columns = []
    for item in quantities:
        columns += _of(Source.STATE, assembly.state.starts[f"ideal:{TRUTH}"] + len(columns), item.size)
    names = tuple(column for item in quantities for column in item.columns)
    units = tuple(unit for item in quantities for unit in item.units)
    return StreamPlan(StreamLayout(TRUTH, Kind.ODOMETRY, names, units, "world", twin.description.root), rate, -1, columns)


def _joints(twin: Twin, assembly: Assembly, rate: float) -> list[StreamPlan]:
    names: list[str] = []
    units: list[str] = []
    columns: Columns = []
    for name, joint in twin.description.joints.items():
        if len(joint.engine_joints) == 1 and joint.kind.value in ("revolute", "continuous", "prismatic"):
            engine_joint: Any = assembly.model.joint(joint.engine_joints[0])
            names.append(name)
            units += ["m", "m/s"] if joint.kind.value == "prismatic" else ["rad", "rad/s"]
            columns += _of(Source.QPOS, int(engine_joint.qposadr[0]), 1) + _of(Source.QVEL, int(engine_joint.dofadr[0]), 1)
    if not names:
        return []
    numbers = tuple(f"{name}.{what}" for name in names for what in ("position", "velocity"))
    return [StreamPlan(StreamLayout("joints", Kind.JOINT_STATES, numbers, tuple(units), labels=tuple(names)), rate, -1, columns)]


def placed_frames(twin: Twin, assembly: Assembly) -> dict[str, LinkFrame]:
    """The frames whose poses are recorded."""
    return assembly.links.links | optical_frames(twin, assembly.links)


def _pose_columns(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{name}.{column}" for name in names for column in ODOMETRY[: len(_POSE_UNITS)])


def _poses(twin: Twin, assembly: Assembly, rate: float) -> StreamPlan:
    """Poses of the links, then of the optical frames of cameras that are switched on, as `placed_frames` orders them."""
    names = tuple(placed_frames(twin, assembly))
    layout = StreamLayout("tf", Kind.TF, _pose_columns(names), _POSE_UNITS * len(names), labels=names)
    return StreamPlan(layout, rate, -1, _of(Source.LINK_POSES, 0, len(_POSE_UNITS) * len(names)))


def _inputs(twin: Twin, assembly: Assembly, rate: float) -> list[StreamPlan]:
    names, units = [], []
    columns: Columns = []
    for name, part, index in part_inputs(twin):
        names.append(name)
        spec = twin.file.parts[part]
        units.append(of_part(twin.description, spec, spec.contract.inputs[index].unit))
        columns += _of(Source.STATE, assembly.state.starts[f"inputs:{part}"] + index, 1)
    for index, actuator in zip(assembly.own_actuators, twin.description.as_read.spec.actuators, strict=True):
        names.append(actuator.name)
        units.append("")
        columns += _of(Source.CTRL, index, 1)
    for coupling in twin.couplings:
        names.append(coupling)
        units.append("1")
        columns += _of(Source.STATE, assembly.state.starts[f"coupling:{coupling}"], 1)
    return [StreamPlan(StreamLayout("inputs", Kind.SCALARS, tuple(names), tuple(units)), rate, -1, columns)] if names else []


def _parts(twin: Twin, assembly: Assembly, rate: float) -> list[StreamPlan]:
    names: list[str] = []
    units: list[str] = []
    columns: Columns = []
    for name, part in twin.file.parts.items():
        for item in part.contract.outputs:
            if item.recorded:
                start = assembly.state.starts[f"outputs:{name}"] + offset_of(part.contract.output_layout, item.name)
                names += [f"{name}.{column}" for column in item.names]
                units += [of_part(twin.description, part, item.unit)] * item.size
                columns += _of(Source.STATE, start, item.size)
    return [StreamPlan(StreamLayout("parts", Kind.SCALARS, tuple(names), tuple(units)), rate, -1, columns)] if names else []


def _sensor(twin: Twin, assembly: Assembly, name: str, index: int) -> StreamPlan:
    spec, starts = twin.file.sensors[name], assembly.state.starts
    quantities = [item for item in assembly.quantities if item.sensor == name]
    columns: Columns = []
    for item in quantities:
        columns += _of(Source.STATE, starts[f"measured:{name}.{item.quantity}"], item.size)
    names = tuple(column for item in quantities for column in item.columns)
    units = tuple(unit for item in quantities for unit in item.units)
    kind = Kind(spec.contract.message)
    link = getattr(spec, "link", "")
    if spec.contract is Lidar:
        labels = tuple(str(i) for i in range(len(names)))
        layout = StreamLayout(name, kind, (*_SCAN, *names), (*_SCAN_UNITS, *units), link, "", labels, Lidar.times(spec))
        return StreamPlan(layout, spec.rate, index, _of(Source.STATE, starts[f"scan:{name}"], len(_SCAN)) + columns)
    labels = tuple(dict.fromkeys(column.rsplit(".", 1)[0] for column in names)) if kind is Kind.JOINT_STATES else ()
    frame = "world" if kind in (Kind.ODOMETRY, Kind.POSE) else link or "world"
    child = link if kind is Kind.ODOMETRY else ""
    if spec.contract.has_target:
        target: str = getattr(spec, "target")  # noqa: B009
        own = target in twin.description.links or target in twin.description.frames
        frame, child = link, (target if own else "/" + target.replace(".", "/", 1)) if child else ""
    layout = StreamLayout(name, kind, names, units, frame, child, labels, covariances(kind, _variances(twin, name)))
    return StreamPlan(layout, spec.rate, index, columns)


def _variances(twin: Twin, name: str) -> dict[str, tuple[float, ...]]:
    """Variances of the axes of a sensor's quantities, as its error model says when the run begins."""
    spec: Any = twin.file.sensors[name]
    if spec.errors == 0.0:
        return {}
    found = {item.name: getattr(spec, item.name).variances(spec.rate) for item in spec.contract.quantities}
    return {item.name: found[item.name][: 1 if item.columns == ("",) else 3] for item in spec.contract.quantities}


def _fix(twin: Twin, assembly: Assembly, name: str, index: int) -> list[StreamPlan]:
    """Latitude, longitude and height of a satellite receiver that gives them."""
    spec: Any = twin.file.sensors[name]
    if not spec.contract.has_fix(spec):
        return []
    known = covariances(Kind.NAVSAT, _variances(twin, name))
    columns = ("latitude", "longitude", "altitude")
    layout = StreamLayout(f"{name}.fix", Kind.NAVSAT, columns, ("deg", "deg", "m"), spec.link, constants=known)
    return [StreamPlan(layout, spec.rate, index, _of(Source.STATE, assembly.state.starts[f"fix:{name}"], 3))]
