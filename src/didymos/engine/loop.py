"""The loop: one tick of a world, compiled; a twin alone is a world of one robot.

    sense -> control -> [ air -> parts -> physics ] x substeps -> record

`_begin_tick` moves the set-points and the gusts, brings positions, velocities and their sensors up to the state at t, and reads.
`_run_program` calls a compiled control program. `_end_tick` hands the inputs to the parts, lets the engine find the forces,
records one row (everything in it belongs to the same instant t) and advances the state; with its last physics step it reads the
sensors of accelerations for the next tick.
`run_ticks` chains the three; a program written in Python is called between the first and the last.

Split like this a step costs what `mj_step` costs and gives the same bits: the first half of its forward pass (positions and
velocities) belongs to `_begin_tick`, and `mj_forwardSkip` goes on from there in `_end_tick`. The engine's sensors are computed
only at ticks at which something reads them.

All functions take a packed context (packed_context.py): the tables of `context.py`, read by name; `w` is that of the world, `c`
that of one robot.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types

from didymos.compiled import kernel
from didymos.control.call_program import call_program
from didymos.control.stimulus import STIMULUS, evaluate
from didymos.engine.calls import engine_function
from didymos.engine.contact_search import search_if_near, search_on
from didymos.engine.context import ASKED, COLUMN, INPUT, READ, STREAM, TARGET, WRITE, Target
from didymos.engine.couplings import switch_couplings, write_poses
from didymos.engine.forces import advance_air_of, feel_earth_of, measure_all, tick_all
from didymos.engine.idle_terms import end_idle, find_idle
from didymos.engine.lidar import scan
from didymos.engine.link_frames import place_links
from didymos.engine.memory_layout import LOOP_STATE, ROBOT_STATE
from didymos.engine.moving import leave_out_moving, move
from didymos.engine.packed_context import CONTEXT, ROBOT_CONTEXT
from didymos.engine.part_table import ROBOT
from didymos.engine.pushes import PUSHES
from didymos.engine.wakes import blow, feel_wakes
from didymos.native import doubles, longs, matrix_at, record_at, row_at
from didymos.parts.part import CLOCK
from didymos.sensors.reading import SENSOR, acceleration_due, any_due, is_due, sense, take_accelerations

__all__ = [
    "AHEAD", "DIVERGED", "FELL_THROUGH_GROUND", "FINE", "LEFT_THE_WORLD", "NONFINITE_CONTROL", "SENSED", "TRUTH", "UNASKED",
    "run_ticks", "stimulate",
]  # fmt: skip

FINE, DIVERGED, LEFT_THE_WORLD, NONFINITE_CONTROL, FELL_THROUGH_GROUND = 0, 1, 2, 3, 4
SENSED, AHEAD, UNASKED, TRUTH = 1, 2, 4, 8
_SETPOINT, _INPUT, _PARAMETER, _PUSH = Target.SETPOINT, Target.INPUT, Target.PARAMETER, Target.PUSH
_STAGE_NONE, _STAGE_VELOCITY = 0, 2
_SENSORS, _NO_SENSORS = 0, 1
_FLOAT = np.dtype(np.float64)

_mj_fwd_position = engine_function("mj_fwdPosition")
_mj_sensor_position = engine_function("mj_sensorPos")
_mj_fwd_velocity = engine_function("mj_fwdVelocity")
_mj_sensor_velocity = engine_function("mj_sensorVel")
_mj_forward = engine_function("mj_forward")
_mj_forward_skip = engine_function("mj_forwardSkip", types.int32, types.int32)
_mj_runge_kutta = engine_function("mj_RungeKutta", types.int32)
_mj_implicit = engine_function("mj_implicit")


@kernel
def stimulate(w: Any, c: Any, t: float) -> None:
    """Set-points and inputs as a pilot overrides them, then what stimuli add and set."""
    s, engine = c.stimuli, w.engine
    state, offsets, numeric = doubles(engine.state), doubles(c.inputs.offsets), doubles(engine.numeric)
    for i in range(s.setpoint_count):
        state[s.setpoints + i] = state[s.override + i]
    for i in range(c.inputs.offsets_count):
        offsets[i] = state[s.override + s.setpoint_count + i]
    for i in range(s.stimuli_count):
        target = row_at(s.targets, i, TARGET)
        table = matrix_at(s.tables + 16 * target.first, target.end - target.first, 2, _FLOAT)
        value = evaluate(row_at(s.stimuli, i, STIMULUS), table, t)
        if target.kind == _SETPOINT:
            state[target.index] += value
        elif target.kind == _INPUT:
            offsets[target.index] += value
        elif target.kind == _PARAMETER:
            numeric[target.index] = value
        elif target.kind == _PUSH:
            record_at(engine.state + 8 * s.pushes, PUSHES).used = 1.0
            state[target.index] += value - state[target.shown]  # a person may push as well
        if target.shown >= 0:
            state[target.shown] = value


@kernel
def _streams_due(w: Any, c: Any, tick: int) -> bool:
    """Whether a stream that a sensor does not trigger is recorded at this tick."""
    if longs(c.record.on)[0] == 0:
        return False
    for i in range(c.record.streams_count):
        stream = row_at(c.record.streams, i, STREAM)
        if stream.sensor < 0 and is_due(tick, stream.rate, w.timing.period):
            return True
    return False


@kernel
def _remember_look(w: Any) -> None:
    """Keep the state that readings were taken ahead of."""
    engine = w.engine
    looked, qpos, qvel = doubles(engine.state + 8 * w.timing.looked), doubles(engine.qpos), doubles(engine.qvel)
    for i in range(engine.qpos_count):
        looked[i] = qpos[i]
    for i in range(engine.qvel_count):
        looked[engine.qpos_count + i] = qvel[i]


@kernel
def _was_moved(w: Any) -> bool:
    """Whether somebody has put a robot elsewhere since readings were taken ahead."""
    engine = w.engine
    looked, qpos, qvel = doubles(engine.state + 8 * w.timing.looked), doubles(engine.qpos), doubles(engine.qvel)
    for i in range(engine.qpos_count):
        if looked[i] != qpos[i]:
            return True
    for i in range(engine.qvel_count):
        if looked[engine.qpos_count + i] != qvel[i]:
            return True
    return False


@kernel
def _look(w: Any, c: Any, tick: int, begins: bool) -> None:
    """The readings of a robot's sensors at the tick's time; the truth is read where it is due already."""
    engine, sensors, period = w.engine, c.sensors, w.timing.period
    fresh = doubles(sensors.fresh)
    for i in range(sensors.sensors_count):
        fresh[i] = 1.0 if begins or is_due(tick, row_at(sensors.sensors, i, SENSOR).rate, period) else 0.0
    if begins:
        fresh[sensors.sensors_count] = 1.0
    measure_all(engine.model, engine.data, c.robot.table, engine.state, sensors.fresh)
    if c.lidars.lidars_count > 0:
        scan(engine, c.lidars, sensors.fresh)
    state, outputs = doubles(engine.state), longs(c.stimuli.outputs)
    for i in range(c.stimuli.outputs_count):
        state[outputs[2 * i + 1]] = state[outputs[2 * i]]
    sense(sensors, tick, period, begins, engine.sensordata, engine.state)


@kernel
def _stir(w: Any) -> None:
    """What the rotors of all robots blow, and what each robot feels of the others."""
    engine, wakes = w.engine, w.wakes
    jet, rotor = 0, 0
    for i in range(w.robots_count):
        table = row_at(w.robots, i, ROBOT_CONTEXT).robot.table
        blow(engine.data, table, engine.state, i, wakes.jets, jet, wakes.rotors, rotor)
        robot = record_at(table, ROBOT)
        jet, rotor = jet + robot.jets, rotor + robot.blowers
    for i in range(w.robots_count):
        table = row_at(w.robots, i, ROBOT_CONTEXT).robot.table
        feel_wakes(engine.data, table, engine.state, i, wakes.jets, jet, wakes.rotors, rotor)


@kernel
def _feel_earth(w: Any, rates: bool, accelerations: bool) -> None:
    """What the Earth adds to readings that the engine has just made, where it is on."""
    for i in range(w.robots_count):
        feel_earth_of(w.engine.model, w.engine.data, row_at(w.robots, i, ROBOT_CONTEXT).robot.table, rates, accelerations)


@kernel
def _begin_tick(w: Any, tick: int, truth: bool) -> None:
    """Set-points, air, positions, velocities and readings at the tick's time, and the `truth` where it is asked for."""
    engine, period = w.engine, w.timing.period
    move(w.moving, engine, tick * period)
    for i in range(w.robots_count):
        stimulate(w, row_at(w.robots, i, ROBOT_CONTEXT), tick * period)
    if w.couplings.couplings_count > 0:
        write_poses(engine, w.couplings)
    search_if_near(w.contacts, w.idle, engine, w.timing.ahead)
    loop = record_at(engine.state + 8 * w.timing.loop, LOOP_STATE)
    if loop.sensed_ticks == tick + 1 and not _was_moved(w):  # its readings were looked at ahead; what was set since counts
        _mj_fwd_position(engine.model, engine.data)
        _mj_fwd_velocity(engine.model, engine.data)
        return
    loop.sensed_ticks = tick + 1
    begins, due, told = False, False, False  # whether any robot begins, whether the engine's sensors are asked, a row recorded
    for i in range(w.robots_count):
        c = row_at(w.robots, i, ROBOT_CONTEXT)
        advance_air_of(engine.data, c.robot.table, engine.state, tick, period)
        begins = begins or record_at(engine.state + 8 * c.robot.own, ROBOT_STATE).reset_tick == tick
        recorded = truth or _streams_due(w, c, tick)
        doubles(c.sensors.fresh)[c.sensors.sensors_count] = 1.0 if recorded else 0.0  # the truth
        felt = w.timing.substeps == 1 and acceleration_due(c.sensors, tick + 1, period)
        told = told or recorded
        due = due or recorded or felt or any_due(c.sensors, tick, period)
    if begins:
        _mj_forward(engine.model, engine.data)
        _feel_earth(w, True, True)
    else:
        _mj_fwd_position(engine.model, engine.data)
        _mj_fwd_velocity(engine.model, engine.data)
        if due:
            _mj_sensor_position(engine.model, engine.data)
            _mj_sensor_velocity(engine.model, engine.data)
            _feel_earth(w, True, False)
    if begins or told:
        leave_out_moving(w.moving, engine)
    if w.wakes.jets_count > 0:
        _stir(w)
    for i in range(w.robots_count):
        c = row_at(w.robots, i, ROBOT_CONTEXT)
        own = record_at(engine.state + 8 * c.robot.own, ROBOT_STATE)
        _look(w, c, tick, own.reset_tick == tick)


@kernel
def _run_program(w: Any, c: Any, tick: int) -> bool:
    """Call a robot's compiled program; False where it answers with something that is not a number."""
    engine, timing, p = w.engine, w.timing, c.program
    own = record_at(engine.state + 8 * c.robot.own, ROBOT_STATE)
    clock = record_at(timing.clock, CLOCK)
    clock.time = tick * timing.period
    clock.period = c.robot.control_every * timing.period
    clock.first = 1.0 - own.program_called
    own.program_called = 1.0
    state, measured, setpoints, commands = doubles(engine.state), doubles(p.measured), doubles(p.setpoints), doubles(p.commands)
    for i in range(p.reads_count):
        read = row_at(p.reads, i, READ)
        measured[read.target] = state[read.source]
    for i in range(p.asked_count):
        asked = row_at(p.asked, i, ASKED)
        setpoints[asked.target] = state[asked.source]
    call_program(p.function, timing.clock, p.settings, p.gains, p.measured, p.setpoints, p.memory, p.commands)
    for i in range(p.writes_count):
        write = row_at(p.writes, i, WRITE)
        value = commands[write.source]
        if not math.isfinite(value):
            return False
        state[row_at(c.inputs.inputs, write.input, INPUT).command] = value
    return True


@kernel
def _hand_over_inputs(w: Any, c: Any) -> None:
    state, ctrl, offsets = doubles(w.engine.state), doubles(w.engine.ctrl), doubles(c.inputs.offsets)
    for i in range(c.inputs.inputs_count):
        row = row_at(c.inputs.inputs, i, INPUT)
        value = min(max(state[row.command] + offsets[i], row.low), row.high)
        if row.part >= 0:
            state[row.part] = value
        if row.actuator >= 0:
            ctrl[row.actuator] = value


@kernel
def _record(w: Any, c: Any, tick: int) -> None:
    """One row of every stream of a robot that is due."""
    e, r, links = w.engine, c.record, c.links
    sources = (e.state, e.qpos, e.qvel, e.xpos, e.xquat, e.sensordata, e.ctrl, e.actuator_force, links.poses)
    half, fresh = longs(r.half)[0], doubles(c.sensors.fresh)
    cells, stamps = doubles(r.cells + 8 * half * r.cell_count), doubles(r.stamps + 8 * half * r.stamp_count)
    counts = longs(r.counts + 8 * half * r.streams_count)
    for i in range(r.streams_count):
        stream = row_at(r.streams, i, STREAM)
        t = tick * w.timing.period
        if stream.sensor >= 0:
            if fresh[stream.sensor] == 0.0:
                continue
            t = doubles(e.state)[stream.stamp]
        elif not is_due(tick, stream.rate, w.timing.period):
            continue
        row = counts[i]
        if row == r.capacity:
            continue
        if i == links.stream:
            place_links(links.bodies_count, links.bodies, links.frames, e.xpos, e.xquat, links.poses)
        stamps[stream.first_stamp + row] = t
        cell = stream.first_cell + row * stream.columns
        for k in range(stream.columns):
            column = row_at(r.columns, stream.first_column + k, COLUMN)
            cells[cell + k] = doubles(sources[column.source])[column.index] * column.factor
        counts[i] = row + 1


@kernel
def _is_finite(address: int, count: int) -> bool:
    values, total = doubles(address), 0.0
    for i in range(count):
        total += values[i] * 0.0
    return total == 0.0


@kernel
def _accelerations_due(w: Any, tick: int) -> bool:
    """Whether a robot reads accelerations at a tick."""
    for i in range(w.robots_count):
        if acceleration_due(row_at(w.robots, i, ROBOT_CONTEXT).sensors, tick, w.timing.period):
            return True
    return False


@kernel
def _find_forces(w: Any, tick: int, substep: int) -> None:
    """The engine's forward pass, in the first substep its second half; in the last, readings of accelerations as well."""
    engine, timing = w.engine, w.timing
    stage = _STAGE_VELOCITY if substep == 0 else _STAGE_NONE
    if substep < timing.substeps - 1 or not _accelerations_due(w, tick + 1):
        _mj_forward_skip(engine.model, engine.data, stage, _NO_SENSORS)
        return
    _mj_forward_skip(engine.model, engine.data, stage, _SENSORS)
    _feel_earth(w, substep > 0, True)
    time = tick * timing.period + substep * (timing.period / timing.substeps)
    for i in range(w.robots_count):
        sensors = row_at(w.robots, i, ROBOT_CONTEXT).sensors
        if acceleration_due(sensors, tick + 1, timing.period):
            take_accelerations(sensors, tick + 1, time, timing.period, engine.sensordata, engine.state)


@kernel
def _end_tick(w: Any, tick: int) -> int:
    """Inputs, forces, accelerations, record, physics; FINE or what went wrong."""
    engine, timing = w.engine, w.timing
    clock = record_at(timing.clock, CLOCK)
    clock.time = tick * timing.period
    clock.period = timing.period
    for i in range(w.robots_count):
        c = row_at(w.robots, i, ROBOT_CONTEXT)
        _hand_over_inputs(w, c)
        tick_all(c.robot.table, engine.state, timing.clock)
    if w.couplings.couplings_count > 0:
        switch_couplings(engine, w.couplings)
    for substep in range(timing.substeps):
        if substep > 0:
            move(w.moving, engine, tick * timing.period + substep * (timing.period / timing.substeps))
            search_if_near(w.contacts, w.idle, engine, timing.ahead)
        _find_forces(w, tick, substep)
        if substep == 0:
            for i in range(w.robots_count):
                c = row_at(w.robots, i, ROBOT_CONTEXT)
                if longs(c.record.on)[0] != 0:
                    _record(w, c, tick)
        if not _is_finite(engine.qacc, engine.qacc_count):
            return DIVERGED
        if timing.rk4 != 0:
            _mj_runge_kutta(engine.model, engine.data, 4)
        else:
            _mj_implicit(engine.model, engine.data)
        if not (_is_finite(engine.qpos, engine.qpos_count) and _is_finite(engine.qvel, engine.qvel_count)):
            return DIVERGED
    qpos, free, lowest = doubles(engine.qpos), longs(timing.free_joints), doubles(timing.lowest)
    qvel, qacc, dofs = doubles(engine.qvel), doubles(engine.qacc), longs(timing.free_dofs)
    for i in range(timing.free_joints_count):
        sinking = qvel[dofs[i] + 2] * timing.period
        if sinking < 0.0 and qacc[dofs[i] + 2] < 0.0 and qpos[free[i] + 2] < lowest[i] + sinking:
            return FELL_THROUGH_GROUND
        for axis in range(3):
            if abs(qpos[free[i] + axis]) > timing.boundary:
                return LEFT_THE_WORLD
    return FINE


@kernel
def _run_programs(w: Any, tick: int) -> bool:
    """Call the compiled programs that are due; False where one answers with something that is not a number."""
    for i in range(w.robots_count):
        c = row_at(w.robots, i, ROBOT_CONTEXT)
        called = c.program.function != 0 and longs(c.robot.asked)[0] != 0 and tick % c.robot.control_every == 0
        if called and not _run_program(w, c, tick):
            return False
    return True


@kernel
def _run(w: Any, tick: int, count: int, flags: int) -> tuple[int, int]:
    asked = flags & UNASKED == 0
    for now in range(tick, tick + count + 1):
        if now == tick + count and flags & AHEAD == 0:
            break
        if now > tick or flags & SENSED == 0:
            _begin_tick(w, now, now == tick + count and flags & TRUTH != 0)
        if now == tick + count:
            _remember_look(w)
            break
        if asked and not _run_programs(w, now):
            return now, NONFINITE_CONTROL
        status = _end_tick(w, now)
        if status != FINE:
            return now, status
    return tick + count, FINE


@kernel
def run_ticks(context: int, tick: int, count: int, flags: int) -> tuple[int, int]:
    """Run up to `count` ticks of a packed context; the next tick and FINE or what went wrong.

    `flags`: with SENSED, the first tick has begun already; with AHEAD, the tick after the last one begins as well, so that its
    readings can be looked at, with TRUTH as well what is true then; with UNASKED, no compiled program is called.
    """
    w = record_at(context, CONTEXT)
    find_idle(w.idle, w.engine.model)
    if flags & SENSED != 0:
        search_if_near(w.contacts, w.idle, w.engine, w.timing.ahead)
    ended = _run(w, tick, count, flags)
    end_idle(w.idle, w.engine.model)
    search_on(w.contacts, w.engine.model)
    return ended
