"""A joint trajectory: points in time, and what lies between two of them, as ros2_control's joint_trajectory_controller has it.

Between a point a and a point b, T [s] later, with s the time since a:

    linear    q = a.q + (b.q - a.q) s / T                      where one of them has no velocities
    cubic     meets q and v at both ends                       where one of them has no accelerations
    quintic   meets q, v and a at both ends

Before the first point it leads there from where the joints were when the trajectory came; behind the last it stays there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Moment", "Point", "Trajectory"]

Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Point:
    """Where all joints are at a time [s] of the twin's clock; positions, velocities, accelerations have shape [joints]."""

    time: float
    positions: Numbers
    velocities: Numbers | None = None
    accelerations: Numbers | None = None


@dataclass(frozen=True)
class Moment:
    """What a trajectory asks for at a time, shape [joints] each; `over` once the last point is passed."""

    positions: Numbers
    velocities: Numbers
    accelerations: Numbers
    over: bool


class Trajectory:
    """Points in time, the first of them where the joints were when it began."""

    def __init__(self, before: Point, points: Sequence[Point]) -> None:
        """`before` is the state at which it comes; points that lie before that are skipped."""
        self._points = [before, *points] if points[0].time > before.time else list(points)
        self._times = [point.time for point in self._points]

    @property
    def end(self) -> float:
        """Time [s] of the last point."""
        return self._times[-1]

    @property
    def last(self) -> Numbers:
        """Where it ends, shape [joints]."""
        return self._points[-1].positions

    def at(self, time: float) -> Moment:
        """What it asks for at a time [s]."""
        rest = np.zeros_like(self.last)
        if time >= self.end:
            final = self._points[-1]
            velocities = rest if final.velocities is None else final.velocities
            return Moment(final.positions, velocities, rest if final.accelerations is None else final.accelerations, True)
        i = max(int(np.searchsorted(self._times, time, side="right")) - 1, 0)
        a, b = self._points[i], self._points[i + 1]
        s = min(max(time - a.time, 0.0), b.time - a.time)
        coefficients = _coefficients(a, b)
        q, v, acceleration = (_value(coefficients, s, order) for order in range(3))
        return Moment(q, v, acceleration, False)


def _coefficients(a: Point, b: Point) -> list[Numbers]:
    """c_k of q = sum c_k s^k."""
    span, way = b.time - a.time, b.positions - a.positions
    if a.velocities is None or b.velocities is None:
        return [a.positions, way / span]
    if a.accelerations is None or b.accelerations is None:
        mean = way / span
        c2 = (3.0 * mean - 2.0 * a.velocities - b.velocities) / span
        return [a.positions, a.velocities, c2, (a.velocities + b.velocities - 2.0 * mean) / span**2]
    left = way - a.velocities * span - 0.5 * a.accelerations * span**2
    slip = (b.velocities - a.velocities - a.accelerations * span) * span
    bend = (b.accelerations - a.accelerations) * span**2
    c3, c4, c5 = 10.0 * left - 4.0 * slip + 0.5 * bend, -15.0 * left + 7.0 * slip - bend, 6.0 * left - 3.0 * slip + 0.5 * bend
    return [a.positions, a.velocities, 0.5 * a.accelerations, c3 / span**3, c4 / span**4, c5 / span**5]


def _value(coefficients: list[Numbers], s: float, order: int) -> Numbers:
    """The derivative of an order at s."""
    total = np.zeros_like(coefficients[0])
    for k in range(len(coefficients) - 1, order - 1, -1):
        factor = 1.0
        for down in range(order):
            factor *= k - down
        total = total * s + factor * coefficients[k]
    return total
