"""The loop: one tick of a twin, compiled.

    sense -> control -> [ air -> parts -> physics ] x substeps -> record

`begin_tick` moves the set-points and the gusts, brings positions, velocities and sensors up to the state at t, and reads.
`run_program` calls a compiled control program. `end_tick` hands the inputs to the parts, lets the engine find the forces,
records one row (everything in it belongs to the same instant t) and advances the state. `run_ticks` chains the three; a
program written in Python is called between the first and the last.

Split like this a step costs what `mj_step` costs and gives the same bits: the first half of its forward pass (positions and
velocities) belongs to `begin_tick`, and `mj_forwardSkip` goes on from there in `end_tick`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types

from didymos.compiled import inlined, kernel
from didymos.control.stimulus import evaluate
from didymos.engine.callback import advance_air, sense_air, tick_parts
from didymos.engine.contact_search import ContactSearch, search_if_near, search_on
from didymos.engine.lidar import scan
from didymos.engine.link_frames import place_links
from didymos.engine.memory import call_program, engine_function
from didymos.sensors.reading import SAMPLED_AT, is_due, needs_acceleration, sense

__all__ = [
    "DIVERGED", "FINE", "LEFT_THE_WORLD", "NONFINITE_CONTROL", "SPACE_ELSEWHERE",
    "SPACE_INPUT", "SPACE_PARAMETER", "SPACE_PUSH", "SPACE_SETPOINT", "Wiring",
    "begin_tick", "end_tick", "run_ticks",
]  # fmt: skip

FINE, DIVERGED, LEFT_THE_WORLD, NONFINITE_CONTROL = range(4)
SPACE_SETPOINT, SPACE_INPUT, SPACE_PARAMETER, SPACE_ELSEWHERE, SPACE_PUSH = range(5)
RK4 = 1
_STAGE_NONE, _STAGE_VELOCITY = 0, 2

_mj_fwd_position = engine_function("mj_fwdPosition")
_mj_sensor_position = engine_function("mj_sensorPos")
_mj_fwd_velocity = engine_function("mj_fwdVelocity")
_mj_sensor_velocity = engine_function("mj_sensorVel")
_mj_forward = engine_function("mj_forward")
_mj_forward_skip = engine_function("mj_forwardSkip", types.int32, types.int32)
_mj_runge_kutta = engine_function("mj_RungeKutta", types.int32)
_mj_implicit = engine_function("mj_implicit")


class Wiring(NamedTuple):
    """All that the loop touches: addresses, views of the engine's arrays, and tables that are fixed for a run."""

    model: int
    data: int
    period: float  # [s] of a tick
    substeps: int
    integrator: int
    contacts: ContactSearch
    ahead: float  # [s] from a state to the last one that a step of the integrator evaluates
    boundary: float  # [m]
    free_joints: Any  # addresses in qpos of free joints, int64 [n]
    # views of the engine's data
    qpos: Any
    qvel: Any
    qacc: Any
    ctrl: Any
    sensordata: Any
    userdata: Any
    xpos: Any
    xquat: Any
    actuator_force: Any
    numeric: Any
    pushes: int  # start in userdata of the forces on links from outside
    # sensors
    sensors: Any
    sensor_numbers: Any
    quantities: Any
    errors: Any
    fresh: Any  # int64 [sensors]
    lidars: Any  # int64 [n, 6]: sensor, site, its link, first in sensordata, rays, first ray
    lidar_numbers: Any  # float64 [n, 2]: nearest, farthest [m]
    rays: Any  # float64 [rays, 3], unit vectors in the site's frame
    rays_world: Any  # scratch of the same shape
    site_xpos: Any
    site_xmat: Any
    geom_type: Any
    geom_group: Any
    geom_link: Any  # int64 [geoms], number of the link, -1 for what is not of the robot
    geom_size: Any
    geom_rbound: Any
    geom_xpos: Any
    geom_xmat: Any
    readouts: Any  # int64 [n, 2]: readouts of parts that sensors report, places in userdata and sensordata
    # stimuli
    stimuli: Any  # float64 [n, 8]
    stimulus_targets: Any  # int64 [n, 5]: space, index, first and end row of its table, where its value is shown
    stimulus_tables: Any  # float64 [rows, 2]
    setpoints: Any  # start and end in userdata, int64 [2]
    began: int  # in userdata: the tick at which the robot began, and whether its program was called since
    hand: int  # start in userdata of what a pilot adds to the set-points, then to the inputs
    # inputs: where each command lies in userdata, where it goes (-1: not there) in userdata and ctrl, its range
    inputs: Any  # int64 [n, 3]
    input_ranges: Any  # float64 [n, 2]
    input_offsets: Any  # float64 [n], what stimuli and the pilot add
    # control program
    program: int
    control_every: int
    settings: Any
    gains: Any
    reads: Any  # int64, indices in userdata
    reads_setpoints: Any
    writes: Any  # int64, indices in inputs
    memory: int  # address of the program's memory
    clock: Any  # float64 [3]
    seen: Any  # float64 scratch of the program
    asked: Any
    answered: Any
    # record: streams [first column, columns, first cell, first stamp, sensor or -1], rates, columns [source, index]
    streams: Any
    stream_rates: Any
    columns: Any
    link_bodies: Any  # int64 [links]
    link_frames: Any  # float64 [links, 7], poses of links in their bodies
    link_poses: Any  # float64 [7 links], poses of links in the world, filled when their stream is due
    poses_stream: int
    factors: Any  # float64 [columns]
    cells: Any
    stamps: Any
    counts: Any  # int64 rows written since the last drain


@inlined
def _stimulate(w: Any, t: float) -> None:
    for i in range(w.setpoints[0], w.setpoints[1]):
        w.userdata[i] = w.userdata[w.hand + i - w.setpoints[0]]
    first = w.hand + w.setpoints[1] - w.setpoints[0]
    for i in range(w.input_offsets.shape[0]):
        w.input_offsets[i] = w.userdata[first + i]
    for i in range(w.stimuli.shape[0]):
        target = w.stimulus_targets[i]
        value = evaluate(w.stimuli[i], w.stimulus_tables[target[2] : target[3]], t)
        if target[0] == SPACE_SETPOINT:
            w.userdata[target[1]] += value
        elif target[0] == SPACE_INPUT:
            w.input_offsets[target[1]] += value
        elif target[0] == SPACE_PARAMETER:
            w.numeric[target[1]] = value
        elif target[0] == SPACE_PUSH:
            w.userdata[w.pushes] = 1.0
            w.userdata[target[1]] += value - w.userdata[target[4]]  # a person may push as well
        if target[4] >= 0:
            w.userdata[target[4]] = value


@inlined
def begin_tick(w: Any, tick: int) -> None:
    """Set-points, air, positions, velocities and readings at the tick's time."""
    _stimulate(w, tick * w.period)
    advance_air(w.model, w.data, tick, w.period)
    search_if_near(w.contacts, w.model, w.qpos, w.qvel, w.ahead)
    begins = w.userdata[w.began] == tick
    if needs_acceleration(w.sensors, w.sensor_numbers, tick, w.period, begins):
        _mj_forward(w.model, w.data)
    else:
        _mj_fwd_position(w.model, w.data)
        _mj_sensor_position(w.model, w.data)
        _mj_fwd_velocity(w.model, w.data)
        _mj_sensor_velocity(w.model, w.data)
    sense_air(w.model, w.data)
    scan(w, tick, begins)
    for i in range(w.readouts.shape[0]):
        w.sensordata[w.readouts[i, 1]] = w.userdata[w.readouts[i, 0]]
    sense(w.sensors, w.sensor_numbers, w.quantities, w.errors, tick, w.period, begins, w.sensordata, w.userdata, w.fresh)


@inlined
def _run_program(w: Any, tick: int) -> bool:
    """Call the compiled program; False where it answers with something that is not a number."""
    w.clock[0] = tick * w.period
    w.clock[1] = w.control_every * w.period
    w.clock[2] = 1.0 - w.userdata[w.began + 1]
    w.userdata[w.began + 1] = 1.0
    for i in range(w.reads.shape[0]):
        w.seen[i] = w.userdata[w.reads[i]]
    for i in range(w.reads_setpoints.shape[0]):
        w.asked[i] = w.userdata[w.reads_setpoints[i]]
    call_program(
        w.program,
        w.clock.ctypes.data,
        w.settings.ctypes.data,
        w.gains.ctypes.data,
        w.seen.ctypes.data,
        w.asked.ctypes.data,
        w.memory,
        w.answered.ctypes.data,
    )
    for i in range(w.writes.shape[0]):
        if not np.isfinite(w.answered[i]):
            return False
        w.userdata[w.inputs[w.writes[i], 0]] = w.answered[i]
    return True


@inlined
def _hand_over_inputs(w: Any) -> None:
    for i in range(w.inputs.shape[0]):
        value = w.userdata[w.inputs[i, 0]] + w.input_offsets[i]
        value = min(max(value, w.input_ranges[i, 0]), w.input_ranges[i, 1])
        if w.inputs[i, 1] >= 0:
            w.userdata[w.inputs[i, 1]] = value
        if w.inputs[i, 2] >= 0:
            w.ctrl[w.inputs[i, 2]] = value


@inlined
def _record(w: Any, tick: int) -> None:
    sources = (w.userdata, w.qpos, w.qvel, w.xpos, w.xquat, w.sensordata, w.ctrl, w.actuator_force, w.link_poses)
    for s in range(w.streams.shape[0]):
        first, size, cell, stamp, sensor = w.streams[s]
        t = tick * w.period
        if sensor >= 0:
            if w.fresh[sensor] == 0:
                continue
            t = w.userdata[w.sensors[sensor, 2] + SAMPLED_AT]
        elif not is_due(tick, w.stream_rates[s], w.period):
            continue
        row = w.counts[s]
        if row == w.stamps.shape[0] // w.streams.shape[0]:
            continue  # ticks that pass outside of a run are recorded by nobody
        if s == w.poses_stream:
            place_links(w.link_bodies, w.link_frames, w.xpos, w.xquat, w.link_poses)
        w.stamps[stamp + row] = t
        for c in range(size):
            value = sources[w.columns[first + c, 0]][w.columns[first + c, 1]]
            w.cells[cell + row * size + c] = value * w.factors[first + c]
        w.counts[s] = row + 1


@kernel
def _is_finite(values: Any) -> bool:
    total = 0.0
    for value in values:
        total += value * 0.0
    return total == 0.0


@inlined
def _advance(w: Any, tick: int) -> int:
    _hand_over_inputs(w)
    w.clock[0] = tick * w.period
    w.clock[1] = w.period
    tick_parts(w.model, w.data, w.clock.ctypes.data)
    for substep in range(w.substeps):
        if substep == 0:
            _mj_forward_skip(w.model, w.data, _STAGE_VELOCITY, 1)
            _record(w, tick)
        else:
            search_if_near(w.contacts, w.model, w.qpos, w.qvel, w.ahead)
            _mj_forward(w.model, w.data)
        if not _is_finite(w.qacc):
            return DIVERGED
        if w.integrator == RK4:
            _mj_runge_kutta(w.model, w.data, 4)
        else:
            _mj_implicit(w.model, w.data)
        if not (_is_finite(w.qpos) and _is_finite(w.qvel)):
            return DIVERGED
    for address in w.free_joints:
        for axis in range(3):
            if abs(w.qpos[address + axis]) > w.boundary:
                return LEFT_THE_WORLD
    return FINE


@inlined
def end_tick(w: Any, tick: int) -> int:
    """Inputs, forces, record, physics; FINE or what went wrong."""
    status = _advance(w, tick)
    search_on(w.contacts, w.model)
    return status


@kernel
def run_ticks(w: Any, tick: int, count: int) -> tuple[int, int]:
    """Run up to `count` ticks with a compiled program or none; the next tick and FINE or what went wrong."""
    for now in range(tick, tick + count):
        begin_tick(w, now)
        if w.program != 0 and now % w.control_every == 0 and not _run_program(w, now):
            return now, NONFINITE_CONTROL
        status = end_tick(w, now)
        if status != FINE:
            return now, status
    return tick + count, FINE
