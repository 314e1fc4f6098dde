"""Fill the part table of a model: which robots and parts there are, where they sit, their laws and their numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.air.earth import EARTH, earth_record
from didymos.contract import offset_of
from didymos.describe.names import readings
from didymos.describe.twin import Twin
from didymos.engine.blowers import blowers_of, fill_blowers
from didymos.engine.earth_forces import GYRO, INERTIAL
from didymos.engine.friction import direction_rows
from didymos.engine.joint_limits import LIMIT, LIMITS, limited_joints
from didymos.engine.law_table import register
from didymos.engine.link_frames import LinkFrame, LinkFrames
from didymos.engine.memory_layout import MemoryLayout
from didymos.engine.objects import OBJECTS
from didymos.engine.part_table import (
    AIR,
    BLOWER,
    DIRECTION,
    ENTRY,
    GUSTS,
    HEADER,
    MEASURING,
    NEED,
    PART,
    ROBOT,
    WAKE,
    WIND,
    layout_identity,
)
from didymos.engine.pushes import PUSHED_LINK
from didymos.engine.sensor_sites import TRUTH
from didymos.errors import nearest
from didymos.parts.part import PartSpec
from didymos.sensors.motion import Odometry
from didymos.sensors.sensor import SensorSpec
from didymos.spec import Spec, number_fields

__all__ = ["TableLayout", "fill_header", "fill_table", "laws_of", "lay_out", "measuring_sensors", "reserve_table"]


def _words(layout: np.dtype[Any], count: int = 1) -> int:
    return count * layout.itemsize // 8


def measuring_sensors(twin: Twin) -> dict[str, SensorSpec]:
    """The sensors that measure by themselves, and the one that measures the truth."""
    sensors = {name: spec for name, spec in readings(twin).items() if spec.contract.measure is not None}
    truth = Odometry.spec.model_validate({"link": twin.description.root, "rate": 1.0})
    return {**sensors, TRUTH: truth}


def laws_of(twin: Twin) -> dict[int, str]:
    """Identity and MODULE:NAME of every law that a twin uses; they are compiled, and known to this process, from then on."""
    laws = {}
    for part in twin.file.parts.values():
        kind = part.contract
        laws[register(kind, kind.law, kind.tick)[0]] = f"{kind.__module__}:{kind.__qualname__}"
    for sensor in measuring_sensors(twin).values():
        own = sensor.contract
        assert own.measure is not None
        laws[register(own, own.measure)[0]] = f"{own.__module__}:{own.__qualname__}"
    return laws


class TableLayout:
    """Where everything is in the table of a robot, in words from its start; `first` is where it starts, from the header."""

    def __init__(self, twin: Twin, first: int) -> None:
        self.first = first
        parts, sensors = twin.file.parts, measuring_sensors(twin)
        self.needs = sum(len(part.contract.needed) for part in parts.values() if part.input_from is not None)
        self.needs += sum(len(names) for part in parts.values() for names in part.contract.connections(part).values())
        self.needs += sum(len(_collected(twin, name, word)) for name, part in parts.items() for word in part.contract.collects)
        self.numbers: dict[str, int] = {}  # path of a live parameter -> word
        self.size = 0
        self.header = self._take(_words(ROBOT))
        world = twin.file.world
        self.air = self._numbers("world.air.", world.air, _words(AIR))
        self.wind = self._numbers("world.wind.", world.wind, _words(WIND))
        self.gusts = self._numbers("world.gusts.", world.gusts, _words(GUSTS))
        self.wake = self._numbers("world.wake.", world.wake, _words(WAKE))
        self.earth = self._take(_words(EARTH)) if world.earth.on else 0
        self.inertials = _inertial_sensors(twin) if world.earth.on else ()
        self.first_inertial = self._take(_words(INERTIAL, len(self.inertials)))
        self.first_part = self._take(_words(PART, len(parts)))
        self.first_need = self._take(_words(NEED, self.needs))
        self.blowers = blowers_of(twin)
        self.first_blower = self._take(_words(BLOWER, len(self.blowers)))
        self.first_measuring = self._take(_words(MEASURING, len(sensors)))
        self.first_direction = self._take(_words(DIRECTION, len(twin.file.contacts)))
        self.limited = limited_joints(twin)
        self.first_limit = self._take(_words(LIMIT, len(self.limited)))
        for i, joint in enumerate(self.limited):
            for name in LIMITS:
                self.numbers[f"joints.{joint}.{name}"] = self.first_limit + _words(LIMIT, i) + offset_of(LIMIT, name)
        self.first_link = self._take(_words(PUSHED_LINK, len(twin.description.links)))
        self.parameters = {
            name: self._numbers(f"parts.{name}.", part, _words(part.contract.parameter_layout)) for name, part in parts.items()
        }
        self.sensor_parameters = {name: self._take(_words(sensor.contract.parameter_layout)) for name, sensor in sensors.items()}

    def _take(self, words: int) -> int:
        start, self.size = self.size, self.size + words
        return start

    def _numbers(self, prefix: str, spec: Spec, words: int) -> int:
        start = self._take(words)
        for i, (name, _) in enumerate(number_fields(type(spec))):
            self.numbers[prefix + name] = start + i
        return start


def lay_out(twins: Sequence[Twin]) -> tuple[TableLayout, ...]:
    """The tables of robots, one behind the other, after the header and their entries."""
    found: list[TableLayout] = []
    first = _words(HEADER) + _words(ENTRY, len(twins))
    for twin in twins:
        found.append(TableLayout(twin, first))
        first += found[-1].size
    return tuple(found)


def reserve_table(spec: mujoco.MjSpec, layouts: Sequence[TableLayout], name: str) -> None:
    """Room for the tables in a model that is not compiled yet."""
    size = layouts[-1].first + layouts[-1].size
    spec.add_numeric(name=name, data=[0.0] * size, size=size)


def fill_header(model: mujoco.MjModel, layouts: Sequence[TableLayout], state: MemoryLayout) -> None:
    """Write the header once all tables of robots are filled; `state` is the layout of what the world has of the state."""
    words = model.numeric_data[int(model.numeric_adr[model.nnumeric - 1]) :]
    first = _words(HEADER)
    entries = words[first : first + _words(ENTRY, len(layouts))].view(ENTRY)
    entries["table"] = [layout.first for layout in layouts]
    header = words[:first].view(HEADER)[0]
    header["robots"], header["first_robot"], header["applied"] = len(layouts), first, state.starts["applied"]
    header["earth"] = layouts[0].first + layouts[0].earth if layouts[0].earth else 0
    header["identity"] = layout_identity()  # last: the plugin leaves a table alone that is not complete


def fill_table(
    model: mujoco.MjModel,
    spec: mujoco.MjSpec,
    twin: Twin,
    links: LinkFrames,
    layout: TableLayout,
    state: MemoryLayout,
    first_state: int,
    robots: Mapping[str, LinkFrames],
) -> None:
    """Write the table of a robot into a compiled model; `spec` is what it was compiled from, `state` the layout of its part of
    the plugin's state, `first_state` where its continuous states begin in `act`, `robots` where the links of all robots are.
    """
    table = model.numeric_data[int(model.numeric_adr[model.nnumeric - 1]) + layout.first :][: layout.size]

    def rows(start: int, kind: np.dtype[Any], count: int) -> NDArray[Any]:
        return table[start : start + _words(kind, count)].view(kind)

    for name, part in twin.file.parts.items():
        record = part.record()
        rows(layout.parameters[name], record.dtype, 1)[0] = record
    for path, start in (("air", layout.air), ("wind", layout.wind), ("gusts", layout.gusts), ("wake", layout.wake)):
        of_world = getattr(twin.file.world, path)
        numbers = [float(getattr(of_world, name)) for name, _ in number_fields(type(of_world))]
        table[start : start + len(numbers)] = numbers
    parts = rows(layout.first_part, PART, len(twin.file.parts))
    needs = rows(layout.first_need, NEED, layout.needs)
    first_need = 0
    for row, (name, part) in zip(parts, twin.file.parts.items(), strict=True):
        frame = _frame_of(twin, links, part.link, robots, "parts", name, "link")
        _fill_part(model, row, twin, frame, state, name, part)
        row["parameters"], row["states"] = layout.parameters[name], first_state
        row["first_need"] = first_need
        row["limit"] = layout.limited.index(part.joint) if part.joint in layout.limited else -1
        if part.contract.switch:
            row["switch"] = layout.numbers[f"parts.{name}.{part.contract.switch}"]
        row["needs"] = _fill_needs(needs[first_need:], twin, state, name, part)
        first_need += int(row["needs"])
        first_state += len(part.contract.used_states(part))
    limits = rows(layout.first_limit, LIMIT, len(layout.limited))
    for i, (limit, joint) in enumerate(zip(limits, layout.limited, strict=True)):
        driving = np.flatnonzero(parts["limit"] == i)
        limit["first_part"], limit["last_part"] = driving[0], driving[-1]
        limit["dof"] = parts[driving[0]]["joint_dof"]
        for name in LIMITS:
            limit[name] = twin.get(f"joints.{joint}.{name}")
    _fill_measuring(model, rows, twin, links, layout, state, robots)
    rows(layout.first_direction, DIRECTION, len(twin.file.contacts))[:] = direction_rows(model, twin, spec, links)
    header = rows(layout.header, ROBOT, 1)[0]
    header["parts"], header["first_part"], header["first_need"] = len(parts), layout.first_part, layout.first_need
    header["measuring"], header["first_measuring"] = len(layout.sensor_parameters), layout.first_measuring
    blowers = rows(layout.first_blower, BLOWER, len(layout.blowers))
    header["blowers"], header["first_blower"], header["wake"] = len(blowers), layout.first_blower, layout.wake
    header["jets"] = fill_blowers(model, twin, layout.blowers, parts, state, blowers)
    header["wakes"] = state.starts["wakes"] if twin.file.world.wake.on else 0
    header["directions"], header["first_direction"] = len(twin.file.contacts), layout.first_direction
    header["limits"], header["first_limit"], header["driven"] = len(limits), layout.first_limit, state.starts["driven"]
    header["links"], header["first_link"] = len(twin.description.links), layout.first_link
    header["air"], header["wind"], header["gusts"] = layout.air, layout.wind, layout.gusts
    header["scratch"], header["air_state"] = state.starts["scratch"], state.starts["air"]
    header["pushes"] = state.starts["pushes"]
    if layout.earth:
        world = twin.file.world
        rows(layout.earth, EARTH, 1)[0] = earth_record(world.earth, world.gravity)
        header["earth"], header["curved"] = layout.earth, world.earth.shape != "flat"
        header["place"], header["earth_truth"] = state.starts["place"], state.starts["earth_truth"]
        header["inertials"], header["first_inertial"] = len(layout.inertials), layout.first_inertial
        _fill_inertials(model, rows(layout.first_inertial, INERTIAL, len(layout.inertials)), layout.inertials)
    header["root_qpos"], header["root_dof"], header["root_body"] = -1, -1, links.root_body(model)
    free = int(model.body_jntadr[model.body_rootid[header["root_body"]]])  # of a mounted robot: of what carries it
    if free >= 0 and model.jnt_type[free] == mujoco.mjtJoint.mjJNT_FREE:
        header["root_qpos"], header["root_dof"] = model.jnt_qposadr[free], model.jnt_dofadr[free]
    ground = twin.file.world.ground
    header["ground_height"] = 0.0 if ground is None else ground.height


def _inertial_sensors(twin: Twin) -> tuple[str, ...]:
    """The engine's sensors that measure against what does not turn, by their names in the model."""
    return tuple(
        twin.description.own_name(f"{name}:{item.name}")
        for name, sensor in readings(twin).items()
        for item in sensor.contract.quantities
        if item.kind in ("gyro", "accelerometer")
    )


def _fill_inertials(model: mujoco.MjModel, rows: NDArray[Any], names: tuple[str, ...]) -> None:
    for i, name in enumerate(names):
        number = int(model.sensor(name).id)
        site = int(model.sensor_objid[number])
        body = int(model.site_bodyid[site])
        gyro = int(model.sensor_type[number]) == GYRO
        rows[i] = gyro, model.sensor_adr[number], site, body, model.body_rootid[body]


def _mount(model: mujoco.MjModel, row: Any, frame: LinkFrame) -> int:
    """Where a part or a sensor sits; its body."""
    body = int(model.body(frame.body).id)
    row["body"], row["tree"] = body, model.body_rootid[body]
    row["position"], row["rotation"] = frame.pose.position, frame.pose.rotation.ravel()
    return body


def _fill_part(
    model: mujoco.MjModel, row: Any, twin: Twin, frame: LinkFrame, state: MemoryLayout, name: str, part: PartSpec
) -> None:
    kind = part.contract
    row["identity"], row["law"] = register(kind, kind.law, kind.tick)
    row["motion"], row["below"] = int(kind.motion), int(kind.looks_below(part))
    row["last_dof"] = _last_dof(model, _mount(model, row, frame))
    for joint, dof, qpos in ((part.joint, "joint_dof", "joint_qpos"), (part.belt, "belt_dof", "belt_qpos")):
        row[dof] = row[qpos] = -1
        if joint is not None:
            engine_joint = model.joint(twin.description.joints[joint].engine_joints[0])
            row[dof], row[qpos] = engine_joint.dofadr[0], engine_joint.qposadr[0]
    row["output_count"] = sum(item.size for item in kind.outputs)
    row["inputs"], row["memory"], row["outputs"] = (
        state.starts[f"{what}:{name}"] for what in ("inputs", "memory", "outputs")
    )


def _fill_needs(needs: NDArray[Any], twin: Twin, state: MemoryLayout, name: str, part: PartSpec) -> int:
    """The outputs that a part takes from the one that `input_from` names, and from its connections; how many rows."""
    own, count = part.contract.input_layout, 0
    if part.input_from is not None:
        offsets: Mapping[str, Any] = twin.file.parts[part.input_from].contract.output_layout.fields or {}
        for item in part.contract.needed:
            if item.name in offsets:
                source = state.starts[f"outputs:{part.input_from}"] + offsets[item.name][1] // 8
                needs[count] = source, state.starts[f"inputs:{name}"] + offset_of(own, item.name), item.size
                count += 1
    for need in part.contract.collects:
        sources = _collected(twin, name, need)
        if len(sources) > math.prod(next(item.shape for item in part.contract.needed if item.name == need)):
            raise twin.mistake(f"{len(sources)} parts name this one by 'input_from', more than it can sum up", "parts", name)
        first = state.starts[f"inputs:{name}"] + offset_of(own, need)
        for place, (other, offset) in enumerate(sources):
            needs[count] = state.starts[f"outputs:{other}"] + offset, first + place, 1
            count += 1
    for need, readouts in part.contract.connections(part).items():
        for place, readout in enumerate(readouts):
            upstream, _, signal = readout.partition(".")
            names = [one for item in twin.file.parts[upstream].contract.outputs for one in item.names]
            if signal in names:  # one of a stand-in may not be known
                source = state.starts[f"outputs:{upstream}"] + names.index(signal)
                needs[count] = source, state.starts[f"inputs:{name}"] + offset_of(own, need) + place, 1
                count += 1
    return count


def _collected(twin: Twin, name: str, need: str) -> list[tuple[str, int]]:
    """The parts whose outputs a part collects by an array, and where among its outputs each has it, in words."""
    parts = twin.file.parts
    word = parts[name].contract.collects[need]
    layouts = {other: part.contract.output_layout for other, part in parts.items() if part.input_from == name}
    return [(other, offset_of(layout, word)) for other, layout in layouts.items() if word in (layout.names or ())]


def _fill_measuring(
    model: mujoco.MjModel,
    rows: Any,
    twin: Twin,
    links: LinkFrames,
    layout: TableLayout,
    state: MemoryLayout,
    robots: Mapping[str, LinkFrames],
) -> None:
    sensors = measuring_sensors(twin)
    order = [*readings(twin), TRUTH]
    for row, (name, sensor) in zip(rows(layout.first_measuring, MEASURING, len(sensors)), sensors.items(), strict=True):
        kind = sensor.contract
        assert kind.measure is not None
        row["identity"], row["law"] = register(kind, kind.measure)
        row["sensor"] = order.index(name)
        frame = links[getattr(sensor, "link", twin.description.root)]
        _mount(model, row, frame)
        row["quaternion"], row["target_body"] = frame.pose.quaternion, -1
        if kind.has_target:
            target = _frame_of(twin, links, getattr(sensor, "target"), robots, "sensors", name, "target")  # noqa: B009
            body = int(model.body(target.body).id)
            row["target_body"], row["target_tree"] = body, model.body_rootid[body]
            row["target_position"], row["target_quaternion"] = target.pose.position, target.pose.quaternion
        row["parameters"], row["reading"] = layout.sensor_parameters[name], state.starts[f"ideal:{name}"]
        rows(layout.sensor_parameters[name], kind.parameter_layout, 1)[0] = sensor.record()


def _frame_of(twin: Twin, links: LinkFrames, target: str, robots: Mapping[str, LinkFrames], *place: str) -> LinkFrame:
    """The frame that a sensor looks at or a part sits on: of another robot, ROBOT.LINK, or of its own."""
    if target in links.links or target in links.frames:
        return links[target]
    robot, _, link = target.partition(".")
    others = [name for name in robots if name != OBJECTS]
    if robot not in robots:
        here = f"here are {', '.join(others)}" if others else "a twin alone has no other robot beside it, a world has"
        raise twin.mistake(f"there is no robot {robot!r}{nearest(robot, robots)} ({here})", *place)
    theirs = robots[robot]
    link = link or theirs.root
    if link not in theirs.links and link not in theirs.frames:
        raise twin.mistake(f"{robot} has no link {link!r}{nearest(link, (*theirs.links, *theirs.frames))}", *place)
    return theirs[link]


def _last_dof(model: mujoco.MjModel, body: int) -> int:
    """The last degree of freedom that moves a body, or -1."""
    while body > 0:
        if model.body_dofnum[body] > 0:
            return int(model.body_dofadr[body] + model.body_dofnum[body] - 1)
        body = int(model.body_parentid[body])
    return -1
