"""What a fit to many recordings costs: CPU time beside that of the bare runs, and memory. `python tools/fit_cost.py`

Recordings of 30 s are made with noise, read as a user's are, and evaluated on all cores. The bare runs are the same ticks of the
same scenario, with nothing recorded and nothing compared. Both are timed in turn, several times, by CPU time; the ratio is of the
least of each. Memory is the most that a process of its own ever held, for few recordings and for all of them: once by what a
search does, losses and triangles of least squares, and once, with `--whole`, by a whole fit with its intervals.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import didymos
from didymos.describe.schema import FreeSpec
from didymos.fitting import Column, fit, read_recordings
from didymos.fitting.parameterization import Parameterization, free_groups
from didymos.fitting.problem import Problem
from didymos.fitting.segments import whole

TWIN, SCENARIO, SECONDS = "quadcopter", "hover", 30.0
FREE = {"links.body_FLU.mass": (0.4, 1.0), "control.gains.height.kp": (0.1, 1.0)}
SIGNALS = [f"truth.{kind}.{axis}" for kind in ("position", "velocity") for axis in "xyz"]
TURNS = 5


def write(folder: Path, count: int) -> list[str]:
    """Recordings of one run with noises of their own."""
    log = didymos.load(TWIN).simulate(scenario=SCENARIO).run(SECONDS)
    time_ = log[SIGNALS[0]].time
    values = np.column_stack([log[name].values for name in SIGNALS])
    rng, files = np.random.default_rng(0), []
    for i in range(count):
        files.append(str(folder / f"{i}.csv"))
        rows = np.column_stack([time_, values + 1e-3 * rng.standard_normal(values.shape)])
        np.savetxt(files[-1], rows, delimiter=",", header=",".join(["t", *SIGNALS]), comments="", fmt="%.9g")
    return files


def measure(files: list[str], whole_fit: bool) -> dict[str, float]:
    """Costs of this process: CPU seconds of an evaluation and of the bare runs, and the most memory [MB]."""
    twin = didymos.load(TWIN)
    recordings = read_recordings(twin, [f"{file}={SCENARIO}" for file in files], {name: Column(name, name) for name in SIGNALS})
    specs = {path: FreeSpec(bounds=bounds) for path, bounds in FREE.items()}
    parameters = Parameterization(free_groups(twin, specs, recordings), len(recordings))
    problem = Problem(twin, recordings, [whole(i, recording) for i, recording in enumerate(recordings)], parameters)
    simulation = twin.simulate(scenario=SCENARIO)
    problem.losses(parameters.start)
    evaluations, bare = [], []
    for _ in range(TURNS):
        begin = time.process_time()
        problem.losses(parameters.start)
        evaluations.append(time.process_time() - begin)
        begin = time.process_time()
        for _ in recordings:
            simulation.reset()
            simulation.advance(round(SECONDS / simulation.period))
        bare.append(time.process_time() - begin)
    problem.triangle(parameters.start, 1e-4)
    problem.close()
    cost = {"evaluation": min(evaluations), "bare": min(bare), "search": most_memory()}
    if whole_fit:
        fit(twin, recordings, specs)
        cost["fit"] = most_memory()
    return cost


def most_memory() -> float:
    """The most that this process ever held [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0


def main() -> None:
    """A line for few recordings and one for all."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--recordings", type=int, default=100)
    parser.add_argument("--whole", action="store_true", help="fit as well, with intervals")
    parser.add_argument("--measure", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure, options.whole)))
        return
    with tempfile.TemporaryDirectory() as folder:
        files = write(Path(folder), options.recordings)
        for count in (4, options.recordings):
            command = [sys.executable, __file__, *(["--whole"] if options.whole else []), "--measure", *files[:count]]
            cost = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            ratio = f"{cost['evaluation'] / cost['bare']:.2f} times the bare runs ({cost['bare']:.1f} s)"
            memory = ", ".join(f"{what} {cost[what]:.0f} MB" for what in ("search", "fit") if what in cost)
            print(f"{count} recordings of {SECONDS:g} s: {ratio}, {memory}")


if __name__ == "__main__":
    main()
