"""Trim a plane, look at its modes, draw its envelope, and let its autopilot find its own gains.

    python examples/15_trim.py [FOLDER]

`didymos trim plane_1wing` does the same from the command line; docs/trim.md says what is solved.
"""

import sys
from pathlib import Path

import didymos
from didymos.engine.flight_survey import Survey, survey
from didymos.engine.gain_design import designed_gains
from didymos.engine.trim import Steady
from didymos.engine.trim_picture import plot_survey


def main(folder: Path) -> Survey:
    folder.mkdir(parents=True, exist_ok=True)
    plane = didymos.load("plane_1wing")
    found = survey(plane, [20.0, 25.0, 30.0], Steady(0.0), reduced=True)
    for point in found.points:
        trim = point.trim
        print(f"{trim.airspeed:.0f} m/s: nose {trim.nose:.4f} rad, elevator {trim.pitch:.3f}, throttle {trim.throttle:.3f}")
        for mode in point.modes:
            print(f"  {mode.name:13} {mode.frequency:7.3f} rad/s, damping {mode.damping:5.2f}")
    plot_survey(found, folder / "trim.png")
    gains = designed_gains(plane, all_of_them=True)
    print("gains from the model:", ", ".join(f"{path} {value:.3g}" for path, value in gains.items()))
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
