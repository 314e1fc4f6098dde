"""Draw the picture of docs/log.md, and print what the verb says about it: `python docs/make_log.py`; a few seconds.

The flight is simulated, then spoilt as recordings are: the motion capture takes one marker for another, its clock stands still
for half a second, and the log on board ends before the flight does, which the merging of both filled up with a straight line.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import didymos
from didymos.cli.main import main

HERE = Path(__file__).parent
PICTURE = HERE / "pictures" / "log.png"


def spoilt(file: Path) -> Path:
    """A flight of the quadcopter as two recorders would have it in one table."""
    log = didymos.load("quadcopter").simulate(scenario="climb", seed=3).run(12.0)
    truth, rng = log["truth.position.x"], np.random.default_rng(3)
    time, keep = truth.time, np.ones(len(truth.time), bool)
    columns = {"t": 1_760_000_000.0 + time}
    for axis in "xyz":
        columns[f"p{axis} [m]"] = log[f"truth.position.{axis}"].values + 2e-4 * rng.standard_normal(len(time))
    for axis in "xyz":
        gyro = log[f"imu.gyro.{axis}"]
        columns[f"gyro_{axis} [rad/s]"] = np.interp(time, gyro.time, gyro.values)
    for i in range(1, 5):
        motor = log[f"inputs.motor{i}"]
        columns[f"motor_m{i}"] = np.interp(time, motor.time, motor.values) * 50.0 + rng.standard_normal(len(time))
    columns["pz [m]"][300:302] += 0.4
    keep[600:650] = False
    for name, values in columns.items():
        if name.startswith(("gyro", "motor")):
            values[1050:] = values[1050] + (values[1050] - values[1049]) * np.arange(len(time) - 1050)
    rows = np.column_stack(list(columns.values()))[keep]
    np.savetxt(file, rows, delimiter=",", header=",".join(columns), comments="", fmt="%.9f")
    return file


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "log.png"
        if status := main(["log", str(spoilt(Path(folder) / "flight.csv")), "--plot", str(drawn)]):
            sys.exit(status)
        Image.open(drawn).convert("RGB").quantize(32).save(PICTURE, optimize=True)  # a third of the size
