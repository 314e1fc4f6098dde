"""Vector environments: the same to the bit alone, in any batch and on any threads; how episodes begin anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import didymos
from didymos.errors import InputError

COUNT, STEPS = 5, 60


def trajectory(name: str, threads: int, count: int = COUNT, **changes: object) -> np.ndarray:
    """Observations, rewards and endings, shape [steps, count, n], of drawn actions, with episodes of half a second."""
    envs = didymos.make_vec_env(name, count, threads=threads, seconds=0.5, **changes)
    rng, rows = np.random.default_rng(0), []
    envs.reset(seed=7)
    for _ in range(STEPS):
        actions = rng.uniform(-1, 1, (COUNT, *envs.single_action_space.shape)).astype(np.float32)[:count]
        seen, rewards, ended, cut_off, _ = envs.step(actions)
        rows.append(np.column_stack([seen, rewards, ended, cut_off]))
    envs.close()
    return np.array(rows)


@pytest.mark.parametrize("name", ["quadcopter", "meldog", "omni_base"])
def test_threads_and_the_size_of_a_batch_change_no_bit(name: str) -> None:
    one = trajectory(name, 1)
    assert np.array_equal(one, trajectory(name, 3))
    assert np.array_equal(one[:, :2], trajectory(name, 2, 2))
    assert one[:, :, -2:].any()  # episodes ended


@pytest.mark.parametrize("name", ["quadcopter", "meldog"])
def test_an_environment_of_a_batch_is_the_one_alone_with_its_seed(name: str) -> None:
    rows = trajectory(name, 2)
    env = didymos.make_env(name, seconds=0.5)
    rng, which = np.random.default_rng(0), 3
    env.reset(seed=7 + which)
    done = False
    for row in rows:
        action = rng.uniform(-1, 1, (COUNT, *env.action_space.shape)).astype(np.float32)[which]
        if done:
            seen, reward, ended, cut_off = env.reset()[0], 0.0, False, False
        else:
            seen, reward, ended, cut_off, _ = env.step(action)
        done = ended or cut_off
        assert np.array_equal(row[which], np.array([*seen, reward, ended, cut_off]))
    env.close()


def test_autoreset_in_the_same_step_hands_over_the_last_observation() -> None:
    task = {"observe": ["time"], "act": {"setpoints.position": [-1, 1]}, "reward": "1", "seconds": 0.1, "rate": 50}
    later = didymos.make_vec_env("power_unit", 2, task)
    at_once = didymos.make_vec_env("power_unit", 2, task, autoreset_mode=AutoresetMode.SAME_STEP)
    assert later.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert at_once.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    actions = np.zeros((2, 1), dtype=np.float32)
    later.reset(seed=0)
    at_once.reset(seed=0)
    for _ in range(4):
        later.step(actions)
        at_once.step(actions)
    seen, _, _, cut_off, infos = at_once.step(actions)
    assert cut_off.all()
    assert infos["final_obs"][:, 0] == pytest.approx([0.1, 0.1])
    assert seen[:, 0].tolist() == [0.0, 0.0]
    seen, rewards, _, cut_off, _ = later.step(actions)
    assert cut_off.all()
    assert seen[:, 0] == pytest.approx([0.1, 0.1])
    seen, rewards, _, cut_off, _ = later.step(actions)
    assert seen[:, 0].tolist() == [0.0, 0.0]
    assert rewards.tolist() == [0.0, 0.0]
    assert not cut_off.any()
    later.close()
    at_once.close()


def test_without_autoreset_chosen_environments_begin_anew() -> None:
    task = {"observe": ["time"], "act": {"setpoints.position": [-1, 1]}, "reward": "1", "rate": 50}
    envs = didymos.make_vec_env("power_unit", 3, task, autoreset_mode="Disabled")
    envs.reset(seed=0)
    envs.step(np.zeros((3, 1), dtype=np.float32))
    seen, _ = envs.reset(options={"reset_mask": np.array([False, True, False])})
    assert seen[:, 0] == pytest.approx([0.02, 0.0, 0.02])
    envs.close()


class Lift(didymos.Controller):
    """A program in Python: the same thrust for all."""

    rate = 100.0
    lift = didymos.setpoint()

    def update(self, t: float, measured: Any, setpoints: Any) -> dict[str, float]:
        return dict.fromkeys(("motor1", "motor2", "motor3", "motor4"), setpoints.lift)


def test_a_program_in_python_runs_between_the_ticks_alone_and_in_a_batch() -> None:
    twin = didymos.load("quadcopter")
    twin.replace_program(f"{__file__}:Lift")
    task = {"observe": ["state.position"], "act": {"setpoints.lift": [0, 1]}, "rate": 50, "start": {"position.z": [5, 6]}}
    rows = []
    for count in (1, 3):
        envs = didymos.make_vec_env(twin, count, task, seconds=0.2)
        envs.reset(seed=0)
        rows.append([envs.step(np.full((count, 1), 0.5, dtype=np.float32))[0][0] for _ in range(30)])
        envs.close()
    assert np.array_equal(rows[0], rows[1])
    assert np.ptp(np.array(rows[0])[:, 2]) > 0.1  # it rose


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"num_envs": 0}, "num_envs"),
        ({"threads": 0}, "threads"),
        ({"autoreset_mode": "Never"}, "NextStep"),
        ({"render_mode": "human"}, "cockpit"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        didymos.make_vec_env("power_unit", **{"num_envs": 2, **given})  # type: ignore[arg-type]


def test_actions_of_another_shape_are_refused() -> None:
    envs = didymos.make_vec_env("power_unit", 2)
    envs.reset(seed=0)
    with pytest.raises(InputError, match=r"found actions of shape \[2, 3\], expected \[2, 1\]"):
        envs.step(np.zeros((2, 3), dtype=np.float32))
    with pytest.raises(InputError, match="found 3 seeds, expected 2"):
        envs.reset(seed=[1, 2, 3])
    envs.close()
