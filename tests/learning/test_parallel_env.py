"""Worlds of several robots as PettingZoo's parallel environments."""

from __future__ import annotations

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test

import didymos
from didymos.describe.bundled import bundled_worlds
from didymos.errors import InputError


@pytest.mark.parametrize("name", bundled_worlds())
def test_pettingzoo_finds_nothing_wrong_with_any_bundled_world(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = didymos.make_parallel_env(name)
    parallel_api_test(env, num_cycles=30)
    assert "Passed" in capsys.readouterr().out
    env.close()


def test_a_seed_gives_the_same_episode_and_the_next_another() -> None:
    env = didymos.make_parallel_env("landing")

    def episode(seed: int | None) -> np.ndarray:
        env.reset(seed=seed)
        still = {agent: np.zeros(env.action_space(agent).shape, dtype=np.float32) for agent in env.agents}
        return np.array([env.step(still)[0]["drone"] for _ in range(10)])

    first = episode(3)
    assert not np.array_equal(episode(None), first)
    assert np.array_equal(episode(3), first)
    env.close()


def test_a_robot_sees_its_own_signals_and_others_by_their_names() -> None:
    seen = {"observe": ["truth.position.x", "base.truth.position.x"]}
    env = didymos.make_parallel_env(
        "landing", {"drone": seen, "base": {"observe": ["truth.position.x", "drone.truth.position.x"]}}
    )
    observed, _ = env.reset(seed=0)
    assert observed["drone"].tolist() == observed["base"].tolist()[::-1]
    env.close()


def test_a_world_is_also_one_environment() -> None:
    env = didymos.make_env("landing", {"observe": ["drone.truth.position.z"], "act": {"drone.inputs.*": None}, "reward": "1"})
    assert env.action_space.shape == (4,)
    assert env.reset(seed=0)[0].shape == (1,)
    env.close()


def test_tasks_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="no robot 'dron', did you mean 'drone'"):
        didymos.make_parallel_env("landing", {"dron": {}})
    with pytest.raises(InputError, match="expected the same for all robots"):
        didymos.make_parallel_env("landing", {"drone": {"rate": 100}})
