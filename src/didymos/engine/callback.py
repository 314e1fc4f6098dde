"""The one C function through which every force law of every twin acts on the engine.

The engine calls it with a model and a data in every evaluation of accelerations: in each of the four stages of RK4, on any
thread. For each part it gathers the motion of the part's frame and the air there, calls the part's law, and adds the
generalized force of the answer:

    tau_i += S_i . (t + (p - c) x f, f)        over the degrees of freedom i that move the link

with the engine's motion axes S (`cdof`), referred to the centre of mass c of the tree, as its velocities (`cvel`) are. This is
J^T w without forming J. The sum is written to `qfrc_applied`, which is ours; pushes from outside go to `xfrc_applied`.

A model without our block is left alone, so other users of the engine in the same process are not disturbed.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any

import mujoco
from numba import carray, types

from didymos.air.atmosphere import AirSpec, density, pressure
from didymos.air.gusts import DRAWS, STATES, GustSpec, advance_gust
from didymos.air.wind import WindSpec, wind_speed
from didymos.compiled import c_function, kernel
from didymos.engine import block as b
from didymos.engine.engine_warnings import keep_quiet
from didymos.engine.layout import DATA, MODEL
from didymos.engine.memory import call_law, call_tick, doubles, integers, pointer, word
from didymos.engine.pushes import act_on_links
from didymos.parts.law import MOTION, WRENCH, Told
from didymos.sensors.kind import AIRSPEED, PRESSURE
from didymos.sensors.noise import normal
from didymos.spec import record_type

__all__ = [
    "AIR_WORDS", "GUST", "KEY", "SCRATCH_WORDS", "WIND_HERE", "advance_air", "block_address", "install", "sense_air",
    "tick_parts",
]  # fmt: skip

# state of the air in userdata: key of the gusts' random stream, states of their filters, scratch for their draws, the gust
# (world frame), the whole wind at the root link (world frame) and the root's speed through it
KEY, FILTERS = 0, 2
_DRAWN = FILTERS + STATES
GUST = _DRAWN + DRAWS
WIND_HERE = GUST + 3
AIR_WORDS = WIND_HERE + 4
_DENSITY_OF_PITOT = 1.225  # [kg/m^3], for which airspeed sensors are marked

SCRATCH_WORDS = (MOTION.itemsize + WRENCH.itemsize) // 8
_MOTION_WORDS = MOTION.itemsize // 8
_TOLD_AIR, _TOLD_JOINT = float(Told.AIR), float(Told.JOINT)
_AIR_RECORD = record_type(AirSpec)
_WIND_RECORD = record_type(WindSpec)
_GUST_RECORD = record_type(GustSpec)

_NNUMERIC, _NUMERIC_ADR, _NUMERIC_DATA = MODEL["nnumeric"], MODEL["numeric_adr"], MODEL["numeric_data"]
_BODY_ROOTID, _DOF_PARENTID, _NV = (
    MODEL["body_rootid"], MODEL["dof_parentid"], MODEL["nv"],
)  # fmt: skip
_TIME, _QPOS, _QVEL, _ACT, _USERDATA = DATA["time"], DATA["qpos"], DATA["qvel"], DATA["act"], DATA["userdata"]
_XPOS, _XMAT, _CVEL, _CDOF = DATA["xpos"], DATA["xmat"], DATA["cvel"], DATA["cdof"]
_SUBTREE_COM, _QFRC_APPLIED, _SENSORDATA = DATA["subtree_com"], DATA["qfrc_applied"], DATA["sensordata"]


@kernel
def block_address(model: int) -> int:
    """Address of the block of a model, or 0 where it has none."""
    count = word(model + _NNUMERIC)
    if count == 0:
        return 0
    start = integers(word(model + _NUMERIC_ADR))[count - 1]
    address = word(model + _NUMERIC_DATA) + 8 * start
    if doubles(address)[b.MAGIC] != b.MAGIC_NUMBER:
        return 0
    return address


@kernel
def _gather(data: int, row: Any, com: Any, here: Any) -> None:
    """Position, rotation, velocity and rate of the part's frame into `here`."""
    body = int(row[b.BODY])
    position = doubles(word(data + _XPOS) + 24 * body)
    matrix = doubles(word(data + _XMAT) + 72 * body)
    twist = doubles(word(data + _CVEL) + 48 * body)
    for i in range(3):
        here.position_world[i] = position[i] + (
            matrix[3 * i] * row[b.POSE] + matrix[3 * i + 1] * row[b.POSE + 1] + matrix[3 * i + 2] * row[b.POSE + 2]
        )
        for j in range(3):
            here.rotation[3 * i + j] = (
                matrix[3 * i] * row[b.POSE + 3 + j]
                + matrix[3 * i + 1] * row[b.POSE + 6 + j]
                + matrix[3 * i + 2] * row[b.POSE + 9 + j]
            )
    x, y, z = here.position_world[0] - com[0], here.position_world[1] - com[1], here.position_world[2] - com[2]
    u = twist[3] + twist[1] * z - twist[2] * y
    v = twist[4] + twist[2] * x - twist[0] * z
    w = twist[5] + twist[0] * y - twist[1] * x
    rotation = here.rotation
    for i in range(3):
        here.velocity[i] = rotation[i] * u + rotation[3 + i] * v + rotation[6 + i] * w
        here.rate[i] = rotation[i] * twist[0] + rotation[3 + i] * twist[1] + rotation[6 + i] * twist[2]


@kernel
def _feel_air(air: Any, wind: Any, toward_x: float, toward_y: float, gust: Any, here: Any) -> None:
    """Density and velocity relative to the air into `here`."""
    height = here.position_world[2]
    here.density = density(height, air.temperature, air.pressure)
    speed = wind_speed(height, wind)
    x, y, z = speed * toward_x + gust[0], speed * toward_y + gust[1], wind.up + gust[2]
    rotation = here.rotation
    for i in range(3):
        here.air_velocity[i] = here.velocity[i] - (rotation[i] * x + rotation[3 + i] * y + rotation[6 + i] * z)


@kernel
def _push(model: int, data: int, row: Any, com: Any, here: Any, answer: Any) -> None:
    """Add the generalized force of a wrench in the part's frame at its origin."""
    f, t = answer.force, answer.torque
    if f[0] == 0.0 and f[1] == 0.0 and f[2] == 0.0 and t[0] == 0.0 and t[1] == 0.0 and t[2] == 0.0:
        return
    total = doubles(word(data + _QFRC_APPLIED))
    rotation = here.rotation
    fx = rotation[0] * f[0] + rotation[1] * f[1] + rotation[2] * f[2]
    fy = rotation[3] * f[0] + rotation[4] * f[1] + rotation[5] * f[2]
    fz = rotation[6] * f[0] + rotation[7] * f[1] + rotation[8] * f[2]
    x, y, z = here.position_world[0] - com[0], here.position_world[1] - com[1], here.position_world[2] - com[2]
    tx = rotation[0] * t[0] + rotation[1] * t[1] + rotation[2] * t[2] + y * fz - z * fy
    ty = rotation[3] * t[0] + rotation[4] * t[1] + rotation[5] * t[2] + z * fx - x * fz
    tz = rotation[6] * t[0] + rotation[7] * t[1] + rotation[8] * t[2] + x * fy - y * fx
    parents = integers(word(model + _DOF_PARENTID))
    dof = int(row[b.LAST_DOF])
    while dof >= 0:
        axis = doubles(word(data + _CDOF) + 48 * dof)
        total[dof] += axis[0] * tx + axis[1] * ty + axis[2] * tz + axis[3] * fx + axis[4] * fy + axis[5] * fz
        dof = parents[dof]


@kernel
def _act(model: int, data: int, block: int) -> None:
    header = doubles(block)
    userdata = word(data + _USERDATA)
    scratch = userdata + 8 * int(header[b.SCRATCH])
    here = carray(pointer(scratch), 1, MOTION)[0]
    answer = carray(pointer(scratch + 8 * _MOTION_WORDS), 1, WRENCH)[0]
    air = carray(pointer(block + 8 * int(header[b.AIR])), 1, _AIR_RECORD)[0]
    wind = carray(pointer(block + 8 * int(header[b.WIND])), 1, _WIND_RECORD)[0]
    toward_x, toward_y = math.cos(wind.direction), math.sin(wind.direction)
    gust = doubles(userdata + 8 * (int(header[b.AIR_STATE]) + GUST))
    here.time = doubles(data + _TIME)[0]
    for part in range(int(header[b.COUNT])):
        row = doubles(block + 8 * (int(header[b.TABLE]) + b.ROW_WORDS * part))
        root = integers(word(model + _BODY_ROOTID))[int(row[b.BODY])]
        com = doubles(word(data + _SUBTREE_COM) + 24 * root)
        if row[b.TOLD] != _TOLD_JOINT:
            _gather(data, row, com, here)
        if row[b.TOLD] == _TOLD_AIR:
            _feel_air(air, wind, toward_x, toward_y, gust, here)
        here.joint_position = 0.0
        here.joint_velocity = 0.0
        if row[b.JOINT_DOF] >= 0.0:
            here.joint_position = doubles(word(data + _QPOS))[int(row[b.JOINT_QPOS])]
            here.joint_velocity = doubles(word(data + _QVEL))[int(row[b.JOINT_DOF])]
        if row[b.BELT_DOF] >= 0.0:
            here.joint_position += doubles(word(data + _QPOS))[int(row[b.BELT_QPOS])]
            here.joint_velocity += doubles(word(data + _QVEL))[int(row[b.BELT_DOF])]
        for i in range(3):
            answer.force[i] = 0.0
            answer.torque[i] = 0.0
        answer.joint_torque = 0.0
        call_law(
            int(row[b.LAW]),
            block + 8 * int(row[b.PARAMETERS]),
            block + 8 * int(row[b.TABLES]),
            scratch,
            userdata + 8 * int(row[b.UPSTREAM]),
            userdata + 8 * int(row[b.INPUTS]),
            userdata + 8 * int(row[b.MEMORY]),
            word(data + _ACT) + 8 * int(row[b.STATES]),
            userdata + 8 * int(row[b.PART_RATES]),
            scratch + 8 * _MOTION_WORDS,
            userdata + 8 * int(row[b.OUTPUTS]),
        )
        if row[b.TOLD] != _TOLD_JOINT:
            _push(model, data, row, com, here, answer)
        if row[b.JOINT_DOF] >= 0.0:
            doubles(word(data + _QFRC_APPLIED))[int(row[b.JOINT_DOF])] += answer.joint_torque
        if row[b.BELT_DOF] >= 0.0:
            doubles(word(data + _QFRC_APPLIED))[int(row[b.BELT_DOF])] += answer.joint_torque


@kernel
def advance_air(model: int, data: int, tick: int, period: float) -> None:
    """The gust of this tick and the wind at the root link, from the state as it is at the start of the tick."""
    block = block_address(model)
    if block == 0:
        return
    header = doubles(block)
    state = word(data + _USERDATA) + 8 * int(header[b.AIR_STATE])
    kept, gust, here = doubles(state), doubles(state + 8 * GUST), doubles(state + 8 * WIND_HERE)
    wind = carray(pointer(block + 8 * int(header[b.WIND])), 1, _WIND_RECORD)[0]
    gusts = carray(pointer(block + 8 * int(header[b.GUSTS])), 1, _GUST_RECORD)[0]
    height, x, y, z = 0.0, 0.0, 0.0, 0.0
    if header[b.ROOT_DOF] >= 0.0:
        height = doubles(word(data + _QPOS))[int(header[b.ROOT_QPOS]) + 2]
        velocity = doubles(word(data + _QVEL) + 8 * int(header[b.ROOT_DOF]))
        x, y, z = velocity[0], velocity[1], velocity[2]
    toward_x, toward_y = math.cos(wind.direction), math.sin(wind.direction)
    mean = wind_speed(height, wind)
    x, y, z = x - mean * toward_x, y - mean * toward_y, z - wind.up
    gust[0], gust[1], gust[2] = gusts.x, gusts.y, gusts.z
    if gusts.wind_6m > 0.0 or gusts.sigma_u > 0.0 or gusts.sigma_w > 0.0:
        draws = doubles(state + 8 * _DRAWN)
        for i in range(DRAWS):
            draws[i] = normal(kept[KEY], kept[KEY + 1], DRAWS * tick + i)
        speed = math.sqrt(x * x + y * y + z * z)
        u, v, w = advance_gust(gusts, height, speed, period, tick == 0, draws, doubles(state + 8 * FILTERS))
        gust[0] += u * toward_x - v * toward_y
        gust[1] += u * toward_y + v * toward_x
        gust[2] += w
    x, y, z = x - gust[0], y - gust[1], z - gust[2]
    here[0], here[1], here[2] = mean * toward_x + gust[0], mean * toward_y + gust[1], wind.up + gust[2]
    here[3] = math.sqrt(x * x + y * y + z * z)


@kernel
def sense_air(model: int, data: int) -> None:
    """Airspeed and pressure where a sensor of them sits, into the engine's `sensordata`."""
    block = block_address(model)
    if block == 0:
        return
    header = doubles(block)
    userdata = word(data + _USERDATA)
    here = carray(pointer(userdata + 8 * int(header[b.SCRATCH])), 1, MOTION)[0]
    air = carray(pointer(block + 8 * int(header[b.AIR])), 1, _AIR_RECORD)[0]
    wind = carray(pointer(block + 8 * int(header[b.WIND])), 1, _WIND_RECORD)[0]
    gust = doubles(userdata + 8 * (int(header[b.AIR_STATE]) + GUST))
    toward_x, toward_y = math.cos(wind.direction), math.sin(wind.direction)
    readings = doubles(word(data + _SENSORDATA))
    for sensor in range(int(header[b.SENSORS])):
        row = doubles(block + 8 * (int(header[b.SENSOR_TABLE]) + b.ROW_WORDS * sensor))
        root = integers(word(model + _BODY_ROOTID))[int(row[b.BODY])]
        com = doubles(word(data + _SUBTREE_COM) + 24 * root)
        _gather(data, row, com, here)
        if row[b.LAW] == AIRSPEED:
            _feel_air(air, wind, toward_x, toward_y, gust, here)
            readings[int(row[b.OUTPUTS])] = max(here.air_velocity[0], 0.0) * math.sqrt(here.density / _DENSITY_OF_PITOT)
        elif row[b.LAW] == PRESSURE:
            readings[int(row[b.OUTPUTS])] = pressure(here.position_world[2], air.temperature, air.pressure)


@kernel
def tick_parts(model: int, data: int, clock: int) -> None:
    """Call the tick functions of all parts; `clock` is the address of the time [s] and the period [s]."""
    block = block_address(model)
    if block == 0:
        return
    header = doubles(block)
    userdata = word(data + _USERDATA)
    for part in range(int(header[b.COUNT])):
        row = doubles(block + 8 * (int(header[b.TABLE]) + b.ROW_WORDS * part))
        if row[b.TICK] != 0.0:
            call_tick(
                int(row[b.TICK]),
                block + 8 * int(row[b.PARAMETERS]),
                block + 8 * int(row[b.TABLES]),
                clock,
                userdata + 8 * int(row[b.INPUTS]),
                userdata + 8 * int(row[b.OUTPUTS]),
                userdata + 8 * int(row[b.MEMORY]),
            )


@c_function(types.void(types.int64, types.int64))
def _control(model, data):  # type: ignore[no-untyped-def]
    block = block_address(model)
    if block != 0:
        total = doubles(word(data + _QFRC_APPLIED))
        for dof in range(word(model + _NV)):
            total[dof] = 0.0
        _act(model, data, block)
        header = doubles(block)
        pushes = word(data + _USERDATA) + 8 * int(header[b.PUSHES])
        act_on_links(data, block + 8 * int(header[b.PUSH_TABLE]), int(header[b.PUSH_COUNT]), pushes)


@c_function(types.float64(types.int64, types.int64, types.int32))
def _state_rate(model, data, actuator):  # type: ignore[no-untyped-def]
    block = block_address(model)
    if block == 0:
        return 0.0
    header = doubles(block)
    index = actuator - int(header[b.FIRST_STATE_ACTUATOR])
    if index < 0:
        return 0.0
    return doubles(word(data + _USERDATA))[int(header[b.RATES]) + index]


_Generic = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
_Act = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)


def install() -> None:
    """Hang the callbacks into the engine; harmless to repeat."""
    keep_quiet()
    mujoco.set_mjcb_control(_Generic(_control.address))
    mujoco.set_mjcb_act_dyn(_Act(_state_rate.address))
