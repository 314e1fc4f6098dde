"""The loop: one tick of a twin, compiled.

    sense -> control -> [ air -> parts -> physics ] x substeps -> record

`_begin_tick` moves the set-points and the gusts, brings positions, velocities and their sensors up to the state at t, and reads.
`_run_program` calls a compiled control program. `_end_tick` hands the inputs to the parts, lets the engine find the forces,
records one row (everything in it belongs to the same instant t) and advances the state; with its last physics step it reads the
sensors of accelerations for the next tick.
`run_ticks` chains the three; a program written in Python is called between the first and the last.

Split like this a step costs what `mj_step` costs and gives the same bits: the first half of its forward pass (positions and
velocities) belongs to `_begin_tick`, and `mj_forwardSkip` goes on from there in `_end_tick`. The engine's sensors are computed
only at ticks at which something reads them.

All functions take a packed context (packed_context.py): the tables of `context.py`, read by name.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from didymos.compiled import kernel
from didymos.control.stimulus import STIMULUS, evaluate
from didymos.engine.calls import call_program, engine_function
from didymos.engine.contact_search import search_if_near, search_on
from didymos.engine.context import ASKED, COLUMN, INPUT, READ, STREAM, TARGET, WRITE, Target
from didymos.engine.forces import advance_air_of, measure_all, tick_all
from didymos.engine.lidar import scan
from didymos.engine.link_frames import place_links
from didymos.engine.memory_layout import LOOP_STATE
from didymos.engine.packed_context import CONTEXT
from didymos.engine.pushes import PUSHES
from didymos.native import array_at, matrix_at, record_at
from didymos.parts.part import CLOCK
from didymos.sensors.error import ErrorSpec
from didymos.sensors.reading import QUANTITY, SENSOR, SensorTables, acceleration_due, any_due, is_due, sense, take_accelerations
from didymos.spec import record_type

__all__ = ["AHEAD", "DIVERGED", "FINE", "LEFT_THE_WORLD", "NONFINITE_CONTROL", "SENSED", "UNASKED", "run_ticks"]

FINE, DIVERGED, LEFT_THE_WORLD, NONFINITE_CONTROL = 0, 1, 2, 3
SENSED, AHEAD, UNASKED = 1, 2, 4
_SETPOINT, _INPUT, _PARAMETER, _PUSH = Target.SETPOINT, Target.INPUT, Target.PARAMETER, Target.PUSH
_STAGE_NONE, _STAGE_VELOCITY = 0, 2
_SENSORS, _NO_SENSORS = 0, 1
_ERROR = record_type(ErrorSpec)
_FLOAT, _INT = np.dtype(np.float64), np.dtype(np.int64)

_mj_fwd_position = engine_function("mj_fwdPosition")
_mj_sensor_position = engine_function("mj_sensorPos")
_mj_fwd_velocity = engine_function("mj_fwdVelocity")
_mj_sensor_velocity = engine_function("mj_sensorVel")
_mj_forward = engine_function("mj_forward")
_mj_forward_skip = engine_function("mj_forwardSkip", types.int32, types.int32)
_mj_runge_kutta = engine_function("mj_RungeKutta", types.int32)
_mj_implicit = engine_function("mj_implicit")


@kernel
def _stimulate(c: Any, t: float) -> None:
    """Set-points and inputs as a pilot overrides them, then what stimuli add and set."""
    s, engine = c.stimuli, c.engine
    state = array_at(engine.state, engine.state_count, _FLOAT)
    offsets = array_at(c.inputs.offsets, c.inputs.offsets_count, _FLOAT)
    for i in range(s.setpoint_count):
        state[s.setpoints + i] = state[s.override + i]
    for i in range(offsets.shape[0]):
        offsets[i] = state[s.override + s.setpoint_count + i]
    stimuli, targets = array_at(s.stimuli, s.stimuli_count, STIMULUS), array_at(s.targets, s.targets_count, TARGET)
    tables = matrix_at(s.tables, s.tables_count, 2, _FLOAT)
    numeric = array_at(engine.numeric, engine.numeric_count, _FLOAT)
    for i in range(s.stimuli_count):
        target = targets[i]
        value = evaluate(stimuli[i], tables[target.first : target.end], t)
        if target.kind == _SETPOINT:
            state[target.index] += value
        elif target.kind == _INPUT:
            offsets[target.index] += value
        elif target.kind == _PARAMETER:
            numeric[target.index] = value
        elif target.kind == _PUSH:
            record_at(engine.state_address + 8 * s.pushes, PUSHES).used = 1.0
            state[target.index] += value - state[target.shown]  # a person may push as well
        if target.shown >= 0:
            state[target.shown] = value


@kernel
def _streams_due(c: Any, tick: int) -> bool:
    """Whether a stream that a sensor does not trigger is recorded at this tick."""
    if array_at(c.record.on, 1, _INT)[0] == 0:
        return False
    streams = array_at(c.record.streams, c.record.streams_count, STREAM)
    for i in range(streams.shape[0]):
        if streams[i].sensor < 0 and is_due(tick, streams[i].rate, c.timing.period):
            return True
    return False


@kernel
def _search_if_near(c: Any) -> None:
    """Let the engine search for contacts in the coming step only if anything may be near."""
    engine = c.engine
    qpos, qvel = array_at(engine.qpos, engine.qpos_count, _FLOAT), array_at(engine.qvel, engine.qvel_count, _FLOAT)
    search_if_near(c.contacts, engine.model, qpos, qvel, c.timing.ahead)


@kernel
def _sensor_tables(c: Any) -> Any:
    s = c.sensors
    return SensorTables(
        array_at(s.sensors, s.sensors_count, SENSOR),
        array_at(s.quantities, s.quantities_count, QUANTITY),
        array_at(s.errors, s.errors_count, _ERROR),
        array_at(s.fresh, s.fresh_count, _FLOAT),
    )


@kernel
def _remember_look(c: Any) -> None:
    """Keep the state that readings were taken ahead of."""
    engine = c.engine
    looked = array_at(engine.state_address + 8 * c.timing.looked, engine.qpos_count + engine.qvel_count, _FLOAT)
    qpos, qvel = array_at(engine.qpos, engine.qpos_count, _FLOAT), array_at(engine.qvel, engine.qvel_count, _FLOAT)
    for i in range(engine.qpos_count):
        looked[i] = qpos[i]
    for i in range(engine.qvel_count):
        looked[engine.qpos_count + i] = qvel[i]


@kernel
def _was_moved(c: Any) -> bool:
    """Whether somebody has put the robot elsewhere since readings were taken ahead."""
    engine = c.engine
    looked = array_at(engine.state_address + 8 * c.timing.looked, engine.qpos_count + engine.qvel_count, _FLOAT)
    qpos, qvel = array_at(engine.qpos, engine.qpos_count, _FLOAT), array_at(engine.qvel, engine.qvel_count, _FLOAT)
    for i in range(engine.qpos_count):
        if looked[i] != qpos[i]:
            return True
    for i in range(engine.qvel_count):
        if looked[engine.qpos_count + i] != qvel[i]:
            return True
    return False


@kernel
def _begin_tick(c: Any, tick: int) -> None:
    """Set-points, air, positions, velocities and readings at the tick's time."""
    engine, period = c.engine, c.timing.period
    _stimulate(c, tick * period)
    _search_if_near(c)
    loop = record_at(engine.state_address + 8 * c.timing.loop, LOOP_STATE)
    if loop.sensed_ticks == tick + 1 and not _was_moved(c):  # its readings were looked at ahead; what was set since counts
        _mj_fwd_position(engine.model, engine.data)
        _mj_fwd_velocity(engine.model, engine.data)
        return
    loop.sensed_ticks = tick + 1
    advance_air_of(engine.data, engine.table, engine.state_address, tick, period)
    begins = loop.reset_tick == tick
    tables = _sensor_tables(c)
    if begins:
        _mj_forward(engine.model, engine.data)
    else:
        _mj_fwd_position(engine.model, engine.data)
        _mj_fwd_velocity(engine.model, engine.data)
    recorded = _streams_due(c, tick)
    felt = c.timing.substeps == 1 and acceleration_due(tables.sensors, tick + 1, period)
    if not begins and (recorded or felt or any_due(tables.sensors, tick, period)):
        _mj_sensor_position(engine.model, engine.data)
        _mj_sensor_velocity(engine.model, engine.data)
    for i in range(tables.sensors.shape[0]):
        tables.fresh[i] = 1.0 if begins or is_due(tick, tables.sensors[i].rate, period) else 0.0
    tables.fresh[tables.sensors.shape[0]] = 1.0 if begins or recorded else 0.0  # the truth
    measure_all(engine.data, engine.table, engine.state_address, tables.fresh)
    if c.lidars.lidars_count > 0:
        scan(engine, c.lidars, tables.fresh)
    state = array_at(engine.state, engine.state_count, _FLOAT)
    outputs = matrix_at(c.stimuli.outputs, c.stimuli.outputs_count, 2, _INT)
    for i in range(outputs.shape[0]):
        state[outputs[i, 1]] = state[outputs[i, 0]]
    sense(tables, tick, period, begins, array_at(engine.sensordata, engine.sensordata_count, _FLOAT), state)


@kernel
def _run_program(c: Any, tick: int) -> bool:
    """Call the compiled program; False where it answers with something that is not a number."""
    engine, timing, p = c.engine, c.timing, c.program
    loop = record_at(engine.state_address + 8 * timing.loop, LOOP_STATE)
    clock = record_at(timing.clock, CLOCK)
    clock.time = tick * timing.period
    clock.period = timing.control_every * timing.period
    clock.first = 1.0 - loop.program_called
    loop.program_called = 1.0
    state = array_at(engine.state, engine.state_count, _FLOAT)
    measured, reads = array_at(p.measured, p.measured_count, _FLOAT), array_at(p.reads, p.reads_count, READ)
    for i in range(reads.shape[0]):
        measured[reads[i].target] = state[reads[i].source]
    setpoints, asked = array_at(p.setpoints, p.setpoints_count, _FLOAT), array_at(p.asked, p.asked_count, ASKED)
    for i in range(asked.shape[0]):
        setpoints[asked[i].target] = state[asked[i].source]
    call_program(p.function, timing.clock, p.settings, p.gains, p.measured, p.setpoints, p.memory, p.commands)
    commands, writes = array_at(p.commands, p.commands_count, _FLOAT), array_at(p.writes, p.writes_count, WRITE)
    inputs = array_at(c.inputs.inputs, c.inputs.inputs_count, INPUT)
    for i in range(writes.shape[0]):
        value = commands[writes[i].source]
        if not math.isfinite(value):
            return False
        state[inputs[writes[i].input].command] = value
    return True


@kernel
def _hand_over_inputs(c: Any) -> None:
    state, ctrl = array_at(c.engine.state, c.engine.state_count, _FLOAT), array_at(c.engine.ctrl, c.engine.ctrl_count, _FLOAT)
    inputs = array_at(c.inputs.inputs, c.inputs.inputs_count, INPUT)
    offsets = array_at(c.inputs.offsets, c.inputs.offsets_count, _FLOAT)
    for i in range(inputs.shape[0]):
        row = inputs[i]
        value = min(max(state[row.command] + offsets[i], row.low), row.high)
        if row.part >= 0:
            state[row.part] = value
        if row.actuator >= 0:
            ctrl[row.actuator] = value


@kernel
def _record(c: Any, tick: int) -> None:
    """One row of every stream that is due."""
    e, r, links = c.engine, c.record, c.links
    sources = (e.state, e.qpos, e.qvel, e.xpos, e.xquat, e.sensordata, e.ctrl, e.actuator_force, links.poses)
    streams, columns = array_at(r.streams, r.streams_count, STREAM), array_at(r.columns, r.columns_count, COLUMN)
    cells, stamps = array_at(r.cells, r.cells_count, _FLOAT), array_at(r.stamps, r.stamps_count, _FLOAT)
    counts, fresh = array_at(r.counts, r.counts_count, _INT), array_at(c.sensors.fresh, c.sensors.fresh_count, _FLOAT)
    for i in range(streams.shape[0]):
        stream = streams[i]
        t = tick * c.timing.period
        if stream.sensor >= 0:
            if fresh[stream.sensor] == 0.0:
                continue
            t = array_at(e.state, e.state_count, _FLOAT)[stream.stamp]
        elif not is_due(tick, stream.rate, c.timing.period):
            continue
        row = counts[i]
        if row == r.capacity:
            continue
        if i == links.stream:
            place_links(
                array_at(links.bodies, links.bodies_count, _INT),
                matrix_at(links.frames, links.frames_count, 7, _FLOAT),
                array_at(e.xpos, e.xpos_count, _FLOAT),
                array_at(e.xquat, e.xquat_count, _FLOAT),
                array_at(links.poses, links.poses_count, _FLOAT),
            )
        stamps[stream.first_stamp + row] = t
        cell = stream.first_cell + row * stream.columns
        for k in range(stream.columns):
            column = columns[stream.first_column + k]
            cells[cell + k] = array_at(sources[column.source], column.index + 1, _FLOAT)[column.index] * column.factor
        counts[i] = row + 1


@kernel
def _is_finite(address: int, count: int) -> bool:
    values, total = array_at(address, count, _FLOAT), 0.0
    for i in range(count):
        total += values[i] * 0.0
    return total == 0.0


@kernel
def _find_forces(c: Any, tick: int, substep: int) -> None:
    """The engine's forward pass, in the first substep its second half; in the last, readings of accelerations as well."""
    engine, timing, tables = c.engine, c.timing, _sensor_tables(c)
    stage = _STAGE_VELOCITY if substep == 0 else _STAGE_NONE
    if substep < timing.substeps - 1 or not acceleration_due(tables.sensors, tick + 1, timing.period):
        _mj_forward_skip(engine.model, engine.data, stage, _NO_SENSORS)
        return
    _mj_forward_skip(engine.model, engine.data, stage, _SENSORS)
    time = tick * timing.period + substep * (timing.period / timing.substeps)
    sensordata = array_at(engine.sensordata, engine.sensordata_count, _FLOAT)
    take_accelerations(tables, tick + 1, time, timing.period, sensordata, array_at(engine.state, engine.state_count, _FLOAT))


@kernel
def _end_tick(c: Any, tick: int) -> int:
    """Inputs, forces, accelerations, record, physics; FINE or what went wrong."""
    engine, timing = c.engine, c.timing
    _hand_over_inputs(c)
    clock = record_at(timing.clock, CLOCK)
    clock.time = tick * timing.period
    clock.period = timing.period
    tick_all(engine.table, engine.state_address, timing.clock)
    for substep in range(timing.substeps):
        if substep > 0:
            _search_if_near(c)
        _find_forces(c, tick, substep)
        if substep == 0 and array_at(c.record.on, 1, _INT)[0] != 0:
            _record(c, tick)
        if not _is_finite(engine.qacc, engine.qacc_count):
            return DIVERGED
        if timing.rk4 != 0:
            _mj_runge_kutta(engine.model, engine.data, 4)
        else:
            _mj_implicit(engine.model, engine.data)
        if not (_is_finite(engine.qpos, engine.qpos_count) and _is_finite(engine.qvel, engine.qvel_count)):
            return DIVERGED
    qpos, free = array_at(engine.qpos, engine.qpos_count, _FLOAT), array_at(timing.free_joints, timing.free_joints_count, _INT)
    for i in range(free.shape[0]):
        for axis in range(3):
            if abs(qpos[free[i] + axis]) > timing.boundary:
                return LEFT_THE_WORLD
    return FINE


@kernel
def run_ticks(context: int, tick: int, count: int, flags: int) -> tuple[int, int]:
    """Run up to `count` ticks of a packed context; the next tick and FINE or what went wrong.

    `flags`: with SENSED, the first tick has begun already; with AHEAD, the tick after the last one begins as well, so that its
    readings can be looked at; with UNASKED, the compiled program is not called.
    """
    c = record_at(context, CONTEXT)
    asked = c.program.function != 0 and flags & UNASKED == 0
    for now in range(tick, tick + count + 1):
        if now == tick + count and flags & AHEAD == 0:
            break
        if now > tick or flags & SENSED == 0:
            _begin_tick(c, now)
        if now == tick + count:
            _remember_look(c)
            break
        if asked and now % c.timing.control_every == 0 and not _run_program(c, now):
            search_on(c.contacts, c.engine.model)
            return now, NONFINITE_CONTROL
        status = _end_tick(c, now)
        if status != FINE:
            search_on(c.contacts, c.engine.model)
            return now, status
    search_on(c.contacts, c.engine.model)
    return tick + count, FINE
