"""Train the policies of docs/train.md, fly each in a run, and make the page's pictures.

    python docs/make_train.py FOLDER [NAME ...]

Trainings that are in the folder already are gone on with where they ended; the figures are printed.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np

import didymos

PICTURES = Path(__file__).parent / "pictures"
SEEDS = range(5)

TRAININGS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "hover": ("quadcopter", "hover", {"method": "cma", "noise": 0.2, "episodes": 4, "generations": 60}),
    "path": ("omni_base", "path", {"method": "cma", "episodes": 2, "generations": 28}),
    "cruise": ("skywalker_2013", "cruise", {"method": "cma", "noise": 0.2, "episodes": 2, "generations": 80}),
    "trot": ("meldog", "trot", {"noise": 0.03, "step": 0.03, "population": 32, "validation": 4, "generations": 15}),
}


def flown(name: str, policy: Path, seed: int) -> Any:
    """A run by the policy in the task's surroundings, without what the task draws."""
    about = TRAININGS[name]
    twin = didymos.load(about[0])
    task = twin.file.tasks[about[1]]
    twin.replace_program(str(policy))
    for path, value in task.set.items():
        twin.set(path, value)
    simulation = twin.simulate(seed=seed, scenario=task.scenario)
    if name == "hover":
        simulation.reset(start={"position.z": 10.0})
    return simulation.run({"hover": 30.0, "path": 32.0, "cruise": 60.0, "trot": 12.0}[name])


def figures(name: str, log: Any) -> dict[str, float]:
    """What the page says of a run."""
    time = log["truth.position.x"].time
    x, y, z = (log[f"truth.position.{axis}"].values for axis in "xyz")
    if name == "trot":
        late = time >= 2.0
        return {"speed [m/s]": float((x[late][-1] - x[late][0]) / (time[late][-1] - time[late][0])), "aside [m]": float(y[-1])}
    if name == "cruise":
        return {"height error, most [m]": float(np.abs(z - 50.3).max()), "off the line, most [m]": float(np.abs(y).max())}
    if name == "path":
        apart = np.hypot(x - np.sin(0.2 * time), y - 1.0 + np.cos(0.2 * time))
    else:
        apart = np.sqrt(x**2 + y**2 + (z - 10.0) ** 2)[time >= 5.0]
    return {"distance, rms [m]": float(np.sqrt((apart**2).mean())), "most [m]": float(apart.max())}


def main(folder: Path, names: list[str]) -> None:
    """Train, fly, draw."""
    for name in names or list(TRAININGS):
        twin, task, options = TRAININGS[name]
        found = didymos.train(didymos.load(twin), task, folder / name, resume=True, **options)
        curve = np.loadtxt(folder / name / "curve.csv", delimiter=",", skiprows=1)
        shutil.copy(folder / name / "curve.png", PICTURES / f"train_{name}.png")
        cpu, steps = curve[-1, 8], curve[-1, 5]
        print(f"{name}: return {found.value:.4g}, {len(curve)} generations, {cpu:.0f} s of CPU, {steps:.0f} steps")
        rows = [figures(name, flown(name, folder / name / "policy.npz", seed)) for seed in SEEDS]
        for key in rows[0]:
            values = [row[key] for row in rows]
            print(f"  {key}: {min(values):.3f} to {max(values):.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
