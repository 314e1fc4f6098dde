"""Multirotor PD: attitude, heading and height of a multirotor by proportional and derivative gains.

    u_roll   = kp (roll* - roll)    - kd p              limited to [-1, 1]
    u_pitch  = kp (pitch* - pitch)  - kd q              limited to [-1, 1]
    u_yaw    = kp wrap(yaw* - yaw)  - kd r              limited to [-1, 1]
    u_height = hover + kp (z* - z)  - kd dz/dt          limited to [0, 1]
    inputs   = mixer (u_height, u_roll, u_pitch, u_yaw) limited to [0, 1]

Angles are Euler angles Z-Y-X of the body (forward-left-up): positive pitch is nose down, positive yaw nose left. The
derivative acts on the measured rates, not on a difference of errors as in the original, so a step of a set-point does not
kick. `hover` is the feed-forward that the original lacks: without it the height sags by hover / kp = 1.6 m.
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from didymos.compiled import c_function, kernel
from didymos.control.controller import CompiledController, Gain, Robot
from didymos.control.mixer import Stated, mixer
from didymos.control.program import PROGRAM_SIGNATURE
from didymos.errors import InputError

__all__ = ["MultirotorPd"]

_AXES = ("w", "x", "y", "z")


@kernel
def _limit(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings, gains, measured, setpoints, memory, inputs):  # type: ignore[no-untyped-def]
    w, x, y, z = measured[0], measured[1], measured[2], measured[3]
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    pitch = math.asin(_limit(2.0 * (w * y - z * x), -1.0, 1.0))
    yaw = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    p, q, r, height = measured[4], measured[5], measured[6], measured[7]
    u, v, s = measured[8], measured[9], measured[10]
    climb = 2.0 * (x * z - w * y) * u + 2.0 * (y * z + w * x) * v + (1.0 - 2.0 * (x * x + y * y)) * s
    turn = setpoints[2] - yaw
    turn -= 2.0 * math.pi * math.floor((turn + math.pi) / (2.0 * math.pi))
    u_roll = _limit(gains[0] * (setpoints[0] - roll) - gains[1] * p, -1.0, 1.0)
    u_pitch = _limit(gains[2] * (setpoints[1] - pitch) - gains[3] * q, -1.0, 1.0)
    u_yaw = _limit(gains[4] * turn - gains[5] * r, -1.0, 1.0)
    u_height = _limit(gains[8] + gains[6] * (setpoints[3] - height) - gains[7] * climb, 0.0, 1.0)
    for i in range(int(settings[0])):
        row = 1 + 4 * i
        inputs[i] = _limit(
            settings[row] * u_height + settings[row + 1] * u_roll + settings[row + 2] * u_pitch + settings[row + 3] * u_yaw,
            0.0,
            1.0,
        )


class MultirotorPd(CompiledController):
    """PD control of roll, pitch, yaw and height for any multirotor; the mixer comes from the rotors' geometry."""

    program: ClassVar = _program
    setpoints = ("roll", "pitch", "yaw", "z")
    roll_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="roll.kp")
    roll_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="roll.kd")
    pitch_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="pitch.kp")
    pitch_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="pitch.kd")
    yaw_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="yaw.kp")
    yaw_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="yaw.kd")
    height_kp = Gain(0.0, low=0, high=10, unit="1/m", path="height.kp")
    height_kd = Gain(0.0, low=0, high=10, unit="s/m", path="height.kd")
    height_hover = Gain(0.0, low=0, high=1, unit="1", path="height.hover", doc="feed-forward: the input at which it hovers")

    def __init__(self, sensor: str = "state", mixer: Stated | None = None) -> None:
        self.sensor, self.mixer = sensor, mixer

    def start(self, robot: Robot) -> None:
        """Derive the mixer and find the readings of the pose sensor."""
        self.reads = (
            *(f"{self.sensor}.orientation.{axis}" for axis in _AXES),
            *(f"{self.sensor}.angular_velocity.{axis}" for axis in _AXES[1:]),
            f"{self.sensor}.position.z",
            *(f"{self.sensor}.velocity.{axis}" for axis in _AXES[1:]),
        )
        missing = [name for name in self.reads if name not in robot.measured]
        if missing:
            raise InputError(
                f"multirotor_pd needs a pose sensor named {self.sensor!r} (kind odometry); there is no {missing[0]!r}",
                path="control.options.sensor",
            )
        self.writes = tuple(rotor.input for rotor in robot.rotors)
        matrix = mixer(robot.rotors, self.mixer)
        self.settings = np.concatenate([[float(len(robot.rotors))], matrix.ravel()])
