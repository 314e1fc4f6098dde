"""Inertias that are off by rounding, and moving links without mass: how they are mended where the user asks for it.

An inertia that misses C <= A + B is moved to the nearest one that a body can have, in the sum of squares of its entries: the
axes stay, and the moments (A, B, C) go to

    (A + t/3, B + t/3, C - t/3),   t = C - A - B,        or, where B would then exceed C, to (0, s, s), s = (B + C) / 2

This is done only where t is rounding: at most what the digits of the file leave open, or 1 % of C. The first follows from half
a unit of the last digit of each number, h_ij, to first order:

    t <= sum_ij h_ij |P_C - P_A - P_B|_ij             P = u u^T, u the principal axes

The second is what a conversion before the file leaves (two significant digits are half a unit in a hundred, at best). Public
descriptions miss by 0.2 to 0.8 % or by 4 % and more, up to a hundred; the latter are wrong numbers, and nobody knows the right
ones.

A moving link without any mass, on itself or further out, gets the mass m = sqrt(eps) M = 1.5e-8 M and the inertia m r^2 about
each axis, with M the mass and r the radius of gyration of the whole robot, eps the machine's precision. A mass that is not
there changes the motion by m / M; constraints are solved with a relative error of eps M / m, as light and heavy bodies stand
in one system. Their sum is least where both are sqrt(eps). Of a robot without any mass (a description that only serves to be
drawn) M is 1 kg and r the spread of its links: its joints then move as if all links weighed the same, which is a guess, and
said so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from didymos.describe.formats.mechanism import Inertial

__all__ = ["CONVERSION", "RobotSize", "fault_by_rounding", "least_inertial", "nearest_physical", "size_without_mass"]

CONVERSION = 0.01  # of the largest moment
_LEAST_SPREAD = 0.01  # [m]


@dataclass(frozen=True)
class RobotSize:
    """Mass [kg] and radius of gyration [m] of a whole robot about its centre of mass."""

    mass: float
    gyration: float


def nearest_physical(inertia: np.ndarray) -> np.ndarray:
    """The inertia [kg m^2], shape [3, 3], nearest to one that misses the inequality; the same one where it does not."""
    moments, axes = np.linalg.eigh((inertia + inertia.T) / 2)
    a, b, c = moments
    miss = c - a - b
    if miss > 0.0:
        a, b, c = a + miss / 3, b + miss / 3, c - miss / 3
        if b > c:
            a, b, c = 0.0, (moments[1] + moments[2]) / 2, (moments[1] + moments[2]) / 2
    return np.asarray(axes @ np.diag([a, b, c]) @ axes.T)


def fault_by_rounding(inertial: Inertial) -> bool:
    """Whether an inertia misses the inequality by no more than its digits, or a conversion before them, explain."""
    moments, axes = np.linalg.eigh((inertial.inertia + inertial.inertia.T) / 2)
    a, b, c = moments
    if not c > 0.0:
        return False
    first, second, third = (np.outer(axes[:, i], axes[:, i]) for i in range(3))
    by_digits = float((inertial.rounding * np.abs(third - first - second)).sum())
    return bool(c - a - b <= max(by_digits, CONVERSION * c))


def size_without_mass(places: np.ndarray) -> RobotSize:
    """The size that a robot without any mass counts as, from the places of its links [m], shape [n, 3]."""
    away = places - places.mean(axis=0) if len(places) else np.zeros((1, 3))
    return RobotSize(1.0, max(math.sqrt(float(np.mean(np.sum(away**2, axis=1)))), _LEAST_SPREAD))


def least_inertial(com: np.ndarray, robot: RobotSize) -> Inertial:
    """What a moving link without mass gets in a robot; see the module."""
    mass = math.sqrt(np.finfo(float).eps) * robot.mass
    return Inertial(mass, com, mass * robot.gyration**2 * np.eye(3))
