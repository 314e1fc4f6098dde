"""What should be recorded? The motion of an arm from which its masses and friction are known best, and a fit to prove it.

    python examples/13_design_an_experiment.py [FOLDER]

The arm of `three_link_arm` has a chirp on its joints. A designed motion of the same length, within the arm's limits, tells more.
The twin itself plays the robot here: it records the motion with noise, and a fit that begins elsewhere finds its numbers again.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import didymos
from didymos.fitting import Channel, Column, Design, Fit, Recording, design, fit
from didymos.fitting.design_scenario import save_scenario

ARM = Path(__file__).parent / "three_link_arm"
PARAMETERS = {"links.payload.mass": (0.1, 1.5), "joints.elbow.friction": (0.1, 3.0)}
SECONDS = 4.0


def record(arm: didymos.Twin, scenario: str, seed: int) -> Recording:
    """A recording of the columns that the twin file names, with their noise."""
    log, rng = arm.simulate(scenario=scenario).run(SECONDS), np.random.default_rng(seed)
    channels = []
    for name, spec in arm.file.recordings.columns.items():
        assert spec.signal is not None
        assert spec.sd is not None
        clean = log[spec.signal]
        noisy = clean.values + spec.sd * rng.standard_normal(len(clean.time))
        channels.append(Channel(Column(name, spec.signal, weight=spec.sd**-2, sd=spec.sd), clean.time, noisy))
    return Recording(Path(scenario), scenario, tuple(channels))


def main(folder: Path, evaluations: int = 60) -> tuple[Design, Fit]:
    """Design, record and fit; what was predicted and what was found."""
    arm = didymos.load(ARM)
    designed = design(arm, PARAMETERS, seconds=SECONDS, scenario="chirp", evaluations=evaluations)
    print("scenario kept in", save_scenario(designed, "designed", folder / "designed.yaml"))
    arm.add_scenarios({"designed": designed.plain})
    recording = record(arm, "designed", seed=1)
    arm.set("links.payload.mass", 0.6)  # it was 0.5 kg while the robot moved
    found = fit(arm, [recording], PARAMETERS)
    for told, item in zip(designed.parameters, found.parameters, strict=True):
        widths = f"+- {told.half_width:.2g} was predicted, {told.half_width_present:.2g} by the chirp"
        print(f"{item.path}: {item.after:.4f} {item.unit}, {widths}")
    return designed, found


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
