"""Compare with a real recording: which mass does the real quadcopter have?

    python examples/08_compare_with_real.py [FOLDER]

There is no real quadcopter here: the "real" CSV is a simulated climb of a body of 0.65 kg, with a clock that starts 1.5 s
later and column names of its own, as a foreign logger would write it. `compare` aligns by time stamp (`shift`) and by name
(`rename`). The mass with the smallest error is the answer.
"""

import sys
from pathlib import Path

import numpy as np

import didymos


def write_recording(file: Path) -> None:
    twin = didymos.load("quadcopter")
    twin.set("links.body_FLU.mass", 0.65)
    height = twin.simulate(scenario="climb").run()["truth.position.z"]
    rows = np.column_stack([1000 * (height.time + 1.5), height.values])
    np.savetxt(file, rows, delimiter=",", header="time_ms,baro_height [m]", comments="")


def main(folder: Path) -> dict[float, float]:
    folder.mkdir(parents=True, exist_ok=True)
    real = folder / "real.csv"
    write_recording(real)
    errors: dict[float, float] = {}
    for mass in (0.55, 0.60, 0.65, 0.70):
        twin = didymos.load("quadcopter")
        twin.set("links.body_FLU.mass", mass)
        log = twin.simulate(scenario="climb").run()
        comparison = didymos.compare(
            log, real, signals=["truth.position.z"], rename={"baro_height": "truth.position.z"}, shift=-1.5
        )
        errors[mass] = comparison.signals["truth.position.z"].rmse
        print(f"  body of {mass:.2f} kg: rmse {errors[mass]:.4f} m")
    print(f"the real one has a body of {min(errors, key=errors.__getitem__):.2f} kg")
    return errors


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
