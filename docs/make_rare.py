"""The figures of docs/sweep.md on rare failures.

    python docs/make_rare.py [SEEDS]            the thrown stone
    python docs/make_rare.py shapes [SEEDS]     failures of other shapes, as functions of standard normal coordinates

The thrown stone of examples/ flies freely, so where it passes the gate is linear in how it begins, and with normal beginnings the
probability of a miss is known: its integrator adds g h^2 n (n + 1) / 2 over n steps of h, and both positions are normal.
Each seed makes a whole search of 3,000 runs. Also shown: how often plain draws would have seen a failure at all.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.integrate import quad
from scipy.special import ndtr, ndtri

import didymos
from didymos.studies.cross_entropy import CrossEntropy
from didymos.studies.distribution import Normal
from didymos.studies.failure_chance import FailureChance, failure_chance
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


Score = Callable[[NDArray[np.float64]], NDArray[np.float64]]


def shapes() -> dict[str, tuple[Score, int, float]]:
    """Score, number of coordinates and known probability of failure by name."""
    away, tail, shell = -ndtri(1e-4), -ndtri(0.5e-4), stats.chi2.isf(1e-4, 3)
    bent = quad(lambda y: ndtr(0.3 * y * y - 5.0) * math.exp(-0.5 * y * y) / math.sqrt(2.0 * math.pi), -12.0, 12.0)[0]
    two, small = (ndtr(-3.8), ndtr(-4.1)), 7.839220e-06
    return {
        **{
            f"a plane, {n} parameters": (lambda z, n=n: away - z.sum(axis=1) / math.sqrt(n), n, 1e-4)
            for n in (2, 6, 10, 15)
        },
        "two opposite tails, 4": (lambda z: tail - np.abs(z[:, 0]), 4, 1e-4),
        "a bent boundary, 2": (lambda z: 5.0 - z[:, 0] - 0.3 * z[:, 1] ** 2, 2, bent),
        "a corner of two uniform ones": (lambda z: ndtr(z[:, 0]) * ndtr(z[:, 1]) - small, 2, small * (1.0 - math.log(small))),
        "two places, unlike scales, 3": (
            lambda z: np.minimum(3.8 - z[:, 0], 41.0 + 10.0 * z[:, 1]), 3, two[0] + two[1] - two[0] * two[1],
        ),
        "passed or failed alone, 3": (lambda z: np.where(z[:, 0] > away, -1.0, 1.0), 3, 1e-4),
        "outside a ball, 3": (lambda z: shell - np.sum(z * z, axis=1), 3, 1e-4),
    }  # fmt: skip


def searched(score: Score, coordinates: int, seed: int) -> FailureChance:
    """A whole search of a function."""
    search = CrossEntropy(coordinates, runs=RUNS, seed=seed)
    weights, failed = np.empty(0), np.empty(0, dtype=bool)
    while len(weights) < RUNS:
        points, more = search.ask(RUNS - len(weights))
        scores = score(points)
        search.tell(points, scores)
        weights, failed = np.append(weights, more), np.append(failed, scores <= 0.0)
    return failure_chance(weights, failed)


def told(found: Sequence[FailureChance], known: float) -> str:
    """How searches came out, in a line."""
    estimates = np.array([one.estimate for one in found]) / known
    held, near = sum(one.low <= known <= one.high for one in found), int(np.sum(np.abs(estimates - 1.0) <= 0.2))
    width = float(np.median([one.relative for one in found]))
    sure = sum(one.certain for one in found)
    return (
        f"known {known:.3e}, certain {sure} of {len(found)}, estimate / known {estimates.min():.3f} to {estimates.max():.3f},"
        f" within 20 % {near}, interval holds {held}, half width {width:.3f} of the estimate"
    )


def stone(seeds: int) -> None:
    """Searches on the twin."""
    known, began = truth(), time.process_time()
    runner = TrialRunner(didymos.load(Path(__file__).parents[1] / "examples" / "thrown_stone"), scenario="gate")
    found = []
    for seed in range(seeds):
        plan = RarePlan(BEGINNINGS, runs=RUNS, seed=seed)
        for _ in run_plan(plan, runner, seed=seed * RUNS, threads=1):
            pass
        found.append(plan.found)
    print(told(found, known))
    print(f"plain draws: {100.0 * (1.0 - (1.0 - known) ** RUNS):.0f} % of sweeps of {RUNS} runs would see a failure at all")
    print(f"CPU time: {(time.process_time() - began) / seeds:.1f} s a search")


def main() -> None:
    words = sys.argv[1:]
    if words[:1] == ["shapes"]:
        for name, (score, coordinates, known) in shapes().items():
            seeds = range(int(words[1]) if len(words) > 1 else 100)
            print(f"{name}: {told([searched(score, coordinates, seed) for seed in seeds], known)}", flush=True)
    else:
        stone(int(words[0]) if words else 100)


if __name__ == "__main__":
    main()
