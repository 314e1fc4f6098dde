"""The flight of a plane: MAVLink's modes as those of `fixed_wing` (`control/flight_plan.py`).

    hold       circles where it is, or where a go to ends; on the ground it is parked
    take-off   along the runway to a height, then hold        land      circuit, approach, roll out; disarms when it has stopped
    mission    `plane_mission`, then hold                     return    circles over where the run began

Disarmed it is parked: engine off, brakes on. One whose run begins in the air is armed and holds from the first moment at which it
knows where it is, whoever listens. It cannot hover, so off-board set-points are denied, and so are sticks. Home is where the run
began, at the height of the runway.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from didymos.control import flight_plan as plan
from didymos.ports.commander_setpoint import Setpoint
from didymos.ports.mavlink import mission
from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.flight import ACCEPTED, CRITICAL, DENIED, INFO, REJECTED, UNSUPPORTED, WARNING, Flight
from didymos.ports.mavlink.modes import Mode
from didymos.ports.mavlink.place import Place
from didymos.ports.mavlink.plane_mission import PlaneMission
from didymos.ports.mavlink.plane_setpoints import PlaneSetpoints
from didymos.ports.mavlink.robots import PlaneRobot
from didymos.ports.mavlink.settings import PLANE, Settings
from didymos.ports.mavlink.sticks import CENTRED, Sticks

__all__ = ["PlaneFlight"]

_PLACE_ALONE = 0b110111111000  # the mask of a target of which only the place counts
_REACHED = 3.0  # [m] below its height at which a climb is over, as the program has it
_CRUISE = 1.3  # times the speed of the approach, where nobody says how fast it flies
_AGAIN = 10.0  # [s] until a stream of messages that is denied is told so again
_FAR = 50.0  # [m] of the place of a landing from the runway, from which on it is told


class PlaneFlight(Flight):
    """The flight of a robot that `fixed_wing` flies."""

    modes = frozenset({Mode.HOLD, Mode.TAKE_OFF, Mode.LAND, Mode.RETURN, Mode.MISSION})

    def __init__(self, robot: PlaneRobot) -> None:
        super().__init__(robot, Settings(PLANE))
        self.robot: PlaneRobot = robot
        self.setpoints = PlaneSetpoints(robot, self.settings)
        self.mission: PlaneMission = PlaneMission(robot, self.setpoints, self.places)
        self._can_land = robot.has_runway
        self._goal_height = 0.0  # [m] of a take-off
        self._had_stopped = False
        self._denied_at: dict[str, float] = {}  # [s]

    # what is known

    @property
    def airborne(self) -> bool:
        """Whether it flies, rolls, or is about to."""
        return self.places.home is not None and not self.robot.stands

    @property
    def is_taking_off(self) -> bool:
        """Whether it leaves the ground."""
        return self.robot.takes_off

    @property
    def is_landing(self) -> bool:
        """Whether it goes down to land."""
        return self.robot.lands

    @property
    def goal(self) -> tuple[Setpoint, int] | None:
        """The place of its task."""
        x, y, z = self.robot.task_place
        return (Setpoint(x=x, y=y, z=z), _PLACE_ALONE) if self.airborne else None

    @property
    def sticks(self) -> Sticks:
        """Nobody holds any."""
        return CENTRED

    # what is asked for, answered by MAVLink's results

    def move_home(self, place: Sequence[float]) -> int:
        """Its program returns to where the run began."""
        return self._deny("Home denied: it is where the run began", UNSUPPORTED)

    def set_mode(self, mode: Mode) -> int:
        """Fly by another mode; a hold ends a go to, too, which is a hold elsewhere."""
        if mode is self.mode is Mode.HOLD and self.robot.program_mode == plan.GO_TO:
            self._enter(mode)
        return super().set_mode(mode)

    def take_off(self, height: float | None) -> int:
        """Along the runway to a height [m] in the world, or MIS_TAKEOFF_ALT above home; then hold."""
        if not self.armed:
            return self._deny("Take-off denied: not armed", REJECTED)
        goal = self.home[2] + self.settings["MIS_TAKEOFF_ALT"] if height is None else height
        if goal < self.robot.place[2] + _REACHED:
            return self._deny("Take-off denied: it is not below that height", DENIED)
        self.mode, self._goal_height = Mode.TAKE_OFF, goal
        self.setpoints.clear()
        self.setpoints.put(mode=plan.TAKE_OFF, z=goal, radius=0.0, airspeed=self.setpoints.airspeed)
        self.say(INFO, "Take-off")
        return int(ACCEPTED)

    def go_to(self, place: Sequence[float], yaw: float | None, speed: float | None) -> int:
        """Fly to a place [m] on a line and circle it; it has no heading there. The speed is through the air."""
        if not (self.armed and self.airborne):
            return int(REJECTED)
        if speed is not None and self.set_speed(mavlink.SPEED_TYPE_AIRSPEED, speed) != ACCEPTED:
            return int(DENIED)
        self.mode = Mode.HOLD
        self.setpoints.clear()
        if self.robot.program_mode == plan.GO_TO:
            self._hold()  # for a call, so that the line begins where it is
        x, y, z = place
        self.setpoints.put(mode=plan.GO_TO, x=x, y=y, z=z, radius=0.0, airspeed=self.setpoints.airspeed)
        return int(ACCEPTED)

    def set_speed(self, kind: float, speed: float | None) -> int:
        """Through the air, at once; not slower than its approach."""
        if kind != mavlink.SPEED_TYPE_AIRSPEED:
            return self._deny("Speed denied: only airspeed is held", UNSUPPORTED)
        if speed is not None and not self.setpoints.fits(speed):
            return self._deny("Speed denied: slower than its approach, or none", DENIED)
        self.setpoints.cruise = speed
        if self.armed and self.airborne:
            self.setpoints.put(airspeed=self.setpoints.airspeed)
        return int(ACCEPTED)

    def take_target(self, message: Any) -> bool:
        """A plane cannot hover."""
        return self._deny_stream("Off-board denied: a plane cannot hover")

    def take_sticks(self, message: Any) -> bool:
        """Its program knows no sticks."""
        return self._deny_stream("Sticks denied: a plane flies by its modes here")

    # what comes of it

    def _begin(self) -> None:
        if self.mode not in (Mode.MISSION, Mode.HOLD):
            self.mode = Mode.HOLD
        self._enter(self.mode)

    def _end(self) -> None:
        self.setpoints.clear()
        self.setpoints.put(mode=plan.PARKED)

    def _hindrance(self, mode: Mode) -> str:
        items = self.mission.left if mode is Mode.MISSION else []
        lands = mode is Mode.LAND or any(item.command == mission.LAND for item in items)
        if lands and not self._can_land:
            return "its run began in the air, no runway"
        ways = [item for item in items if item.command != mission.SPEED]
        if ways and not self.airborne and ways[0].command != mission.TAKE_OFF:
            return "no take-off comes first"
        return ""

    def _enter(self, mode: Mode) -> None:
        self.mode = mode
        if not self.armed:
            return
        self.setpoints.clear()
        if mode in (Mode.HOLD, Mode.MISSION) or not self.airborne:
            self._hold()
        else:
            self.setpoints.put(mode=plan.LAND if mode is Mode.LAND else plan.RETURN, airspeed=self.setpoints.airspeed)
        if mode is Mode.MISSION:
            self._tell_runway()
            self.mission.resume()

    def _hold(self, place: Place | None = None) -> None:
        """Circle a place [m], or where it is; on the ground it is parked."""
        if not self.airborne:
            self.setpoints.put(mode=plan.PARKED)
            return
        x, y, z = self.robot.place if place is None else place
        self.setpoints.put(mode=plan.LOITER, x=x, y=y, z=z, radius=0.0, airspeed=self.setpoints.airspeed)

    def _fly(self) -> bool:
        if self.places.home is None and not self._find_home():
            return False
        if self.armed:
            if self.mode is Mode.TAKE_OFF and self.robot.place[2] > self._goal_height - _REACHED:
                self.mode = Mode.HOLD
                x, y, _ = self.robot.place
                self.setpoints.clear()
                self._hold((x, y, self._goal_height))
            elif self.mode is Mode.MISSION and self._landed_at is None:
                self._fly_mission()
        self.setpoints.update()
        stopped, before = self.robot.has_stopped, self._had_stopped
        self._had_stopped = stopped
        return stopped and not before

    def _find_home(self) -> bool:
        """Once the program knows where it is: home, the airspeed, and what it does until somebody asks; whether it knows."""
        if not self.robot.knows_runway:
            return False
        self.places.home = self.robot.run_start
        flies = not self.robot.is_slow
        own = self.robot.setpoint("airspeed") or (math.hypot(*self.robot.motion) if flies else 0.0)
        self.settings.set("FW_AIRSPD_TRIM", own or _CRUISE * self.robot.gain("approach.speed"))
        self._can_land = self.robot.has_runway or not flies
        self.armed = flies
        if flies:
            self.say(INFO, "In the air: armed, holds")
            self._hold()
        else:
            self.setpoints.put(mode=plan.PARKED)
        return True

    def _fly_mission(self) -> None:
        if self.mission.begins_anew:
            hindrance = self._hindrance(Mode.MISSION) if self.mission.items else "there is none"
            if hindrance:
                self._fall_back(Mode.HOLD, f"Mission denied, {hindrance}")
            else:
                self._enter(Mode.MISSION)
            return
        self.mission.update()
        if self.mission.finished:
            self.say(INFO, "Mission finished")
            self.mode = Mode.HOLD
            self._hold(self.robot.task_place)

    def _tell_runway(self) -> None:
        """A landing is on the runway, wherever its item says: say so where that is far off."""
        for item in self.mission.left:
            there = self.places.locate(item.frame, item.latitude, item.longitude, item.height) if item.has_place else None
            if item.command == mission.LAND and there is not None:
                x, y = self.robot.touch_down
                far = math.hypot(there[0] - x, there[1] - y)
                if far > _FAR:
                    self.say(WARNING, f"It lands on its runway, {far:.0f} m from that item")

    def _deny(self, text: str, result: int) -> int:
        self.say(CRITICAL, text)
        return int(result)

    def _deny_stream(self, text: str) -> bool:
        """Deny a message of which many come: told every ten seconds."""
        now = self.robot.time
        if now - self._denied_at.get(text, -_AGAIN) >= _AGAIN:
            self._denied_at[text] = now
            self.say(CRITICAL, text)
        return False
