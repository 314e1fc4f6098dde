"""Flight: armed or not, the mode, home; what a MAVLink vehicle of any kind does when it is asked, and what becomes of silence.

What is flown, and how, belongs to the kind of vehicle: `MultirotorFlight`, `PlaneFlight`. Both answer to the same commands,
each by MAVLink's results; what a kind cannot do it denies, and says so.

A ground station whose heartbeats stop for COM_DL_LOSS_T in flight: NAV_DLL_ACT, hold by default. A vehicle that has landed
disarms after COM_DISARM_LAND.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from didymos.ports.commander_setpoint import Setpoint
from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.knowledge import MavlinkRobot
from didymos.ports.mavlink.mission_state import MissionState
from didymos.ports.mavlink.modes import Mode
from didymos.ports.mavlink.place import Places
from didymos.ports.mavlink.settings import Settings
from didymos.ports.mavlink.sticks import Sticks

__all__ = ["ACCEPTED", "CRITICAL", "DENIED", "INFO", "REJECTED", "UNSUPPORTED", "WARNING", "Flight"]

ACCEPTED, REJECTED, DENIED, UNSUPPORTED = (
    mavlink.MAV_RESULT_ACCEPTED, mavlink.MAV_RESULT_TEMPORARILY_REJECTED, mavlink.MAV_RESULT_DENIED,
    mavlink.MAV_RESULT_UNSUPPORTED,
)  # fmt: skip
WARNING, INFO, CRITICAL = mavlink.MAV_SEVERITY_WARNING, mavlink.MAV_SEVERITY_INFO, mavlink.MAV_SEVERITY_CRITICAL
_LOST = {1: Mode.HOLD, 2: Mode.RETURN, 3: Mode.LAND}


class Flight(ABC):
    """The flight of a vehicle; `said` are texts for the ground station, with their severity."""

    modes: ClassVar[frozenset[Mode]]
    """Those that this kind of vehicle has."""

    robot: MavlinkRobot
    mission: MissionState

    def __init__(self, robot: MavlinkRobot, settings: Settings) -> None:
        self.settings = settings
        self.places = Places(robot.robot.robot.origin)
        self.mode, self.armed = Mode.HOLD, False
        self.said: list[tuple[int, str]] = []
        self._heard: float | None = None  # [s] when a ground station was heard last
        self._landed_at: float | None = None  # [s]

    # what is known

    @property
    @abstractmethod
    def airborne(self) -> bool:
        """Whether it flies, or is about to."""

    @property
    @abstractmethod
    def is_taking_off(self) -> bool:
        """Whether it leaves the ground."""

    @property
    @abstractmethod
    def is_landing(self) -> bool:
        """Whether it goes down to land."""

    @property
    @abstractmethod
    def goal(self) -> tuple[Setpoint, int] | None:
        """What is asked of it now, and MAVLink's mask of what does not count of that; None for nothing."""

    @property
    @abstractmethod
    def sticks(self) -> Sticks:
        """Where a person holds them; centred where nobody does."""

    @property
    def may_arm(self) -> bool:
        """Whether it knows where it is and stands upright."""
        return self.robot.navigates and self.robot.is_upright

    @property
    def home(self) -> tuple[float, float, float]:
        """Where it returns to [m]."""
        return self.places.home or (0.0, 0.0, 0.0)

    def hear(self) -> None:
        """A ground station has said that it is there."""
        self._heard = self.robot.time

    # what is asked for, answered by MAVLink's results

    def arm(self, *, force: bool = False) -> int:
        """Let it move when flight is asked for."""
        if self.armed:
            return int(ACCEPTED)
        if not (self.may_arm or force):
            self.say(CRITICAL, "Arming denied: it does not know where it is yet, or does not stand upright")
            return int(REJECTED)
        self.armed, self._landed_at = True, None
        self._begin()
        self.say(INFO, "Armed")
        return int(ACCEPTED)

    def disarm(self, *, force: bool = False) -> int:
        """Let it stand; in flight only by force."""
        if self.airborne and not force:
            self.say(CRITICAL, "Disarming denied: not landed")
            return int(DENIED)
        if self.armed:
            self.armed = False
            self._end()
            self.say(INFO, "Disarmed" if not force else "Disarmed by force")
        if not self.mode.by_sticks:
            self.mode = Mode.HOLD
        return int(ACCEPTED)

    @abstractmethod
    def move_home(self, place: Sequence[float]) -> int:
        """Return to a place [m] from now on."""

    def set_mode(self, mode: Mode) -> int:
        """Fly by another mode."""
        if mode not in self.modes:
            self.say(CRITICAL, f"{mode.name.capitalize()} denied: it has no such mode")
            return int(UNSUPPORTED)
        if mode is Mode.TAKE_OFF:
            return self.take_off(None)
        if mode is Mode.MISSION and not self.mission.items:
            self.say(CRITICAL, "Mission denied: there is none")
            return int(REJECTED)
        hindrance = self._hindrance(mode)
        if hindrance:
            self.say(CRITICAL, f"{mode.name.capitalize()} denied: {hindrance}")
            return int(REJECTED)
        if mode is not self.mode:
            self._enter(mode)
        return int(ACCEPTED)

    @abstractmethod
    def take_off(self, height: float | None) -> int:
        """Climb to a height [m] in the world, or MIS_TAKEOFF_ALT above home."""

    @abstractmethod
    def go_to(self, place: Sequence[float], yaw: float | None, speed: float | None) -> int:
        """Fly to a place [m] and stay there, with a heading [rad] and a speed [m/s]."""

    @abstractmethod
    def set_speed(self, kind: float, speed: float | None) -> int:
        """Fly at a speed [m/s] of one of MAVLink's kinds from now on; None: at its own."""

    @abstractmethod
    def take_target(self, message: Any) -> bool:
        """An off-board set-point; whether it is one."""

    @abstractmethod
    def take_sticks(self, message: Any) -> bool:
        """Where a person holds the sticks; whether that can be."""

    # what comes of it

    def update(self) -> None:
        """Before a tick: fly on."""
        self._watch_station(self.robot.time)
        if self._fly():
            self._landed_at = self.robot.time
            self.say(INFO, "Landed")
            if self.mode is Mode.MISSION:
                self.mission.landed()
        self._disarm_after_landing(self.robot.time)

    def say(self, severity: int, text: str) -> None:
        """Tell the ground station."""
        self.said.append((int(severity), text))

    @abstractmethod
    def _begin(self) -> None:
        """It was armed."""

    @abstractmethod
    def _end(self) -> None:
        """It was disarmed."""

    @abstractmethod
    def _hindrance(self, mode: Mode) -> str:
        """Why it cannot fly by a mode now; nothing where it can."""

    @abstractmethod
    def _enter(self, mode: Mode) -> None:
        """Begin a mode that it can fly by."""

    @abstractmethod
    def _fly(self) -> bool:
        """Bring what is asked for to the robot; whether it has landed just now."""

    def _watch_station(self, now: float) -> None:
        if self._heard is None or now - self._heard <= self.settings["COM_DL_LOSS_T"]:
            return
        self._heard = None  # said once, until it is heard again
        mode = _LOST.get(round(self.settings["NAV_DLL_ACT"]))
        if mode is not None and self.airborne and self.mode not in (Mode.HOLD, Mode.LAND, Mode.RETURN):
            self._fall_back(Mode.HOLD if self._hindrance(mode) else mode, "Ground station lost")

    def _fall_back(self, mode: Mode, why: str) -> None:
        self.say(WARNING, f"{why}: {mode.name.lower()}")
        self._enter(mode)

    def _disarm_after_landing(self, now: float) -> None:
        if self.airborne:
            self._landed_at = None
        if self._landed_at is None:
            return
        if now - self._landed_at >= self.settings["COM_DISARM_LAND"]:
            self._landed_at = None
            self.disarm()
