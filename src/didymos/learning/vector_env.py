"""Gymnasium's `VectorEnv` of a twin or a world: one compiled batch, stepped on all cores.

An environment whose episode ends begins the next one by itself:

| `autoreset_mode` | when |
|---|---|
| NEXT_STEP (default) | in the next `step`, whose action it does not take; reward 0 |
| SAME_STEP | at once; the last observation of the episode is `infos["final_obs"]`, where `infos["_final_obs"]` is true |
| DISABLED | never: `reset(options={"reset_mask": ...})` begins those that are chosen |

Environment i of a batch with seed s is the environment of `make_env` with seed s + i, to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from didymos.describe.task_file import TaskSpec
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.errors import InputError
from didymos.learning.batch import Batch
from didymos.learning.judgement import Judgement
from didymos.learning.spaces import action_box, checked_actions, fresh_seed, many, observation_box

__all__ = ["TwinVectorEnv"]

Observations = NDArray[np.float32]


class TwinVectorEnv(VectorEnv[Observations, NDArray[np.float32], NDArray[Any]]):
    """Environments of one task, stepped together."""

    def __init__(
        self,
        what: Twin | World,
        task: TaskSpec,
        judgement: Judgement,
        num_envs: int,
        *,
        seed: int | None = None,
        threads: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        try:
            self._autoreset = AutoresetMode(autoreset_mode)
        except ValueError:
            known = ", ".join(mode.value for mode in AutoresetMode)
            raise InputError(f"found {autoreset_mode!r}, expected one of {known}", option="autoreset_mode") from None
        self.metadata = {"autoreset_mode": self._autoreset, "render_modes": []}
        self.batch = Batch(what, {"": task}, num_envs, threads=threads, extra=judgement.signals)
        self.task = self.batch.tasks[""]
        self._judgement = judgement
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = observation_box(self.batch), action_box(self.batch)
        self.observation_space = many(self.single_observation_space, num_envs)
        self.action_space = many(self.single_action_space, num_envs)
        self._seed, self._done = seed, np.zeros(num_envs, dtype=np.bool_)
        self._seeded = False

    @property
    def labels(self) -> tuple[str, ...]:
        """Names of the numbers of one observation."""
        return self.batch.bound.labels

    @property
    def progress(self) -> float:
        """Of a curriculum, 0 to 1, for episodes that begin from now on."""
        return self.batch.progress

    @progress.setter
    def progress(self, value: float) -> None:
        self.batch.progress = value

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin the next episode of all environments, or the first ones of a seed: environment i of seed + i, or one for each.

        `options`: `progress` of a curriculum; `reset_mask`, shape [n], of those that are to begin.
        """
        chosen = np.ones(self.num_envs, dtype=np.bool_)
        if options and "reset_mask" in options:
            chosen = np.asarray(options["reset_mask"], dtype=np.bool_).reshape(self.num_envs)
        if options and "progress" in options:
            self.batch.progress = options["progress"]
        if seed is None and not self._seeded:
            seed = fresh_seed() if self._seed is None else self._seed
        seeds = [None if seed is None else seed + i for i in range(self.num_envs)] if not isinstance(seed, Sequence) else seed
        if len(seeds) != self.num_envs:
            raise InputError(f"found {len(seeds)} seeds, expected {self.num_envs}", option="seed")
        for i, own in enumerate(seeds):
            if own is not None and chosen[i]:
                self.batch.seed(i, own)
        self._seeded = True
        self.batch.begin(chosen)
        self._done[chosen] = False
        return self.batch.rows.observations.copy(), {}

    def step(
        self, actions: NDArray[np.float32]
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One action of each environment, held for 1 / rate seconds."""
        given = checked_actions(actions, self.action_space)
        begins = self._done if self._autoreset is AutoresetMode.NEXT_STEP else None
        self.batch.step(given, begins)
        rewards, ended, cut_off = self._judgement.of(self.batch)
        infos = self._infos()
        if begins is not None:
            rewards[begins], ended[begins], cut_off[begins] = 0.0, False, False
        done = ended | cut_off
        if self._autoreset is AutoresetMode.SAME_STEP and done.any():
            infos |= {"final_obs": self.batch.rows.observations.copy(), "_final_obs": done.copy()}
            infos |= {"final_info": {name: infos[name].copy() for name in infos if name not in ("final_obs", "_final_obs")}}
            infos["_final_info"] = done.copy()
            self.batch.begin(done)
            done = np.zeros(self.num_envs, dtype=np.bool_)
        self._done = done
        return self.batch.rows.observations.copy(), rewards, ended, cut_off, infos

    def _infos(self) -> dict[str, Any]:
        infos: dict[str, Any] = dict(self.batch.reward_terms())
        failed = self.batch.rows.status != 0
        if failed.any():
            infos["failed"] = failed
        return infos

    def close_extras(self, **kwargs: Any) -> None:
        """Let the runs and threads go."""
        self.batch.close()
