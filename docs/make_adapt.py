"""Measures how well a shadow learns: mass of a quadcopter and friction of a power unit, seed by seed, for live_twin_learns.md.

    python docs/make_adapt.py quadcopter [--first 200] [--seeds 20]      mass of the body + 20 %
    python docs/make_adapt.py power_unit [--first 200] [--seeds 20]      Coulomb friction and Stribeck excess + 50 %
    python docs/make_adapt.py power_unit --whole                         the same robots; friction as a whole is asked for

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
WHOLE = {"friction of shaft_joint": 0.5}  # truth: half as much again of all of it
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


def learned(name: str, seed: int, folder: Path, paths: Sequence[str]) -> tuple[LearnedValue, ...]:
    """What the window of one seed says of parameters."""
    twin = didymos.load(name)
    robot, file = twin.copy(), folder / "robot.mcap"
    robot.add_scenarios({"excited": scenario(name, seed)})
    robot.set_all({path: factor * twin.get(path) for path, factor in CASES[name].items()})
    robot.simulate(scenario="excited", seed=seed).run(UNTIL + 0.2, record=file)
    shadow, kept = Shadow(twin, Noisy(open_source(twin, f"log:{file}", SourceOptions()), seed), causes=()), Kept()
    shadow.listen(kept)
    shadow.run()
    chosen = chosen_parameters(twin, paths)
    fitter = WindowFitter(chosen, lambda causes: Observer(twin, shadow.observer.stepper.signals, causes=causes))
    fit = fitter.fit(kept.saved, kept.stretches)
    print(json.dumps({"seed": seed, "nis": fit.nis, "rounds": fit.rounds, "settled": fit.settled}), flush=True)
    return learned_values(chosen, fit)


def main() -> None:
    """One line per seed and parameter, and how many intervals held the truth."""
    options = argparse.ArgumentParser()
    options.add_argument("name", choices=CASES)
    options.add_argument("--first", type=int, default=200, help="seed")
    options.add_argument("--seeds", type=int, default=20, help="how many")
    options.add_argument("--whole", action="store_true", help="all of a joint's friction in proportion, as one number")
    asked = options.parse_args()
    twin = didymos.load(asked.name)
    truths = WHOLE if asked.whole else {path: factor * twin.get(path) for path, factor in CASES[asked.name].items()}
    one_is = {path: 1.0 + truth if asked.whole else truth for path, truth in truths.items()}  # what an error is a share of
    errors: dict[str, list[float]] = {path: [] for path in truths}
    held, unknown = dict.fromkeys(errors, 0), dict.fromkeys(errors, 0)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(asked.first, asked.first + asked.seeds):
            for one in learned(asked.name, seed, Path(folder), list(truths)):
                if not one.known:
                    unknown[one.name] += 1
                    print(json.dumps({"seed": seed, "path": one.name, "unknown": one.unknown}), flush=True)
                    continue
                off, whole = one.value - truths[one.name], one_is[one.name]
                errors[one.name].append(off / whole)
                held[one.name] += one.interval[0] <= truths[one.name] <= one.interval[1]
                row = {"seed": seed, "path": one.name, "error": off / whole, "z": off / one.sd, "sd": one.sd / whole}
                print(json.dumps(row), flush=True)
    for path, found in errors.items():
        size = np.abs(found)
        count = f"held {held[path]} of {len(found)}, unknown {unknown[path]} of {asked.seeds}"
        print(f"{path}: error median {np.median(size):.2%}, worst {size.max():.2%}; {count}")


if __name__ == "__main__":
    main()
