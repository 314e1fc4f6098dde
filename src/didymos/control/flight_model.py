"""The linear model of an aircraft that a program designs its gains from: numbers of one steady flight, made by the engine.

    dx/dt = A x + B c,      x = (u, w, q, theta, h, v, p, r, phi)  [m/s, rad/s, rad, m],  forward-right-down along the flight

with engines and joints settled, c the commands of the axes roll, pitch, yaw (-1 to 1) and thrust (0 to 1). What settles is told
by its lag instead: `lag` of an axis is the mean time [s] from a command to its effect, through motors and joints, `rate` what the
command of an axis can change by in a second (servos), `reading` the age [s] of what the program knows of its attitude.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FlightModel", "RotorCurve"]

_SWING = 0.1  # of a command: the share that a servo is given the time for


@dataclass(frozen=True)
class RotorCurve:
    """T = k (C + K u)^2 of a rotor and its yaw moment over thrust: k [N s^2], C and K [rad/s], ratio [m]."""

    thrust_coefficient: float
    speed_at_zero: float
    speed_per_input: float
    torque_ratio: float


@dataclass(frozen=True)
class FlightModel:
    """A steady flight of a robot and its small motions; see the module."""

    airspeed: float
    """[m/s]; 0 where it hovers."""
    nose: float
    """Nose-up angle [rad]."""
    commands: Mapping[str, float]
    """Of the steady flight, by axis."""
    states: tuple[str, ...]
    axes: tuple[str, ...]
    a: NDArray[np.float64]
    """[n, n]"""
    b: NDArray[np.float64]
    """[n, axes]"""
    lag: Mapping[str, float]
    """By axis [s]."""
    rate: Mapping[str, float]
    """By axis [1/s], infinite where nothing limits it."""
    reading: float
    """[s]"""
    calls: float
    """Of the program [Hz]."""
    gravity: float
    """[m/s^2]"""
    mass: float
    """[kg]"""
    inertia: tuple[float, float, float]
    """About x, y, z through the centre of mass [kg m^2]."""
    rotor: RotorCurve | None = None

    def of(self, state: str, by: str) -> float:
        """The derivative of d(state)/dt by a state, or by the command of an axis; 0 for an axis that it does not have."""
        row = self.states.index(state)
        if by in self.states:
            return float(self.a[row, self.states.index(by)])
        return float(self.b[row, self.axes.index(by)]) if by in self.axes else 0.0

    def delay(self, axis: str) -> float:
        """All that stands between a motion and the answer to it on an axis [s]: reading, call, hold, servo, motor."""
        servo = _SWING / self.rate.get(axis, math.inf)
        return self.reading + 1.0 / self.calls + servo + self.lag.get(axis, 0.0)
