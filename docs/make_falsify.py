"""The figures of falsify.md: counter-examples planted in three twins, looked for with twenty seeds and by plain draws.

    python docs/make_falsify.py quadcopter omni_base power_unit

Prints for each twin the runs that each seed took until the first counter-example, how many of 1,000 runs drawn at random are
one, and so the runs that plain draws take for an even chance. Ranges and scenarios stand in examples/falsify/TWIN.yaml.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import didymos
from didymos.describe.scenario_file import add_scenarios
from didymos.studies.sweep import sweep

FOLDER = Path(__file__).parents[1] / "examples" / "falsify"
SEEDS, RUNS, DRAWN = 20, 200, 1000


def planted(name: str) -> tuple[didymos.Twin, str, dict[str, tuple[float, float]]]:
    """A bundled twin with its scenario, and the ranges that its file names."""
    twin, file = didymos.load(name), FOLDER / f"{name}.yaml"
    own = set(twin.scenarios)
    add_scenarios(twin, file)
    flag = "#   --vary "
    given = [line.removeprefix(flag).strip("'").split("=") for line in file.read_text().splitlines() if line.startswith(flag)]
    ranges = {path: (float(ends.split(":")[0]), float(ends.split(":")[1])) for path, ends in given}
    return twin, next(iter(set(twin.scenarios) - own)), ranges


def study(name: str) -> None:
    """One line for each twin."""
    twin, scenario, ranges = planted(name)
    began, took, found = time.process_time(), [], 0
    for seed in range(SEEDS):
        result = didymos.falsify(twin, ranges, scenario=scenario, seed=seed, runs=RUNS, smaller=False)
        found += result.found
        took.append(next((i + 1 for i, trial in enumerate(result.trials) if not trial.ok), RUNS))
    each = (time.process_time() - began) / sum(took)
    trials = sweep(twin, ranges, runs=DRAWN, scenario=scenario, seed=1)
    short = sum(not trial.ok for trial in trials)
    share = short / DRAWN
    even = math.log(0.5) / math.log(1.0 - share) if share else math.inf
    print(f"{name}: found with {found} of {SEEDS} seeds; runs until then {sorted(took)}, median {statistics.median(took):g}")
    print(f"  {short} of {DRAWN} drawn runs fall short; an even chance takes {even:.0f} draws, {each:.3f} s of CPU per run")
    chance = 1.0 - (1.0 - share) ** np.array(took)
    print(f"  plain draws of as many runs find one in {np.mean(chance):.0%} of the seeds")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or ("quadcopter", "omni_base", "power_unit"):
        study(chosen)
