"""The curve T = k (C + K u)^2 of the rotors of a hovering robot, and their yaw moment over thrust, from its own force laws.

sqrt(T) is taken at two inputs, 0.8 and 1.2 of hovering, with rotors settled: the line through both has the slope sqrt(k) K and
the start sqrt(k) C. k is T / w^2 where a rotor tells its speed w, else 1e-5. The ratio is that of the yaw moment and the thrust
that a unit of yaw moves: b_yaw J_z over the sum of |dT| of the rotors.
"""

from __future__ import annotations

import math

import numpy as np

from didymos.control.flight_model import RotorCurve
from didymos.engine.aircraft import Aircraft
from didymos.engine.trim import Trim, motion_of

__all__ = ["rotor_curve"]

_UNTOLD = 1e-5  # [N s^2], where no speed is told
_STEP = 0.02  # of the yaw command


def rotor_curve(aircraft: Aircraft, trim: Trim) -> RotorCurve | None:
    """The curve, the mean of all rotors; None where there are no rotors or nothing that a curve could be."""
    if not aircraft.rotors or "yaw" not in trim.commands:
        return None
    motion = motion_of(trim.flight, trim.theta, trim.bank, trim.heading, trim.turn)
    hover, count = trim.throttle, len(aircraft.rotors)

    def settled(commands: dict[str, float]) -> float:
        followers = aircraft.settle(motion, commands)
        aircraft.put(motion, commands, followers)
        spin = float(aircraft.accelerations()[0][5])
        return -spin * aircraft.inertia()[2]

    less, more = 0.8 * hover, min(1.2 * hover, 1.0)
    roots, speed = [], 0.0
    for thrust in (less, more):
        settled({"thrust": thrust})
        roots.append(math.sqrt(max(sum(aircraft.outputs("thrust")) / count, 0.0)))
        speed = sum(abs(value) for value in aircraft.outputs("speed")) / count
    slope = (roots[1] - roots[0]) / (more - less)
    if slope <= 0.0:
        return None
    coefficient = (roots[1] / speed) ** 2 if speed > 0.0 else _UNTOLD
    root = math.sqrt(coefficient)
    moments, thrusts = [], []
    for sign in (1.0, -1.0):
        moments.append(settled({**trim.commands, "yaw": sign * _STEP}))
        thrusts.append(np.array(aircraft.outputs("thrust")))
    moved = float(np.abs(thrusts[0] - thrusts[1]).sum())
    ratio = abs(moments[0] - moments[1]) / moved if moved > 0.0 else 0.0
    return RotorCurve(coefficient, max((roots[0] - slope * less) / root, 0.0), slope / root, ratio)
