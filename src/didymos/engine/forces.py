"""From the engine's motion to forces and back: every part's law, in every evaluation of accelerations.

For each part the motion of its frame and the air there are gathered and its law is called. The wrenches of parts on one body are
summed, and the generalized force of their sum added:

    tau_i += S_i . (t + (p - c) x f, f)        over the degrees of freedom i that move the link

with the engine's motion axes S (`cdof`), referred to the centre of mass c of the tree, as its velocities (`cvel`) are. This is
J^T w without forming J.

The sum goes to `qfrc_applied`, beside whatever somebody else put there: what we wrote last is remembered (`applied` in our state,
for each degree of freedom what is theirs and what the sum was), so a value that is no longer ours is taken for theirs.
`xfrc_applied` and `ctrl` stay free.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np

from didymos.air.air_state import AIR_STATE, advance_air
from didymos.air.atmosphere import pressure
from didymos.air.earth import EARTH
from didymos.air.nearby import NEARBY, density_nearby, look_around, temperature_nearby, wind_nearby
from didymos.air.place import PLACE, height_at, look_at_place, to_world
from didymos.compiled import kernel
from didymos.engine.calls import call_law, call_measure, call_tick
from didymos.engine.clearance import clearance
from didymos.engine.earth_forces import act_of_earth, feel_earth
from didymos.engine.earth_truth import tell_earth
from didymos.engine.generalized_force import add_generalized
from didymos.engine.joint_limits import LIMIT, borne
from didymos.engine.law_table import LAW, MOST_LAWS, law_table
from didymos.engine.layout import DATA, GRAVITY, INTEGRATOR, MODEL, TIMESTEP
from didymos.engine.part_table import AIR, ENTRY, GUSTS, HEADER, MEASURING, NEED, PART, ROBOT, WIND, layout_identity
from didymos.engine.pushes import PUSHES, act_on_links
from didymos.native import doubles, integers, record_at, row_at, word
from didymos.parts.part import MOTION, WRENCH, Motion
from didymos.sensors.sensor import SURROUNDINGS

__all__ = [
    "SCRATCH", "act_all", "advance_air_of", "feel_earth_of", "measure_all", "state_address", "table_address", "tick_all",
]  # fmt: skip

CALLED = np.dtype([("time", np.float64)])
"""When laws were last called [s]."""

SCRATCH = np.dtype(
    [
        ("motion", MOTION),
        ("wrench", WRENCH),
        ("load", WRENCH),
        ("nearby", NEARBY),
        ("surroundings", SURROUNDINGS),
        ("called", CALLED),
        ("down", np.float64, 3),  # a ray
    ]
)
"""Room for what a law is told and answers; in the state, so that every copy of the data has its own."""

_IDENTITY = layout_identity()
_MOTION_AIR, _MOTION_JOINT = int(Motion.AIR), int(Motion.JOINT)
_WRENCH_AT, _LOAD_AT, _NEARBY_AT, _SURROUNDINGS_AT, _CALLED_AT, _DOWN_AT = (
    int(SCRATCH.fields[name][1])  # type: ignore[index]
    for name in ("wrench", "load", "nearby", "surroundings", "called", "down")
)
_POSITION_AT = int(MOTION.fields["position_world"][1])  # type: ignore[index]
_RK4 = int(mujoco.mjtIntegrator.mjINT_RK4)
_STEP_ROUNDING = 1e-6  # of a step: what sums of steps may be off
_PUSHES_BYTES = PUSHES.itemsize
_NNUMERIC, _NUMERIC_ADR, _NUMERIC_DATA = MODEL["nnumeric"], MODEL["numeric_adr"], MODEL["numeric_data"]
_NV, _STATEADR = MODEL["nv"], MODEL["plugin_stateadr"]
_TIME, _QPOS, _QVEL, _ACT, _ACT_DOT, _STATE = (
    DATA["time"], DATA["qpos"], DATA["qvel"], DATA["act"], DATA["act_dot"], DATA["plugin_state"],
)  # fmt: skip
_XPOS, _XQUAT, _XMAT, _CVEL = DATA["xpos"], DATA["xquat"], DATA["xmat"], DATA["cvel"]
_SUBTREE_COM, _QFRC_APPLIED = DATA["subtree_com"], DATA["qfrc_applied"]


@kernel
def table_address(model: int) -> int:
    """Address of the part table of a model, or 0 where it has none of this layout."""
    count = word(model + _NNUMERIC)
    if count == 0:
        return 0
    address = word(model + _NUMERIC_DATA) + 8 * integers(word(model + _NUMERIC_ADR))[count - 1]
    return address if record_at(address, HEADER).identity == _IDENTITY else 0


@kernel
def state_address(model: int, data: int, instance: int) -> int:
    """Address of the state of a plugin instance."""
    return word(data + _STATE) + 8 * integers(word(model + _STATEADR))[instance]


@kernel
def _gather(data: int, row: Any, ground_height: float, here: Any) -> None:
    """Position, height, rotation, velocity and rate of a part's or a sensor's frame into `here`."""
    position = doubles(word(data + _XPOS) + 24 * row.body)
    matrix = doubles(word(data + _XMAT) + 72 * row.body)
    twist = doubles(word(data + _CVEL) + 48 * row.body)
    com = doubles(word(data + _SUBTREE_COM) + 24 * row.tree)
    offset, turn, rotation = row.position, row.rotation, here.rotation
    for i in range(3):
        a, b, c = matrix[3 * i], matrix[3 * i + 1], matrix[3 * i + 2]
        here.position_world[i] = position[i] + (a * offset[0] + b * offset[1] + c * offset[2])
        for j in range(3):
            rotation[3 * i + j] = a * turn[j] + b * turn[3 + j] + c * turn[6 + j]
    here.height = here.position_world[2] - ground_height
    x, y, z = here.position_world[0] - com[0], here.position_world[1] - com[1], here.position_world[2] - com[2]
    u = twist[3] + twist[1] * z - twist[2] * y
    v = twist[4] + twist[2] * x - twist[0] * z
    w = twist[5] + twist[0] * y - twist[1] * x
    for i in range(3):
        here.velocity[i] = rotation[i] * u + rotation[3 + i] * v + rotation[6 + i] * w
        here.rate[i] = rotation[i] * twist[0] + rotation[3 + i] * twist[1] + rotation[6 + i] * twist[2]


@kernel
def _feel_air(
    air: Any, wind: Any, toward_x: float, toward_y: float, felt: Any, root: Any, nearby: Any, wake: int, curved: bool, place: Any,
    altitude: float, here: Any,
) -> None:  # fmt: skip
    """Density, velocity and rate relative to the air into `here`; `felt` is the `AIR_STATE`, `root` where its gust is known.

    `wake` is the address of the velocity of other robots' wakes there (wakes.py), 0 without any. Where the Earth is `curved`,
    wind and gusts are along the axes of the `place`; `altitude` [m] is that in the atmosphere.
    """
    here.density = density_nearby(altitude, air, nearby)
    speed = wind_nearby(here.height, wind, nearby)
    gust, rotation = felt.gust, here.rotation
    x, y, z = speed * toward_x + gust[0], speed * toward_y + gust[1], wind.up + gust[2]
    if curved:
        x, y, z = to_world(place, x, y, z)
    if wake != 0:
        x, y, z = x + doubles(wake)[0], y + doubles(wake)[1], z + doubles(wake)[2]
    for i in range(3):
        here.air_rate[i] = here.rate[i]
    if felt.turning != 0.0:
        p, q, r = felt.gust_rate[0], felt.gust_rate[1], felt.gust_rate[2]
        if curved:
            p, q, r = to_world(place, p, q, r)
        at = here.position_world
        dx, dy, dz = at[0] - root[0], at[1] - root[1], at[2] - root[2]
        x, y, z = x + q * dz - r * dy, y + r * dx - p * dz, z + p * dy - q * dx
        for i in range(3):
            here.air_rate[i] -= rotation[i] * p + rotation[3 + i] * q + rotation[6 + i] * r
    for i in range(3):
        here.air_velocity[i] = here.velocity[i] - (rotation[i] * x + rotation[3 + i] * y + rotation[6 + i] * z)


@kernel
def _add_wrench(data: int, row: Any, here: Any, wrench: Any, load: Any) -> None:
    """Add a wrench in the part's frame at its origin to `load`, in the world's axes at the centre of mass of the tree."""
    f, t = wrench.force, wrench.torque
    com = doubles(word(data + _SUBTREE_COM) + 24 * row.tree)
    rotation = here.rotation
    fx = rotation[0] * f[0] + rotation[1] * f[1] + rotation[2] * f[2]
    fy = rotation[3] * f[0] + rotation[4] * f[1] + rotation[5] * f[2]
    fz = rotation[6] * f[0] + rotation[7] * f[1] + rotation[8] * f[2]
    x, y, z = here.position_world[0] - com[0], here.position_world[1] - com[1], here.position_world[2] - com[2]
    load.torque[0] += rotation[0] * t[0] + rotation[1] * t[1] + rotation[2] * t[2] + y * fz - z * fy
    load.torque[1] += rotation[3] * t[0] + rotation[4] * t[1] + rotation[5] * t[2] + z * fx - x * fz
    load.torque[2] += rotation[6] * t[0] + rotation[7] * t[1] + rotation[8] * t[2] + x * fy - y * fx
    load.force[0] += fx
    load.force[1] += fy
    load.force[2] += fz


@kernel
def _push(model: int, data: int, last_dof: int, load: Any) -> None:
    """Add the generalized force of a load on the body that `last_dof` moves, and take the load away."""
    f, t = load.force, load.torque
    fx, fy, fz, tx, ty, tz = f[0], f[1], f[2], t[0], t[1], t[2]
    if fx == 0.0 and fy == 0.0 and fz == 0.0 and tx == 0.0 and ty == 0.0 and tz == 0.0:
        return
    for axis in range(3):
        f[axis] = 0.0
        t[axis] = 0.0
    add_generalized(model, data, last_dof, fx, fy, fz, tx, ty, tz)


@kernel
def _law_of(row: Any) -> Any:
    """The law of a part or sensor in this process's table; a model from another process may have another index for it."""
    laws, index = law_table(), row.law
    if row_at(laws, index, LAW).identity != row.identity:
        index = 0
        while row_at(laws, index, LAW).identity != row.identity and index < MOST_LAWS - 1:
            index += 1
    return row_at(laws, index, LAW)


@kernel
def _begin_sum(data: int, count: int, applied: int) -> None:
    """Set `qfrc_applied` to what others put there."""
    total, theirs, written = doubles(word(data + _QFRC_APPLIED)), doubles(applied), doubles(applied + 8 * count)
    for dof in range(count):
        if total[dof] != written[dof]:
            theirs[dof] = total[dof]
        total[dof] = theirs[dof]


@kernel
def _end_sum(data: int, count: int, applied: int) -> None:
    """Remember the sum that we wrote."""
    total, written = doubles(word(data + _QFRC_APPLIED)), doubles(applied + 8 * count)
    for dof in range(count):
        written[dof] = total[dof]


@kernel
def _find_step(model: int, here: Any, called: Any) -> None:
    """Length and start of the physics step that this evaluation belongs to.

    RK4 asks at t, t + h/2, t + h/2 and t + h; the next step begins by asking at t + h once more. Other integrators ask at t.
    """
    step, time = doubles(model + TIMESTEP)[0], here.time
    here.step = step
    here.implicit = 0.0
    if integers(model + INTEGRATOR)[0] != _RK4:
        here.step_time = time
        here.implicit = 1.0
        return
    since, slack = time - here.step_time, _STEP_ROUNDING * step
    ended = since >= step - slack and abs(time - called.time) <= slack
    if ended or since < 0.0 or since > step + slack:
        here.step_time = time
    called.time = time


@kernel
def _limit(limit: Any, index: int, parts: int, driven: Any, qvel: Any, total: Any) -> None:
    """Take away what parts drive a joint with beyond its limits; each that has a belt loses its share there too."""
    asked = 0.0
    for i in range(limit.first_part, limit.last_part + 1):
        if row_at(parts, i, PART).limit == index:
            asked += driven[i]
    beyond = asked - borne(asked, qvel[limit.dof], limit)
    if beyond == 0.0:
        return
    total[limit.dof] -= beyond
    for i in range(limit.first_part, limit.last_part + 1):
        row = row_at(parts, i, PART)
        if row.limit == index and row.belt_dof >= 0:
            total[row.belt_dof] -= beyond * (driven[i] / asked)


@kernel
def _switch_off(row: Any, index: int, state: int, driven: Any) -> None:
    """What a part says that is off: nothing."""
    outputs = doubles(state + 8 * row.outputs)
    for k in range(row.output_count):
        outputs[k] = 0.0
    if row.limit >= 0:
        driven[index] = 0.0


@kernel
def _act_robot(model: int, data: int, table: int, state: int) -> None:
    """Call the law of every part of a robot; generalized forces to `qfrc_applied`, rates of states to `act_dot`."""
    header = record_at(table, ROBOT)
    pushes = state + 8 * header.pushes
    if record_at(pushes, PUSHES).used != 0.0:
        act_on_links(data, header.links, table + 8 * header.first_link, pushes + _PUSHES_BYTES)
    total = doubles(word(data + _QFRC_APPLIED))
    scratch = state + 8 * header.scratch
    here, nearby = record_at(scratch, MOTION), record_at(scratch + _NEARBY_AT, NEARBY)
    wrench, load = record_at(scratch + _WRENCH_AT, WRENCH), record_at(scratch + _LOAD_AT, WRENCH)
    air, wind = record_at(table + 8 * header.air, AIR), record_at(table + 8 * header.wind, WIND)
    toward_x, toward_y = 1.0, 0.0
    if wind.speed != 0.0 or wind.shear != 0.0:
        toward_x, toward_y = math.cos(wind.direction), math.sin(wind.direction)
    felt = record_at(state + 8 * header.air_state, AIR_STATE)
    root = doubles(word(data + _XPOS) + 24 * header.root_body)
    parts = table + 8 * header.first_part
    needs = table + 8 * header.first_need
    qpos, qvel = doubles(word(data + _QPOS)), doubles(word(data + _QVEL))
    here.time = doubles(data + _TIME)[0]
    _find_step(model, here, record_at(scratch + _CALLED_AT, CALLED))
    driven = doubles(state + 8 * header.driven)
    earth, place = record_at(table + 8 * header.earth, EARTH), record_at(state + 8 * header.place, PLACE)
    curved = header.curved != 0
    if curved:
        look_at_place(earth, root, place)
    altitude = 0.0
    loaded, last_dof = -1, -1  # the body whose load is being summed, and the last degree of freedom that moves it
    looked = False  # whether the air is known at some height
    for i in range(header.parts):
        row = row_at(parts, i, PART)
        if row.switch != 0 and doubles(table)[row.switch] == 0.0:
            _switch_off(row, i, state, driven)
            continue
        if row.motion != _MOTION_JOINT:
            if row.body != loaded:
                _push(model, data, last_dof, load)
                loaded, last_dof = row.body, row.last_dof
            _gather(data, row, header.ground_height, here)
            altitude = here.position_world[2]
            if curved:
                altitude = height_at(place, here.position_world)
                here.height = altitude - earth.height - header.ground_height
        if row.below != 0:
            doubles(scratch + _DOWN_AT)[2] = -1.0
            here.clearance = clearance(model, data, row.tree, scratch + _POSITION_AT, scratch + _DOWN_AT)
        if row.motion == _MOTION_AIR:
            if not looked:
                look_around(altitude, here.height, air, wind, nearby)
                looked = True
            wake = state + 8 * header.wakes + 24 * i if header.wakes != 0 else 0
            _feel_air(air, wind, toward_x, toward_y, felt, root, nearby, wake, curved, place, altitude, here)
            here.temperature = temperature_nearby(altitude, nearby)
        here.joint_position = 0.0
        here.joint_velocity = 0.0
        if row.joint_dof >= 0:
            here.joint_position, here.joint_velocity = qpos[row.joint_qpos], qvel[row.joint_dof]
        if row.belt_dof >= 0:
            here.joint_position += qpos[row.belt_qpos]
            here.joint_velocity += qvel[row.belt_dof]
        for k in range(row.first_need, row.first_need + row.needs):
            need = row_at(needs, k, NEED)
            for n in range(need.count):
                doubles(state)[need.target + n] = doubles(state)[need.source + n]
        for axis in range(3):
            wrench.force[axis] = 0.0
            wrench.torque[axis] = 0.0
        wrench.joint_torque = 0.0
        wrench.joint_passive = 0.0
        call_law(
            _law_of(row).function,
            table + 8 * row.parameters,
            scratch,
            state + 8 * row.inputs,
            state + 8 * row.memory,
            word(data + _ACT) + 8 * row.states,
            word(data + _ACT_DOT) + 8 * row.states,
            scratch + _WRENCH_AT,
            state + 8 * row.outputs,
        )
        if row.motion != _MOTION_JOINT:
            _add_wrench(data, row, here, wrench, load)
        if row.joint_dof >= 0:
            total[row.joint_dof] += wrench.joint_torque
            if row.limit >= 0:
                driven[i] = wrench.joint_torque - wrench.joint_passive
        if row.belt_dof >= 0:
            total[row.belt_dof] += wrench.joint_torque
    _push(model, data, last_dof, load)
    for i in range(header.limits):
        _limit(row_at(table + 8 * header.first_limit, i, LIMIT), i, parts, driven, qvel, total)


@kernel
def act_all(model: int, data: int, table: int, state: int) -> None:
    """Call the laws of all parts of all robots; `table` is the address of the header."""
    header = record_at(table, HEADER)
    dofs, entries = word(model + _NV), table + 8 * header.first_robot
    _begin_sum(data, dofs, state + 8 * header.applied)
    if header.earth != 0:
        act_of_earth(model, data, record_at(table + 8 * header.earth, EARTH))
    for i in range(header.robots):
        _act_robot(model, data, table + 8 * row_at(entries, i, ENTRY).table, state)
    _end_sum(data, dofs, state + 8 * header.applied)


@kernel
def tick_all(table: int, state: int, clock: int) -> None:
    """Call the tick functions of all parts of a robot; `clock` is the address of a `CLOCK`."""
    header = record_at(table, ROBOT)
    parts = table + 8 * header.first_part
    for i in range(header.parts):
        row = row_at(parts, i, PART)
        law = _law_of(row)
        if law.tick != 0:
            call_tick(
                law.tick,
                table + 8 * row.parameters,
                clock,
                state + 8 * row.inputs,
                state + 8 * row.memory,
                state + 8 * row.outputs,
            )


@kernel
def advance_air_of(data: int, table: int, state: int, tick: int, period: float) -> None:
    """The gust of this tick and the wind at a robot's root link, from the state as it is at the start of the tick."""
    header = record_at(table, ROBOT)
    height, x, y, z = -header.ground_height, 0.0, 0.0, 0.0
    if header.root_dof >= 0:
        height += doubles(word(data + _QPOS))[header.root_qpos + 2]
        velocity = doubles(word(data + _QVEL) + 8 * header.root_dof)
        x, y, z = velocity[0], velocity[1], velocity[2]
    air = record_at(state + 8 * header.air_state, AIR_STATE)
    wind, gusts = record_at(table + 8 * header.wind, WIND), record_at(table + 8 * header.gusts, GUSTS)
    if header.curved == 0 or header.root_dof < 0:
        advance_air(air, wind, gusts, height, x, y, z, tick, period)
        return
    earth, place = record_at(table + 8 * header.earth, EARTH), record_at(state + 8 * header.place, PLACE)
    look_at_place(earth, doubles(word(data + _QPOS) + 8 * header.root_qpos), place)
    e, n, u = place.east, place.north, place.up
    advance_air(
        air, wind, gusts, place.height - earth.height - header.ground_height,
        e[0] * x + e[1] * y + e[2] * z, n[0] * x + n[1] * y + n[2] * z, u[0] * x + u[1] * y + u[2] * z, tick, period,
    )  # fmt: skip
    here = air.wind_at_root
    here[0], here[1], here[2] = to_world(place, here[0], here[1], here[2])


@kernel
def feel_earth_of(model: int, data: int, table: int, rates: bool, accelerations: bool) -> None:
    """Tell a robot's inertial sensors of the Earth, where it is on, right after the engine has made their readings."""
    header = record_at(table, ROBOT)
    if header.earth != 0:
        rows = table + 8 * header.first_inertial
        feel_earth(model, data, record_at(table + 8 * header.earth, EARTH), rows, header.inertials, rates, accelerations)


@kernel
def _turn(q: Any, p: Any, product: Any) -> None:
    """The product of two quaternions, w first."""
    a, b, c, d = q[0], q[1], q[2], q[3]
    e, f, g, h = p[0], p[1], p[2], p[3]
    product[0] = a * e - b * f - c * g - d * h
    product[1] = a * f + b * e + c * h - d * g
    product[2] = a * g - b * h + c * e + d * f
    product[3] = a * h + b * g - c * f + d * e


@kernel
def _gather_target(data: int, row: Any, here: Any) -> None:
    """Where a sensor's target is from it, how it is turned and how it moves, all in the world, into `here`."""
    position = doubles(word(data + _XPOS) + 24 * row.target_body)
    matrix = doubles(word(data + _XMAT) + 72 * row.target_body)
    twist = doubles(word(data + _CVEL) + 48 * row.target_body)
    com = doubles(word(data + _SUBTREE_COM) + 24 * row.target_tree)
    offset, arm = row.target_position, here.target_velocity_world  # the latter is room for the arm at first
    for i in range(3):
        at = position[i] + (matrix[3 * i] * offset[0] + matrix[3 * i + 1] * offset[1] + matrix[3 * i + 2] * offset[2])
        here.target_offset_world[i] = at - here.position_world[i]
        arm[i] = at - com[i]
    x, y, z = arm[0], arm[1], arm[2]
    here.target_velocity_world[0] = twist[3] + twist[1] * z - twist[2] * y
    here.target_velocity_world[1] = twist[4] + twist[2] * x - twist[0] * z
    here.target_velocity_world[2] = twist[5] + twist[0] * y - twist[1] * x
    for i in range(3):
        here.target_rate_world[i] = twist[i]
    _turn(doubles(word(data + _XQUAT) + 32 * row.target_body), row.target_quaternion, here.target_orientation)


@kernel
def measure_all(model: int, data: int, table: int, state: int, due: int) -> None:
    """Call a robot's sensors that measure by themselves, of those that are due: not zero in the array at an address."""
    header = record_at(table, ROBOT)
    if header.measuring == 0:
        return
    scratch = state + 8 * header.scratch + _SURROUNDINGS_AT
    here = record_at(scratch, SURROUNDINGS)
    air, wind = record_at(table + 8 * header.air, AIR), record_at(table + 8 * header.wind, WIND)
    toward_x, toward_y = math.cos(wind.direction), math.sin(wind.direction)
    felt = record_at(state + 8 * header.air_state, AIR_STATE)
    root = doubles(word(data + _XPOS) + 24 * header.root_body)
    rows = table + 8 * header.first_measuring
    here.time = doubles(data + _TIME)[0]
    nearby, looked = record_at(state + 8 * header.scratch + _NEARBY_AT, NEARBY), False
    earth, place = record_at(table + 8 * header.earth, EARTH), record_at(state + 8 * header.place, PLACE)
    curved = header.curved != 0
    if curved:
        look_at_place(earth, root, place)
    wake = state + 8 * header.wakes + 24 * header.parts if header.wakes != 0 else 0  # that at the root link
    for i in range(header.measuring):
        row = row_at(rows, i, MEASURING)
        if doubles(due)[row.sensor] == 0.0:
            continue
        _gather(data, row, header.ground_height, here)
        _turn(doubles(word(data + _XQUAT) + 32 * row.body), row.quaternion, here.orientation)
        if row.target_body >= 0:
            _gather_target(data, row, here)
        altitude = here.position_world[2]
        if curved:
            altitude = height_at(place, here.position_world)
            here.height = altitude - earth.height - header.ground_height
        if not looked:
            look_around(altitude, here.height, air, wind, nearby)
            looked = True
        _feel_air(air, wind, toward_x, toward_y, felt, root, nearby, wake, curved, place, altitude, here)
        here.pressure = pressure(altitude, air.temperature, air.pressure)
        if header.earth != 0 and i == header.measuring - 1:  # the truth
            tell_earth(
                table + 8 * header.earth, state + 8 * header.place, state + 8 * header.earth_truth, here, doubles(model + GRAVITY)
            )
        call_measure(_law_of(row).function, table + 8 * row.parameters, scratch, state + 8 * row.reading)
