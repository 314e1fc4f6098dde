"""Where a joint shall be now: a set-point, which may jump, followed within limits of velocity and acceleration.

The filter of Zanasi, Guarino Lo Bianco and Tonielli (Automatica 36, 2000): in every period T the acceleration u, |u| <= A, that
brings position x and velocity x' to the reference r, r' in the fewest periods without overshoot,

    z = ((x - r) / T + (x' - r') / 2) / (A T),   z' = (x' - r') / (A T),   m = floor((1 + sqrt(1 + 8 |z|)) / 2)
    s = z' + z / m + (m - 1) / 2 sgn z,          u = -A sat(s), none where it would lead beyond V

A goal is that of the next call, one period ahead: a reference that itself keeps the limits is met there up to its acceleration
times T^2. Without limits the reference passes, carried on by its last difference.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from didymos.compiled import kernel

__all__ = ["GOAL", "begin_goal", "follow", "follow_velocity"]

GOAL = np.dtype(
    [
        ("position", np.float64),  # [rad or m]
        ("velocity", np.float64),
        ("acceleration", np.float64),
        ("reference", np.float64),  # of the call before
        ("calls", np.float64),  # since it began
    ]
)
"""Memory layout of where a joint shall be at the next call."""


@kernel
def begin_goal(goal: Any, position: float, reference: float) -> None:
    """At rest at a position."""
    goal.position, goal.velocity, goal.acceleration, goal.reference, goal.calls = position, 0.0, 0.0, reference, 0.0


@kernel
def follow(goal: Any, reference: float, most_velocity: float, most_acceleration: float, period: float) -> None:
    """One period on the way to a reference."""
    rate = (reference - goal.reference) / period
    goal.reference = reference
    goal.calls += 1.0
    if math.isinf(most_acceleration):
        goal.acceleration = (rate - goal.velocity) / period if goal.calls > 2.5 else 0.0  # it takes three references
        goal.position, goal.velocity = reference + period * rate, rate
        return
    most = min(most_acceleration, 0.5 * most_velocity / period)  # top speed takes two periods at least
    rate = min(max(rate, -most_velocity), most_velocity)
    if abs(reference - goal.position) > most_velocity * period and abs(rate) >= most_velocity:
        rate = 0.0  # the reference jumped
    e, slip = (goal.position - reference) / most, (goal.velocity - rate) / most
    z, turn = (e / period + 0.5 * slip) / period, slip / period
    m = math.floor(0.5 * (1.0 + math.sqrt(1.0 + 8.0 * abs(z))))
    s = turn + z / m + 0.5 * (m - 1.0) * (1.0 if z > 0.0 else -1.0 if z < 0.0 else 0.0)
    acceleration = -most * min(max(s, -1.0), 1.0)
    velocity = min(max(goal.velocity + period * acceleration, -most_velocity), most_velocity)
    goal.acceleration = (velocity - goal.velocity) / period
    goal.position += 0.5 * period * (velocity + goal.velocity)
    goal.velocity = velocity


@kernel
def follow_velocity(goal: Any, reference: float, most_velocity: float, most_acceleration: float, period: float) -> None:
    """One period on the way to a velocity."""
    velocity = min(max(reference, -most_velocity), most_velocity)
    step = most_acceleration * period
    velocity = min(max(velocity, goal.velocity - step), goal.velocity + step)
    goal.acceleration = (velocity - goal.velocity) / period
    goal.velocity = velocity
    goal.reference = reference
