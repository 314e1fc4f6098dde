"""Make drop.csv: what a probe with another parachute would have recorded.

    python examples/parachute/make_recording.py [FOLDER]

The numbers are known, so a fit can be judged by them: C_D = 0.72 and an opening time of 1.4 s; the twin says 0.8 and 1.0 s. Ten
samples per second, with the noise of a barometer (0.3 m) and of its rate of climb (0.1 m/s).
"""

import sys
from pathlib import Path

import numpy as np

import didymos

HERE = Path(__file__).parent
TRUE = {"parts.canopy.drag_coefficient": 0.72, "parts.canopy.opening_time": 1.4}


def main(folder: Path = HERE) -> Path:
    twin = didymos.load(HERE, trust=True)
    twin.set_all(TRUE)
    log = twin.simulate(scenario="drop").run()
    height, climb = log["truth.position.z"], log["truth.velocity.z"]
    noise = np.random.default_rng(7)
    table = np.column_stack([height.time, height.values, climb.values])[::10]
    table[:, 1:] += noise.normal(0.0, (0.3, 0.1), (len(table), 2))
    file = folder / "drop.csv"
    np.savetxt(file, table, delimiter=",", header="time,height,climb", comments="", fmt="%.4f")
    return file


if __name__ == "__main__":
    print(main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE))
