"""From a twin to the engine's model: sensors, states of parts and the block of force laws join the description.

The order of everything follows the twin file, so that the same file always gives the same model, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from didymos.control.pilot import CHANNELS
from didymos.describe.check import check_link, check_values
from didymos.describe.description import JointKind
from didymos.describe.formats.engine_spec import check_compiles
from didymos.describe.names import cameras, joint_of, link_of, link_values, movable_joints, part_inputs, readings
from didymos.describe.twin import Twin
from didymos.engine import block as b
from didymos.engine.boxes import add_boxes
from didymos.engine.callback import AIR_WORDS, SCRATCH_WORDS, install
from didymos.engine.contact_frame import install_contact_frames
from didymos.engine.contact_plan import plan_search
from didymos.engine.contact_search import ContactSearch
from didymos.engine.friction import add_pairs, direction_rows
from didymos.engine.fuse import fuse, links_to_keep
from didymos.engine.joint_values import add_belts, apply_belt, apply_joint, belted_parts, loaded_joints
from didymos.engine.link_frames import LinkFrames
from didymos.engine.link_inertia import LinkInertias
from didymos.engine.memory_layout import Plan
from didymos.engine.pushes import PUSH_WORDS
from didymos.engine.scenery import add_ground, add_light, add_objects
from didymos.engine.shown_model import ShownModel, discard_visuals
from didymos.parts import PARTS
from didymos.sensors import SENSORS
from didymos.sensors.kind import AIRSPEED, PRESSURE, CameraSpec, LidarSpec, RangefinderSpec, ReadoutSpec
from didymos.sensors.reading import MEMORY_HEAD
from didymos.spec import Spec, number_fields

__all__ = ["MOMENTUM", "TRUTH", "Assembly", "SensorPlace", "apply_link", "assemble", "camera_name", "readout_place", "site_name"]

TRUTH = "truth"
"""Name of the stream with the true pose and motion of the root link; no sensor may take it."""

MOMENTUM = "momentum"
"""Name of the stream with the momentum and energy of everything together."""

_MOST_OUTPUTS = max(len(law.outputs) for law in PARTS.values())  # zeros for a part that listens to none
_INTEGRATORS = {
    "rk4": mujoco.mjtIntegrator.mjINT_RK4,
    "implicitfast": mujoco.mjtIntegrator.mjINT_IMPLICITFAST,
}
_ENGINE_SENSORS = {
    "gyro": mujoco.mjtSensor.mjSENS_GYRO,
    "accelerometer": mujoco.mjtSensor.mjSENS_ACCELEROMETER,
    "framepos": mujoco.mjtSensor.mjSENS_FRAMEPOS,
    "framequat": mujoco.mjtSensor.mjSENS_FRAMEQUAT,
    "velocimeter": mujoco.mjtSensor.mjSENS_VELOCIMETER,
    "jointpos": mujoco.mjtSensor.mjSENS_JOINTPOS,
    "jointvel": mujoco.mjtSensor.mjSENS_JOINTVEL,
    "framelinvel": mujoco.mjtSensor.mjSENS_FRAMELINVEL,
    "magnetometer": mujoco.mjtSensor.mjSENS_MAGNETOMETER,
    "rangefinder": mujoco.mjtSensor.mjSENS_RANGEFINDER,
    "contact": mujoco.mjtSensor.mjSENS_CONTACT,
    "airspeed": mujoco.mjtSensor.mjSENS_USER,
    "pressure": mujoco.mjtSensor.mjSENS_USER,
    "rays": mujoco.mjtSensor.mjSENS_USER,
    "force": mujoco.mjtSensor.mjSENS_FORCE,
    "torque": mujoco.mjtSensor.mjSENS_TORQUE,
}
_OF_AIR = {"airspeed": AIRSPEED, "pressure": PRESSURE}  # by the block's table of sensors
_OURS = (*_OF_AIR, "rays")  # the engine keeps room for these, the loop fills it: see `sense_air` and `scan`
_NET_FORCE = [1 << int(mujoco.mjtConDataField.mjCONDATA_FORCE), 3, 1]  # of a contact sensor: force, summed up, one


@dataclass(frozen=True)
class SensorPlace:
    """One measured quantity of a sensor: where the engine writes it and what its channels are called."""

    sensor: str
    quantity: str
    columns: tuple[str, ...]
    units: tuple[str, ...]
    orientation: bool
    acceleration: bool
    engine_name: str
    size: int


@dataclass(frozen=True)
class Assembly:
    """A compiled model and the map to it."""

    model: mujoco.MjModel
    plan: Plan
    links: LinkFrames
    inertias: LinkInertias
    contacts: ContactSearch
    shown: ShownModel
    places: tuple[SensorPlace, ...]
    numbers: dict[str, int]  # path of a live parameter -> index in numeric_data
    first_state_actuator: int
    own_actuators: int  # how many actuators the description has itself


def assemble(twin: Twin, *, setpoints: int, memory: int, moved: int = 0, piloted: bool = False) -> Assembly:
    """Compile a twin; set-points, numbers of the control program's memory and moved parameters get room in the state.

    A `piloted` one has a channel table and, where a channel drops them, boxes.
    """
    check_values(twin)
    install()
    install_contact_frames()
    fused = fuse(twin.description, links_to_keep(twin))
    spec, links = fused.spec, fused.links
    inertias = LinkInertias(fused, {name: link.body for name, link in twin.description.links.items()})
    spec.memory = -1  # the engine's own estimate: a file that asks for too little would end the process
    world = twin.file.world
    spec.option.timestep = world.step
    spec.option.integrator = _INTEGRATORS[world.integrator]
    spec.option.gravity = [0.0, 0.0, -world.gravity]
    spec.option.magnetic = world.magnetic.field()
    spec.option.impratio = world.friction_impedance
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_AUTORESET)
    add_light(spec)
    if world.ground is not None:
        add_ground(spec, world.ground.height, world.ground.friction * world.friction_scale, world.contact_time)
    add_objects(spec, world)
    add_pairs(spec, twin, links)
    boxes = twin.file.pilot.boxes.count if piloted and twin.file.pilot.drop is not None else 0
    if boxes:
        add_boxes(spec, twin.file.pilot.boxes, world.boundary)
    places = _add_sensors(spec, twin, links)
    if twin.file.record.momentum:
        _add_momentum(spec)
    add_belts(spec, twin)
    own_actuators = len(spec.actuators)
    _add_states(spec, twin)
    for body in spec.bodies:
        body.simple = False  # the engine's short cut for bodies whose inertia can never change; ours can, by path
    plan = _plan(twin, places, setpoints, memory, moved)
    plan.take("channels", CHANNELS if piloted else 0)
    plan.take("boxes", 1 + boxes if boxes else 0)
    spec.nuserdata = plan.size
    words, numbers, rows = _block_plan(twin)
    directions = len(words)
    words += [0.0] * (b.DIRECTION_WORDS * len(twin.file.contacts))
    pushes = len(words)
    words += [0.0] * (PUSH_WORDS * len(links.links))
    spec.add_numeric(name="didymos_block", data=words, size=len(words))
    shown = ShownModel(spec.copy(), twin.description.source)
    discard_visuals(spec, twin)
    model, _ = check_compiles(spec, twin.description.source)  # its warnings are in the twin's notes already
    start = int(model.numeric_adr[model.nnumeric - 1])
    for part, row in rows.items():
        _fill_row(model, twin, links, part, start + row, plan, own_actuators)
    header = model.numeric_data[start : start + b.HEADER_WORDS]
    _fill_sensor_rows(model, twin, links, start + int(header[b.SENSOR_TABLE]))
    header[b.SCRATCH] = plan.starts["scratch"]
    header[b.AIR_STATE] = plan.starts["air"]
    header[b.ROOT_QPOS] = header[b.ROOT_DOF] = -1.0
    if twin.description.floating:
        root = int(model.body_jntadr[links.root_body(model)])
        header[b.ROOT_QPOS], header[b.ROOT_DOF] = model.jnt_qposadr[root], model.jnt_dofadr[root]
    header[b.RATES] = plan.starts["rates"]
    header[b.FIRST_STATE_ACTUATOR] = own_actuators
    header[b.DIRECTIONS], header[b.DIRECTION_COUNT] = directions, len(twin.file.contacts)
    table = direction_rows(model, twin, spec, links)
    model.numeric_data[start + directions :][: table.size] = table.ravel()
    header[b.PUSH_TABLE], header[b.PUSH_COUNT], header[b.PUSHES] = pushes, len(links.links), plan.starts["pushes"]
    header[b.MAGIC] = b.MAGIC_NUMBER  # last: the engine calls back while it compiles, when the rows are still empty
    _apply_values(model, twin, links, inertias)
    live = {path: start + i for path, i in numbers.items()}
    return Assembly(model, plan, links, inertias, plan_search(model), shown, places, live, own_actuators, own_actuators)


def _add_sensors(spec: mujoco.MjSpec, twin: Twin, links: LinkFrames) -> tuple[SensorPlace, ...]:
    found: list[SensorPlace] = []
    root = twin.description.root
    found += _link_sensors(spec, twin, links, TRUTH, "odometry", root)
    for name, sensor in readings(twin).items():
        if SENSORS[sensor.kind].per_joint:
            found += _joint_sensors(spec, twin, name, sensor.kind, getattr(sensor, "joints", ()))
        elif isinstance(sensor, ReadoutSpec):
            found.append(_readout_sensor(spec, twin, name, sensor))
        else:
            found += _link_sensors(spec, twin, links, name, sensor.kind, getattr(sensor, "link", root))
    for name, camera in cameras(twin).items():
        _add_camera(spec, links, name, camera)
    return tuple(found)


def camera_name(sensor: str) -> str:
    """The engine's camera of a sensor."""
    return f"didymos:{sensor}"


def _add_camera(spec: mujoco.MjSpec, links: LinkFrames, name: str, camera: CameraSpec) -> None:
    """The engine's camera looks along -z with x to the right; ours along x of its link or frame."""
    frame = links[camera.link]
    turn = frame.pose.rotation @ np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, turn.ravel())
    upright = np.degrees(2.0 * np.arctan(0.5 * camera.height / camera.focal))
    spec.body(frame.body).add_camera(name=camera_name(name), pos=frame.pose.position, quat=quaternion, fovy=float(upright))


def site_name(twin: Twin, sensor: str, link: str) -> str:
    """The site that a sensor on a link or named frame sits at."""
    return twin.description.frames[link].site if link in twin.description.frames else f"didymos:{sensor}"


def _link_sensors(
    spec: mujoco.MjSpec, twin: Twin, links: LinkFrames, name: str, kind: str, link: str
) -> list[SensorPlace]:
    site = site_name(twin, name, link)
    if kind == "rangefinder":
        site = _looking_site(spec, twin, links, name, link)
    elif link not in twin.description.frames:
        frame = links[link]
        spec.body(frame.body).add_site(name=site, pos=frame.pose.position, quat=frame.pose.quaternion, group=5)
    found = []
    for quantity in SENSORS[kind].quantities:
        added = spec.add_sensor(name=f"didymos:{name}:{quantity.name}", type=_ENGINE_SENSORS[quantity.engine_type])
        columns = quantity.columns
        if quantity.engine_type == "rays":
            sensor = twin.file.sensors[name]
            assert isinstance(sensor, LidarSpec)
            columns = tuple(str(i) for i in range(sensor.rays))
        if quantity.engine_type in _OURS:
            added.dim, added.needstage = len(columns), mujoco.mjtStage.mjSTAGE_VEL
        elif quantity.engine_type == "contact":
            added.reftype, added.refname = mujoco.mjtObj.mjOBJ_XBODY, links[link].body  # second: what the others do to it
            added.intprm[:3] = _NET_FORCE
        else:
            added.objtype, added.objname = mujoco.mjtObj.mjOBJ_SITE, site
        if quantity.engine_type == "rangefinder":
            added.intprm[0] = 1 << int(mujoco.mjtRayDataField.mjRAYDATA_DIST)
            added.cutoff = getattr(twin.file.sensors[name], "reach")  # noqa: B009
        found.append(
            SensorPlace(
                name, quantity.name, tuple(f"{quantity.name}.{column}".rstrip(".") for column in columns),
                (quantity.unit,) * len(columns), quantity.orientation, quantity.acceleration, added.name, len(columns),
            )
        )  # fmt: skip
    return found


def _looking_site(spec: mujoco.MjSpec, twin: Twin, links: LinkFrames, name: str, link: str) -> str:
    """A site at a link or frame whose z, along which the engine measures, is the frame's x pitched as the sensor says."""
    frame, sensor = links[link], twin.file.sensors[name]
    assert isinstance(sensor, RangefinderSpec)
    sine, cosine = np.sin(sensor.pitch), np.cos(sensor.pitch)
    turn = frame.pose.rotation @ np.array([[-sine, 0.0, cosine], [0.0, 1.0, 0.0], [-cosine, 0.0, -sine]])
    quaternion = np.zeros(4)
    mujoco.mju_mat2Quat(quaternion, turn.ravel())
    site = f"didymos:sensor:{name}"
    spec.body(frame.body).add_site(name=site, pos=frame.pose.position, quat=quaternion, group=5)
    return site


def _joint_sensors(
    spec: mujoco.MjSpec, twin: Twin, name: str, kind: str, joints: tuple[str, ...]
) -> list[SensorPlace]:
    about = twin.description.joints
    chosen = joints or movable_joints(twin.description)
    found = []
    for quantity in SENSORS[kind].quantities:
        first = ""
        for joint in chosen:
            engine_name = f"didymos:{name}:{quantity.name}:{joint}"
            first = first or engine_name
            spec.add_sensor(
                name=engine_name,
                type=_ENGINE_SENSORS[quantity.engine_type],
                objtype=mujoco.mjtObj.mjOBJ_JOINT,
                objname=about[joint].engine_joints[0],
            )
        columns = tuple(f"{joint}.{quantity.name}" for joint in chosen)
        slides = [about[joint].kind is JointKind.PRISMATIC for joint in chosen]
        units = tuple(quantity.unit.replace("rad", "m") if slide else quantity.unit for slide in slides)
        found.append(SensorPlace(name, quantity.name, columns, units, False, False, first, len(chosen)))
    return found


def _readout_sensor(spec: mujoco.MjSpec, twin: Twin, name: str, sensor: ReadoutSpec) -> SensorPlace:
    """Room in the engine's readings for readouts of parts, which the loop fills."""
    engine_name = f"didymos:{name}:values"
    spec.add_sensor(
        name=engine_name, type=mujoco.mjtSensor.mjSENS_USER, dim=len(sensor.readouts), needstage=mujoco.mjtStage.mjSTAGE_POS
    )
    units = tuple(readout_place(twin, readout)[2] for readout in sensor.readouts)
    return SensorPlace(name, "values", sensor.readouts, units, False, False, engine_name, len(sensor.readouts))


def readout_place(twin: Twin, readout: str) -> tuple[str, int, str]:
    """Part, number among its readouts and unit of a readout PART.NAME."""
    part, _, name = readout.partition(".")
    outputs = PARTS[twin.file.parts[part].kind].outputs
    index = [output.name for output in outputs].index(name)
    return part, index, outputs[index].unit


def _add_momentum(spec: mujoco.MjSpec) -> None:
    """The engine's own sensors of the motion of everything together and of its energy."""
    kinds = {"velocity": mujoco.mjtSensor.mjSENS_SUBTREELINVEL, "angular": mujoco.mjtSensor.mjSENS_SUBTREEANGMOM}
    for quantity, kind in kinds.items():
        spec.add_sensor(name=f"didymos:{MOMENTUM}:{quantity}", type=kind, objtype=mujoco.mjtObj.mjOBJ_BODY, objname="world")
    spec.add_sensor(name=f"didymos:{MOMENTUM}:energy", type=mujoco.mjtSensor.mjSENS_E_KINETIC)


def _add_states(spec: mujoco.MjSpec, twin: Twin) -> None:
    """One activation of the engine per continuous state of a part, so that the engine integrates it."""
    for name, part in twin.file.parts.items():
        for state in PARTS[part.kind].used_states(part):
            # an actuator has to act on something, though without gain; a robot on a test bench may have no joint
            kind, target = mujoco.mjtTrn.mjTRN_SITE, spec.sites[0].name
            if part.joint or spec.joints:
                joint = twin.description.joints[part.joint].engine_joints[0] if part.joint else spec.joints[0].name
                kind, target = mujoco.mjtTrn.mjTRN_JOINT, joint
            spec.add_actuator(
                name=f"didymos:{name}:{state}",
                trntype=kind,
                target=target,
                dyntype=mujoco.mjtDyn.mjDYN_USER,
                gainprm=[0.0] * 10,
                actlimited=False,
            )


def _plan(twin: Twin, places: tuple[SensorPlace, ...], setpoints: int, memory: int, moved: int) -> Plan:
    plan = Plan()
    plan.take("tick", 1)
    plan.take("began", 2)
    for part, spec in twin.file.parts.items():
        law = PARTS[spec.kind]
        plan.take(f"inputs:{part}", len(law.inputs))
        plan.take(f"outputs:{part}", len(law.outputs))
        plan.take(f"memory_of:{part}", len(law.memory))
    plan.take("rates", sum(len(PARTS[spec.kind].used_states(spec)) for spec in twin.file.parts.values()))
    plan.take("scratch", SCRATCH_WORDS)
    plan.take("air", AIR_WORDS)
    plan.take("nothing", _MOST_OUTPUTS)
    plan.take("commands", len(part_inputs(twin)) + len(twin.description.spec.actuators))
    plan.take("setpoints", setpoints)
    plan.take("pushes", 1 + 3 * len(twin.description.links))
    plan.take("hand", setpoints + len(part_inputs(twin)) + len(twin.description.spec.actuators))
    plan.take("memory", memory)
    plan.take("moved", moved)
    period = twin.file.world.step
    for name, sensor in readings(twin).items():
        own = [place for place in places if place.sensor == name]
        channels = sum(place.size for place in own)
        capacity = int(np.ceil((sensor.delay + period) * sensor.rate)) + 1
        plan.take(f"key:{name}", 4)
        plan.take(f"scan:{name}", 5 if isinstance(sensor, LidarSpec) else 0)
        plan.take(f"memory:{name}", MEMORY_HEAD + capacity * (channels + 2))
        for place in own:
            plan.take(f"measured:{name}.{place.quantity}", place.size)
            plan.take(f"bias:{name}.{place.quantity}", place.size)
    return plan


def _block_plan(twin: Twin) -> tuple[list[float], dict[str, int], dict[str, int]]:
    """The block's words, the live parameters' places in it, and the row of each part."""
    words = [0.0] * b.HEADER_WORDS
    numbers: dict[str, int] = {}
    words[b.COUNT] = len(twin.file.parts)

    def put(prefix: str, spec: Spec) -> int:
        first = len(words)
        for name, _ in number_fields(type(spec)):
            numbers[prefix + name] = len(words)
            words.append(float(getattr(spec, name)))
        return first

    words[b.AIR] = put("world.air.", twin.file.world.air)
    words[b.WIND] = put("world.wind.", twin.file.world.wind)
    words[b.GUSTS] = put("world.gusts.", twin.file.world.gusts)
    ours = sum(1 for name in twin.file.sensors for kind in _air_kinds(twin, name))
    words[b.SENSORS], words[b.SENSOR_TABLE] = ours, len(words)
    words += [0.0] * (b.ROW_WORDS * ours)
    words[b.TABLE] = len(words)
    rows = {}
    for part in twin.file.parts:
        rows[part] = len(words)
        words += [0.0] * b.ROW_WORDS
    for part, spec in twin.file.parts.items():
        words[rows[part] + b.PARAMETERS] = put(f"parts.{part}.", spec)
        words[rows[part] + b.TABLES] = len(words)
        words.extend(float(value) for value in spec.tables())
    return words, numbers, rows


def _fill_row(
    model: mujoco.MjModel, twin: Twin, links: LinkFrames, part: str, start: int, plan: Plan, own_actuators: int
) -> None:
    spec = twin.file.parts[part]
    law = PARTS[spec.kind]
    row = model.numeric_data[start : start + b.ROW_WORDS]
    body = links.body(model, spec.link)
    row[b.LAW] = law.function.address
    row[b.TOLD] = law.told
    row[b.BODY] = body
    row[b.LAST_DOF] = _last_dof(model, body)
    row[b.JOINT_DOF] = row[b.JOINT_QPOS] = -1.0
    if spec.joint is not None:
        joint = model.joint(twin.description.joints[spec.joint].engine_joints[0])
        row[b.JOINT_DOF], row[b.JOINT_QPOS] = joint.dofadr[0], joint.qposadr[0]
    row[b.BELT_DOF] = row[b.BELT_QPOS] = -1.0
    if spec.belt is not None:
        joint = model.joint(twin.description.joints[spec.belt].engine_joints[0])
        row[b.BELT_DOF], row[b.BELT_QPOS] = joint.dofadr[0], joint.qposadr[0]
    row[b.INPUTS] = plan.starts[f"inputs:{part}"]
    row[b.OUTPUTS] = plan.starts[f"outputs:{part}"]
    row[b.MEMORY] = plan.starts[f"memory_of:{part}"]
    row[b.UPSTREAM] = plan.starts["nothing"] if spec.input_from is None else _heard(twin, part, plan)
    row[b.TICK] = 0 if law.tick is None else law.tick.address
    before = 0
    for other, other_spec in twin.file.parts.items():
        if other == part:
            break
        before += len(PARTS[other_spec.kind].used_states(other_spec))
    row[b.PART_RATES] = plan.starts["rates"] + before
    if law.used_states(spec):
        row[b.STATES] = model.actuator_actadr[own_actuators + before]
    row[b.POSE : b.POSE + 12] = links[spec.link].row


def _air_kinds(twin: Twin, name: str) -> list[tuple[str, int]]:
    """The quantities of the air that a sensor measures, and their numbers."""
    quantities = SENSORS[twin.file.sensors[name].kind].quantities
    return [(quantity.name, _OF_AIR[quantity.engine_type]) for quantity in quantities if quantity.engine_type in _OF_AIR]


def _fill_sensor_rows(model: mujoco.MjModel, twin: Twin, links: LinkFrames, start: int) -> None:
    for name, sensor in twin.file.sensors.items():
        for quantity, kind in _air_kinds(twin, name):
            row = model.numeric_data[start : start + b.ROW_WORDS]
            link = getattr(sensor, "link", twin.description.root)
            row[b.LAW], row[b.BODY], row[b.POSE : b.POSE + 12] = kind, links.body(model, link), links[link].row
            row[b.OUTPUTS] = model.sensor(f"didymos:{name}:{quantity}").adr[0]
            start += b.ROW_WORDS


def _heard(twin: Twin, part: str, plan: Plan) -> int:
    """Where the readouts of the part input_from start that a part listens to."""
    input_from = twin.file.parts[part].input_from
    assert input_from is not None
    names = [output.name for output in PARTS[twin.file.parts[input_from].kind].outputs]
    setpoints = PARTS[twin.file.parts[part].kind].listens_to
    return plan.starts[f"outputs:{input_from}"] + (names.index(setpoints[0]) if setpoints else 0)


def _last_dof(model: mujoco.MjModel, body: int) -> int:
    """The last degree of freedom that moves a body, or -1."""
    while body > 0:
        if model.body_dofnum[body] > 0:
            return int(model.body_dofadr[body] + model.body_dofnum[body] - 1)
        body = int(model.body_parentid[body])
    return -1


def _apply_values(model: mujoco.MjModel, twin: Twin, links: LinkFrames, inertias: LinkInertias) -> None:
    values = twin.body_values()
    loaded = loaded_joints(twin)
    for name in belted_parts(twin):
        apply_belt(model, twin, name)
    for name in dict.fromkeys((*loaded, *(joint_of(path) for path in values if path.startswith("joints.")))):
        apply_joint(model, twin, name, loaded)
    inertias.write_fused(model)
    _write_arms(model, links, inertias, links.links)
    for name in dict.fromkeys(link_of(path) for path in values if path.startswith("links.")):
        apply_link(model, twin, links, inertias, name)
    mujoco.mj_setConst(model, mujoco.MjData(model))


def apply_link(model: mujoco.MjModel, twin: Twin, links: LinkFrames, inertias: LinkInertias, name: str) -> None:
    """Write a link's mass, centre of mass and inertia into a model; a tensor no body can have is an `InputError`."""
    check_link(twin, name)
    inertias.set(name, *link_values(twin, name))
    inertias.write(model, name)
    _write_arms(model, links, inertias, links.bodies[links[name].body])


def _write_arms(model: mujoco.MjModel, links: LinkFrames, inertias: LinkInertias, names: Iterable[str]) -> None:
    """Write the rows that `pushes.py` reads: again when a mass or a centre of mass in the links' body has changed."""
    block = int(model.numeric_adr[model.nnumeric - 1])
    table = block + int(model.numeric_data[block + b.PUSH_TABLE])
    for name in names:
        body, row = links.body(model, name), table + PUSH_WORDS * links.number(name)
        model.numeric_data[row] = body
        model.numeric_data[row + 1 : row + PUSH_WORDS] = inertias.com(name) - model.body_ipos[body]
