"""Environments: Gymnasium's checker, what is seen, done, drawn and rewarded, and how episodes end."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import didymos
import didymos.environments
from didymos.errors import InputError, RunError
from didymos.learning.env import TwinEnv

PENDULUM = """<robot name="pendulum">
  <link name="stand"/>
  <link name="arm"><inertial><origin xyz="0 0 -0.3"/><mass value="0.5"/>
    <inertia ixx="0.02" iyy="0.02" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="swing" type="revolute"><parent link="stand"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="5" velocity="10"/></joint>
</robot>"""
LEVER = {
    "world": {"step": 0.002},
    "parts": {"motor": {"kind": "servo", "link": "stand", "joint": "swing", "kp": 20.0, "kd": 1.0}},
    "sensors": {"encoder": {"kind": "joints", "rate": 100, "position": {"noise": 0.01}, "velocity": {"noise": 0.1}}},
}


@pytest.fixture
def lever() -> didymos.Twin:
    """A pendulum that a servo holds, whose encoder is noisy."""
    return didymos.Twin.from_urdf(PENDULUM, **LEVER)


def run(env: TwinEnv, steps: int, seed: int = 0, action: float = 0.0) -> np.ndarray:
    """Observations of an episode that begins with a seed, shape [steps + 1, n]."""
    seen = [env.reset(seed=seed)[0]]
    for _ in range(steps):
        seen.append(env.step(np.full(env.action_space.shape or (), action, dtype=np.float32))[0])
    return np.array(seen)


@pytest.mark.parametrize("name", didymos.bundled())
def test_gymnasium_finds_nothing_wrong_with_any_bundled_twin(name: str) -> None:
    env = didymos.make_env(name)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*observation space m.*imum value is.*infinity.*")
        check_env(env, skip_render_check=True)
    env.close()


def test_every_bundled_twin_is_registered_alone_and_as_a_vector() -> None:
    ids = didymos.environments.register()
    assert len(ids) == len(set(ids)) >= len(didymos.bundled())
    env = gymnasium.make("didymos.environments:didymos/PowerUnit-v0", task="track")
    assert env.reset(seed=1)[0].shape == env.observation_space.shape
    vector = gymnasium.make_vec("didymos/PowerUnit-v0", num_envs=3)
    assert vector.reset(seed=1)[0].shape == (3, 4)
    env.close()
    vector.close()


def test_a_strangers_description_is_an_environment_at_once(tmp_path: Path) -> None:
    (tmp_path / "pendulum.urdf").write_text(PENDULUM)
    env = didymos.make_env(tmp_path / "pendulum.urdf")
    seen = run(env, 20)
    assert np.isfinite(seen).all()
    assert [action.target for action in env.batch.bound.actions] == ["joints.swing"]
    env.close()


def test_the_first_episode_of_a_seed_is_the_run_of_that_seed() -> None:
    task = {"observe": ["state.position", "imu.gyro", "gps.position"], "act": {"setpoints.z": [0, 2]}, "rate": 50}
    env = didymos.make_env("quadcopter", task)
    seen = run(env, 40, seed=5, action=0.5)
    twin = didymos.load("quadcopter")
    simulation = twin.simulate(seed=5)
    simulation.overrides.apply("setpoints.z", (1.5,))
    rows = []
    for _ in range(40):
        measured = simulation.step(seconds=0.02)
        rows.append([measured[name] for name in env.labels])
    assert np.array_equal(seen[1:], np.array(rows, dtype=np.float32))


def test_readings_have_the_noise_of_the_robots_sensors(lever: didymos.Twin) -> None:
    env = didymos.make_env(lever, {"observe": ["encoder.swing.position - joints.swing.position"], "rate": 100, "seconds": 100})
    errors = run(env, 2000)[1:, 0]
    # 2000 independent draws of sd 0.01: mean within 4 / sqrt(n) sd, sd within 4 / sqrt(2 n) of itself
    assert abs(errors.mean()) < 4 * 0.01 / np.sqrt(2000)
    assert abs(errors.std() / 0.01 - 1.0) < 4 / np.sqrt(2 * 2000)


def test_each_episode_has_biases_of_its_own() -> None:
    env = didymos.make_env("quadcopter", {"observe": ["imu.gyro.x"], "act": {"setpoints.z": [0, 2]}})
    first = [float(env.reset(seed=seed)[0][0]) for seed in range(30)]
    env.reset(seed=0)
    later = [float(env.reset()[0][0]) for _ in range(30)]
    # bias 0.003 rad/s and white noise of 0.0002 sqrt(100) rad/s
    spread = float(np.hypot(0.003, 0.002))
    for biases in (first, later):
        assert abs(np.std(biases) / spread - 1.0) < 4 / np.sqrt(2 * 30)


def test_each_episode_has_noise_of_its_own(lever: didymos.Twin) -> None:
    env = didymos.make_env(lever, {"observe": ["encoder.swing.position"], "rate": 100})
    first = run(env, 200, seed=3)
    again, _ = env.reset()
    second = np.array([again, *(env.step(np.zeros(1, dtype=np.float32))[0] for _ in range(200))])
    noise = np.corrcoef(np.diff(first[:, 0]), np.diff(second[:, 0]))[0, 1]
    assert abs(noise) < 4 / np.sqrt(200)
    assert np.array_equal(run(env, 200, seed=3), first)


@pytest.mark.parametrize("delay", [0.01, 0.02, 0.05])  # of half a step, of one, of two and a half
def test_a_delayed_observation_is_that_of_the_time_before(lever: didymos.Twin, delay: float) -> None:
    fast = didymos.make_env(lever, {"observe": ["joints.swing.position"], "rate": 100, "start": {"joints.swing": [0.5, 0.5]}})
    slow = didymos.make_env(
        lever, {"observe": {"signals": ["joints.swing.position"], "delay": delay}, "rate": 50,
                "start": {"joints.swing": [0.5, 0.5]}},
    )  # fmt: skip
    every, late = run(fast, 40)[:, 0], run(slow, 20)[:, 0]
    behind = round(delay / 0.01)
    for k in range(21):
        assert late[k] == every[max(2 * k - behind, 0)]


def test_stacked_observations_end_with_the_newest(lever: didymos.Twin) -> None:
    env = didymos.make_env(lever, {"observe": {"signals": ["time"], "stack": 3}, "rate": 50})
    seen = run(env, 4)
    assert seen[0].tolist() == [0.0, 0.0, 0.0]
    assert seen[4] == pytest.approx([0.04, 0.06, 0.08], rel=1e-6)


def test_an_action_stands_for_the_range_of_its_target(lever: didymos.Twin) -> None:
    task = {"act": {"joints.swing": {"span": 0.3}}, "observe": ["setpoints.swing", "action", "previous_action"], "rate": 50}
    env = didymos.make_env(lever, task)
    env.reset(seed=0)
    assert env.step(np.array([0.5], dtype=np.float32))[0] == pytest.approx([0.15, 0.5, 0.0])
    assert env.step(np.array([-9.0], dtype=np.float32))[0] == pytest.approx([-0.3, -1.0, 0.5])


def test_joint_targets_reach_the_joint_through_its_drive(lever: didymos.Twin) -> None:
    env = didymos.make_env(lever, {"observe": ["joints.swing.position"], "act": {"joints.swing": [-1, 1]}, "rate": 50})
    rest = run(env, 150, action=0.4)[-1, 0]
    # kp (q* - q) = m g l sin q, with 20 N m/rad and 0.5 kg at 0.3 m
    assert 20.0 * (0.4 - rest) == pytest.approx(0.5 * 9.80665 * 0.3 * np.sin(rest), abs=1e-3)


def test_rewards_add_up_and_an_ending_ends(lever: didymos.Twin) -> None:
    task = {
        "observe": ["time"], "reward": {"alive": "1", "late": "-time"}, "terminate": "time > 0.09", "end_reward": -5, "rate": 50,
    }  # fmt: skip
    env = didymos.make_env(lever, task)
    env.reset(seed=0)
    answers = [env.step(np.zeros(1, dtype=np.float32)) for _ in range(5)]
    assert [round(float(answer[1]), 9) for answer in answers] == [0.98, 0.96, 0.94, 0.92, 0.9 - 5.0]
    assert [answer[2] for answer in answers] == [False, False, False, False, True]
    assert answers[0][4] == pytest.approx({"alive": 1.0, "late": -0.02})


def test_an_episode_is_cut_off_after_its_time(lever: didymos.Twin) -> None:
    env = didymos.make_env(lever, {"observe": ["time"], "seconds": 0.1, "rate": 50})
    env.reset(seed=0)
    cut = [env.step(np.zeros(1, dtype=np.float32))[3] for _ in range(5)]
    assert cut == [False, False, False, False, True]


def test_a_run_that_leaves_its_world_ends_its_episode() -> None:
    changed = {"terminate": "0", "end_reward": -20.0, "start": {}, "randomize": {}}
    env = didymos.make_env("quadcopter", "hover", set={"world.boundary": 10.05}, **changed)
    env.reset(seed=0)
    ended, info = False, {}
    for _ in range(200):
        _, reward, ended, _, info = env.step(np.ones(4, dtype=np.float32))
        if ended:
            break
    assert ended
    assert info["failed"]
    assert reward == -20.0


def test_functions_in_python_take_the_place_of_expressions(lever: didymos.Twin) -> None:
    def reward(signals: Any) -> Any:
        return 2.0 * signals["joints.swing.position"]

    def late(signals: Any) -> Any:
        return signals["time"] > 0.05

    task = {"observe": ["joints.swing.position"], "start": {"joints.swing": [0.2, 0.4]}, "rate": 50}
    envs = didymos.make_vec_env(lever, 3, task, seed=1, reward=reward, terminate=late, signals=["joints.swing.position"])
    envs.reset()
    for step in range(3):
        seen, rewards, ended, _, _ = envs.step(np.zeros((3, 1), dtype=np.float32))
        assert rewards == pytest.approx(2.0 * seen[:, 0], rel=1e-6)
        assert ended.tolist() == [step == 2] * 3
    envs.close()


@pytest.mark.parametrize(
    ("reward", "said"),
    [
        (lambda signals: -signals["truth.position.x"], "reads 'truth.position.x', which is not among them"),
        (lambda signals: None, "answered with nothing"),
        (lambda signals: 0.0 * signals["time"] + np.nan, "answered with nan for environment 0"),
    ],
)
def test_a_function_that_answers_wrongly_is_one_sentence(reward: Any, said: str, lever: didymos.Twin) -> None:
    env = didymos.make_env(lever, reward=reward)
    env.reset(seed=0)
    with pytest.raises((InputError, RunError), match=said):
        env.step(np.zeros(1, dtype=np.float32))


def test_an_action_that_is_no_number_is_refused(lever: didymos.Twin) -> None:
    env = didymos.make_env(lever)
    env.reset(seed=0)
    with pytest.raises(InputError, match=r"found an action of nan at \[0\]"):
        env.step(np.array([np.nan], dtype=np.float32))
    with pytest.raises(InputError, match=r"found actions of shape \[2\], expected \[1\]"):
        env.step(np.zeros(2, dtype=np.float32))


def test_draws_have_their_distributions(lever: didymos.Twin) -> None:
    task = {
        "observe": ["time"], "rate": 50, "start": {"joints.swing": [-0.5, 1.0]},
        "randomize": {
            "parts.motor.kp": {"normal": [1.0, 0.1], "scale": True}, "links.arm.mass": {"log_uniform": [0.5, 2.0], "scale": True},
        },
    }  # fmt: skip
    count = 60
    envs = didymos.make_vec_env(lever, count, task, seed=0)
    drawn = []
    for _ in range(10):
        envs.reset()
        rows = envs.batch.rows.drawn.copy()
        for i in (0, count - 1):
            simulation = envs.batch.simulations[i]
            assert simulation.data.qpos[0] == pytest.approx(rows[i, 0], abs=0.02)
            assert simulation.get("parts.motor.kp") == rows[i, 1]
            assert simulation.model.body_mass[-1] == pytest.approx(rows[i, 2], rel=1e-12)
        drawn.append(rows)
    start, stiffness, mass = np.concatenate(drawn).T
    n = len(start)
    assert (start > -0.5).all()
    assert (start < 1.0).all()
    assert abs(start.mean() - 0.25) < 4 * (1.5 / np.sqrt(12)) / np.sqrt(n)
    assert abs(stiffness.mean() - 20.0) < 4 * 2.0 / np.sqrt(n)
    assert abs(stiffness.std() / 2.0 - 1.0) < 4 / np.sqrt(2 * n)
    assert abs(np.log(mass / 0.5).mean()) < 4 * (2 * np.log(2) / np.sqrt(12)) / np.sqrt(n)
    envs.close()


def test_a_curriculum_widens_with_its_progress(lever: didymos.Twin) -> None:
    task = {"observe": ["joints.swing.position"], "start": {"joints.swing": {"uniform": [-1, 1], "begin": [-0.1, 0.1]}}}
    envs = didymos.make_vec_env(lever, 40, task, seed=0)
    reach = []
    for progress in (0.0, 0.5, 1.0):
        envs.progress = progress
        reach.append(float(np.abs(envs.reset(seed=0)[0]).max()))
    assert reach[0] < 0.1
    assert reach[1:] == pytest.approx([5.5 * reach[0], 10.0 * reach[0]])
    with pytest.raises(InputError, match="expected a progress from 0 to 1"):
        envs.progress = 2.0
    envs.close()


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("hovr", "has no task 'hovr', did you mean 'hover'"),
        ({"observe": ["imu.gyr"]}, "no signal 'imu.gyr', did you mean 'imu.gyro'"),
        ({"reward": "truth.position"}, "found 3 numbers, expected one"),
        ({"reward": "exq(1)"}, "no function 'exq', did you mean 'exp'"),
        ({"act": {"inputs.motor9": [0, 1]}}, "no input, set-point or driven joint 'inputs.motor9', did you mean"),
        ({"act": {"setpoints.z": None}}, r"expected \[low, high\]"),
        ({"act": {"setpoints.z": [0, 1], "inputs.motor1": [0, 1]}}, "is written by the program"),
        ({"randomize": {"parts.motor1.disc_are": [0, 1]}}, "no such parameter, did you mean 'parts.motor1.disc_area'"),
        ({"randomize": {"world.step": [0, 1]}}, "cannot change during a run"),
        ({"start": {"position.q": [0, 1]}}, "no such start value, did you mean"),
        ({"rate": 77}, "expected a whole number of ticks"),
        ({"rewrd": "1"}, r"^task\.rewrd: unknown key, did you mean 'reward'"),
        ({"act": ["inputs.motor1"]}, r"^task\.act: found a list, expected a mapping"),
        ({"randomize": {"links.body_FLU.mass": [-2, -1]}}, r"body_FLU\.mass: draws -2, expected at least 0"),
        ({"randomize": {"world.wind.speed": {"normal": [-3, 1]}}}, r"wind\.speed: draws -3, expected at least 0"),
    ],
)
def test_what_a_task_says_wrongly_is_said_in_one_sentence(task: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        didymos.make_env("quadcopter", task)
