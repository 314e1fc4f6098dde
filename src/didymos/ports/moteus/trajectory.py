"""The set-point on its way: it moves to its target with a limited velocity and acceleration.

    |v| <= v_max,   |dv/dt| <= a_max,   v towards the target at most sqrt(2 a_max d), so that it stops there

An infinite limit does not bind; without both the set-point is at its target at once. One that moves at a velocity of its own ends
at `stop`, where there is one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Trajectory"]


@dataclass(slots=True)
class Trajectory:
    """A set-point [rev], [rev/s] on its way to `target`, which itself moves at `velocity`."""

    position: float
    speed: float
    target: float
    velocity: float
    most_speed: float  # [rev/s]
    most_acceleration: float  # [rev/s^2]
    stop: float = math.nan  # [rev] where its own velocity ends

    @property
    def done(self) -> bool:
        """Whether the set-point is at its target."""
        return self.position == self.target and self.speed == self.velocity

    @property
    def rests(self) -> bool:
        """Whether the set-point is at its target, and stays there."""
        return self.velocity == 0.0 and self.done

    def advance(self, dt: float) -> None:
        """Let dt [s] pass."""
        arrived = self.done
        ahead = self.stop - self.target
        self.target += self.velocity * dt
        if ahead * self.velocity > 0.0 and (self.stop - self.target) * self.velocity <= 0.0:
            self.target, self.velocity = self.stop, 0.0
            if arrived:
                self.position, self.speed = self.target, 0.0
                return
        if arrived:
            self.position = self.target
            return
        way = self.target - self.position
        speed = min(max(way / dt, -self.most_speed), self.most_speed)
        change = self.most_acceleration * dt
        if math.isfinite(change):
            brake = math.sqrt(0.25 * change * change + 2.0 * self.most_acceleration * abs(way)) - 0.5 * change  # in steps of dt
            braked = self.velocity + math.copysign(min(abs(way) / dt, brake), way)
            speed = min(max(braked, -self.most_speed), self.most_speed)
            speed = self.speed + min(max(speed - self.speed, -change), change)
        left = abs(way - speed * dt)
        if left <= (0.5 * change * dt if math.isfinite(change) else 0.0) and abs(speed - self.velocity) <= change:
            self.position, self.speed = self.target, self.velocity
        else:
            self.position, self.speed = self.position + speed * dt, speed
