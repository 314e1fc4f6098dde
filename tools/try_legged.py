r"""Let robots of strangers trot by the program `legged`, and print a table of what they did.

    python tools/try_legged.py go1=PATH/go1.urdf spot=PATH/spot.xml ... [--seeds 10] [--json results.json]

Each is made a twin by `didymos new`; nothing of it is changed but the noise of its sensors, where `new` wrote none, and a
scenario: it stands for 1 s, then trots, from 2 s on at 0.3 m/s, until 22 s. *Speed* is the mean from 6 s on; *heading* the most
that it was off; *tilt* the worst angle of the trunk; *fell*: the trunk came below half its height or tilted by more than 1 rad.
Inertias that no body can have are repaired, as `new --repair-inertia` does.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from ruamel.yaml import YAML

import didymos
from didymos.control.leg_finder import find_legs
from didymos.describe.new import new_twin
from didymos.errors import DidymosError

NOISE = {
    "imu": {"gyro": {"noise_density": 2.0e-4, "bias": 0.003}, "accel": {"noise_density": 2.0e-3, "bias": 0.05}},
    "joints": {"position": {"noise": 1.0e-4}, "velocity": {"noise": 0.02}},
}
SPEED, STEADY, END = 0.3, 6.0, 22.0  # [m/s], [s]


def prepare(name: str, description: Path, folder: Path) -> Path:
    """A twin of a description by `didymos new`, with noise and the scenario of the table."""
    path = new_twin(name, description, folder, repair=True) / "twin.yaml"
    yaml = YAML(typ="safe")
    content = yaml.load(path.read_text(encoding="utf-8"))
    for sensor in content["sensors"].values():
        for quantity, errors in NOISE.get(sensor["kind"], {}).items():
            sensor.setdefault(quantity, errors)
    content["sensors"] = {key: value for key, value in content["sensors"].items() if value["kind"] != "camera"}
    content["scenarios"] = {
        "table": {
            "title": "Stand, then trot",
            "seconds": END,
            "stimuli": [
                {"target": "setpoints.mode", "kind": "step", "at": 1.0, "from": 1.0, "to": 3.0},
                {"target": "setpoints.vx", "kind": "step", "at": 2.0, "to": SPEED},
            ],
        }
    }
    with path.open("w", encoding="utf-8") as file:
        yaml.dump(content, file)
    return path.parent


def trot(twin: didymos.Twin, seed: int) -> dict[str, Any]:
    """One run: whether it fell, the speed that it held [m/s], how far its heading drifted [rad], its worst tilt [rad]."""
    try:
        log = twin.simulate(seed=seed, scenario="table").run(END)
    except DidymosError as error:
        return {"seed": seed, "fell": True, "error": str(error)}
    time, height, tilt = (log["truth.position.z"].time, log["truth.position.z"].values, log["truth.tilt"].values)
    w, x, y, z = (log[f"truth.orientation.{part}"].values for part in "wxyz")
    yaw = np.unwrap(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))
    ahead, aside = log["truth.position.x"].values, log["truth.position.y"].values
    late = time >= STEADY
    way = float(np.hypot(np.diff(ahead[late]), np.diff(aside[late])).sum())
    return {
        "seed": seed,
        "fell": bool(height.min() < 0.5 * height[0] or tilt.max() > 1.0),
        "speed": way / float(time[late][-1] - time[late][0]),
        "heading": float(np.abs(yaw - yaw[0]).max()),
        "tilt": float(tilt.max()),
    }


def main() -> None:
    """All robots, all seeds."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("robots", nargs="+", help="NAME=FILE")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows = []
    print("| robot | mass [kg] | legs | fell, of seeds | speed [m/s] | heading [rad] | tilt [rad] |")
    print("|---|---|---|---|---|---|---|")
    for item in options.robots:
        name, _, path = item.partition("=")
        with tempfile.TemporaryDirectory() as folder:
            try:
                twin = didymos.load(prepare(name, Path(path), Path(folder)), trust=True)
                legs = len(find_legs(twin.model))
                runs = [trot(twin, seed) for seed in range(1, options.seeds + 1)]
            except DidymosError as error:
                print(f"| {name} | | | {str(error)[:200]} | | | |", flush=True)
                continue
        rows.append({"robot": name, "mass": twin.model.mass, "legs": legs, "runs": runs})
        up = [run for run in runs if not run["fell"]]
        numbers = "| | |"
        if up:
            speed, heading, tilt = ([run[key] for run in up] for key in ("speed", "heading", "tilt"))
            numbers = f"{min(speed):.2f} to {max(speed):.2f} | {max(heading):.3f} | {max(tilt):.3f}"
        print(f"| {name} | {twin.model.mass:.1f} | {legs} | {len(runs) - len(up)} of {len(runs)} | {numbers} |", flush=True)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
