"""A mission of a multirotor on its way: item after item, each flown to rest, with progress told.

    way-point, loiter for a time    there, within its radius or NAV_ACC_RAD once the way is over, and for as long as it says
    loiter                          there, and on only when somebody says so
    take-off                        up to its height, then to its place
    land                            to its place, down, until it stands; then disarm
    return                          as the mode
    delay, speed, jump              at once, or after the time

From the ground the first place is reached by climbing to its height first, as PX4 does. What a mission is at is kept while
another mode flies, and goes on from that item when its mode is chosen again; loading one begins it anew.
"""

from __future__ import annotations

from collections.abc import Sequence

from didymos.ports.mavlink import mission
from didymos.ports.mavlink.conversions import heading
from didymos.ports.mavlink.guidance import Guidance
from didymos.ports.mavlink.knowledge import MavlinkRobot
from didymos.ports.mavlink.mission import Item
from didymos.ports.mavlink.mission_state import MissionState
from didymos.ports.mavlink.place import Place, Places
from didymos.ports.mavlink.settings import Settings

__all__ = ["Doing", "MissionRun"]

Doing = str
"""What is to happen beyond the mission: "" nothing, "land", "return", "done"."""


class MissionRun(MissionState):
    """The items of a multirotor, and the one it is at."""

    def __init__(self, robot: MavlinkRobot, guidance: Guidance, settings: Settings, places: Places) -> None:
        super().__init__()
        self._robot, self._guidance, self._settings, self._places = robot, guidance, settings, places
        self._legs: list[tuple[Place, float | None]] = []
        self._jumped: dict[int, int] = {}
        self._started = False
        self._there: float | None = None  # [s] when it came to the item's place

    def load(self, items: Sequence[Item]) -> None:
        """Take another mission."""
        self._jumped = {}
        super().load(items)

    def _start_anew(self) -> None:
        self._started, self._there = False, None

    def resume(self) -> None:
        """Go on with the item it is at, from wherever the vehicle is; a mission that was finished begins anew."""
        if self.finished:
            self._jumped = {}
            self.set_current(0)
        self._start_anew()

    def update(self) -> Doing:
        """Fly on; what is to happen beyond the mission."""
        for _ in range(len(self.items) + 1):  # items that take no time
            if self.current >= len(self.items):
                self.finished = True
                self.current = max(len(self.items) - 1, 0)
                return "done"
            item = self.items[self.current]
            if not self._started:
                self._started, self._there = True, None
                self._begin(item)
            if not self._is_over(item):
                return ""
            if item.command == mission.LAND:
                return "land"  # its end is told by `landed`
            self.reached.append(self.current)
            if item.command == mission.RETURN:
                self.finished = self.current == len(self.items) - 1
                return "return"
            self._next(item)
        return ""

    def landed(self) -> None:
        """The landing of the item it is at is over."""
        self.reached.append(self.current)
        self.finished = self.current == len(self.items) - 1
        if not self.finished:
            self._next(self.items[self.current])

    def _next(self, item: Item) -> None:
        number, times = self.current + 1, self._jumped.get(self.current, 0)
        if item.command == mission.JUMP:
            to, often = int(item.parameters[0]), item.parameters[1]
            if 0 <= to < len(self.items) and (often < 0 or times < often):
                self._jumped[self.current] = times + 1
                number = to
        self.current, self._started, self._there = number, False, None

    def _begin(self, item: Item) -> None:
        if item.command == mission.SPEED and item.parameters[1] > 0.0:
            self._guidance.cruise = float(item.parameters[1])
        self._legs = list(self._ways(item))
        self._fly_leg()

    def _ways(self, item: Item) -> list[tuple[Place, float | None]]:
        """The places that lead to an item's own, with their headings [rad]."""
        here = self._robot.place
        yaw = None if item.yaw is None else heading(item.yaw)
        there: Place | None = None
        if item.has_place:
            there = self._places.locate(item.frame, item.latitude, item.longitude, item.height)
        elif item.command == mission.TAKE_OFF:
            there = self._places.above(here, item.frame, item.height)
        if there is None:
            return []
        if item.command == mission.LAND:
            return [((there[0], there[1], here[2]), yaw)]
        if not self._guidance.airborne:
            return [((here[0], here[1], there[2]), None), (there, yaw)]
        return [(there, yaw)]

    def _fly_leg(self) -> bool:
        """Fly the next leg; whether there is one."""
        if not self._legs:
            return False
        place, yaw = self._legs.pop(0)
        self._guidance.go_to(place, yaw)
        return True

    def _is_over(self, item: Item) -> bool:
        now = self._robot.time
        if item.command in (mission.DELAY, mission.WAIT):
            self._there = now if self._there is None else self._there
            return now - self._there >= item.parameters[0]
        if item.command in (mission.JUMP, mission.SPEED, mission.RETURN):
            return True
        leads = item.has_place or item.command == mission.TAKE_OFF
        if self._guidance.airborne and leads and not self._arrived(item):
            return False
        self._there = now if self._there is None else self._there
        if item.command == mission.LOITER:
            return False
        stays = item.parameters[0] if item.command in (mission.WAYPOINT, mission.LOITER_TIME) else 0.0
        return now - self._there >= max(stays, 0.0)

    def _arrived(self, item: Item) -> bool:
        """Whether all ways of an item are flown and the vehicle is at the end of the last."""
        if not self._guidance.is_there or self._guidance.distance > self._radius(item):
            return False
        return not self._fly_leg()

    def _radius(self, item: Item) -> float:
        asked = item.parameters[1] if item.command == mission.WAYPOINT else 0.0
        return asked if asked > 0.0 else self._settings["NAV_ACC_RAD"]
