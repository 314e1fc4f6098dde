"""Surroundings: a parcel rides on a lift to a shelf, a ball flies past it; where the ball begins is a parameter like any other.

    python examples/14_surroundings.py [FOLDER]

The lift follows timed poses, and contacts see how it moves: the parcel stays where it stands. The ball is a free body with a
mass, a velocity and a spin; the log has a stream for each of them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import didymos

PARCEL = """<robot name="parcel"><link name="parcel">
  <inertial><mass value="2"/><inertia ixx="0.0133" iyy="0.0133" izz="0.0133" ixy="0" ixz="0" iyz="0"/></inertial>
  <visual><geometry><box size="0.2 0.2 0.2"/></geometry></visual>
  <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link></robot>"""

LIFT = {"kind": "path", "interpolation": "smooth", "poses": [
    {"time": 0.5, "position": [0, 0, 0.05]}, {"time": 2.0, "position": [0, 0, 1.0]}, {"time": 3.5, "position": [1.5, 0, 1.0]},
]}  # fmt: skip

WORLD = {
    "ground": {},
    "objects": {
        "lift": {"size": [0.6, 0.6, 0.1], "motion": LIFT},
        "shelf": {"size": [1.0, 0.6, 0.1], "position": [2.4, 0, 1.0], "colour": [0.6, 0.45, 0.3]},
        "stairs": {
            "shape": "terrain", "size": [3, 1, 0], "position": [0.5, 2, 0],
            "terrain": {"kind": "stairs", "height": 0.12, "length": 0.3},
        },
        "ball": {
            "shape": "sphere", "size": [0.1, 0.1, 0.1], "mass": 0.2, "position": [-3, -1, 1],
            "velocity": [3, 0, 3], "angular_velocity": [0, 20, 0],
        },
    },
}  # fmt: skip


def make_twin(folder: Path) -> didymos.Twin:
    """The parcel and its world, as a folder."""
    home = folder / "parcel"
    home.mkdir(exist_ok=True)
    (home / "parcel.urdf").write_text(PARCEL)
    keys = {
        "title": "a parcel on a lift", "description": {"file": "parcel.urdf", "base": "floating"}, "world": WORLD,
        "start": {"position": [0, 0, 0.2]},
    }  # fmt: skip
    (home / "twin.yaml").write_text(json.dumps(keys))  # JSON is YAML
    return didymos.load(home)


def main(folder: Path) -> tuple[float, list[float]]:
    """How far [m] the parcel has slipped on the lift, and where [m] the ball lands for three speeds."""
    twin = make_twin(folder)
    log = twin.simulate().run(4.5)
    print("picture:", log.plot("truth.position", "objects.lift.position", path=folder / "lift.png"))
    slip = float(log["truth.position.x"].values[-1] - log["objects.lift.position.x"].values[-1])
    print(f"the parcel rode {log['truth.position.x'].values[-1]:.3f} m and slipped by {1000 * slip:.2f} mm")
    landings = []
    for speed in (2.0, 3.0, 4.0):
        twin.set("start.objects.ball.velocity.x", speed)
        log = twin.simulate().run(1.0)
        height, place = log["objects.ball.position.z"].values, log["objects.ball.position.x"].values
        row = int(np.argmax(height < 0.05))  # the first sample in which it has touched the ground
        landings.append(float(np.interp(-0.05, -height[row - 1 : row + 1], place[row - 1 : row + 1])))
        print(f"thrown at {speed:g} m/s, the ball comes down at x = {landings[-1]:.3f} m")
    return slip, landings


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
