"""Backstepping attitude control of a multirotor, and its height; the answer is a thrust for each rotor, then its input.

For one axis, with angle error z1 = phi* - phi, the rate a1 z1 would let it decay; z2 = a1 z1 - omega is what is missing to it.

    V = (z1^2 + z2^2) / 2,    dV/dt = -a1 z1^2 - a2 z2^2    if    domega/dt = (1 + a1 a2) z1 - (a1 + a2) omega

so the error of a constant set-point decays for any a1, a2 > 0, at least as fast as exp(-min(a1, a2) t). The poles are those of
s^2 + (a1 + a2) s + 1 + a1 a2: complex, at -(a1 + a2)/2 with imaginary part sqrt(1 - (a1 - a2)^2 / 4), where |a1 - a2| < 2.

    M  = J [(1 + a1 a2) z1 - (a1 + a2) omega] + omega x J omega                moments [N m] about the body's axes
    F  = m [g + kp limit(z* - z) - kd dz/dt + int] / (cos roll cos pitch)      thrust [N]
    T  = mixer (F, M),   w = sqrt(T / k_T),   u = (w - C) / K                  limited to [0, 1]

This is law (4.1) of DaedalusSim, completed where the source is silent or wrong: the source divides by the arm, which has no
meaning for yaw; adds newtons to motor commands (here the rotor's curve is inverted); mixes with numbers that contradict its
own model (here the mixer comes from the rotors' geometry); has no height. The last term of M cancels the gyroscopic coupling.

Angles are Euler angles Z-Y-X of the body, forward-left-up. Valid for tilts below 60 degrees, where their rates are close to
the body's, and for rotors that follow faster than a1 and a2. A steady torque leaves an offset: there is no integral of the angle.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import ClassVar

import numpy as np
from numba import carray

from didymos.compiled import c_function, kernel
from didymos.control.angles import limit, roll_pitch_yaw, wrap
from didymos.control.controller import CompiledController, Gain, Robot
from didymos.control.mixer import thrust_mixer
from didymos.control.navigation import MEMORY, SETTINGS, Navigation, navigate
from didymos.control.program import PROGRAM_SIGNATURE

__all__ = ["Backstepping", "acceleration"]

_MEMORY = MEMORY + 1


@kernel
def acceleration(error: float, rate: float, a1: float, a2: float) -> float:
    """Angular acceleration [rad/s^2] that lets an error [rad] decay, at a rate [rad/s] and gains [1/s]."""
    return (1.0 + a1 * a2) * error - (a1 + a2) * rate


@c_function(PROGRAM_SIGNATURE)
def _program(clock, settings_at, gains, sensed_at, setpoints, memory_at, inputs):  # type: ignore[no-untyped-def]
    settings, measured, memory = carray(settings_at, 4096), carray(sensed_at, 32), carray(memory_at, _MEMORY)
    state = navigate(clock, settings, gains[20], gains[21], gains[22], 0.0, measured, memory)
    roll, pitch, yaw = roll_pitch_yaw(state, 0)
    p, q, r = state[4], state[5], state[6]
    jx, jy, jz = gains[13], gains[14], gains[15]
    roll_moment = jx * acceleration(setpoints[0] - roll, p, gains[0], gains[1]) + (jz - jy) * q * r
    pitch_moment = jy * acceleration(setpoints[1] - pitch, q, gains[2], gains[3]) + (jx - jz) * r * p
    yaw_moment = jz * acceleration(wrap(setpoints[2] - yaw), r, gains[4], gains[5]) + (jy - jx) * p * q
    yaw_moment = limit(yaw_moment, -gains[6], gains[6])
    error = limit(setpoints[3] - state[9], -gains[10], gains[10])
    lift = gains[11] + gains[7] * error - gains[8] * state[12] + memory[MEMORY]
    memory[MEMORY] = limit(memory[MEMORY] + gains[9] * error * clock[1], -0.5 * gains[11], 0.5 * gains[11])
    thrust = gains[12] * max(lift, 0.0) / max(math.cos(roll) * math.cos(pitch), 0.5)
    for i in range(int(settings[SETTINGS])):
        row = SETTINGS + 1 + 4 * i
        share = settings[row] * thrust + settings[row + 1] * roll_moment + settings[row + 2] * pitch_moment
        share += settings[row + 3] * yaw_moment / gains[17]
        speed = math.sqrt(max(share, 0.0) / gains[16])
        inputs[i] = limit((speed - gains[19]) / gains[18], 0.0, 1.0)


class Backstepping(CompiledController):
    """Backstepping of roll, pitch and yaw, PID of height, from a pose sensor or from the estimator."""

    program: ClassVar = _program
    setpoints = ("roll", "pitch", "yaw", "z")
    memory_size = _MEMORY
    roll_a1 = Gain(4.0, low=0, high=100, unit="1/s", path="roll.a1")
    roll_a2 = Gain(4.0, low=0, high=100, unit="1/s", path="roll.a2")
    pitch_a1 = Gain(4.0, low=0, high=100, unit="1/s", path="pitch.a1")
    pitch_a2 = Gain(4.0, low=0, high=100, unit="1/s", path="pitch.a2")
    yaw_a1 = Gain(1.5, low=0, high=100, unit="1/s", path="yaw.a1")
    yaw_a2 = Gain(1.5, low=0, high=100, unit="1/s", path="yaw.a2")
    yaw_limit = Gain(0.05, low=0, high=100, unit="N m", path="yaw.limit", doc="largest moment, so that yaw leaves room for tilt")
    height_kp = Gain(4.0, low=0, high=100, unit="1/s^2", path="height.kp")
    height_kd = Gain(4.0, low=0, high=100, unit="1/s", path="height.kd")
    height_ki = Gain(0.0, low=0, high=100, unit="1/s^3", path="height.ki")
    height_step = Gain(1.0, low=0, high=100, unit="m", path="height.step", doc="largest error of height that is acted on")
    gravity = Gain(9.80665, low=0, high=100, unit="m/s^2", path="model.gravity")
    mass = Gain(1.0, low=0, high=1e4, unit="kg", path="model.mass")
    inertia_x = Gain(0.01, low=0, high=1e4, unit="kg m^2", path="model.inertia.x")
    inertia_y = Gain(0.01, low=0, high=1e4, unit="kg m^2", path="model.inertia.y")
    inertia_z = Gain(0.02, low=0, high=1e4, unit="kg m^2", path="model.inertia.z")
    thrust_coefficient = Gain(1.5e-5, low=1e-12, high=10, unit="N s^2", path="model.thrust_coefficient", doc="k_T")
    torque_ratio = Gain(0.015, low=1e-9, high=10, unit="m", path="model.torque_ratio", doc="k_M / k_T")
    speed_per_input = Gain(600.0, low=1e-9, high=1e6, unit="rad/s", path="model.speed_per_input", doc="K")
    speed_at_zero = Gain(0.0, low=0, high=1e6, unit="rad/s", path="model.speed_at_zero", doc="C")
    bandwidth = Gain(0.5, low=0, high=20, unit="rad/s", path="estimator.tilt")
    position_gain = Gain(1.0, low=0, high=50, unit="1/s", path="estimator.position")
    heading_gain = Gain(0.5, low=0, high=50, unit="1/s", path="estimator.heading")

    def __init__(self, sensor: str | None = None, estimator: Mapping[str, str | float] | None = None) -> None:
        self.navigation = Navigation("backstepping", sensor, estimator, None)

    def start(self, robot: Robot) -> None:
        """Derive the mixer and find the readings."""
        self.navigation.check(robot)
        self.reads = self.navigation.reads
        self.writes = tuple(rotor.input for rotor in robot.rotors)
        rows = thrust_mixer(robot.rotors).ravel()
        self.settings = np.concatenate([self.navigation.settings, [float(len(robot.rotors))], rows])
