"""Hover: load a bundled twin, fly one of its scenarios, see whether it did what it should.

    python examples/01_hover.py [FOLDER]

A *scenario* of the twin file says where the run begins, its set-points and what is expected. `judge` measures the
expectations in the log. `log["truth.position.z"]` is a signal with `.time` [s], `.values` and `.unit`.
"""

import sys
from pathlib import Path

import didymos


def main(folder: Path) -> bool:
    folder.mkdir(parents=True, exist_ok=True)
    twin = didymos.load("quadcopter")
    simulation = twin.simulate(scenario="hover")
    log = simulation.run()  # the scenario says how long: 20 s

    height = log["truth.position.z"]
    print(f"{twin.title}: rose from {height.values[0]:.2f} to {height.values[-1]:.4f} {height.unit}")
    verdicts = simulation.judge(log)
    for verdict in verdicts:
        print(f"  {'ok' if verdict.ok else 'MISSED':8}{verdict.name}: {verdict.value:.3g} {verdict.unit}")
    print("picture:", log.plot("truth.position", "truth.velocity", "inputs", path=folder / "hover.png"))
    return all(verdict.ok for verdict in verdicts)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
