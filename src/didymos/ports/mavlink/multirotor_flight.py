"""The flight of a multirotor: what each mode does with `Guidance`, and what becomes of set-points that fall silent.

    hold          stays where it is; on the ground the rotors stand
    take-off      climbs, then holds           land        goes down, disarms          return     up, back over home, down
    mission       `mission_run`, then holds    off-board   flies set-points; silent for COM_OF_LOSS_T: holds
    position, altitude, stabilized, acro       by sticks; silent for COM_RC_LOSS_T: as if they were centred, on the ground off

Nothing is asked of the robot before somebody arms it and asks for flight: whoever connects, reads and goes changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from didymos.ports.commander_setpoint import Setpoint
from didymos.ports.mavlink.flight import ACCEPTED, CRITICAL, DENIED, INFO, REJECTED, Flight
from didymos.ports.mavlink.guidance import Guidance
from didymos.ports.mavlink.mission_run import MissionRun
from didymos.ports.mavlink.modes import Mode
from didymos.ports.mavlink.offboard import attitude_target, global_target, local_target
from didymos.ports.mavlink.robots import MultirotorRobot
from didymos.ports.mavlink.settings import MULTIROTOR, Settings
from didymos.ports.mavlink.sticks import CENTRED, Sticks, from_channels, from_manual_control, setpoint_of

__all__ = ["MultirotorFlight"]

_NEAR = 1.0  # [m] from home along the ground within which a return lands at once
_FASTEST = 50.0  # [m/s]


class MultirotorFlight(Flight):
    """The flight of a robot that `multirotor_commander` flies."""

    modes = frozenset(Mode)

    def __init__(self, robot: MultirotorRobot) -> None:
        super().__init__(robot, Settings(MULTIROTOR))
        self.robot: MultirotorRobot = robot
        self.guidance = Guidance(robot, self.settings)
        self.mission: MissionRun = MissionRun(robot, self.guidance, self.settings, self.places)
        self._sticks, self._sticks_at = CENTRED, -1.0  # [s]
        self._target: Setpoint | None = None
        self._target_at = -1.0  # [s]
        self._legs: list[tuple[float, float, float]] = []

    # what is known

    @property
    def airborne(self) -> bool:
        """Whether it flies, or is about to."""
        return self.guidance.airborne

    @property
    def is_taking_off(self) -> bool:
        """Whether it leaves the ground."""
        return self.mode is Mode.TAKE_OFF

    @property
    def is_landing(self) -> bool:
        """Whether it goes down to land."""
        return self.guidance.is_landing

    @property
    def goal(self) -> tuple[Setpoint, int] | None:
        """All set-points of its program count."""
        asked = self.guidance.goal
        return None if asked.is_off else (asked, 0)

    @property
    def sticks(self) -> Sticks:
        """Where a person holds them; centred where nobody does."""
        return self._sticks if self._has_sticks else CENTRED

    @property
    def _has_sticks(self) -> bool:
        return self._sticks_at >= 0.0 and self.robot.time - self._sticks_at <= self.settings["COM_RC_LOSS_T"]

    # what is asked for, answered by MAVLink's results

    def move_home(self, place: Sequence[float]) -> int:
        """Return to a place [m] from now on."""
        self._set_home(place)
        return int(ACCEPTED)

    def take_off(self, height: float | None) -> int:
        """Climb to a height [m] in the world, or MIS_TAKEOFF_ALT above home."""
        if not self.armed:
            self.say(CRITICAL, "Take-off denied: not armed")
            return int(REJECTED)
        goal = self.home[2] + self.settings["MIS_TAKEOFF_ALT"] if height is None else height
        if goal < self.robot.place[2] + 0.3:
            self.say(CRITICAL, "Take-off denied: it is not below that height")
            return int(DENIED)
        self.mode = Mode.TAKE_OFF
        self.guidance.take_off(goal)
        self.say(INFO, "Take-off")
        return int(ACCEPTED)

    def go_to(self, place: Sequence[float], yaw: float | None, speed: float | None) -> int:
        """Fly to a place [m] and hold it."""
        if not (self.armed and self.guidance.airborne):
            return int(REJECTED)
        self.mode = Mode.HOLD
        self.guidance.go_to(place, yaw, speed)
        return int(ACCEPTED)

    def set_speed(self, kind: float, speed: float | None) -> int:
        """Along the ground, whatever kind is named, from the next way on."""
        if speed is not None and not 0.0 < speed < _FASTEST:
            return int(DENIED)
        self.guidance.cruise = speed
        return int(ACCEPTED)

    def take_target(self, message: Any) -> bool:
        """An off-board set-point; whether it is one."""
        kind = message.get_type()
        if kind == "SET_ATTITUDE_TARGET":
            found = attitude_target(message)
        elif kind == "SET_POSITION_TARGET_LOCAL_NED":
            found = local_target(message, self.robot)
        else:
            found = global_target(message, self.places)
        if found is None:
            return False
        self._target, self._target_at = found, self.robot.time
        return True

    def take_sticks(self, message: Any) -> bool:
        """Where a person holds the sticks; whether that can be."""
        by_channels = message.get_type() == "RC_CHANNELS_OVERRIDE"
        found = from_channels(message, self.sticks) if by_channels else from_manual_control(message)
        if found is None:
            return False
        self._sticks, self._sticks_at = found, self.robot.time
        return True

    # what comes of it

    def _begin(self) -> None:
        self._set_home(self.robot.place)
        if self.mode in (Mode.LAND, Mode.RETURN, Mode.TAKE_OFF):
            self.mode = Mode.HOLD

    def _end(self) -> None:
        self.guidance.off()

    def _set_home(self, place: Sequence[float]) -> None:
        self.places.home = (float(place[0]), float(place[1]), float(place[2]))

    def _hindrance(self, mode: Mode) -> str:
        return "no set-points come" if mode is Mode.OFFBOARD and self._target is None else ""

    def _enter(self, mode: Mode) -> None:
        self.mode, self._legs = mode, []
        if mode is Mode.HOLD:
            self.guidance.hold()
        elif mode is Mode.LAND:
            self.guidance.land(self.home[2])
        elif mode is Mode.MISSION:
            self.mission.resume()
        elif mode is Mode.RETURN:
            self._return()

    def _return(self) -> None:
        """Up, back, down."""
        if not self.guidance.airborne:
            self.guidance.hold()
            return
        (x, y, z), home = self.robot.place, self.home
        high = max(z, home[2] + self.settings["RTL_RETURN_ALT"])
        near = (x - home[0]) ** 2 + (y - home[1]) ** 2 < _NEAR**2
        self._legs = [(home[0], home[1], z)] if near else [(x, y, high), (home[0], home[1], high)]
        self.guidance.go_to(self._legs.pop(0))

    def _fly(self) -> bool:
        if self.places.home is None and self.robot.navigates:
            self._set_home(self.robot.place)
        if self._target is not None and self.robot.time - self._target_at > self.settings["COM_OF_LOSS_T"]:
            self._target = None
            if self.mode is Mode.OFFBOARD:
                self._fall_back(Mode.HOLD, "Offboard set-points lost")
        if self.armed:
            self._fly_mode()
        return self.guidance.update()

    def _fly_mode(self) -> None:
        if self.mode.by_sticks:
            if self._has_sticks or self.guidance.airborne:
                self._fly_by_sticks()
        elif self.mode is Mode.OFFBOARD and self._target is not None:
            self.guidance.fly(self._target)
        elif self.mode is Mode.TAKE_OFF and self.guidance.is_there:
            self.mode = Mode.HOLD
        elif self.mode is Mode.RETURN and self.guidance.is_there:
            if self._legs:
                self.guidance.go_to(self._legs.pop(0))
            else:
                self.guidance.land(self.home[2])
        elif self.mode is Mode.MISSION:
            self._fly_mission()

    def _fly_by_sticks(self) -> None:
        """As the mode has it; on the ground only from a throttle above its middle on, or above idle where it is the thrust."""
        begins = 0.6 if self.mode in (Mode.POSITION, Mode.ALTITUDE) else 0.05
        if self.guidance.airborne or self.sticks.throttle > begins:
            self.guidance.fly(setpoint_of(self.sticks, self.mode, self.settings))
        if self.robot.feels_ground and self.sticks.throttle < 0.1:
            self.guidance.off()

    def _fly_mission(self) -> None:
        if self._landed_at is not None:
            return  # it stands, and disarms soon
        doing = self.mission.update()
        if doing == "land" and not self.guidance.is_landing:
            self.guidance.land(self.home[2])
        elif doing == "return":
            self._enter(Mode.RETURN)
        elif doing == "done":
            self.say(INFO, "Mission finished")
            self._enter(Mode.HOLD)
