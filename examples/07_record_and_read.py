"""Record and read back: stream a run to an MCAP file, load it, look at it.

    python examples/07_record_and_read.py [FOLDER]

MCAP opens in Foxglove, PlotJuggler and `ros2 bag`; CSV opens anywhere. A log that was saved and loaded is the same log, bit
for bit. Streams are recorded at their own rates: the IMU at 100 Hz, the pose sensor at 400 Hz, poses of all links at 25 Hz.
"""

import sys
from pathlib import Path

import numpy as np

import didymos


def main(folder: Path) -> tuple[didymos.Log, didymos.Log]:
    folder.mkdir(parents=True, exist_ok=True)
    simulation = didymos.load("quadcopter").simulate(seed=3, scenario="attitude_steps")
    recorded = simulation.run(record=folder / "steps.mcap")  # written while it runs; a killed run keeps its file

    log = didymos.Log.load(folder / "steps.mcap")
    print("about the run:", log.metadata)
    for prefix in ("imu.gyro", "state.position", "tf.propeller1.position"):
        for signal in log.select(prefix):
            print(f"  {signal.name:26}{len(signal.time):6} samples [{signal.unit}]")
    roll = log["truth.roll"]  # a stream with an orientation also answers to roll, pitch, yaw and tilt
    print(f"largest roll {np.degrees(roll.values.max()):.2f} deg; same content: {log.sha256 == recorded.sha256}")
    print("as a table:", log.save(folder / "steps.csv"))
    return recorded, log


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
