"""From a twin to the engine's model: fixed links are fused, sensors and the parts' plugin join the description.

The order of everything follows the twin file, so that the same file always gives the same model, bit for bit.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from didymos.air.air_state import AIR_STATE
from didymos.control.pilot import CHANNELS
from didymos.describe.check_values import check_link, check_values
from didymos.describe.formats.engine_spec import check_compiles
from didymos.describe.names import joint_of, link_of, link_values, part_inputs, readings
from didymos.describe.twin import Twin
from didymos.engine.boxes import add_boxes
from didymos.engine.build_table import TableLayout, fill_table, laws_of, reserve_table
from didymos.engine.contact_plan import plan_search
from didymos.engine.contact_search import ContactSearch
from didymos.engine.forces import SCRATCH
from didymos.engine.friction import add_pairs
from didymos.engine.fuse import fuse, links_to_keep
from didymos.engine.joint_values import add_belts, apply_belt, apply_joint, belted_parts, loaded_joints
from didymos.engine.link_frames import LinkFrames
from didymos.engine.link_inertia import LinkInertias
from didymos.engine.memory_layout import LOOP_STATE, MemoryLayout
from didymos.engine.moving_objects import add_moving, stiffen
from didymos.engine.objects import add_bodies
from didymos.engine.part_table import NAME
from didymos.engine.plugin import attach
from didymos.engine.pushes import PUSHED_LINK, PUSHES
from didymos.engine.scene_objects import add_scene, add_scene_lights
from didymos.engine.scenery import add_ground, add_light, add_objects
from didymos.engine.sensor_sites import TRUTH, MeasuredQuantity, add_momentum, add_sensors
from didymos.engine.shown_model import ShownModel, discard_visuals
from didymos.sensors.ranging import Lidar
from didymos.sensors.reading import ARRIVAL, SENSOR_MEMORY

__all__ = ["SCAN", "Assembly", "apply_link", "assemble"]

SCAN = np.dtype([(name, np.float64) for name in ("angle_min", "angle_max", "angle_increment", "range_min", "range_max")])
"""What a scan says about itself: [rad], [m]."""

_INTEGRATORS = {
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
}


@dataclass(frozen=True)
class Assembly:
    """A compiled model and the map to it."""

    model: mujoco.MjModel
    state: MemoryLayout  # of the plugin's state
    table: TableLayout  # of the part table
    links: LinkFrames
    inertias: LinkInertias
    contacts: ContactSearch
    shown: ShownModel
    quantities: tuple[MeasuredQuantity, ...]
    bare: mujoco.MjSpec  # what moves, without sensors, plugin and shapes for the eye; see lean_bench.py
    numbers: dict[str, int]  # path of a live parameter -> index in numeric_data
    own_actuators: int  # how many actuators the description has itself

    def bare_spec(self) -> mujoco.MjSpec:
        """A copy of the leanest spec of the same motion."""
        return self.bare.copy()

    @property
    def table_start(self) -> int:
        """Where the part table begins in numeric_data."""
        return int(self.model.numeric_adr[self.model.nnumeric - 1])

    @property
    def states_first(self) -> int:
        """Where the continuous states of parts begin in `act`."""
        return max(int(self.model.actuator_actadr[self.model.nu - 1]), 0)


def assemble(twin: Twin, *, setpoints: int, memory: int, scheduled: int = 0, piloted: bool = False) -> Assembly:
    """Compile a twin; set-points, numbers of the program's memory and scheduled parameters get room in the state.

    A `piloted` one has a channel table and, where a channel drops them, boxes.
    """
    check_values(twin)
    laws = laws_of(twin)
    fused = fuse(twin.description, links_to_keep(twin))
    spec, links = fused.spec, fused.links
    inertias = LinkInertias(fused, {name: link.body for name, link in twin.description.links.items()})
    _set_options(spec, twin)
    world = twin.file.world
    add_scene_lights(spec, twin)
    add_light(spec)
    if world.ground is not None:
        add_ground(spec, world.ground.height, world.ground.friction * world.friction_scale, world.contact_time)
    add_objects(spec, twin)
    add_scene(spec, twin)
    add_bodies(spec, twin)
    add_moving(spec, twin)
    add_pairs(spec, twin, links)
    boxes = twin.file.pilot.boxes.count if piloted and twin.file.pilot.drop is not None else 0
    if boxes:
        add_boxes(spec, twin.file.pilot.boxes, world.boundary)
    add_belts(spec, twin)
    bare = spec.copy()
    discard_visuals(bare, twin)
    quantities = add_sensors(spec, twin, links)
    if twin.file.record.momentum:
        add_momentum(spec)
    own_actuators = len(spec.actuators)
    for body in spec.bodies:
        body.simple = False  # the engine's short cut for bodies whose inertia can never change; ours can, by path
    freedoms = sum(_FREEDOMS[joint.type] for joint in spec.joints)
    state = _state_layout(twin, quantities, setpoints, memory, scheduled, freedoms)
    state.reserve("channels", CHANNELS if piloted else 0)
    state.reserve("boxes", 1 + boxes if boxes else 0)
    joint = next((joint.name for joint in sorted(spec.joints, key=lambda joint: _FREEDOMS[joint.type]) if joint.name), None)
    states = sum(len(part.contract.used_states(part)) for part in twin.file.parts.values())
    if joint is None:
        spec.worldbody.add_site(name="didymos:parts")
    attach(spec, words=state.size, states=states, laws=laws, joint=joint, site="didymos:parts")
    table = TableLayout(twin)
    reserve_table(spec, table, NAME)
    shown = ShownModel(spec.copy(), twin.description.source)
    discard_visuals(spec, twin)
    model, _ = check_compiles(spec, twin.description.source)  # its warnings are in the twin's notes already
    stiffen(model, twin)
    if model.ntree <= _FEW_TREES:
        model.opt.disableflags = int(model.opt.disableflags) | int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    fill_table(model, spec, twin, links, table, state)
    start = int(model.numeric_adr[model.nnumeric - 1])
    numbers = {path: start + i for path, i in table.numbers.items()}
    assembly = Assembly(model, state, table, links, inertias, plan_search(model), shown, quantities, bare, numbers, own_actuators)
    _apply_values(assembly, twin)
    return assembly


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
    spec.option.gravity = [0.0, 0.0, -world.gravity]
    spec.option.magnetic = world.magnetic.field()
    spec.option.impratio = world.friction_impedance
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)


def _state_layout(
    twin: Twin, quantities: tuple[MeasuredQuantity, ...], setpoints: int, memory: int, scheduled: int, freedoms: int
) -> MemoryLayout:
    """Everything of a twin that changes and that the engine does not know."""
    state = MemoryLayout()
    inputs = len(part_inputs(twin)) + len(twin.description.spec.actuators)
    state.reserve("loop", LOOP_STATE)
    for name, part in twin.file.parts.items():
        kind = part.contract
        for what, layout in (("inputs", kind.input_layout), ("outputs", kind.output_layout), ("memory", kind.memory_layout)):
            state.reserve(f"{what}:{name}", layout)
    state.reserve("scratch", SCRATCH)
    state.reserve("air", AIR_STATE)
    state.reserve("applied", 2 * freedoms)
    state.reserve("driven", len(twin.file.parts))
    state.reserve("looked", 3 * freedoms)  # positions and velocities: no joint has more positions than 4/3 of its freedoms
    state.reserve("pushes", PUSHES)
    state.reserve("pushing", 3 * len(twin.description.links))
    state.reserve("commands", inputs)
    state.reserve("setpoints", setpoints)
    state.reserve("override", setpoints + inputs)
    state.reserve("program", memory)
    state.reserve("scheduled", scheduled)
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
    return state


def _apply_values(assembly: Assembly, twin: Twin) -> None:
    """Write what was set by path, what parts lend to joints, and the inertias of fused bodies into a model."""
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
    mujoco.mj_setConst(model, mujoco.MjData(model))
    _write_arms(assembly, tuple(assembly.links.links))


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
