"""A new twin: a pendulum described in a URDF and eleven lines of twin.yaml, no Python.

    python examples/06_new_twin.py [FOLDER]

A twin is a folder with a description and a `twin.yaml` that says what the description cannot. The period of a small swing is
known: 2 pi sqrt(I / (m g l)), with I about the hinge. `didymos new NAME --from FILE` writes such a folder for you.
"""

import sys
from pathlib import Path

import numpy as np

import didymos

URDF = """<robot name="pendulum">
  <link name="stand"/>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -0.25"/>
      <mass value="0.2"/>
      <inertia ixx="0.0042" iyy="0.0042" izz="0.0001" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><origin xyz="0 0 -0.25"/><geometry><cylinder radius="0.01" length="0.5"/></geometry></visual>
  </link>
  <joint name="hinge" type="continuous"><parent link="stand"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>
"""

TWIN = """title: A pendulum
description: {file: pendulum.urdf}
world: {step: 0.001, integrator: rk4}
sensors:
  encoder: {kind: joints, rate: 200, position: {resolution: 0.0015}}
start:
  joints: {hinge: 0.02}
scenarios:
  swing:
    title: Small swings
    seconds: 10
"""


def main(folder: Path) -> tuple[float, float]:
    home = folder / "pendulum"
    home.mkdir(parents=True, exist_ok=True)
    (home / "pendulum.urdf").write_text(URDF, encoding="utf-8")
    (home / "twin.yaml").write_text(TWIN, encoding="utf-8")

    log = didymos.load(home).simulate(scenario="swing").run()
    angle = log["joints.hinge.position"]
    down = np.flatnonzero((angle.values[:-1] > 0) & (angle.values[1:] <= 0))
    part = angle.values[down] / (angle.values[down] - angle.values[down + 1])
    crossings = angle.time[down] + part * (angle.time[down + 1] - angle.time[down])
    measured = float(np.mean(np.diff(crossings)))
    expected = 2 * np.pi * np.sqrt((0.0042 + 0.2 * 0.25**2) / (0.2 * 9.80665 * 0.25))
    print(f"period {measured:.5f} s, expected {expected:.5f} s")
    print("picture:", log.plot("joints", "encoder", path=folder / "pendulum.png"))
    return measured, expected


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
