"""How fast the vector environments are: beside `mujoco.batch` on the leanest model of the same motion, beside a hand-written
MuJoCo environment of the same robot in Gymnasium's `SyncVectorEnv`, and beside EnvPool's Ant.

    python tools/env_speed.py [--envs 64] [--threads 2] [--turns 8] [--json] [quadcopter meldog]

All are measured in turns within one run. Noise, gusts and randomisation of ours are on; actions are 0: the quadcopter's engines
at hover, Meldog's joints held where it stands. `mujoco.batch` steps the model of `engine/lean_bench.py` (fused bodies, no
sensors, no plugin, forces held) from the states in which our environments are, as many physics steps as ours: that the motion is
the same is checked by the share of environments whose contacts are as many. A ratio is the median over the turns, by wall clock,
then by CPU time of the process, which a busy machine disturbs less; `SyncVectorEnv` uses one core and the others all threads, so
beside it the second is what one core gains. Rates are per second of the wall clock, then per CPU second.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import mujoco
import mujoco.batch
import numpy as np

import didymos
from didymos.engine.lean_bench import LeanEngine
from didymos.learning.vector_env import TwinVectorEnv
from hand_written_envs import HAND_WRITTEN

TASKS = {"quadcopter": "hover", "meldog": "trot"}
TURN = 0.6  # [s] of each side of a turn, about


class Lean:
    """`mujoco.batch` on the lean model, begun at the states of our environments."""

    def __init__(self, envs: TwinVectorEnv, threads: int) -> None:
        self._simulations = envs.batch.simulations
        self._lean = LeanEngine(self._simulations[0])
        self.model = self._lean.model
        self.batch = mujoco.batch.Batch(self.model, len(self._simulations), threads)
        self.begin()

    def begin(self) -> None:
        """Put every simulation to where its environment is, with its last forces."""
        qpos, qvel, forces = (self.batch.bind(name) for name in ("qpos", "qvel", "qfrc_applied"))
        for i, simulation in enumerate(self._simulations):
            data = simulation.data
            qpos[i], qvel[i], forces[i] = data.qpos, data.qvel, data.qfrc_applied

    def same_motion(self) -> float:
        """Share of environments whose model finds as many contacts as ours there."""
        counts = []
        for simulation in self._simulations:
            data = mujoco.MjData(self.model)
            data.qpos[:], data.qvel[:] = simulation.data.qpos, simulation.data.qvel
            mujoco.mj_forward(self.model, data)
            counts.append(data.ncon == simulation.data.ncon)
        return float(np.mean(counts))


def timed(work: Callable[[], int]) -> tuple[float, float]:
    """Wall and CPU seconds per unit of work, of a turn."""
    wall, cpu, done = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - wall < TURN:
        done += work()
    return (time.perf_counter() - wall) / done, (time.process_time() - cpu) / done


def rates(turns: list[tuple[float, float]]) -> list[int]:
    """Steps of environments per second of the wall clock, and per CPU second."""
    return [round(1.0 / statistics.median(turn[k] for turn in turns)) for k in range(2)]


def ratio(rows: list[dict[str, tuple[float, float]]], slower: str, faster: str) -> list[float]:
    return [round(statistics.median(row[slower][k] / row[faster][k] for row in rows), 3) for k in range(2)]


def measure(name: str, count: int, threads: int, turns: int) -> dict[str, Any]:
    envs = didymos.make_vec_env(name, count, TASKS[name], seed=0, threads=threads)
    envs.reset(seed=0)
    actions = np.zeros(envs.action_space.shape, dtype=np.float32)
    for _ in range(25):
        envs.step(actions)
    timing = envs.batch.simulations[0].context.timing
    steps = envs.batch.bound.tables.ticks * timing.substeps  # of the physics, per action
    lean = Lean(envs, threads)
    maker = HAND_WRITTEN[name]
    by_hand = gymnasium.vector.SyncVectorEnv(
        [lambda: maker(envs.batch.simulations[0].twin, steps, envs.task) for _ in range(count)]
    )
    by_hand.reset(seed=0)
    own = np.zeros(by_hand.action_space.shape, dtype=np.float32)

    def ours() -> int:
        envs.step(actions)
        return count

    def bare() -> int:
        lean.batch.step(nstep=steps)
        return count

    def hand() -> int:
        by_hand.step(own)
        return count

    rows, same = [], []
    for _ in range(turns):
        lean.begin()
        same.append(lean.same_motion())
        rows.append({"ours": timed(ours), "batch": timed(bare), "hand-written": timed(hand)})
    found = {
        "environments": count, "threads": threads, "physics steps per action": steps,
        "same contacts": round(statistics.mean(same), 3),
        "steps per second": {key: rates([row[key] for row in rows]) for key in rows[0]},
        "of mujoco.batch": ratio(rows, "batch", "ours"), "times hand-written": ratio(rows, "hand-written", "ours"),
    }  # fmt: skip
    envs.close()
    by_hand.close()
    return found


def measure_ant(count: int, threads: int) -> dict[str, Any]:
    """EnvPool's Ant-v5, five physics steps per action."""
    import envpool

    ant = envpool.make("Ant-v5", env_type="gymnasium", num_envs=count, num_threads=threads)
    ant.reset()
    actions = np.zeros((count, 8))

    def step() -> int:
        ant.step(actions)
        return count

    turns = [timed(step) for _ in range(4)]
    return {"steps per second": rates(turns), "physics steps per second": [5 * rate for rate in rates(turns)]}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("twins", nargs="*", default=list(TASKS))
    options.add_argument("--envs", type=int, default=64)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--turns", type=int, default=8)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    found = {name: measure(name, given.envs, given.threads, given.turns) for name in given.twins}
    try:
        found["EnvPool Ant"] = measure_ant(given.envs, given.threads)
    except ImportError:
        found["EnvPool Ant"] = {"not measured": "envpool is not installed"}
    if given.json:
        print(json.dumps(found, indent=1))
        return
    for name, row in found.items():
        print(name)
        for key, value in row.items():
            print(f"  {key}: {value}")


if __name__ == "__main__":
    main()
