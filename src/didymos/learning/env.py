"""A Gymnasium environment of a twin or a world: a batch of one."""

from __future__ import annotations

from typing import Any, ClassVar, SupportsFloat

import gymnasium
import numpy as np
from numpy.typing import NDArray

from didymos.describe.task_file import TaskSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.engine.simulation import Simulation
from didymos.learning.batch import Batch
from didymos.learning.judgement import Judgement
from didymos.learning.spaces import action_box, checked_actions, fresh_seed, observation_box

__all__ = ["TwinEnv"]


class TwinEnv(gymnasium.Env[NDArray[np.float32], NDArray[np.float32]]):
    """One environment. The first episode of a seed has the noise of the run of that seed; each `reset` begins the next one."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, what: Twin | World, task: TaskSpec, judgement: Judgement) -> None:
        self.batch = Batch(what, {"": task}, 1, threads=1, extra=judgement.signals)
        self.task = self.batch.tasks[""]
        self._judgement = judgement
        self.observation_space, self.action_space = observation_box(self.batch), action_box(self.batch)
        self._seeded = False

    @property
    def simulation(self) -> Simulation:
        """The run behind it, to look at."""
        return self.batch.simulations[0]

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the numbers of one observation."""
        return self.batch.bound.labels

    @property
    def progress(self) -> float:
        """Of a curriculum, 0 to 1, from the next `reset` on."""
        return self.batch.progress

    @progress.setter
    def progress(self, value: float) -> None:
        self.batch.progress = value

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin the next episode, or the first one of a seed. `options`: `progress` of a curriculum."""
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self.batch.seed(0, fresh_seed() if seed is None else seed)
            self._seeded = True
        if options and "progress" in options:
            self.batch.progress = options["progress"]
        self.batch.begin(np.ones(1, dtype=np.bool_))
        return self.batch.rows.observations[0].copy(), {}

    def step(self, action: NDArray[np.float32]) -> tuple[NDArray[np.float32], SupportsFloat, bool, bool, dict[str, Any]]:
        """One action, held for 1 / rate seconds."""
        self.batch.step(checked_actions(action, self.action_space)[None])
        rewards, ended, cut_off = self._judgement.of(self.batch)
        info: dict[str, Any] = {name: float(values[0]) for name, values in self.batch.reward_terms().items()}
        if self.batch.rows.status[0] != 0:
            info["failed"] = True
        return self.batch.rows.observations[0].copy(), float(rewards[0]), bool(ended[0]), bool(cut_off[0]), info

    def close(self) -> None:
        """Let the run go."""
        self.batch.close()
