"""Shows a shadow that learns live, over a wire, and draws the picture of live_twin_learns.md: `python docs/make_adapt_live.py`.

    didymos serve power_unit --port ros2 --domain 66 --scenarios excited.yaml --scenario excited \\
        --set parts.drive.coulomb=0.106095 --set parts.drive.stribeck=0.02526
    didymos shadow power_unit --robot ros2:66 --adapt 'friction of shaft_joint' --window 10 --save fitted.yaml --json

The robot is another process, a served twin with half as much friction again, which moves by two sines that never end. The picture
has what was learned, with its interval of 95 %, over the robot's clock: a window is fitted for as long as a quarter of one core
needs, and told when it is done.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import didymos

DOMAIN = 66
NAME, TRUTH = "friction of shaft_joint", 0.5
DIDYMOS = [sys.executable, "-m", "didymos.cli.main"]
PICTURE = Path(__file__).parent / "pictures" / "adapt_live.png"
SCENARIO = """
scenarios:
  excited:
    title: Two sines
    stimuli:
      - {target: setpoints.position, kind: sine, amplitude: 0.8, frequency: 0.27}
      - {target: setpoints.position, kind: sine, amplitude: 0.15, frequency: 1.1}
"""


def live(seconds: float, folder: Path) -> list[dict[str, Any]]:
    """What the shadow said in so many seconds beside the served robot."""
    scenarios, fitted = folder / "excited.yaml", folder / "fitted.yaml"
    scenarios.write_text(SCENARIO)
    twin = didymos.load("power_unit")
    more = [f"{path}={(1.0 + TRUTH) * twin.get(path):.6g}" for path in ("parts.drive.coulomb", "parts.drive.stribeck")]
    serve = [*DIDYMOS, "serve", "power_unit", "--port", "ros2", "--domain", str(DOMAIN), "--scenarios", str(scenarios)]
    sets = [word for one in more for word in ("--set", one)]
    robot = subprocess.Popen([*serve, "--scenario", "excited", *sets], stderr=subprocess.PIPE, text=True)
    assert robot.stderr is not None
    first = robot.stderr.readline()
    if robot.poll() is not None:
        raise SystemExit(first)
    try:
        words = ["shadow", "power_unit", "--robot", f"ros2:{DOMAIN}", "--adapt", NAME, "--window", "10", "--json"]
        told = subprocess.run(
            [*DIDYMOS, *words, "--save", str(fitted), "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True, check=False
        )
    finally:
        robot.send_signal(signal.SIGINT)
        robot.wait()
    print(fitted.read_text() if fitted.exists() else "nothing was saved")
    return [json.loads(line) for line in told.stdout.splitlines()]


def draw(learned: list[dict[str, Any]]) -> None:
    """Values and intervals over the end of their windows."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    known = [one for one in learned if one["parameters"][NAME]["known"]]
    times = [one["learned"] for one in known]
    found = [one["parameters"][NAME] for one in known]
    errors = [[abs(item["value"] - item["interval"][side]) for item in found] for side in (0, 1)]
    figure, axes = plt.subplots(figsize=(8.0, 3.2), layout="constrained")
    axes.axhline(TRUTH, color="0.6", linewidth=1.0, label="the robot's")
    axes.errorbar(times, [item["value"] for item in found], errors, fmt="o", capsize=3.0, label="learned, 95 %")
    axes.set(xlabel="end of the window, robot's clock [s]", ylabel="friction more than the twin's")
    axes.yaxis.set_major_locator(matplotlib.ticker.MultipleLocator(0.005))
    axes.yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1.0, decimals=1))
    axes.legend()
    figure.savefig(PICTURE, dpi=110)


def main() -> None:
    """Run, print what was said, draw."""
    options = argparse.ArgumentParser()
    options.add_argument("--seconds", type=float, default=120.0)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        events = live(asked.seconds, Path(folder))
    for event in events:
        print(json.dumps(event) if event["event"] == "summary" else event.get("text", event))
    draw([event for event in events if event["event"] == "learned"])


if __name__ == "__main__":
    main()
