"""PettingZoo's parallel environment of a world: every robot is an agent with a task of its own.

All robots take their actions at once and share the world, so an episode ends for all where it ends for one. Names in a robot's
task are its own; those of others begin with the other's name (`leader.truth.position`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from didymos.describe.task_file import TaskSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.errors import InputError, nearest
from didymos.learning.batch import Batch
from didymos.learning.spaces import action_box, checked_actions, fresh_seed, observation_box

try:
    from pettingzoo import ParallelEnv
except ImportError as error:
    raise InputError(f"environments of several robots need {error.name}; install it with: pip install 'didymos[rl]'") from None

__all__ = ["WorldParallelEnv"]

Observations = dict[str, NDArray[np.float32]]


class WorldParallelEnv(ParallelEnv[str, NDArray[np.float32], NDArray[np.float32]]):
    """Robots of a world as agents. A twin alone is a world of one, whose agent is `robot`."""

    metadata: ClassVar[dict[str, Any]] = {"name": "didymos", "render_modes": [], "is_parallelizable": True}

    def __init__(self, what: Twin | World, tasks: Mapping[str, TaskSpec]) -> None:
        self.batch = Batch(what, tasks, 1, threads=1)
        _check_alike(self.batch.tasks)
        self._of = {name or "robot": name for name in self.batch.tasks}
        self.possible_agents = list(self._of)
        self.agents: list[str] = []
        self._observation_spaces = {agent: observation_box(self.batch, name) for agent, name in self._of.items()}
        self._action_spaces = {agent: action_box(self.batch, name) for agent, name in self._of.items()}
        self._seeded = False

    def observation_space(self, agent: str) -> Box:
        """Of an agent: `stack` observations, the newest last."""
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> Box:
        """Of an agent: each number from -1 to 1."""
        return self._action_spaces[agent]

    @property
    def progress(self) -> float:
        """Of a curriculum, 0 to 1, from the next `reset` on."""
        return self.batch.progress

    @progress.setter
    def progress(self, value: float) -> None:
        self.batch.progress = value

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, dict[str, Any]]]:
        """Begin the next episode, or the first one of a seed."""
        if seed is not None or not self._seeded:
            self.batch.seed(0, fresh_seed() if seed is None else seed)
            self._seeded = True
        if options and "progress" in options:
            self.batch.progress = options["progress"]
        self.batch.begin(np.ones(1, dtype=np.bool_))
        self.agents = list(self.possible_agents)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, NDArray[np.float32]]
    ) -> tuple[Observations, dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """One action of each agent, held for 1 / rate seconds."""
        whole = np.zeros((1, len(self.batch.bound.actions)), dtype=np.float32)
        for agent, action in actions.items():
            if agent not in self._of:
                raise InputError(f"there is no agent {agent!r}{nearest(agent, self._of)}", option="actions")
            whole[0, self.batch.bound.agents[self._of[agent]].acted] = checked_actions(action, self.action_space(agent))
        self.batch.step(whole)
        rows, asked = self.batch.rows, self.agents
        over = bool(rows.ended[0].any())
        ended = dict.fromkeys(asked, over)
        cut_off = {agent: bool(rows.cut_off[0]) for agent in asked}
        rewards = {agent: float(rows.rewards[0, self.possible_agents.index(agent)]) for agent in asked}
        infos: dict[str, dict[str, Any]] = {
            agent: {name: float(values[0]) for name, values in self.batch.reward_terms(self._of[agent]).items()}
            for agent in asked
        }
        seen = self._observations()
        if over or rows.cut_off[0]:
            self.agents = []
        return seen, rewards, ended, cut_off, infos

    def _observations(self) -> Observations:
        task = self.batch.bound.tables
        row = self.batch.rows.observations[0].reshape(task.stack, -1)
        return {agent: row[:, self.batch.bound.agents[self._of[agent]].observed].ravel().copy() for agent in self.agents}

    def close(self) -> None:
        """Let the run go."""
        self.batch.close()


def _check_alike(tasks: Mapping[str, TaskSpec]) -> None:
    """Refuse tasks of one world whose clocks differ."""
    first_name, first = next(iter(tasks.items()))
    for name, task in tasks.items():
        for key, own, other in (
            ("rate", task.rate, first.rate), ("observe.stack", task.observe.stack, first.observe.stack),
            ("observe.delay", task.observe.delay, first.observe.delay),
        ):  # fmt: skip
            if own != other:
                what = f"found {own:g} for {name} and {other:g} for {first_name}, expected the same for all robots of a world"
                raise InputError(what, path=f"task.{key}")
