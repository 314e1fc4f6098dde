"""Many environments of one task, stepped as one compiled batch on threads.

Each environment has a model and a state of its own; threads take environments in small groups and stay in compiled code until a
group is done. Python is asked once per call, not per environment, but for

- environments whose episode begins and that draw parameters which neither the part table nor a line of `model_numbers.py`
  holds (masses, gains, sensors): those are set by `Simulation.set_all` before the compiled beginning;
- twins between whose ticks Python has to do something (a program in Python, an FMU, a stimulus of a mass): their ticks are let
  pass one environment after the other.

Environment i is seeded with a seed of its own; all that it draws is a function of that seed and of the number of its episode, so
it goes the same way alone, in any batch and on any number of threads.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

import mujoco
import numpy as np
from numpy.typing import NDArray

from didymos.describe.task_file import TaskSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine import stopwatch
from didymos.engine.packed_context import pack_group
from didymos.engine.simulation import Simulation
from didymos.errors import InputError, RunError
from didymos.learning.default_task import complete
from didymos.learning.draws import Kind
from didymos.learning.episode import (
    ACT,
    BEGIN,
    DRAW_ONLY,
    FAILED,
    JUDGE,
    PLACE,
    PLACED,
    READ,
    SEE,
    SKIP,
    STEP_ON,
    BatchTables,
    advance,
)
from didymos.learning.task_simulation import simulation_of_task
from didymos.learning.task_tables import BoundTask, bind, hand_over
from didymos.noise import stream_key

__all__ = ["Batch"]

_GROUPS = 4  # per thread: the last one to finish waits for little


class Batch:
    """Environments of a twin or world with a task for each agent; one agent without a name is the whole.

    Robots of which nothing can be acted on are no agents.
    """

    def __init__(
        self,
        what: Twin | World,
        agents: Mapping[str, TaskSpec],
        count: int,
        *,
        threads: int | None = None,
        extra: tuple[str, ...] = (),
    ) -> None:
        if count < 1:
            raise InputError(f"found {count}, expected at least one environment", option="num_envs")
        if threads is not None and threads < 1:
            raise InputError(f"found {threads}, expected at least one thread", option="threads")
        self.threads = min(threads or os.cpu_count() or 1, count)
        scenarios = {task.scenario for task in agents.values()}
        if len(scenarios) > 1:
            raise InputError("the tasks of all robots of a world need the same scenario", option="tasks")
        scenario = scenarios.pop()
        probe = simulation_of_task(what, agents, scenario)
        tasks = {name: complete(task, probe, name) for name, task in agents.items()}
        self.tasks = {name: task for name, task in tasks.items() if task.act}
        if not self.tasks:
            raise InputError("nothing here can be acted on: there are no inputs with a range, no driven joints, no set-points")
        same = all(task.act == agents[name].act for name, task in tasks.items())
        self.simulations: list[Simulation] = [probe] if same else []
        while len(self.simulations) < count:
            self.simulations.append(simulation_of_task(what, self.tasks, scenario))
        self.bound: BoundTask = bind(self.simulations[0], self.tasks, extra)
        self._python = tuple(i for i, item in enumerate(self.bound.drawn) if item.kind == Kind.PYTHON)
        self._by_hand = any(_needs_python(simulation, self.bound.unasked) for simulation in self.simulations[:1])
        self.rows = self._make_rows(count)
        self._task, self._batch = pack_group(self.bound.tables), pack_group(self.rows)
        self._addresses = int(self._task.ctypes.data), int(self._batch.ctypes.data)
        self._pool: ThreadPoolExecutor | None = None

    def __len__(self) -> int:
        return len(self.simulations)

    def _make_rows(self, count: int) -> BatchTables:
        task, agents = self.bound.tables, len(self.tasks)
        for simulation in self.simulations:
            hand_over(simulation, self.bound)
        saved = np.empty((count, task.size))
        for row, simulation in zip(saved, self.simulations, strict=True):
            simulation.begin()  # what readings draw belongs to an episode
            mujoco.mj_getState(simulation.model, simulation.data, row, int(mujoco.mjtState.mjSTATE_INTEGRATION))
        ring = (count, task.behind + task.stack, len(task.observed))
        return BatchTables(
            contexts=np.array([simulation.address for simulation in self.simulations], dtype=np.int64),
            saved=saved, slots=np.tile(self.bound.slots, (count, 1)), ring=np.zeros(ring),
            actions=np.zeros((count, len(task.actions)), dtype=np.float32),
            observations=np.zeros((count, task.stack * len(task.observed)), dtype=np.float32),
            rewards=np.zeros((count, agents)), ended=np.zeros((count, agents), dtype=np.int64),
            cut_off=np.zeros(count, dtype=np.int64), status=np.zeros(count, dtype=np.int64),
            passed=np.zeros(count, dtype=np.int64), episodes=np.full(count, -1, dtype=np.int64),
            draw_keys=np.zeros((count, len(task.draws), 2)), noise_keys=np.zeros((count, len(task.keys), 2)),
            drawn=np.zeros((count, len(task.draws))), progress=np.ones(1), modes=np.zeros(count, dtype=np.int64),
        )  # fmt: skip

    # seeds and curricula

    def seed(self, index: int, seed: int) -> None:
        """Let the episodes of an environment be those of a seed, from the first one on."""
        for row, item in zip(self.rows.draw_keys[index], self.bound.drawn, strict=True):
            row[:] = stream_key(seed, f"task.{item.path}")
        for row, name in zip(self.rows.noise_keys[index], self.bound.streams, strict=True):
            row[:] = stream_key(seed, name)
        self.rows.episodes[index] = -1

    @property
    def progress(self) -> float:
        """Of a curriculum, 0 to 1, for episodes that begin from now on; 1 unless it is set."""
        return float(self.rows.progress[0])

    @progress.setter
    def progress(self, value: float) -> None:
        if not 0.0 <= value <= 1.0:
            raise InputError(f"found {value:g}, expected a progress from 0 to 1", option="progress")
        self.rows.progress[0] = value

    # begin and step

    def begin(self, chosen: NDArray[np.bool_]) -> None:
        """Begin the next episode of the chosen environments, shape [n]; the others stay as they are."""
        self.rows.modes[:] = np.where(chosen, BEGIN, SKIP)
        self._run()

    def step(
        self,
        actions: NDArray[np.floating],
        begins: NDArray[np.bool_] | None = None,
        rests: NDArray[np.bool_] | None = None,
    ) -> None:
        """Let all environments take a step with actions [n, actions], but for those that begin their next episode instead, and
        those that rest."""
        self.rows.actions[:] = actions
        self.rows.modes[:] = STEP_ON if begins is None else np.where(begins, BEGIN, STEP_ON)
        if rests is not None:
            self.rows.modes[rests] = SKIP
        self._run()

    def _run(self) -> None:
        modes = self.rows.modes
        beginning = np.flatnonzero(modes == BEGIN)
        self.rows.episodes[beginning] += 1
        if self._python:
            for which in beginning.tolist():
                self._set_parameters(which)
        if self._by_hand:
            for which, mode in enumerate(modes.tolist()):
                self._run_by_hand(which, mode)
            return
        stopwatch.stop()
        try:
            self._run_on_threads()
        finally:
            stopwatch.start()

    def _run_on_threads(self) -> None:
        count = len(self)
        if self.threads == 1:
            advance(*self._addresses, 0, count)
            return
        size = max(1, count // (self.threads * _GROUPS))
        firsts = itertools.count(0, size)  # whose `next` is one step of the interpreter: no two threads get the same

        def work() -> None:
            while (first := next(firsts)) < count:
                advance(*self._addresses, first, min(first + size, count))

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads - 1, thread_name_prefix="didymos-env")
        others = [self._pool.submit(work) for _ in range(self.threads - 1)]
        work()
        for other in others:
            other.result()

    def _do(self, i: int, mode: int) -> None:
        """One piece of a step of one environment."""
        before, self.rows.modes[i] = self.rows.modes[i], mode
        advance(*self._addresses, i, i + 1)
        self.rows.modes[i] = before

    def _set_parameters(self, i: int) -> None:
        """Draw and set what only Python can set."""
        self._do(i, DRAW_ONLY)
        values = {self.bound.drawn[k].path: float(self.rows.drawn[i, k]) for k in self._python}
        self.simulations[i].set_all(values)
        for robot in self.simulations[i].robots.values():
            robot.live.refresh()

    def _run_by_hand(self, i: int, mode: int) -> None:
        """A step of an environment between whose ticks Python does something."""
        simulation, task = self.simulations[i], self.bound.tables
        if mode == BEGIN:
            simulation.reset()
            self._do(i, PLACE)
            self._do(i, PLACED)
        elif mode == STEP_ON:
            self._do(i, ACT)
            try:
                simulation.advance(task.ticks - task.delayed, unasked=self.bound.unasked)
                self._do(i, SEE)
                if task.delayed:
                    simulation.advance(task.delayed, unasked=self.bound.unasked)
                    self._do(i, READ)
            except RunError:  # as a step that fails in compiled code: the episode ends
                self.rows.status[i] = FAILED
            self._do(i, JUDGE)

    # what is said

    def signal(self, name: str) -> NDArray[np.float64]:
        """A signal that is read, as it was at the end of the last step of each environment, shape [n]; a view."""
        return self.rows.slots[:, self.bound.signals[name]]

    def reward_terms(self, agent: str = "") -> dict[str, NDArray[np.float64]]:
        """The terms of the last reward by name, shape [n] each."""
        return {name: self.rows.slots[:, slot].copy() for name, slot in self.bound.agents[agent].terms}

    def close(self) -> None:
        """Let threads and programs go."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        for simulation in self.simulations:
            simulation.close()


def _needs_python(simulation: Simulation, unasked: frozenset[str]) -> bool:
    """Whether Python does something between the ticks of a run."""
    return any(
        robot.changes or robot.cameras.names or robot.fmus or (not robot.compiled and robot.name not in unasked)
        for robot in simulation.robots.values()
    )
