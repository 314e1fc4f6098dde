"""One step of an episode, compiled: action in, ticks of the twin, observation, reward and ending out.

    begin    the state at the start -> what is drawn -> readings -> observation
    step     action -> ticks of the loop, the last begun for its readings -> observation, reward, ending

An action in [-1, 1] stands for low .. high of an input or a set-point. An observation with a delay is taken so many ticks before
the end of a step; a row of the newest ones waits in a ring. Everything here is a function of tables that all environments share
(`TaskTables`) and of rows that belong to one (`BatchTables`), by address; no call of Python, no lock.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import mujoco
import numpy as np
from numba import types
from numpy.typing import NDArray

from didymos.compiled import kernel
from didymos.control.steps import run_steps
from didymos.engine.calls import engine_function
from didymos.engine.link_frames import place_links
from didymos.engine.loop import AHEAD, FINE, SENSED, TRUTH, run_ticks, stimulate
from didymos.engine.memory_layout import LOOP_STATE
from didymos.engine.packed_context import CONTEXT, ROBOT_CONTEXT, layout_of
from didymos.learning.draws import DRAW, EFFECT, Kind, draw, episode_key
from didymos.learning.signal_table import SIGNAL
from didymos.native import array_at, doubles, longs, record_at, row_at, word

__all__ = [
    "ACT", "ACTION", "BEGIN", "DRAW_ONLY", "FAILED", "JUDGE", "PLACE", "PLACED", "READ", "SEE", "SKIP", "START", "STEP_ON",
    "STREAM_KEY", "BatchTables", "TaskTables", "advance",
]  # fmt: skip

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

SKIP, BEGIN, STEP_ON = 0, 1, 2
"""What an environment is to do in a call."""

DRAW_ONLY, PLACE, PLACED, ACT, SEE, READ, JUDGE = 3, 4, 5, 6, 7, 8, 9
"""Pieces of the first two, for a twin between whose ticks Python does something."""

FAILED = -1
"""The status of a step that failed in Python; those of the loop are in `loop.py`."""

_SINGLE = np.dtype(np.float32)

ACTION = np.dtype([("index", np.int64), ("low", np.float64), ("high", np.float64)])
"""Where in the state an action goes, and what -1 and 1 stand for."""

STREAM_KEY = np.dtype([("index", np.int64)])
"""Where in the state the key of a stream of noise lies."""

START = np.dtype([
    ("qpos", np.int64), ("qvel", np.int64),
    ("turned", np.int64),  # 1 where the orientation is drawn
    ("values", np.float64, 12),  # position [m], roll, pitch, yaw [rad], velocity [m/s] and rate [rad/s] in the robot's frame
])  # fmt: skip
"""How a floating robot begins, before anything is drawn."""

_STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
_NUMBER, _IN_STATE, _QPOS, _QVEL, _START = Kind.NUMBER, Kind.STATE, Kind.QPOS, Kind.QVEL, Kind.START

_mj_set_state = engine_function("mj_setState", types.int64, types.uint32)
_mju_euler_to_quaternion = types.ExternalFunction("mju_euler2Quat", types.void(types.int64, types.int64, types.int64))
_mju_rotate = types.ExternalFunction("mju_rotVecQuat", types.void(types.int64, types.int64, types.int64))


class TaskTables(NamedTuple):
    """A task, the same for all environments."""

    ticks: int  # of a step
    delayed: int  # ticks of the delay within a step
    behind: int  # whole steps of the delay
    stack: int
    period: float  # [s] of a tick
    longest: int  # steps of an episode
    poses: int  # 1 where poses of links are read
    size: int  # numbers of a saved state
    slot_count: int
    order: int  # address of the order of axes of a rotation
    steps: NDArray[Any]  # STEP [n]
    signals: NDArray[Any]  # SIGNAL [n]
    actions: NDArray[Any]  # ACTION [n]
    action_slots: Longs  # [n]
    previous_slots: Longs  # [n]
    time_slot: int
    progress_slot: int
    observed: Longs  # slots [n]
    rewards: Longs  # slots [agents]
    endings: Longs  # slots [agents]
    end_rewards: Floats  # [agents]
    draws: NDArray[Any]  # DRAW [n]
    starts: NDArray[Any]  # START [n]
    keys: NDArray[Any]  # STREAM_KEY [n]
    effects: NDArray[Any]  # EFFECT [n]


class BatchTables(NamedTuple):
    """Rows of all environments, n of them."""

    contexts: Longs  # [n] addresses of packed contexts
    saved: Floats  # [n, size] states at the start
    slots: Floats  # [n, slots]
    ring: Floats  # [n, behind + stack, observed]
    actions: NDArray[np.float32]  # [n, actions], as handed over
    observations: NDArray[np.float32]  # [n, stack * observed]
    rewards: Floats  # [n, agents]
    ended: Longs  # [n, agents], 1 where an agent's episode has ended
    cut_off: Longs  # [n], 1 where the time is over
    status: Longs  # [n], FINE or what went wrong
    passed: Longs  # [n], steps since the start
    episodes: Longs  # [n], since the seed was given
    draw_keys: Floats  # [n, draws, 2]
    noise_keys: Floats  # [n, keys, 2]
    drawn: Floats  # [n, draws]
    progress: Floats  # [1], 0..1
    modes: Longs  # [n], what each is to do


TASK, BATCH = layout_of(TaskTables), layout_of(BatchTables)


@kernel
def _draw(task: Any, batch: Any, i: int) -> None:
    """Draw the numbers of environment i for its episode."""
    keys, drawn = doubles(batch.draw_keys + 16 * i * task.draws_count), doubles(batch.drawn + 8 * i * task.draws_count)
    progress, episode = doubles(batch.progress)[0], longs(batch.episodes)[i]
    for k in range(task.draws_count):
        drawn[k] = draw(row_at(task.draws, k, DRAW), keys[2 * k], keys[2 * k + 1], episode, progress)


@kernel
def _place(task: Any, batch: Any, i: int) -> None:
    """Put environment i to the start of its episode: the saved state, what is drawn, the keys of its noise."""
    w = record_at(longs(batch.contexts)[i], CONTEXT)
    engine = w.engine
    _mj_set_state(engine.model, engine.data, batch.saved + 8 * i * task.size, _STATE)
    _draw(task, batch, i)
    drawn, state = doubles(batch.drawn + 8 * i * task.draws_count), doubles(engine.state)
    numeric, qpos, qvel = doubles(engine.numeric), doubles(engine.qpos), doubles(engine.qvel)
    for r in range(task.starts_count):
        _place_start(task, row_at(task.starts, r, START), r, drawn, qpos, engine)
    for k in range(task.draws_count):
        about = row_at(task.draws, k, DRAW)
        if about.kind == _NUMBER:
            numeric[about.index] = drawn[k]
        elif about.kind == _IN_STATE:
            state[about.index] = drawn[k]
        elif about.kind == _QPOS:
            qpos[about.index] = drawn[k]
        elif about.kind == _QVEL:
            qvel[about.index] = drawn[k]
    for k in range(task.effects_count):
        effect = row_at(task.effects, k, EFFECT)
        doubles(word(engine.model + effect.field))[effect.index] = effect.rest + effect.factor * drawn[effect.draw]
    own, episode = doubles(batch.noise_keys + 16 * i * task.keys_count), longs(batch.episodes)[i]
    for k in range(task.keys_count):
        place = row_at(task.keys, k, STREAM_KEY).index
        episode_key(own[2 * k], own[2 * k + 1], episode, doubles(engine.state + 8 * place))


@kernel
def _place_start(task: Any, start: Any, row: int, drawn: Any, qpos: Any, engine: Any) -> None:
    """A floating robot where it begins; velocities are given in its own frame, the engine keeps the linear one in the world's."""
    values = np.empty(12)
    for k in range(12):
        values[k] = start.values[k]
    for k in range(task.draws_count):
        about = row_at(task.draws, k, DRAW)
        if about.kind == _START and about.index // 12 == row:
            values[about.index % 12] = drawn[k]
    for k in range(3):
        qpos[start.qpos + k] = values[k]
    quaternion = engine.qpos + 8 * (start.qpos + 3)
    if start.turned == 1:
        _mju_euler_to_quaternion(quaternion, values[3:].ctypes.data, task.order)
    _mju_rotate(engine.qvel + 8 * start.qvel, values[6:].ctypes.data, quaternion)
    for k in range(3):
        doubles(engine.qvel)[start.qvel + 3 + k] = values[9 + k]


@kernel
def _read(task: Any, batch: Any, i: int) -> Any:
    """Read signals into the slots of environment i and go through the steps of all expressions."""
    w = record_at(longs(batch.contexts)[i], CONTEXT)
    e = w.engine
    slots = doubles(batch.slots + 8 * i * task.slot_count)
    if task.poses == 1:
        for r in range(w.robots_count):
            links = row_at(w.robots, r, ROBOT_CONTEXT).links
            place_links(links.bodies_count, links.bodies, links.frames, e.xpos, e.xquat, links.poses)
    for k in range(task.signals_count):
        signal = row_at(task.signals, k, SIGNAL)
        links = row_at(w.robots, signal.robot, ROBOT_CONTEXT).links
        sources = (e.state, e.qpos, e.qvel, e.xpos, e.xquat, e.sensordata, e.ctrl, e.actuator_force, links.poses)
        slots[signal.slot] = doubles(sources[signal.source])[signal.index] * signal.factor
    clock = record_at(e.state + 8 * w.timing.loop, LOOP_STATE)
    slots[task.time_slot] = clock.tick * task.period
    slots[task.progress_slot] = doubles(batch.progress)[0]
    run_steps(task.steps, task.steps_count, slots)
    return slots


@kernel
def _observe(task: Any, batch: Any, i: int, begins: bool) -> None:
    """Put what is seen now into the ring of environment i; where it `begins`, everywhere in it."""
    slots, observed, size = doubles(batch.slots + 8 * i * task.slot_count), longs(task.observed), task.observed_count
    rows = task.behind + task.stack
    ring = doubles(batch.ring + 8 * i * rows * size)
    for row in range(rows - 1):
        for k in range(size):
            ring[row * size + k] = ring[(row + 1) * size + k]
    for row in range(0 if begins else rows - 1, rows):
        for k in range(size):
            ring[row * size + k] = slots[observed[k]]


@kernel
def _tell(task: Any, batch: Any, i: int) -> None:
    """Hand over the observation of environment i."""
    count = task.stack * task.observed_count
    ring = doubles(batch.ring + 8 * i * (task.behind + task.stack) * task.observed_count)
    row = array_at(batch.observations + 4 * i * count, count, _SINGLE)
    for k in range(count):
        row[k] = ring[k]


@kernel
def _tick_of(batch: Any, i: int) -> int:
    w = record_at(longs(batch.contexts)[i], CONTEXT)
    return int(record_at(w.engine.state + 8 * w.timing.loop, LOOP_STATE).tick)


@kernel
def _pass(batch: Any, i: int, count: int, flags: int) -> None:
    """Let ticks of environment i pass and begin the one after them, with all that is true then."""
    w = record_at(longs(batch.contexts)[i], CONTEXT)
    tick, status = run_ticks(longs(batch.contexts)[i], _tick_of(batch, i), count, flags | AHEAD | TRUTH)
    record_at(w.engine.state + 8 * w.timing.loop, LOOP_STATE).tick = tick
    longs(batch.status)[i] = status


@kernel
def _begin(task: Any, batch: Any, i: int) -> None:
    """Begin the episode of environment i, which is at its start: readings and observation."""
    slots = doubles(batch.slots + 8 * i * task.slot_count)
    for k in range(task.actions_count):
        slots[longs(task.action_slots)[k]] = slots[longs(task.previous_slots)[k]] = 0.0
    _pass(batch, i, 0, 0)
    longs(batch.passed)[i] = longs(batch.cut_off)[i] = 0
    for agent in range(task.rewards_count):
        doubles(batch.rewards)[i * task.rewards_count + agent] = 0.0
        longs(batch.ended)[i * task.rewards_count + agent] = 0
    _read(task, batch, i)
    _observe(task, batch, i, True)
    _tell(task, batch, i)


@kernel
def _act(task: Any, batch: Any, i: int) -> None:
    """Write the action of environment i to where the twin's loop reads it."""
    w = record_at(longs(batch.contexts)[i], CONTEXT)
    slots, state = doubles(batch.slots + 8 * i * task.slot_count), doubles(w.engine.state)
    given = array_at(batch.actions + 4 * i * task.actions_count, task.actions_count, _SINGLE)
    for k in range(task.actions_count):
        action = row_at(task.actions, k, ACTION)
        value = min(max(float(given[k]), -1.0), 1.0)
        slots[longs(task.previous_slots)[k]] = slots[longs(task.action_slots)[k]]
        slots[longs(task.action_slots)[k]] = value
        state[action.index] = 0.5 * (action.low * (1.0 - value) + action.high * (1.0 + value))
    for r in range(w.robots_count):  # set-points: this tick has begun already
        stimulate(w, row_at(w.robots, r, ROBOT_CONTEXT), _tick_of(batch, i) * task.period)


@kernel
def _judge(task: Any, batch: Any, i: int) -> None:
    """Reward and ending of a step of environment i, whose signals are read."""
    agents = task.rewards_count
    slots = doubles(batch.slots + 8 * i * task.slot_count)
    longs(batch.passed)[i] += 1
    failed = longs(batch.status)[i] != FINE
    any_ended = False
    for agent in range(agents):
        ended = failed or slots[longs(task.endings)[agent]] != 0.0
        reward = 0.0 if failed else slots[longs(task.rewards)[agent]]
        doubles(batch.rewards)[i * agents + agent] = reward + (doubles(task.end_rewards)[agent] if ended else 0.0)
        longs(batch.ended)[i * agents + agent] = 1 if ended else 0
        any_ended = any_ended or ended
    over = longs(batch.passed)[i] >= task.longest
    longs(batch.cut_off)[i] = 1 if over and not any_ended else 0
    if not failed:
        _tell(task, batch, i)


@kernel
def _pass_and_see(task: Any, batch: Any, i: int, mode: int) -> None:
    """Let the ticks of a step pass and read what is true then; the observation is taken before those of its delay.

    With SEE and READ, Python has let them pass: before the observation, or after it.
    """
    steps = mode == STEP_ON
    if mode != READ:
        _pass(batch, i, task.ticks - task.delayed if steps else 0, SENSED if steps else 0)
        if longs(batch.status)[i] != FINE:
            return
        _read(task, batch, i)
        _observe(task, batch, i, False)
    if mode == READ or (steps and task.delayed > 0):
        _pass(batch, i, task.delayed if steps else 0, SENSED if steps else 0)
        if longs(batch.status)[i] == FINE:
            _read(task, batch, i)


@kernel
def advance(task_at: int, batch_at: int, first: int, last: int) -> None:
    """Let environments from `first` to before `last` do what their modes say."""
    task, batch = record_at(task_at, TASK), record_at(batch_at, BATCH)
    for i in range(first, last):
        mode = longs(batch.modes)[i]
        if mode == DRAW_ONLY:
            _draw(task, batch, i)
        if mode in (BEGIN, PLACE):
            _place(task, batch, i)
        if mode in (BEGIN, PLACED):
            _begin(task, batch, i)
        if mode in (STEP_ON, ACT):
            _act(task, batch, i)
        if mode in (STEP_ON, SEE, READ):
            _pass_and_see(task, batch, i, mode)
        if mode in (STEP_ON, JUDGE):
            _judge(task, batch, i)
