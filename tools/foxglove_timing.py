#!/usr/bin/env python3
"""A twin before viewers in real time: its real-time factor, how late messages come, and whether its log is that without viewers.

    tools/foxglove_timing.py quadcopter --scenario hover --seconds 20 --viewers 3

One viewer measures, the others read, and one more never reads. The age of a message is how much later it came than the
most punctual one, by its stamp: min over all of (arrival - stamp) is taken for zero.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from threading import Thread

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests" / "ports")]

from foxglove_client import Viewer  # noqa: E402
from foxglove_server import served  # noqa: E402
from websockets.exceptions import ConnectionClosed  # noqa: E402


def read_all(viewer: Viewer) -> None:
    """Take in whatever comes until the run ends."""
    try:
        for message in viewer.socket:
            viewer._take(message)
            viewer.messages.clear()
            viewer.times.clear()
    except ConnectionClosed:
        pass


def measure(viewer: Viewer, seconds: float) -> tuple[float, np.ndarray]:
    """Real-time factor, the slope of stamps over arrivals after the first tenth, and ages [s] of all messages."""
    arrivals, stamps = [], []
    try:
        for message in viewer.socket:
            if isinstance(message, bytes) and message[0] == 1:
                arrivals.append(time.perf_counter())
                stamps.append(int.from_bytes(message[5:13], "little") / 1e9)
    except ConnectionClosed:
        pass
    late = np.array(arrivals) - np.array(stamps)
    first = int(np.searchsorted(stamps, 0.1 * seconds))
    slope, _ = np.polyfit(np.array(arrivals[first:]) - arrivals[first], stamps[first:], 1)
    return float(slope), late - late.min()


def main() -> int:
    """Measure, and print one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("twin")
    parser.add_argument("--scenario", required=True)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--viewers", type=int, default=3)
    options = parser.parse_args()
    chosen = ["--scenario", options.scenario]
    with tempfile.TemporaryDirectory() as folder:
        watched, plain = Path(folder) / "watched.mcap", Path(folder) / "plain.mcap"
        words = [*chosen, "--seconds", str(options.seconds), "--record", str(watched)]
        with served(options.twin, *words) as twin:
            viewers = [twin.view() for _ in range(options.viewers + 1)]
            for viewer in viewers:
                viewer.subscribe(*viewer.channels)
            for viewer in viewers[1:-1]:  # the last one never reads again
                Thread(target=read_all, args=(viewer,), daemon=True).start()
            factor, ages = measure(viewers[0], options.seconds)
            facts = twin.ended()
        run = [sys.executable, "-m", "didymos.cli.main", "run", options.twin, "--quiet", "--record", str(plain)]
        subprocess.run([*run, *chosen, "--seconds", str(options.seconds)], env={"PYTHONPATH": str(ROOT / "src")}, check=False)
        one, other = watched.read_bytes(), plain.read_bytes()
        differ = abs(len(one) - len(other)) + sum(a != b for a, b in zip(one, other, strict=False))
    found = {
        "twin": options.twin, "viewers": options.viewers, "seconds": facts["seconds"], "real_time_factor": round(factor, 5),
        "overruns": facts["overruns"], "messages": len(ages), "age_p50_ms": round(1e3 * float(np.percentile(ages, 50)), 3),
        "age_p99_ms": round(1e3 * float(np.percentile(ages, 99)), 3), "age_max_ms": round(1e3 * float(ages.max()), 3),
        "sent": facts["sent"], "lost": facts["lost"], "bytes_of_the_log": len(one), "bytes_that_differ": differ,
    }  # fmt: skip
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
