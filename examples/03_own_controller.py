"""Your own control program: hold the position while a wind of 6 m/s sets in.

    python examples/03_own_controller.py [FOLDER]

A program is one class: `rate` [Hz], gains, set-points, `update`. This one turns errors of position into set-points of roll and
pitch and hands them to the twin's own attitude controller. It sees what the sensors say and the twin's clock, so the same class
can drive the real robot. Positive pitch is nose down: it accelerates along +x; positive roll along -y (heading is held at zero).
"""

import sys
from pathlib import Path

import numpy as np

import didymos
from didymos.contract import setpoint


class HoldPosition(didymos.Controller):
    rate = 400
    kp = didymos.Gain(0.12, low=0, high=1, unit="rad/m")
    ki = didymos.Gain(0.03, low=0, high=1, unit="rad/(m s)")
    kd = didymos.Gain(0.16, low=0, high=1, unit="rad s/m")
    x = setpoint(unit="m")
    y = setpoint(unit="m")
    z = setpoint(unit="m")

    def __init__(self, attitude: didymos.Controller) -> None:
        self.attitude = attitude
        self.sum = np.zeros(2)  # [m s]

    def start(self, robot) -> None:
        self.attitude.start(robot)

    def update(self, t, measured, setpoints):
        error = np.array([setpoints.x, setpoints.y]) - np.array(measured.state.position)[:2]
        self.sum += error / self.rate
        tilt = self.kp * error + self.ki * self.sum - self.kd * np.array(measured.state.velocity)[:2]
        pitch, roll = np.clip(tilt * [1, -1], -0.3, 0.3)
        return self.attitude.update(t, measured, {"roll": roll, "pitch": pitch, "yaw": 0.0, "z": setpoints.z})


def main(folder: Path, seconds: float = 20.0) -> dict[str, float]:
    folder.mkdir(parents=True, exist_ok=True)
    twin = didymos.load("quadcopter")
    drifting = twin.simulate(scenario="side_wind").run(seconds)
    holding = twin.simulate(scenario="side_wind", control=HoldPosition(twin.make_program())).run(seconds)
    ends = {name: float(log["truth.position.x"].values[-1]) for name, log in (("drifts", drifting), ("holds", holding))}
    print(f"in the wind the twin's own program drifts to x = {ends['drifts']:.2f} m, ours ends at {ends['holds']:.3f} m")
    print("picture:", holding.plot("truth.position.x", "truth.velocity.x", "inputs", path=folder / "hold.png"))
    return ends


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
