"""Branches: save a state in mid-flight and try what follows from there.

    python examples/09_branches.py [FOLDER]

A state holds everything: motion, clock, biases of sensors, memory of the program. A restored run goes on to the bit. Parameters
are no state: `sim.set` changes one while the run goes on, and it stays until it is set again.
"""

import sys
from pathlib import Path

import didymos


def main(folder: Path) -> tuple[dict[float, float], bool]:
    folder.mkdir(parents=True, exist_ok=True)
    simulation = didymos.load("quadcopter").simulate(seed=1, scenario="hover")
    simulation.run(5.0)
    state = simulation.save()

    logs = {}
    for speed in (1.0, 5.0, 10.0):
        simulation.restore(state)
        simulation.set("world.wind.speed", speed)  # [m/s], toward -y
        logs[speed] = simulation.run(5.0)
        print(f"  wind of {speed:4.1f} m/s: drifts to y = {logs[speed]['truth.position.y'].values[-1]:.3f} m")
    simulation.restore(state)
    simulation.set("world.wind.speed", 1.0)
    again = simulation.run(5.0).sha256 == logs[1.0].sha256
    print("the first branch once more, to the bit:", again)
    print("picture:", didymos.compare(logs[1.0], logs[10.0], signals=["truth.position"]).plot(folder / "branches.png"))
    return {speed: float(log["truth.position.y"].values[-1]) for speed, log in logs.items()}, again


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
