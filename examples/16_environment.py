"""A Gymnasium environment of a task given in Python, many of them as one batch, and a search for the best of some policies.

    python examples/16_environment.py [FOLDER]

The task is Meldog's power unit: bring its output to an angle that is drawn, by torque beside the loop of its controller. The
policy has one number, a gain on the error; each environment of the batch tries another. docs/learning.md says what a task holds.
"""

import sys
from pathlib import Path

import numpy as np

import didymos

TASK = {
    "seconds": 1.0,
    "rate": 50,
    "observe": ["setpoints.position / 9.97 * 6.283185 - parts.drive.output_position", "parts.drive.output_velocity"],
    "act": {"setpoints.feedforward": [-1.5, 1.5]},
    "reward": "-abs(setpoints.position / 9.97 * 6.283185 - parts.drive.output_position)",
    "randomize": {"setpoints.position": [-1, 1], "parts.drive.coulomb": {"uniform": [0.5, 1.5], "scale": True}},
}


def main(folder: Path) -> tuple[float, float]:
    env = didymos.make_env("power_unit", TASK)
    print("observed:", ", ".join(env.labels))
    seen, _ = env.reset(seed=0)
    seen, reward, *_ = env.step(np.array([0.1], dtype=np.float32))
    print(f"one step: reward {reward:.3f}")

    gains = np.repeat(np.linspace(0.0, 6.0, 8), 4)  # four episodes of each
    envs = didymos.make_vec_env("power_unit", len(gains), TASK, seed=1)
    seen, _ = envs.reset()
    returns = np.zeros(len(gains))
    for _ in range(49):  # of 50 steps: the last one would end the episode
        actions = np.clip(gains * seen[:, 0] - 0.05 * seen[:, 1], -1, 1).astype(np.float32)[:, None]
        seen, rewards, *_ = envs.step(actions)
        returns += rewards
    envs.close()
    by_gain = returns.reshape(8, 4).mean(axis=1)
    for gain, value in zip(gains[::4], by_gain, strict=True):
        print(f"gain {gain:4.2f}: return {value:7.3f}")
    return float(by_gain[0]), float(by_gain.max())


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
