"""What a run records: the streams of a twin and where in the engine's arrays each column comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from didymos.control import CompiledController
from didymos.control.pilot import CHANNELS
from didymos.describe.names import part_inputs, readings
from didymos.describe.twin import Twin
from didymos.engine.assemble import MOMENTUM, TRUTH, Assembly
from didymos.engine.boxes import is_box
from didymos.engine.callback import WIND_HERE
from didymos.parts import PARTS
from didymos.record.stream import Kind, StreamLayout
from didymos.sensors import SENSORS
from didymos.sensors.kind import LidarSpec

__all__ = ["Source", "StreamPlan", "plan_streams"]


_SCAN = ("angle.min", "angle.max", "angle.increment", "range.min", "range.max")
_SCAN_UNITS = ("rad", "rad", "rad", "m", "m")
_MOTION = (
    *(f"position.{axis}" for axis in "xyz"),
    *(f"orientation.{axis}" for axis in "wxyz"),
    *(f"{what}.{axis}" for what in ("velocity", "angular_velocity") for axis in "xyz"),
)
_MOTION_UNITS = ("m",) * 3 + ("1",) * 4 + ("m/s",) * 3 + ("rad/s",) * 3
_POSE_UNITS = ("m", "m", "m", "1", "1", "1", "1")


class Source:
    """Arrays of the engine by number, in the order in which `engine/loop.py` lists them."""

    USERDATA, QPOS, QVEL, XPOS, XQUAT, SENSORDATA, CTRL, ACTUATOR_FORCE, LINK_POSES = range(9)


@dataclass(frozen=True)
class StreamPlan:
    """A stream: its layout, its rate [Hz], the sensor that triggers it or -1, the source [n, 2] and factor [n] of its columns."""

    layout: StreamLayout
    rate: float
    sensor: int
    sources: NDArray[np.int64]
    factors: NDArray[np.float64]


def plan_streams(
    twin: Twin,
    assembly: Assembly,
    setpoints: tuple[str, ...],
    law: CompiledController | None,
    moved: tuple[str, ...],
    piloted: bool = False,
) -> tuple[StreamPlan, ...]:
    """Clock, truth, joints, poses of links, set-points, inputs, parts, the air, what the program `law` reports and its odometry,
    parameters that are `moved` by stimuli, momentum, channels and boxes of a pilot, then every sensor."""
    record = twin.file.record
    streams = [
        _plan(StreamLayout("clock", Kind.CLOCK, (), ()), record.rate, []),
        _truth(twin, assembly, record.rate),
        *_joints(twin, assembly, record.rate),
        _poses(assembly, record.tf_rate),
    ]
    first = assembly.plan.starts["setpoints"]
    if setpoints:
        layout = StreamLayout("setpoints", Kind.SCALARS, setpoints, ("",) * len(setpoints))
        streams.append(_plan(layout, record.rate, [(Source.USERDATA, first + i) for i in range(len(setpoints))]))
    streams += _inputs(twin, assembly, record.rate)
    streams += _parts(twin, assembly, record.rate)
    if record.air:
        start = assembly.plan.starts["air"] + WIND_HERE
        layout = StreamLayout("air", Kind.SCALARS, ("wind.x", "wind.y", "wind.z", "speed"), ("m/s",) * 4)
        streams.append(_plan(layout, record.rate, [(Source.USERDATA, start + i) for i in range(4)]))
    if law is not None and law.reports:
        names, units = zip(*law.reports, strict=True)
        start = assembly.plan.starts["memory"]
        sources = [(Source.USERDATA, start + i) for i in range(len(names))]
        streams.append(_plan(StreamLayout("control", Kind.SCALARS, names, units), record.rate, sources))
    if law is not None and law.odometry is not None:
        start = assembly.plan.starts["memory"] + law.odometry
        sources = [(Source.USERDATA, start + i) for i in range(len(_MOTION))]
        layout = StreamLayout("odom", Kind.ODOMETRY, _MOTION, _MOTION_UNITS, "odom", twin.description.root)
        streams.append(_plan(layout, record.rate, sources))
    if moved:
        start = assembly.plan.starts["moved"]
        units = tuple("N" if path.startswith("push.") else twin.parameters[path].unit for path in moved)
        sources = [(Source.USERDATA, start + i) for i in range(len(moved))]
        streams.append(_plan(StreamLayout("parameters", Kind.SCALARS, moved, units), record.rate, sources))
    if record.momentum:
        streams.append(_momentum(assembly, record.rate))
    if piloted:
        streams += _pilot(assembly, record.rate, record.tf_rate)
    streams += [_sensor(twin, assembly, name, index) for index, name in enumerate(readings(twin))]
    return tuple(streams)


def _plan(
    layout: StreamLayout, rate: float, sources: list[tuple[int, int]], sensor: int = -1, factors: list[float] | None = None
) -> StreamPlan:
    table = np.array(sources, dtype=np.int64).reshape(-1, 2)
    return StreamPlan(layout, rate, sensor, table, np.ones(len(table)) if factors is None else np.array(factors))


def _momentum(assembly: Assembly, rate: float) -> StreamPlan:
    """Linear momentum, angular momentum about the common centre of mass, and kinetic energy of all that moves."""
    model = assembly.model
    starts = [int(model.sensor(f"didymos:{MOMENTUM}:{name}").adr[0]) for name in ("velocity", "angular")]
    sources = [(Source.SENSORDATA, start + i) for start in starts for i in range(3)]
    sources.append((Source.SENSORDATA, int(model.sensor(f"didymos:{MOMENTUM}:energy").adr[0])))
    columns = (*(f"linear.{axis}" for axis in "xyz"), *(f"angular.{axis}" for axis in "xyz"), "energy")
    units = ("N s",) * 3 + ("N m s",) * 3 + ("J",)
    mass = float(model.body_subtreemass[0])
    return _plan(StreamLayout(MOMENTUM, Kind.SCALARS, columns, units), rate, sources, factors=[mass] * 3 + [1.0] * 4)


def _pilot(assembly: Assembly, rate: float, tf_rate: float) -> list[StreamPlan]:
    """The channel table, and where the boxes are, if there are any."""
    names = tuple(f"ch{i}" for i in range(CHANNELS))
    start = assembly.plan.starts["channels"]
    layout = StreamLayout("channels", Kind.SCALARS, names, ("1",) * CHANNELS)
    found = [_plan(layout, rate, [(Source.USERDATA, start + i) for i in range(CHANNELS)])]
    boxes = [body for body in range(assembly.model.nbody) if is_box(assembly.model, body)]
    if boxes:
        columns, sources = _pose_columns([(f"box{i + 1}", body) for i, body in enumerate(boxes)])
        names = tuple(f"box{i + 1}" for i in range(len(boxes)))
        layout = StreamLayout("boxes", Kind.TF, tuple(columns), _POSE_UNITS * len(boxes), labels=names)
        found.append(_plan(layout, tf_rate, sources))
    return found


def _truth(twin: Twin, assembly: Assembly, rate: float) -> StreamPlan:
    places = [place for place in assembly.places if place.sensor == TRUTH]
    sources = []
    for place in places:
        start = int(assembly.model.sensor(place.engine_name).adr[0])
        sources += [(Source.SENSORDATA, start + i) for i in range(place.size)]
    columns = tuple(column for place in places for column in place.columns)
    units = tuple(unit for place in places for unit in place.units)
    return _plan(StreamLayout(TRUTH, Kind.ODOMETRY, columns, units, "world", twin.description.root), rate, sources)


def _joints(twin: Twin, assembly: Assembly, rate: float) -> list[StreamPlan]:
    columns: list[str] = []
    units: list[str] = []
    sources: list[tuple[int, int]] = []
    labels = []
    for name, joint in twin.description.joints.items():
        if len(joint.engine_joints) == 1 and joint.kind.value in ("revolute", "continuous", "prismatic"):
            found: Any = assembly.model.joint(joint.engine_joints[0])
            labels.append(name)
            columns += [f"{name}.position", f"{name}.velocity"]
            units += ["m", "m/s"] if joint.kind.value == "prismatic" else ["rad", "rad/s"]
            sources += [(Source.QPOS, int(found.qposadr[0])), (Source.QVEL, int(found.dofadr[0]))]
    if not labels:
        return []
    layout = StreamLayout("joints", Kind.JOINT_STATES, tuple(columns), tuple(units), labels=tuple(labels))
    return [_plan(layout, rate, sources)]


def _poses(assembly: Assembly, rate: float) -> StreamPlan:
    links = tuple(assembly.links.links)
    columns = [f"{name}.{column}" for name in links for column in _MOTION[: len(_POSE_UNITS)]]
    layout = StreamLayout("tf", Kind.TF, tuple(columns), _POSE_UNITS * len(links), labels=links)
    return _plan(layout, rate, [(Source.LINK_POSES, i) for i in range(len(columns))])


def _pose_columns(bodies: list[tuple[str, int]]) -> tuple[list[str], list[tuple[int, int]]]:
    columns: list[str] = []
    sources: list[tuple[int, int]] = []
    for name, body in bodies:
        columns += [f"{name}.position.{axis}" for axis in "xyz"] + [f"{name}.orientation.{axis}" for axis in "wxyz"]
        sources += [(Source.XPOS, 3 * body + i) for i in range(3)] + [(Source.XQUAT, 4 * body + i) for i in range(4)]
    return columns, sources


def _inputs(twin: Twin, assembly: Assembly, rate: float) -> list[StreamPlan]:
    names = []
    sources = []
    for name, part, index in part_inputs(twin):
        names.append(name)
        sources.append((Source.USERDATA, assembly.plan.starts[f"inputs:{part}"] + index))
    for index, actuator in enumerate(twin.description.spec.actuators):
        names.append(actuator.name)
        sources.append((Source.CTRL, index))
    if not names:
        return []
    return [_plan(StreamLayout("inputs", Kind.SCALARS, tuple(names), ("",) * len(names)), rate, sources)]


def _parts(twin: Twin, assembly: Assembly, rate: float) -> list[StreamPlan]:
    columns: list[str] = []
    units: list[str] = []
    sources: list[tuple[int, int]] = []
    for name, part in twin.file.parts.items():
        for i, output in enumerate(PARTS[part.kind].outputs):
            if not output.recorded:
                continue
            columns.append(f"{name}.{output.name}")
            units.append(output.unit)
            sources.append((Source.USERDATA, assembly.plan.starts[f"outputs:{name}"] + i))
    return [_plan(StreamLayout("parts", Kind.SCALARS, tuple(columns), tuple(units)), rate, sources)] if columns else []


def _sensor(twin: Twin, assembly: Assembly, name: str, index: int) -> StreamPlan:
    spec = twin.file.sensors[name]
    places = [place for place in assembly.places if place.sensor == name]
    sources = []
    for place in places:
        start = assembly.plan.starts[f"measured:{name}.{place.quantity}"]
        sources += [(Source.USERDATA, start + i) for i in range(place.size)]
    columns = tuple(column for place in places for column in place.columns)
    units = tuple(unit for place in places for unit in place.units)
    kind = Kind(SENSORS[spec.kind].message)
    if isinstance(spec, LidarSpec):
        labels = tuple(str(i) for i in range(spec.rays))
        start = assembly.plan.starts[f"scan:{name}"]
        head = [(Source.USERDATA, start + i) for i in range(5)]
        layout = StreamLayout(name, kind, (*_SCAN, *columns), (*_SCAN_UNITS, *units), spec.link, "", labels)
        return _plan(layout, spec.rate, head + sources, index)
    link = getattr(spec, "link", "")
    labels = tuple(dict.fromkeys(column.rsplit(".", 1)[0] for column in columns)) if kind is Kind.JOINT_STATES else ()
    frame = "world" if kind in (Kind.ODOMETRY, Kind.POSE) else link or "world"
    child = link if kind is Kind.ODOMETRY else ""
    return _plan(StreamLayout(name, kind, columns, units, frame, child, labels), spec.rate, sources, index)
