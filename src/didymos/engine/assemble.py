"""From twins to the engine's model: fixed links are fused, robots joined, sensors and the parts' plugin added.

The order of everything follows the twin file, so that the same file always gives the same model, bit for bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.air.air_state import AIR_STATE
from didymos.air.earth import uniform_gravity
from didymos.air.place import PLACE
from didymos.control.pilot import CHANNELS
from didymos.describe.check_values import check_link, check_values
from didymos.describe.formats.engine_spec import check_compiles
from didymos.describe.names import input_names, joint_of, link_of, link_values, readings
from didymos.describe.twin import Twin
from didymos.engine.blowers import wakes_of
from didymos.engine.boxes import add_boxes
from didymos.engine.build_table import TableLayout, fill_header, fill_table, laws_of, lay_out, reserve_table
from didymos.engine.contact_plan import plan_search
from didymos.engine.contact_search import ContactSearch
from didymos.engine.couplings import WELD, Coupling, CouplingEnds, add_couplings
from didymos.engine.earth_truth import EARTH_TRUTH
from didymos.engine.forces import SCRATCH
from didymos.engine.friction import add_pairs
from didymos.engine.fuse import fuse, links_to_keep
from didymos.engine.join import Mount, join
from didymos.engine.joint_values import add_belts, apply_belt, apply_joint, belted_parts, loaded_joints
from didymos.engine.link_frames import WORLD, LinkFrames
from didymos.engine.link_inertia import LinkInertias
from didymos.engine.memory_layout import LOOP_STATE, ROBOT_STATE, MemoryLayout
from didymos.engine.moving_objects import add_moving, stiffen
from didymos.engine.objects import OBJECTS, add_bodies, object_frames
from didymos.engine.part_table import NAME, PART
from didymos.engine.plugin import attach
from didymos.engine.pushes import PUSHED_LINK, PUSHES, WRENCH
from didymos.engine.scene_objects import add_scene, add_scene_lights
from didymos.engine.scenery import add_ground, add_light, add_objects
from didymos.engine.sensor_sites import MOMENTUM, TRUTH, WHOLE_MOMENTUM, MeasuredQuantity, add_momentum, add_sensors
from didymos.engine.shown_model import ShownModel, discard_visuals
from didymos.sensors.ranging import Lidar
from didymos.sensors.reading import ARRIVAL, SENSOR_MEMORY

__all__ = ["SCAN", "Assembly", "Member", "apply_link", "assemble", "assemble_all"]

SCAN = np.dtype([(name, np.float64) for name in ("angle_min", "angle_max", "angle_increment", "range_min", "range_max")])
"""What a scan says about itself: [rad], [m]."""

_INTEGRATORS = {
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
}


@dataclass(frozen=True)
class Member:
    """A robot that is to be in a model: its twin, by the names that it has there, and the room that its run needs in the state.

    Set-points, numbers of the program's memory and scheduled parameters get room. A `piloted` one has a channel table and,
    where a channel drops them, boxes. `mount` says where it is held, if it does not float.
    """

    twin: Twin
    setpoints: int = 0
    memory: int = 0
    scheduled: int = 0
    piloted: bool = False
    mount: Mount | None = None
    whole_momentum: bool = False  # of the first robot: the momentum of everything in its world is measured

    @property
    def boxes(self) -> int:
        """How many boxes its pilot can drop."""
        pilot = self.twin.file.pilot
        return pilot.boxes.count if self.piloted and pilot.drop is not None else 0


@dataclass(frozen=True)
class Assembly:
    """A compiled model and the map to a robot in it; robots of one world share the model and what belongs to all of it."""

    model: mujoco.MjModel
    common: MemoryLayout  # of what belongs to the whole world in the plugin's state
    state: MemoryLayout  # of the robot's part of it
    table: TableLayout  # of the robot's part of the part table
    links: LinkFrames
    inertias: LinkInertias
    contacts: ContactSearch
    shown: ShownModel
    quantities: tuple[MeasuredQuantity, ...]
    bare: mujoco.MjSpec  # what moves, without sensors, plugin and shapes for the eye; see lean_bench.py
    numbers: dict[str, int]  # path of a live parameter -> index in numeric_data
    carried: str  # body whose momentum, with that of all it carries, is the robot's
    own_actuators: tuple[int, ...]  # the actuators of its description, by their numbers in the model
    states_first: int  # where the continuous states of its parts begin in `act`
    whole_momentum: bool = False  # whether the momentum of everything is measured
    couplings: tuple[Coupling, ...] = ()  # between robots of the world

    def bare_spec(self) -> mujoco.MjSpec:
        """A copy of the leanest spec of the same motion."""
        return self.bare.copy()

    @property
    def table_start(self) -> int:
        """Where the robot's table begins in numeric_data."""
        return int(self.model.numeric_adr[self.model.nnumeric - 1]) + self.table.first

    @property
    def parts(self) -> NDArray[Any]:
        """The rows (`PART`) of its parts, in the order of the twin file: body, position and rotation in it, and so on."""
        start = self.table_start + self.table.first_part
        end = self.table_start + self.table.first_need
        return self.model.numeric_data[start:end].view(PART)


def assemble(twin: Twin) -> Assembly:
    """Compile a twin alone, with room for its parts and sensors and for nothing else."""
    return assemble_all((Member(twin),))[0]


def assemble_all(members: Sequence[Member], ends: Sequence[CouplingEnds] = ()) -> tuple[Assembly, ...]:
    """Compile the robots of a world into one model; the surroundings are those of the first, which all of them have.

    `ends` are the couplings between them.
    """
    twins = [member.twin for member in members]
    for twin in twins:
        check_values(twin)
    laws = {own: kind for twin in twins for own, kind in laws_of(twin).items()}
    fused = [fuse(twin.description.as_read, links_to_keep(twin)) for twin in twins]
    joined = join(twins, fused, {i: member.mount for i, member in enumerate(members) if member.mount is not None})
    spec = joined.spec
    inertias = [
        LinkInertias(own, links, {name: link.body for name, link in twin.description.as_read.links.items()})
        for own, links, twin in zip(fused, joined.links, twins, strict=True)
    ]
    _surround(spec, twins[0])
    for member, links in zip(members, joined.links, strict=True):
        add_pairs(spec, member.twin, links)
        if member.boxes:
            add_boxes(spec, member.twin.file.pilot.boxes, twins[0].file.world.boundary, member.twin.description.prefix)
        add_belts(spec, member.twin)
    things = object_frames(twins[0])
    couplings = tuple(item.placed((*joined.links, things)) for item in ends)
    add_couplings(spec, couplings, twins[0].file.world.step)
    bare = spec.copy()
    discard_visuals(bare, twins)
    quantities = [add_sensors(spec, twin, links) for twin, links in zip(twins, joined.links, strict=True)]
    carried = [WORLD if len(twins) == 1 else links.links[links.root].body for links in joined.links]
    for twin, body in zip(twins, carried, strict=True):
        if twin.file.record.momentum:
            add_momentum(spec, twin.description.own_name(MOMENTUM), body)
    if members[0].whole_momentum:
        add_momentum(spec, WHOLE_MOMENTUM, WORLD)
    for body in spec.bodies:
        body.simple = False  # the engine's short cut for bodies whose inertia can never change; ours can, by path
    common = _common_layout(sum(_FREEDOMS[joint.type] for joint in spec.joints), couplings)
    states: list[MemoryLayout] = []
    for member, measured in zip(members, quantities, strict=True):
        states.append(_state_layout(member, measured, (states[-1] if states else common).size))
    joint = next((joint.name for joint in sorted(spec.joints, key=lambda joint: _FREEDOMS[joint.type]) if joint.name), None)
    if joint is None:
        spec.worldbody.add_site(name="didymos:parts")
    counts = [_states(twin) for twin in twins]
    attach(spec, words=states[-1].size, states=sum(counts), laws=laws, joint=joint, site="didymos:parts")
    tables = lay_out(twins)
    reserve_table(spec, tables, NAME)
    shown = ShownModel(spec.copy(), twins[0].description.source)
    discard_visuals(spec, twins)
    model, _ = check_compiles(spec, twins[0].description.source)  # its warnings are in the twin's notes already
    stiffen(model, twins[0])
    if model.ntree <= _FEW_TREES:
        model.opt.disableflags = int(model.opt.disableflags) | int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    start, contacts = int(model.numeric_adr[model.nnumeric - 1]), plan_search(model)
    first_state = max(int(model.actuator_actadr[model.nu - 1]), 0)  # ours is the last actuator
    assemblies = []
    prefixes = [twin.description.prefix.removesuffix("/") for twin in twins]
    robots = {name: links for name, links in zip(prefixes, joined.links, strict=True) if name} | {OBJECTS: things}
    for i, twin in enumerate(twins):
        fill_table(model, spec, twin, joined.links[i], tables[i], states[i], first_state, robots)
        numbers = {path: start + tables[i].first + word for path, word in tables[i].numbers.items()}
        actuators = tuple(int(model.actuator(twin.description.prefix + own.name).id) for own in _actuators(twin))
        assemblies.append(
            Assembly(
                model, common, states[i], tables[i], joined.links[i], inertias[i], contacts, shown, quantities[i], bare, numbers,
                carried[i], actuators, first_state, members[0].whole_momentum, couplings,
            )
        )  # fmt: skip
        first_state += counts[i]
    fill_header(model, tables, common)
    for assembly, twin in zip(assemblies, twins, strict=True):
        _apply_values(assembly, twin)
    mujoco.mj_setConst(model, mujoco.MjData(model))
    for assembly in assemblies:
        _write_arms(assembly, tuple(assembly.links.links))
    return tuple(assemblies)


def _surround(spec: mujoco.MjSpec, twin: Twin) -> None:
    """What a world has beside robots."""
    world = twin.file.world
    _set_options(spec, twin)
    add_scene_lights(spec, twin)
    add_light(spec)
    if world.ground is not None:
        add_ground(spec, world.ground.height, world.ground.friction * world.friction_scale, world.contact_time)
    add_objects(spec, twin)
    add_scene(spec, twin)
    add_bodies(spec, twin)
    add_moving(spec, twin)


def _actuators(twin: Twin) -> list[mujoco.MjsActuator]:
    """The actuators that a description has itself."""
    return list(twin.description.as_read.spec.actuators)


def _states(twin: Twin) -> int:
    """Continuous states of all parts of a twin."""
    return sum(len(part.contract.used_states(part)) for part in twin.file.parts.values())


_FEW_TREES = 2
"""With so few trees, solving contacts island by island gives the same bits as solving all at once, and takes 2 to 13 % longer."""

_FREEDOMS = {
    mujoco.mjtJoint.mjJNT_FREE: 6, mujoco.mjtJoint.mjJNT_BALL: 3, mujoco.mjtJoint.mjJNT_SLIDE: 1, mujoco.mjtJoint.mjJNT_HINGE: 1,
}  # fmt: skip


def _set_options(spec: mujoco.MjSpec, twin: Twin) -> None:
    world = twin.file.world
    spec.memory = -1  # the engine's own estimate: a file that asks for too little would end the process
    spec.option.timestep = world.step
    spec.option.integrator = _INTEGRATORS[world.integrator]
    spec.option.gravity = uniform_gravity(world.earth, world.gravity)
    spec.option.magnetic = world.magnetic.field(world.earth)
    spec.option.impratio = world.friction_impedance
    if world.solver_tolerance > 0.0:
        spec.option.tolerance = world.solver_tolerance
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)


def _common_layout(freedoms: int, couplings: Sequence[Coupling]) -> MemoryLayout:
    """What belongs to all robots together of what changes and the engine does not know."""
    state = MemoryLayout()
    state.reserve("loop", LOOP_STATE)
    state.reserve("couplings", WELD * sum(item.spec.kind == "weld" for item in couplings))
    state.reserve("applied", 2 * freedoms)
    state.reserve("looked", 3 * freedoms)  # positions and velocities: no joint has more positions than 4/3 of its freedoms
    return state


def _state_layout(member: Member, quantities: tuple[MeasuredQuantity, ...], first: int) -> MemoryLayout:
    """Everything of a robot that changes and that the engine does not know."""
    twin, state = member.twin, MemoryLayout(first)
    inputs = len(input_names(twin))
    state.reserve("robot", ROBOT_STATE)
    for name in twin.couplings:
        state.reserve(f"coupling:{name}", 1)
    for name, part in twin.file.parts.items():
        kind = part.contract
        for what, layout in (("inputs", kind.input_layout), ("outputs", kind.output_layout), ("memory", kind.memory_layout)):
            state.reserve(f"{what}:{name}", layout)
    state.reserve("scratch", SCRATCH)
    state.reserve("air", AIR_STATE)
    if twin.file.world.earth.on:
        state.reserve("place", PLACE)
        state.reserve("earth_truth", EARTH_TRUTH)
    state.reserve("driven", len(twin.file.parts))
    state.reserve("pushes", PUSHES)
    state.reserve("pushing", WRENCH * len(twin.description.links))  # right behind: see pushes.py
    state.reserve("wakes", wakes_of(twin))
    state.reserve("commands", inputs)
    state.reserve("setpoints", member.setpoints)
    state.reserve("override", member.setpoints + inputs)
    state.reserve("program", member.memory)
    state.reserve("scheduled", member.scheduled)
    state.reserve("fresh", len(readings(twin)) + 1)  # the last one is the truth's
    state.reserve(f"ideal:{TRUTH}", sum(item.size for item in quantities if item.sensor == TRUTH))
    for name, sensor in readings(twin).items():
        own = [item for item in quantities if item.sensor == name]
        channels = sum(item.size for item in own)
        capacity = int(np.ceil(sensor.delay * sensor.rate)) + 3
        state.reserve(f"scan:{name}", SCAN if sensor.contract is Lidar else 0)
        state.reserve(f"fix:{name}", 3 if sensor.contract.has_fix(sensor) else 0)
        state.reserve(f"ideal:{name}", sum(item.size for item in own if not item.engine_name))
        state.reserve(f"sensor:{name}", SENSOR_MEMORY)
        state.reserve(f"ring:{name}", capacity * (channels + ARRIVAL.itemsize // 8))
        for item in own:
            state.reserve(f"measured:{name}.{item.quantity}", item.size)
            state.reserve(f"bias:{name}.{item.quantity}", item.size)
    state.reserve("channels", CHANNELS if member.piloted else 0)
    state.reserve("boxes", 1 + member.boxes if member.boxes else 0)
    return state


def _apply_values(assembly: Assembly, twin: Twin) -> None:
    """Write what was set by path, what parts lend to joints, and the inertias of fused bodies; `mj_setConst` has to follow."""
    model, values = assembly.model, twin.body_values()
    loaded = loaded_joints(twin)
    assembly.inertias.write_fused(model)
    for name in belted_parts(twin):
        apply_belt(model, twin, name)
    for name in dict.fromkeys((*loaded, *(joint_of(path) for path in values if path.startswith("joints.")))):
        apply_joint(model, twin, name, loaded)
    for name in dict.fromkeys(link_of(path) for path in values if path.startswith("links.")):
        check_link(twin, name)
        apply_link(assembly, twin, name)


def apply_link(assembly: Assembly, twin: Twin, name: str) -> None:
    """Write a link's mass, centre of mass and inertia into a model; `mj_setConst` has to follow."""
    assembly.inertias.set(name, *link_values(twin, name))
    assembly.inertias.write(assembly.model, name)
    _write_arms(assembly, assembly.links.bodies[assembly.links[name].body])


def _write_arms(assembly: Assembly, names: tuple[str, ...]) -> None:
    """Where pushes on links act: arms from the centres of mass of their bodies."""
    model, links = assembly.model, assembly.links
    start = assembly.table_start + assembly.table.first_link
    rows = model.numeric_data[start : start + len(links.links) * PUSHED_LINK.itemsize // 8].view(PUSHED_LINK)
    for name in names:
        body = links.body(model, name)
        rows[links.number(name)] = body, assembly.inertias.com(name) - model.body_ipos[body]
