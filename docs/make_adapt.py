"""Measures how well a shadow learns: mass of a quadcopter and friction of a power unit, seed by seed, for live_twin_learns.md.

    python docs/make_adapt.py quadcopter [--seeds 20]      mass of the body + 20 %
    python docs/make_adapt.py power_unit [--seeds 20]      Coulomb friction and Stribeck excess + 50 %

Each seed is a robot with other numbers than its twin, whose motion and noise are drawn from the seed. A shadow with the twin's
numbers follows its recording, and the window from 1 to 11 s counts, as an `Adapter` has it (here in this process, which saves the
start of another). A drive's reports have no noise in the twin: here they get what the shadow takes them to have (2e-4 rev,
0.02 rev/s, 0.01 N m).
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import didymos
from didymos.shadow.chosen import chosen_parameters
from didymos.shadow.learned import LearnedValue, learned_values
from didymos.shadow.observer import Observer
from didymos.shadow.shadow import Shadow
from didymos.shadow.source import Arrival, SourceOptions
from didymos.shadow.sources import open_source
from didymos.shadow.window_fit import WindowFitter

SINCE, UNTIL = 1.0, 11.0  # [s]
CASES = {
    "quadcopter": {"links.body_FLU.mass": 1.2},
    "power_unit": {"parts.drive.coulomb": 1.5, "parts.drive.stribeck": 1.5},
}
NOISE = {"parts.drive.position": 2e-4, "parts.drive.velocity": 0.02, "parts.drive.torque": 0.01}


class Noisy:
    """A source whose drives report with noise."""

    def __init__(self, source: Any, seed: int) -> None:
        self._source, self._draw = source, np.random.default_rng(seed)
        self.live, self.signals, self.notices, self.close = source.live, source.signals, source.notices, source.close

    def read(self, seconds: float) -> Sequence[Arrival]:
        """What the source has, with noise."""
        return [
            Arrival(a.stamp, a.received, {k: v + NOISE.get(k, 0.0) * self._draw.standard_normal() for k, v in a.values.items()})
            for a in self._source.read(seconds)
        ]


class Kept:
    """An audience that keeps what an adapter would hand over."""

    def __init__(self) -> None:
        self.saved: Any = None
        self.stretches: list[Any] = []

    def frame(self, frame: Any, shadow: Shadow) -> None:
        """Keep the stretch."""
        if SINCE < frame.time <= UNTIL + 1e-6:
            saved, stretch = shadow.last_step.saved, shadow.last_step.stretch
            self.saved = saved if self.saved is None else self.saved
            self.stretches.append(stretch)

    def alarm(self, alarm: Any) -> None:
        """Nothing."""

    def notice(self, text: str) -> None:
        """Nothing."""


def scenario(name: str, seed: int) -> dict[str, Any]:
    """A motion that is drawn: sines of set-points with random phases and frequencies."""
    draw = np.random.default_rng(1000 + seed)

    def sine(target: str, amplitude: float, low: float, high: float, offset: float = 0.0) -> dict[str, Any]:
        return {
            "target": target, "kind": "sine", "amplitude": amplitude, "frequency": float(draw.uniform(low, high)),
            "phase": float(draw.uniform(0.0, 2.0 * np.pi)), "offset": offset,
        }  # fmt: skip

    if name == "quadcopter":
        tilts = [sine(f"setpoints.{axis}", 0.15, 0.2, 0.5) for axis in ("roll", "pitch")]
        return {"start": {"position": [0, 0, 10]}, "stimuli": [*tilts, sine("setpoints.z", 0.5, 0.1, 0.3, 10.0)]}
    return {"stimuli": [sine("setpoints.position", 0.8, 0.2, 0.35), sine("setpoints.position", 0.15, 0.8, 1.6)]}


def learned(name: str, seed: int, folder: Path) -> tuple[LearnedValue, ...]:
    """What the window of one seed says."""
    twin = didymos.load(name)
    robot, file = twin.copy(), folder / "robot.mcap"
    robot.add_scenarios({"excited": scenario(name, seed)})
    robot.set_all({path: factor * twin.get(path) for path, factor in CASES[name].items()})
    robot.simulate(scenario="excited", seed=seed).run(UNTIL + 0.2, record=file)
    shadow, kept = Shadow(twin, Noisy(open_source(twin, f"log:{file}", SourceOptions()), seed), causes=()), Kept()
    shadow.listen(kept)
    shadow.run()
    chosen = chosen_parameters(twin, list(CASES[name]))
    fitter = WindowFitter(chosen, lambda causes: Observer(twin, shadow.observer.stepper.signals, causes=causes))
    fit = fitter.fit(kept.saved, kept.stretches)
    print(json.dumps({"seed": seed, "nis": fit.nis, "rounds": fit.rounds, "settled": fit.settled}), flush=True)
    return learned_values(chosen, fit)


def main() -> None:
    """One line per seed and parameter, and how many intervals held the truth."""
    options = argparse.ArgumentParser()
    options.add_argument("name", choices=CASES)
    options.add_argument("--seeds", type=int, default=20)
    asked = options.parse_args()
    twin = didymos.load(asked.name)
    errors: dict[str, list[float]] = {path: [] for path in CASES[asked.name]}
    held, known = dict.fromkeys(errors, 0), dict.fromkeys(errors, 0)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(asked.seeds):
            for one in learned(asked.name, seed, Path(folder)):
                truth = CASES[asked.name][one.name] * twin.get(one.name)
                errors[one.name].append(one.value / truth - 1.0)
                held[one.name] += one.interval[0] <= truth <= one.interval[1]
                known[one.name] += one.known
                row = {
                    "seed": seed,
                    "path": one.name,
                    "error": errors[one.name][-1],
                    "z": (one.value - truth) / one.sd,
                    "sd": one.sd / truth,
                }
                print(json.dumps(row), flush=True)
    for path, found in errors.items():
        size, count = np.abs(found), f"held {held[path]}, known {known[path]} of {asked.seeds}"
        print(f"{path}: error median {np.median(size):.2%}, worst {size.max():.2%}; {count}")


if __name__ == "__main__":
    main()
