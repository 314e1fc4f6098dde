"""The supervisor: whether the robot may fly, flies, has crashed or is locked, and what becomes of set-points that grow old.

    ready -> flying       a rotor turns
    flying -> level out   the set-point is 0.5 s old: it stays at its height, level;   -> flying with the next one
    flying -> locked      2 s old, disarmed, or an emergency stop: the rotors stand, and only a restart helps
    flying -> crashed     tilted by 60 deg for a second, or upside down for 0.1 s: the rotors stand until `recover`
    flying -> landed      the rotors have stood for 2 s;   -> ready, armed again by itself

It runs at 25 Hz of the twin's clock. What it knows of tilt is the accelerometer, as the firmware's.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

import numpy as np

from didymos.ports.crtp.high_level import HighLevel, Stage
from didymos.ports.crtp.vehicle import Vehicle

__all__ = ["Doing", "Supervisor"]

PERIOD = 0.04  # [s]
_OLD, _TOO_OLD = 0.5, 2.0  # [s] of a set-point
_STANDS = 2.0  # [s] without thrust after which it does not fly any more
_WATCHDOG = 1.0  # [s] within which an emergency watchdog has to be fed
_FREE_FALL, _TILTED, _UPSIDE_DOWN = 0.1, 0.5, -0.2  # [g]
_TILT_TIME, _UPSIDE_DOWN_TIME = 1.0, 0.1  # [s]
_G = 9.80665


class Doing(IntEnum):
    """The states, by the firmware's numbers."""

    NOT_READY = 1
    CHECKED = 2
    READY = 3
    FLYING = 4
    LANDED = 5
    LEVEL_OUT = 7
    LOCKED = 9
    CRASHED = 10


_MAY_FLY = (Doing.READY, Doing.FLYING, Doing.LEVEL_OUT, Doing.LANDED)


class Supervisor:
    """Watches a vehicle; `switches` are the parameters `stabilizer.stop` and `supervisor.*` by their last name."""

    def __init__(self, vehicle: Vehicle, high_level: HighLevel, switches: Mapping[str, float]) -> None:
        self._vehicle, self._high_level, self._switches = vehicle, high_level, switches
        self.doing = Doing.NOT_READY
        self.armed = self.crashed = self.tumbled = False
        self.said: list[str] = []
        self._stopped = False
        self._fed: float | None = None
        self._tilted_since: float | None = None
        self._turned: float | None = None  # when a rotor turned last
        self._landed = 0.0
        self._next = 0.0

    @property
    def may_fly(self) -> bool:
        """Whether the rotors may turn."""
        return self.doing in _MAY_FLY

    @property
    def is_flying(self) -> bool:
        """Whether it flies."""
        return self.doing in (Doing.FLYING, Doing.LEVEL_OUT)

    @property
    def bits(self) -> int:
        """All of it as the firmware's bit field."""
        flags = (
            self.doing is Doing.CHECKED, self.armed, True, self.may_fly, self.is_flying, self.tumbled,
            self.doing is Doing.LOCKED, self.crashed, self._high_level.stage is not Stage.IDLE, self._high_level.is_finished,
        )  # fmt: skip
        return sum(1 << i for i, flag in enumerate(flags) if flag)

    def arm(self, armed: bool) -> bool:
        """Arm or disarm; whether that is so now. Armed it is by itself, wherever it can be."""
        if armed and not self.armed:
            return False
        self.armed = armed
        return True

    def recover(self) -> bool:
        """After a crash: go on, once it stands upright; whether it can."""
        self.crashed = self.crashed and self.tumbled
        return not self.crashed

    def stop(self) -> None:
        """Emergency stop: the rotors stand at once and for good."""
        self._stopped = True
        self._next = 0.0

    def feed(self) -> None:
        """Begin, or feed, the emergency watchdog."""
        self._fed = self._vehicle.time

    def update(self, age: float) -> None:
        """Look at the robot, where it is time to; `age` [s] of the set-point."""
        now = self._vehicle.time
        if now < self._next:
            return
        self._next = now + PERIOD
        before = self.doing
        self._look(now)
        self.doing = self._step(age, now)
        if self.doing is not before:
            self._enter(now)

    def _look(self, now: float) -> None:
        """Notice whether rotors turn and whether it lies on its back."""
        if self._vehicle.throttle.any():
            self._turned = now
        accel = self._vehicle.accel
        if accel is None:
            return
        force = accel / _G
        if np.abs(force).max() < _FREE_FALL or force[2] >= _TILTED:
            self._tilted_since = None
        elif self._tilted_since is None:
            self._tilted_since = now
        tilted = 0.0 if self._tilted_since is None else now - self._tilted_since
        self.tumbled = bool(self._switches["tmblChckEn"]) and (
            tilted > _TILT_TIME or (bool(force[2] < _UPSIDE_DOWN) and tilted > _UPSIDE_DOWN_TIME)
        )

    def _step(self, age: float, now: float) -> Doing:
        """The state that follows."""
        starved = self._fed is not None and now - self._fed > _WATCHDOG
        stopped = self._stopped or bool(self._switches["stop"]) or starved
        turning = self._turned is not None and now - self._turned < _STANDS
        doing = self.doing
        if doing is Doing.LOCKED or stopped:
            return Doing.LOCKED
        if doing in (Doing.FLYING, Doing.LEVEL_OUT):
            if age > _TOO_OLD or not self.armed:
                return Doing.LOCKED
            if self.tumbled:
                return Doing.CRASHED
            if not turning:
                return Doing.LANDED
            return Doing.LEVEL_OUT if age > _OLD else Doing.FLYING
        if doing is Doing.CRASHED:
            return Doing.CRASHED if self.crashed else Doing.NOT_READY
        if self.tumbled:
            return Doing.NOT_READY
        if doing in (Doing.READY, Doing.LANDED) and turning and self.armed:
            return Doing.FLYING
        if doing is Doing.LANDED:
            return Doing.LANDED if now - self._landed < self._switches["landedTimeout"] / 1000.0 else Doing.NOT_READY
        if doing is Doing.NOT_READY:
            return Doing.CHECKED
        return Doing.READY if self.armed else Doing.CHECKED

    def _enter(self, now: float) -> None:
        """What follows from a state that was entered."""
        if self.doing is Doing.CHECKED:
            self.armed = True
        if self.doing is Doing.LANDED:
            self._landed = now
        if self.doing is Doing.CRASHED:
            self.crashed = True
            self.said.append("SUP: Crashed, recovery required\n")
        if self.doing is Doing.LOCKED:
            self.said.append("SUP: Locked, reboot required\n")
        if self.doing in (Doing.CRASHED, Doing.LOCKED, Doing.NOT_READY):
            self.armed = False
            self._high_level.stop()
