"""Noise and seeds: how much does the height wander if the sensor of the height is noisy?

    python examples/05_noise_and_seeds.py [FOLDER]

Errors of a sensor are parameters, off until set. Each seed draws its own noise; the same seed gives the same bytes, alone or
among others, on any number of threads. `run_many` runs one simulation per seed on all cores.
"""

import sys
from pathlib import Path

import numpy as np

import didymos


def main(folder: Path, runs: int = 8) -> tuple[list[float], list[str]]:
    folder.mkdir(parents=True, exist_ok=True)
    twin = didymos.load("quadcopter")
    twin.set("sensors.state.position.noise", 0.05)  # [m], each reading on its own
    twin.set("sensors.state.position.bias", 0.02)  # [m], drawn once per run

    outcomes = didymos.run_many(twin, seeds=range(runs), scenario="hover", seconds=12.0)
    heights = [outcome.log["truth.position.z"].values[-400:] for outcome in outcomes]
    for outcome, height in zip(outcomes, heights, strict=True):
        print(f"  seed {outcome.seed}: height {np.mean(height):.4f} m, wanders by {np.std(height):.4f} m")
    print(f"between runs it differs by {np.std([np.mean(height) for height in heights]):.4f} m")
    print("picture:", outcomes[0].log.plot("truth.position.z", "state.position.z", path=folder / "noise.png"))
    return [float(np.mean(height)) for height in heights], [outcome.log.sha256 for outcome in outcomes]


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
