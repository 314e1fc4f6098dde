"""The figures of docs/sweep.md on rare failures: `python docs/make_rare.py [SEEDS]`.

The thrown stone of examples/ flies freely, so where it passes the gate is linear in how it begins, and with normal beginnings the
probability of a miss is known: its integrator adds g h^2 n (n + 1) / 2 over n steps of h, and both positions are normal.
Each seed makes a whole search of 3,000 runs. Also shown: how often plain draws would have seen a failure at all.
"""

from __future__ import annotations

import math
import sys
import time
from pathlib import Path

import numpy as np
from scipy.special import ndtr

import didymos
from didymos.studies.distribution import Normal
from didymos.studies.rare_plan import RarePlan
from didymos.studies.sweep import run_plan
from didymos.studies.trial_runner import TrialRunner

RUNS = 3000
PLACE, SPEED = 0.1, 0.4  # [m], [m/s], standard deviations
BEGINNINGS = {
    "start.position.y": Normal(0.0, PLACE), "start.velocity.y": Normal(0.0, SPEED),
    "start.position.z": Normal(10.0, PLACE), "start.velocity.z": Normal(2.0, SPEED),
}  # fmt: skip


def truth() -> float:
    """The probability of a miss."""
    when, step = 0.19, 0.001  # [s] of the last pose of the log, and of the engine
    spread = math.hypot(PLACE, SPEED * when)
    height = 10.0 + 2.0 * when - 9.81 * when * (when + step) / 2.0
    beside, below = 2.0 * ndtr(-0.51 / spread), ndtr((9.71 - height) / spread)
    return float(1.0 - (1.0 - beside) * (1.0 - below))


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    known, began = truth(), time.process_time()
    runner = TrialRunner(didymos.load(Path(__file__).parents[1] / "examples" / "thrown_stone"), scenario="gate")
    found = []
    for seed in range(seeds):
        plan = RarePlan(BEGINNINGS, runs=RUNS, seed=seed)
        for _ in run_plan(plan, runner, seed=seed * RUNS, threads=1):
            pass
        found.append(plan.found)
    estimates = np.array([one.estimate for one in found]) / known
    held = sum(one.low <= known <= one.high for one in found)
    print(f"known             {known:.4e}")
    print(f"searches          {seeds} of {RUNS} runs, {sum(one.certain for one in found)} of them certain")
    print(f"estimate / known  mean {estimates.mean():.3f}, from {estimates.min():.3f} to {estimates.max():.3f}")
    print(f"within 20 %       {int(np.sum(np.abs(estimates - 1.0) <= 0.2))}")
    print(f"interval holds    {held}")
    print(f"half width        {np.median([one.relative for one in found]):.3f} of the estimate (median)")
    print(f"plain draws       {100.0 * (1.0 - (1.0 - known) ** RUNS):.0f} % of sweeps of {RUNS} runs would see a failure at all")
    print(f"CPU time          {(time.process_time() - began) / seeds:.1f} s a search")


if __name__ == "__main__":
    main()
