"""Say what a good run is as a formula, and look for parameters at which the twin breaks it.

    python examples/17_falsify.py [FOLDER]

`didymos falsify power_unit` does the same from the command line; docs/falsify.md says how it looks.
"""

import sys
from pathlib import Path

import didymos
from didymos.describe.scenario_file import add_scenarios
from didymos.studies.falsify import Falsification


def main(folder: Path) -> Falsification:
    folder.mkdir(parents=True, exist_ok=True)
    twin = didymos.load("power_unit")
    add_scenarios(twin, Path(__file__).parent / "falsify" / "power_unit.yaml")  # always[1:3](abs(parts.drive.position) < 0.45)
    ranges = {
        "scenarios.shake.stimuli.0.frequency": (0.5, 12.0),
        "parts.drive.kp": (0.8, 4.0),
        "parts.drive.kd": (0.01, 0.1),
        "parts.drive.rotor_inertia": (2e-4, 1e-3),
    }
    found = didymos.falsify(twin, ranges, scenario="shake", runs=100)
    print(f"counter-example: {found.found}, after {len(found.trials)} runs")
    for path, value in found.smallest.values.items():
        print(f"  {path}: {value:g} instead of {found.nominal[path]:g}")
    print(f"  robustness {found.smallest.verdicts[0].value:.3g} rev")
    again = twin.copy()
    again.set_all(found.smallest.values)
    log = again.simulate(scenario="shake", seed=found.smallest.seed).run()
    log.plot("parts.drive.position", path=folder / "counter_example.png")
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
