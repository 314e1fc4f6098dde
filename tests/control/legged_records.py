"""The records that functions of the walking program read and write, for tests of its equations on random bodies and motions."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import didymos
from didymos.control.leg import pose_leg, weigh_leg
from didymos.control.legged import Legged

G = 9.80665
DT = 0.002
END, SIDE = np.array([1.0, 1.0, -1.0, -1.0]), np.array([1.0, -1.0, 1.0, -1.0])


@functools.cache
def _settings() -> Any:
    """The settings of the program for meldog: legs of three joints, four of them."""
    program = didymos.load("meldog").simulate().program
    assert isinstance(program, Legged)
    return program.settings


class Records:
    """The records that the program's functions read and write."""

    def __init__(self, seed: int = 0) -> None:
        self.random = np.random.default_rng(seed)
        self.memory: Any = np.zeros(1, Legged.memory_layout)[0]
        self.gains: Any = np.zeros(1, Legged.gain_layout)[0]
        self.measured: Any = np.zeros(1, Legged.measurement_layout)[0]
        self.settings: Any = np.array([_settings()])[0]
        self.clock: Any = np.zeros(1, [("time", float), ("period", float), ("first", float)])[0]
        self.clock["period"] = DT
        self.robot: Any = self.settings["robot"]
        self.robot["imu"] = np.eye(3)
        self.limbs = self.settings["limbs"]
        for gain in Legged.gain_table:
            self.gains[gain.name] = gain.value
        self.body, self.legs, self.goal = self.memory["body"], self.memory["legs"], self.memory["goal"]
        self.time, self.length = float(self.robot["time"]), float(self.robot["length"])
        self.memory["period"], self.memory["duty"] = self.gains["period"] * self.time, self.gains["duty"]
        self.turn_to(0.0, 0.0)

    def turn_to(self, roll: float, pitch: float) -> None:
        """Let the program know its tilt."""
        self.memory["roll"], self.memory["pitch"] = roll, pitch
        self.rotation = Rotation.from_euler("ZYX", [0.0, pitch, roll]).as_matrix()
        self.body["rotation"], self.body["up"] = self.rotation, self.rotation[2]
        self.body["steady_rotation"] = self.rotation

    def place_feet(self) -> np.ndarray:
        """Random angles of all joints [4, 3], and where the feet are then."""
        angles = self.random.uniform([-0.5, -1.1, 0.6], [0.5, -0.2, 1.8], (4, 3))
        for number in range(4):
            leg = self.legs[number]
            leg["angle"][:3] = angles[number]
            pose_leg(self.limbs[number], leg["angle"], leg["pose"])
            weigh_leg(self.limbs[number], G, self.body["up"], leg["pose"])
            leg["foot_level"] = self.rotation @ leg["pose"]["foot"]
            self.measured["joints"]["position"][3 * number : 3 * number + 3] = angles[number]
        return angles
