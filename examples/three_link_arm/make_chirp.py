"""Write chirp.csv, the set-points that the scenario `chirp` plays: `python examples/three_link_arm/make_chirp.py`.

As people do who move an arm for the first time: joint after joint, by 0.1 rad about its start, from 0.2 to 2.2 Hz.
"""

from __future__ import annotations

import csv
import math
from pathlib import Path

START = {"turn": 0.0, "shoulder": 0.4, "elbow": 0.9}  # [rad]
SECONDS, RATE = 10.0, 50.0
AMPLITUDE, SLOWEST, FASTEST, FADE = 0.1, 0.2, 2.2, 0.3  # [rad], [Hz], [Hz], [s]


def chirp(t: float, seconds: float) -> float:
    """The way from the start [rad], faded in and out."""
    if not 0.0 < t < seconds:
        return 0.0
    turns = SLOWEST * t + (FASTEST - SLOWEST) * t * t / (2.0 * seconds)
    return AMPLITUDE * min(1.0, t / FADE, (seconds - t) / FADE) * math.sin(2.0 * math.pi * turns)


def main() -> None:
    """One row per time."""
    each = SECONDS / len(START)
    with (Path(__file__).parent / "chirp.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["time", *START])
        for i in range(round(SECONDS * RATE) + 1):
            t = i / RATE
            values = [home + chirp(t - k * each, each) for k, home in enumerate(START.values())]
            rows.writerow([f"{t:.2f}", *(f"{value:.5f}" for value in values)])


if __name__ == "__main__":
    main()
