"""Set-points of `fixed_wing` in order: each group stands for a call of the program at least before the next one comes.

So a mission goes through the program's letter box (`control/flight_plan.py`) item by item, and a mode that is flown already can
be begun anew by way of another one.
"""

from __future__ import annotations

from collections import deque

from didymos.ports.mavlink.robots import PlaneRobot
from didymos.ports.mavlink.settings import Settings

__all__ = ["PlaneSetpoints"]

_FASTEST = 200.0  # [m/s]


class PlaneSetpoints:
    """Brings set-points to a plane's program; `cruise` [m/s] is the airspeed that somebody asked for."""

    def __init__(self, robot: PlaneRobot, settings: Settings) -> None:
        self._robot, self._settings = robot, settings
        self._waiting: deque[dict[str, float]] = deque()
        self._next = 0.0  # [s]
        self.cruise: float | None = None

    @property
    def airspeed(self) -> float:
        """[m/s] at which it is to fly."""
        return self._settings["FW_AIRSPD_TRIM"] if self.cruise is None else self.cruise

    def fits(self, speed: float) -> bool:
        """Whether it can fly at an airspeed [m/s]: not slower than its approach."""
        return self._robot.gain("approach.speed") <= speed <= _FASTEST  # false for what is no number

    @property
    def is_busy(self) -> bool:
        """Whether set-points wait, or their call of the program does."""
        return bool(self._waiting) or self._robot.time < self._next

    def put(self, **values: float) -> None:
        """Set-points by their names, behind those that wait."""
        self._waiting.append({name: float(value) for name, value in values.items()})

    def clear(self) -> None:
        """Forget those that wait."""
        self._waiting.clear()

    def update(self) -> None:
        """Before a tick: hand over the next ones."""
        now = self._robot.time
        if self._waiting and now >= self._next:
            self._robot.ask(self._waiting.popleft())
            self._next = now + 2.0 * self._robot.call_period  # whatever the last bit of a time, a call lies between
