"""Multirotor position hold: position, velocity, tilt and height in nested loops; the mixer comes from the rotors' geometry.

    v*      = kp (p* - p)                                 limited to position.limit, horizontal
    a*      = kp (v* - v) + ki int                        limited to g tan(tilt.limit)
    tilt    roll* = -atan(a*_left / g), pitch* = atan(a*_forward / g)
    u_roll, u_pitch, u_yaw = kp (angle* - angle) - kd rate,   as in `multirotor_pd`
    u_height = [hover + kp (z* - z) - kd dz/dt + ki int] / cos(tilt)

Forward and left are those of the heading. The integrals learn the wind. Frames: world east-north-up, body forward-left-up.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numba import carray

from didymos.compiled import c_function
from didymos.control.angles import limit, roll_pitch_yaw, wrap
from didymos.control.controller import CompiledController, Gain, Robot
from didymos.control.mixer import mixer
from didymos.control.navigation import MEMORY, SETTINGS, Navigation, navigate
from didymos.control.program import PROGRAM_SIGNATURE

__all__ = ["MultirotorHold"]

_GRAVITY = 9.80665
_MEMORY = MEMORY + 3


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings_at, gains, sensed_at, wanted, memory_at, inputs):  # type: ignore[no-untyped-def]
    settings, sensed, memory = carray(settings_at, 4096), carray(sensed_at, 32), carray(memory_at, _MEMORY)
    dt = clock[1]
    state = navigate(clock, settings, gains[17], gains[18], gains[19], 0.0, sensed, memory)
    roll, pitch, yaw = roll_pitch_yaw(state, 0)
    ex, ey = gains[0] * (wanted[0] - state[7]), gains[0] * (wanted[1] - state[8])
    size = math.sqrt(ex * ex + ey * ey)
    share = min(1.0, gains[1] / size) if size > 0.0 else 1.0
    ex, ey = share * ex - state[10], share * ey - state[11]
    ax, ay = gains[2] * ex + memory[MEMORY], gains[2] * ey + memory[MEMORY + 1]
    size = math.sqrt(ax * ax + ay * ay)
    most = _GRAVITY * math.tan(gains[4])
    if size < most:
        memory[MEMORY] += gains[3] * ex * dt
        memory[MEMORY + 1] += gains[3] * ey * dt
    else:
        ax, ay = ax * most / size, ay * most / size
    c, s = math.cos(yaw), math.sin(yaw)
    roll_wanted = -math.atan((c * ay - s * ax) / _GRAVITY)
    pitch_wanted = math.atan((c * ax + s * ay) / _GRAVITY)
    u_roll = limit(gains[5] * (roll_wanted - roll) - gains[6] * state[4], -1.0, 1.0)
    u_pitch = limit(gains[7] * (pitch_wanted - pitch) - gains[8] * state[5], -1.0, 1.0)
    u_yaw = limit(gains[9] * wrap(wanted[3] - yaw) - gains[10] * state[6], -1.0, 1.0)
    error = wanted[2] - state[9]
    lift = gains[14] + gains[11] * limit(error, -gains[15], gains[15]) - gains[12] * state[12] + memory[MEMORY + 2]
    if 0.0 < lift < 1.0:
        memory[MEMORY + 2] = limit(memory[MEMORY + 2] + gains[13] * error * dt, -gains[16], gains[16])
    u_height = limit(lift / max(math.cos(roll) * math.cos(pitch), 0.5), 0.0, 1.0)
    for i in range(int(settings[SETTINGS])):
        row = SETTINGS + 1 + 4 * i
        wish = settings[row] * u_height + settings[row + 1] * u_roll + settings[row + 2] * u_pitch + settings[row + 3] * u_yaw
        inputs[i] = limit(wish, 0.0, 1.0)


class MultirotorHold(CompiledController):
    """Holds a place, a height and a heading, from a pose sensor or from the estimator."""

    program: ClassVar = _program
    wants = ("x", "y", "z", "yaw")
    memory_size = _MEMORY
    position_kp = Gain(0.8, low=0, high=20, unit="1/s", path="position.kp")
    position_limit = Gain(4.0, low=0, high=50, unit="m/s", path="position.limit")
    velocity_kp = Gain(2.0, low=0, high=50, unit="1/s", path="velocity.kp")
    velocity_ki = Gain(0.8, low=0, high=50, unit="1/s^2", path="velocity.ki")
    tilt_limit = Gain(0.5, low=0, high=1.2, unit="rad", path="tilt.limit")
    roll_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="roll.kp")
    roll_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="roll.kd")
    pitch_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="pitch.kp")
    pitch_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="pitch.kd")
    yaw_kp = Gain(0.0, low=0, high=10, unit="1/rad", path="yaw.kp")
    yaw_kd = Gain(0.0, low=0, high=10, unit="s/rad", path="yaw.kd")
    height_kp = Gain(0.0, low=0, high=10, unit="1/m", path="height.kp")
    height_kd = Gain(0.0, low=0, high=10, unit="s/m", path="height.kd")
    height_ki = Gain(0.0, low=0, high=10, unit="1/(m s)", path="height.ki")
    height_hover = Gain(0.0, low=0, high=1, unit="1", path="height.hover", doc="feed-forward: the input at which it hovers")
    height_step = Gain(1.0, low=0, high=100, unit="m", path="height.step", doc="largest error of height that is acted on")
    height_reserve = Gain(0.2, low=0, high=1, unit="1", path="height.reserve", doc="largest share of the integral")
    bandwidth = Gain(0.5, low=0, high=20, unit="rad/s", path="estimator.tilt")
    position_gain = Gain(1.0, low=0, high=50, unit="1/s", path="estimator.position")
    heading_gain = Gain(0.5, low=0, high=50, unit="1/s", path="estimator.heading")

    def __init__(self, sensor: str | None = None, estimator: Mapping[str, Any] | None = None) -> None:
        self.navigation = Navigation("multirotor_hold", sensor, estimator, None)

    def start(self, robot: Robot) -> None:
        """Derive the mixer and find the readings."""
        self.navigation.check(robot)
        self.reads = self.navigation.reads
        self.writes = tuple(rotor.input for rotor in robot.rotors)
        rows = mixer(robot.rotors).ravel()
        self.settings = np.concatenate([self.navigation.settings, [float(len(robot.rotors))], rows])
