"""From the rotors of a robot to the jet that they become; the law of the jet is that of rotor_wake.py.

    direction  of sum_i T_i d_i               origin  sum_i T_i p_i / T,  T = sum_i T_i
    l = 2 max(a, R)                           a^2 = sum_i T_i a_i^2 / T, a_i the distance from the origin across the direction
    A = T^2 / sum_ij o_ij T_i T_j / sqrt(A_i A_j),   o_ij = max(0, 1 - a_ij / (R_i + R_j))

so that l is the distance of opposite motors of a symmetric multirotor, and the diameter of one rotor or of a coaxial pair. A is
the area covered: n A_i of n equal rotors side by side, A_i of rotors above one another, those of the rotors that blow where
others stand still; nothing jumps as thrusts and places change. A rotor that brakes (T_i < 0) does not blow.
"""

from __future__ import annotations

import math
from typing import Any

from didymos.air.rotor_wake import ABOVE, momentum_share
from didymos.compiled import kernel

__all__ = ["merge_rotors"]


@kernel
def _across(x: float, y: float, z: float, axis: Any) -> float:
    """Squared distance [m^2] of a vector from an axis."""
    along = x * axis[0] + y * axis[1] + z * axis[2]
    return float(max(x * x + y * y + z * z - along * along, 0.0))


@kernel
def _covered(rotors: Any, first: int, end: int, axis: Any, thrust: float) -> float:
    """A [m^2]."""
    total = 0.0
    for i in range(first, end):
        one = rotors[i]
        if one.thrust <= 0.0:
            continue
        total += one.thrust * one.thrust / (one.radius * one.radius)
        for k in range(i + 1, end):
            other = rotors[k]
            if other.thrust <= 0.0:
                continue
            a, b = one.position, other.position
            apart = math.sqrt(_across(a[0] - b[0], a[1] - b[1], a[2] - b[2], axis))
            overlap = 1.0 - apart / (one.radius + other.radius)
            if overlap > 0.0:
                total += 2.0 * overlap * one.thrust * other.thrust / (one.radius * other.radius)
    return math.pi * thrust * thrust / total


@kernel
def merge_rotors(rotors: Any, jet: Any, density: float, x: float, y: float, z: float, wake: Any) -> None:
    """Fill a `JET` (but for `robot`, `first` and `rotors`, which say whose it is and which rotors) and its rotors' `speed`.

    `rotors` is the array of `ROTOR` that `first` counts in, with places, directions, radii and thrusts; density [kg/m^3] and the
    velocity (x, y, z) [m/s] of the air relative to the robot are those at the robot; `wake` is a `WakeSpec` record.
    """
    first, end = jet.first, jet.first + jet.rotors
    axis, origin, drift = jet.direction, jet.origin, jet.drift
    thrust, radius, widest = 0.0, 0.0, 0.0
    for k in range(3):
        axis[k], origin[k], drift[k] = 0.0, 0.0, 0.0
    for i in range(first, end):
        rotor = rotors[i]
        rotor.speed = 0.0
        if rotor.thrust > 0.0:
            thrust += rotor.thrust
            radius += rotor.thrust * rotor.radius
            widest = max(widest, rotor.radius)
            for k in range(3):
                axis[k] += rotor.thrust * rotor.direction[k]
                origin[k] += rotor.thrust * rotor.position[k]
    jet.speed, jet.size, jet.slowness, jet.reach_above = 0.0, 0.0, 0.0, 0.0
    pushed = math.sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2])
    if pushed <= 0.0 or density <= 0.0:
        return
    for k in range(3):
        axis[k] /= pushed
        origin[k] /= thrust
    arm, highest = 0.0, 0.0
    for i in range(first, end):
        rotor = rotors[i]
        if rotor.thrust > 0.0:
            at = rotor.position
            u, v, w = at[0] - origin[0], at[1] - origin[1], at[2] - origin[2]
            arm += rotor.thrust * _across(u, v, w, axis)
            highest = max(highest, -(u * axis[0] + v * axis[1] + w * axis[2]))
    jet.size = 2.0 * max(math.sqrt(arm / thrust), radius / thrust)
    jet.reach_above = highest + ABOVE * widest
    area = _covered(rotors, first, end, axis, thrust)
    share = momentum_share(jet.size, area, wake)
    kept = min(share, 1.0)
    jet.speed = math.sqrt(pushed / (2.0 * density * area) * kept / share)
    if wake.convection > 0.0:
        jet.slowness = 1.0 / (wake.convection * wake.decay * jet.speed * jet.size)
    for i in range(first, end):
        rotor = rotors[i]
        if rotor.thrust > 0.0:
            disc = math.pi * rotor.radius * rotor.radius
            own = momentum_share(2.0 * rotor.radius, disc, wake)
            rotor.speed = math.sqrt(rotor.thrust / (2.0 * density * disc) * kept / own)
    along = x * axis[0] + y * axis[1] + z * axis[2]
    drift[0], drift[1], drift[2] = x - along * axis[0], y - along * axis[1], z - along * axis[2]
