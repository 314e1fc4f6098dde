"""What a source of a live twin tells, how often, how late, and what listening costs.

    python tools/listen_rates.py TWIN KIND:ADDRESS [--seconds 20] [--skip 3]

Prints each signal with its arrivals per second of the robot's clock and of ours, then the robot's clock as it is known, the
latency beyond the least, and the CPU that listening took.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import didymos
from didymos.shadow.clock import RobotClock
from didymos.shadow.source import SourceOptions
from didymos.shadow.sources import open_source


def main() -> None:
    """Listen and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("twin")
    parser.add_argument("robot", metavar="KIND:ADDRESS")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--skip", type=float, default=3.0, help="seconds at the begin that do not count")
    given = parser.parse_args()
    source = open_source(didymos.load(given.twin), given.robot, SourceOptions(pace=1.0))
    clock, stamps, latencies = RobotClock(), {}, []
    begin = time.monotonic()
    work = 0.0
    while (now := time.monotonic() - begin) < given.seconds:
        try:
            arrivals = source.read(0.05)
        except EOFError:
            break
        if now < given.skip:
            work = time.process_time()
        for arrival in arrivals:
            timing = clock.add(arrival.stamp, arrival.received)
            if now >= given.skip:
                latencies.append(timing.latency)
                for name in arrival.values:
                    stamps.setdefault(name, []).append(arrival.stamp)
        for text in (*source.notices(), *clock.notices()):
            print(text)
    used = time.process_time() - work
    source.close()
    span = given.seconds - given.skip
    for name, times in sorted(stamps.items()):
        print(f"{name:40s} {(len(times) - 1) / max(times[-1] - times[0], 1e-9):8.1f} Hz  {len(times) / span:8.1f} /s")
    if latencies and clock.estimate is not None:
        known, (middle, late) = clock.estimate, 1e3 * np.percentile(latencies, (50, 99))
        print(f"offset {known.offset:.6f} s +- {1e6 * known.offset_sd:.0f} us")
        print(f"drift {1e6 * known.drift:.2f} +- {1e6 * known.drift_sd:.2f} ppm")
        print(f"latency beyond the least: median {middle:.2f} ms, 99 % {late:.2f} ms")
        print(f"CPU {100.0 * used / span:.1f} % of a core")


if __name__ == "__main__":
    main()
