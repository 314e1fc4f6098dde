"""The loop: one tick of a twin, compiled.

    sense -> control -> [ air -> parts -> physics ] x substeps -> record

`_begin_tick` moves the set-points and the gusts, brings positions, velocities and their sensors up to the state at t, and reads.
`_run_program` calls a compiled control program. `_end_tick` hands the inputs to the parts, lets the engine find the forces, reads the
sensors of accelerations, records one row (everything in it belongs to the same instant t) and advances the state. `run_ticks`
chains the three; a program written in Python is called between the first and the last.

Split like this a step costs what `mj_step` costs and gives the same bits: the first half of its forward pass (positions and
velocities) belongs to `_begin_tick`, and `mj_forwardSkip` goes on from there in `_end_tick`. The engine's sensors are computed
only at ticks at which something reads them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from didymos.compiled import inlined, kernel
from didymos.control.stimulus import evaluate
from didymos.engine.calls import call_program, engine_function
from didymos.engine.context import Source, Target
from didymos.engine.forces import advance_air_of, measure_all, tick_all
from didymos.engine.lidar import scan
from didymos.engine.link_frames import place_links
from didymos.engine.memory_layout import LOOP_STATE
from didymos.engine.packed_context import unpack
from didymos.engine.pushes import PUSHES
from didymos.native import record_at
from didymos.sensors.reading import acceleration_due, is_due, motion_due, sense, take_accelerations

__all__ = ["AHEAD", "DIVERGED", "FINE", "LEFT_THE_WORLD", "NONFINITE_CONTROL", "SENSED", "UNASKED", "run_ticks"]

FINE, DIVERGED, LEFT_THE_WORLD, NONFINITE_CONTROL = 0, 1, 2, 3
SENSED, AHEAD, UNASKED = 1, 2, 4
_SETPOINT, _INPUT, _PARAMETER, _PUSH = Target.SETPOINT, Target.INPUT, Target.PARAMETER, Target.PUSH
_LINK_POSES = Source.LINK_POSES
_STAGE_VELOCITY = 2

_mj_fwd_position = engine_function("mj_fwdPosition")
_mj_sensor_position = engine_function("mj_sensorPos")
_mj_fwd_velocity = engine_function("mj_fwdVelocity")
_mj_sensor_velocity = engine_function("mj_sensorVel")
_mj_sensor_acceleration = engine_function("mj_sensorAcc")
_mj_forward = engine_function("mj_forward")
_mj_forward_skip = engine_function("mj_forwardSkip", types.int32, types.int32)
_mj_runge_kutta = engine_function("mj_RungeKutta", types.int32)
_mj_implicit = engine_function("mj_implicit")


@inlined
def _stimulate(c: Any, t: float) -> None:
    """Set-points and inputs as a pilot overrides them, then what stimuli add and set."""
    stimuli, state, offsets = c.stimuli, c.engine.state, c.inputs.offsets
    for i in range(stimuli.setpoint_count):
        state[stimuli.setpoints + i] = state[stimuli.override + i]
    first = stimuli.override + stimuli.setpoint_count
    for i in range(offsets.shape[0]):
        offsets[i] = state[first + i]
    for i in range(stimuli.stimuli.shape[0]):
        target = stimuli.targets[i]
        value = evaluate(stimuli.stimuli[i], stimuli.tables[target.first : target.end], t)
        if target.kind == _SETPOINT:
            state[target.index] += value
        elif target.kind == _INPUT:
            offsets[target.index] += value
        elif target.kind == _PARAMETER:
            c.engine.numeric[target.index] = value
        elif target.kind == _PUSH:
            record_at(c.engine.state_address + 8 * stimuli.pushes, PUSHES).used = 1.0
            state[target.index] += value - state[target.shown]  # a person may push as well
        if target.shown >= 0:
            state[target.shown] = value


@inlined
def _streams_due(c: Any, tick: int) -> bool:
    """Whether a stream that a sensor does not trigger is recorded at this tick."""
    if c.record.on[0] == 0:
        return False
    for i in range(c.record.streams.shape[0]):
        stream = c.record.streams[i]
        if stream.sensor < 0 and is_due(tick, stream.rate, c.timing.period):
            return True
    return False


@kernel
def _begin_tick(c: Any, tick: int) -> None:
    """Set-points, air, positions, velocities and readings at the tick's time."""
    engine, timing, tables = c.engine, c.timing, c.sensors
    _stimulate(c, tick * timing.period)
    loop = record_at(engine.state_address + 8 * timing.loop, LOOP_STATE)
    if loop.sensed_ticks == tick + 1:  # its readings were looked at ahead; what was set since counts all the same
        _mj_fwd_position(engine.model, engine.data)
        _mj_fwd_velocity(engine.model, engine.data)
        return
    loop.sensed_ticks = tick + 1
    advance_air_of(engine.data, engine.table, engine.state_address, tick, timing.period)
    begins = loop.reset_tick == tick
    if begins:
        _mj_forward(engine.model, engine.data)
    else:
        _mj_fwd_position(engine.model, engine.data)
        _mj_fwd_velocity(engine.model, engine.data)
        if motion_due(tables.sensors, tick, timing.period) or _streams_due(c, tick):
            _mj_sensor_position(engine.model, engine.data)
            _mj_sensor_velocity(engine.model, engine.data)
    for i in range(tables.sensors.shape[0]):
        due = begins or is_due(tick, tables.sensors[i].rate, timing.period)
        tables.fresh[i] = 1.0 if due else 0.0
    measure_all(engine.data, engine.table, engine.state_address, tables.fresh)
    scan(engine, c.lidars, tables.fresh)
    for i in range(c.stimuli.outputs.shape[0]):
        engine.state[c.stimuli.outputs[i, 1]] = engine.state[c.stimuli.outputs[i, 0]]
    sense(tables, tick, timing.period, begins, engine.sensordata, engine.state)


@inlined
def _run_program(c: Any, tick: int) -> bool:
    """Call the compiled program; False where it answers with something that is not a number."""
    engine, timing, program = c.engine, c.timing, c.program
    loop = record_at(engine.state_address + 8 * timing.loop, LOOP_STATE)
    clock = timing.clock[0]
    clock.time = tick * timing.period
    clock.period = timing.control_every * timing.period
    clock.first = 1.0 - loop.program_called
    loop.program_called = 1.0
    for i in range(program.reads.shape[0]):
        program.measured[program.reads[i].target] = engine.state[program.reads[i].source]
    for i in range(program.asked.shape[0]):
        program.setpoints[program.asked[i].target] = engine.state[program.asked[i].source]
    call_program(
        program.function,
        timing.clock.ctypes.data,
        program.settings,
        program.gains,
        program.measured.ctypes.data,
        program.setpoints.ctypes.data,
        program.memory,
        program.commands.ctypes.data,
    )
    for i in range(program.writes.shape[0]):
        value = program.commands[program.writes[i].source]
        if not np.isfinite(value):
            return False
        engine.state[c.inputs.inputs[program.writes[i].input].command] = value
    return True


@inlined
def _hand_over_inputs(c: Any) -> None:
    for i in range(c.inputs.inputs.shape[0]):
        row = c.inputs.inputs[i]
        value = c.engine.state[row.command] + c.inputs.offsets[i]
        value = min(max(value, row.low), row.high)
        if row.part >= 0:
            c.engine.state[row.part] = value
        if row.actuator >= 0:
            c.engine.ctrl[row.actuator] = value


@inlined
def _record(c: Any, tick: int) -> None:
    engine, record = c.engine, c.record
    sources = (
        engine.state, engine.qpos, engine.qvel, engine.xpos, engine.xquat, engine.sensordata, engine.ctrl, engine.actuator_force,
        c.links.poses,
    )  # fmt: skip
    for i in range(record.streams.shape[0]):
        stream = record.streams[i]
        t = tick * c.timing.period
        if stream.sensor >= 0:
            if c.sensors.fresh[stream.sensor] == 0.0:
                continue
            t = engine.state[stream.stamp]
        elif not is_due(tick, stream.rate, c.timing.period):
            continue
        row = record.counts[i]
        if row == record.capacity:
            continue
        if i == c.links.stream:
            place_links(c.links.bodies, c.links.frames, engine.xpos, engine.xquat, c.links.poses)
        record.stamps[stream.first_stamp + row] = t
        cell = stream.first_cell + row * stream.columns
        for k in range(stream.columns):
            column = record.columns[stream.first_column + k]
            record.cells[cell + k] = sources[column.source][column.index] * column.factor
        record.counts[i] = row + 1


@kernel
def _is_finite(values: Any) -> bool:
    total = 0.0
    for value in values:
        total += value * 0.0
    return total == 0.0


@kernel
def _end_tick(c: Any, tick: int) -> int:
    """Inputs, forces, accelerations, record, physics; FINE or what went wrong."""
    engine, timing = c.engine, c.timing
    _hand_over_inputs(c)
    clock = timing.clock[0]
    clock.time, clock.period = tick * timing.period, timing.period
    tick_all(engine.table, engine.state_address, timing.clock.ctypes.data)
    for substep in range(timing.substeps):
        if substep == 0:
            _mj_forward_skip(engine.model, engine.data, _STAGE_VELOCITY, 1)
            begins = record_at(engine.state_address + 8 * timing.loop, LOOP_STATE).reset_tick == tick
            if not begins and acceleration_due(c.sensors.sensors, tick, timing.period):
                _mj_sensor_acceleration(engine.model, engine.data)
                take_accelerations(c.sensors, tick, timing.period, engine.sensordata, engine.state)
            if c.record.on[0] != 0:
                _record(c, tick)
        else:
            _mj_forward_skip(engine.model, engine.data, 0, 1)
        if not _is_finite(engine.qacc):
            return DIVERGED
        if timing.rk4:
            _mj_runge_kutta(engine.model, engine.data, 4)
        else:
            _mj_implicit(engine.model, engine.data)
        if not (_is_finite(engine.qpos) and _is_finite(engine.qvel)):
            return DIVERGED
    for address in timing.free_joints:
        for axis in range(3):
            if abs(engine.qpos[address + axis]) > timing.boundary:
                return LEFT_THE_WORLD
    return FINE


@kernel
def run_ticks(context: int, tick: int, count: int, flags: int) -> tuple[int, int]:
    """Run up to `count` ticks of a packed context; the next tick and FINE or what went wrong.

    `flags`: with SENSED, the first tick has begun already; with AHEAD, the tick after the last one begins as well, so that its
    readings can be looked at; with UNASKED, the compiled program is not called.
    """
    c = unpack(context)
    asked = c.program.function != 0 and flags & UNASKED == 0
    for now in range(tick, tick + count + 1):
        if now == tick + count and flags & AHEAD == 0:
            break
        if now > tick or flags & SENSED == 0:
            _begin_tick(c, now)
        if now == tick + count:
            break
        if asked and now % c.timing.control_every == 0 and not _run_program(c, now):
            return now, NONFINITE_CONTROL
        status = _end_tick(c, now)
        if status != FINE:
            return now, status
    return tick + count, FINE
