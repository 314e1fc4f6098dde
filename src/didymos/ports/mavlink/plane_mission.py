"""A mission of a plane: MAVLink's items as items of `fixed_wing`, handed over when it begins; progress by the item it flies.

| MAVLink                 | `fixed_wing`                                                                              |
|-------------------------|-------------------------------------------------------------------------------------------|
| take-off                | take-off to the height, along the runway; a place is left alone                           |
| way-point               | go to                                                                                     |
| loiter for a time       | go to, then loiter for as long as it says; the radius is positive to the right, 0: own    |
| loiter                  | go to, then loiter until somebody says otherwise                                          |
| return                  | return: over where the run began, at `return.height`                                      |
| land                    | land, on the program's runway; nothing comes behind it                                    |
| change of speed         | no item: the airspeed, when it is passed                                                  |

Others are refused when they are uploaded. Heights are those of their frames: relative ones are above home.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from didymos.control import flight_plan as plan
from didymos.ports.mavlink import mission
from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.mission import Item, wrong_with
from didymos.ports.mavlink.mission_state import MissionState
from didymos.ports.mavlink.place import Place, Places
from didymos.ports.mavlink.plane_setpoints import PlaneSetpoints
from didymos.ports.mavlink.robots import PlaneRobot

__all__ = ["PlaneMission"]

_FLOWN = {
    mission.TAKE_OFF: (plan.TAKE_OFF,),
    mission.WAYPOINT: (plan.GO_TO,),
    mission.LOITER_TIME: (plan.GO_TO, plan.LOITER),
    mission.LOITER: (plan.GO_TO, plan.LOITER),
    mission.RETURN: (plan.RETURN,),
    mission.LAND: (plan.LAND,),
    mission.SPEED: (),
}

_AS_IT_IS = -1.0  # of a speed


@dataclass(frozen=True)
class _Letter:
    """An item of the program: the number of MAVLink's that it belongs to, its kind, its place [m], seconds of a loiter."""

    number: int
    kind: int
    place: Place
    seconds: float


class PlaneMission(MissionState):
    """The items of a plane; `begins_anew` where the one it is at was changed and the program does not know yet."""

    def __init__(self, robot: PlaneRobot, setpoints: PlaneSetpoints, places: Places) -> None:
        super().__init__()
        self._robot, self._setpoints, self._places = robot, setpoints, places
        self._letters: list[_Letter] = []
        self.begins_anew = False

    def wrong_with(self, item: Item, before: Sequence[Item]) -> int | None:
        """Why an item cannot be flown behind others, by MAVLink's number; None where it can."""
        if item.command not in _FLOWN or any(one.command == mission.LAND for one in before):
            return int(mavlink.MAV_MISSION_UNSUPPORTED)
        if sum(len(_FLOWN[one.command]) for one in (*before, item)) > plan.MOST_ITEMS:
            return int(mavlink.MAV_MISSION_NO_SPACE)
        first, second = item.parameters[:2]
        if item.command == mission.SPEED and first != mavlink.SPEED_TYPE_AIRSPEED:
            return int(mavlink.MAV_MISSION_INVALID_PARAM1)
        if item.command == mission.SPEED and not (self._setpoints.fits(second) or second == _AS_IT_IS):
            return int(mavlink.MAV_MISSION_INVALID_PARAM2)
        if item.command == mission.LOITER_TIME and not math.isfinite(first):
            return int(mavlink.MAV_MISSION_INVALID_PARAM1)
        return wrong_with(item)

    @property
    def left(self) -> list[Item]:
        """The items from the one it is at on; all of them where it is finished."""
        return self.items if self.finished else self.items[self.current :]

    def resume(self) -> None:
        """Hand the items over and fly from the one it is at; a mission that was finished begins anew."""
        if self.finished:
            self.set_current(0)
        self.begins_anew = False
        self._letters = [letter for number, item in enumerate(self.items) for letter in self._letters_of(number, item)]
        first = next((i for i, letter in enumerate(self._letters) if letter.number >= self.current), len(self._letters))
        for i, letter in enumerate(self._letters, 1):
            x, y, z = letter.place
            self._setpoints.put(item=i, item_kind=letter.kind, item_x=x, item_y=y, item_z=z, item_value=letter.seconds)
        self._setpoints.put(item=0, first_item=first + 1)
        self._pass(first)
        if not self.finished:
            radius = _radius(self.items[self.current])
            self._setpoints.put(mode=plan.MISSION, airspeed=self._setpoints.airspeed, radius=radius)

    def update(self) -> None:
        """Look which item is flown."""
        if not self.finished and not self._setpoints.is_busy and self._robot.program_mode == plan.MISSION:
            self._pass(self._robot.item - 1)

    def landed(self) -> None:
        """The landing of the item it is at is over."""
        self.reached.append(self.current)
        self.finished = True

    def _start_anew(self) -> None:
        self.begins_anew = True

    def _pass(self, at: int) -> None:
        """The letter of a number, from 0, is flown: what lies before its item was reached, and speeds there count."""
        end = self._letters[at].number if at < len(self._letters) else len(self.items)
        for number in range(self.current, end):
            self.reached.append(number)
            item = self.items[number]
            if item.command == mission.SPEED and item.parameters[1] != _AS_IT_IS:
                self._setpoints.cruise = float(item.parameters[1])
                self._setpoints.put(airspeed=self._setpoints.airspeed)
        if end > self.current and end < len(self.items):
            self._setpoints.put(radius=_radius(self.items[end]))
        self.finished = end >= len(self.items)
        self.current = min(end, max(len(self.items) - 1, 0))

    def _letters_of(self, number: int, item: Item) -> list[_Letter]:
        place = self._places.home or self._robot.place
        if item.command == mission.TAKE_OFF:
            place = self._places.above(place, item.frame, item.height) or place
        elif item.has_place:
            place = self._places.locate(item.frame, item.latitude, item.longitude, item.height) or place
        seconds = max(item.parameters[0], 0.01) if item.command == mission.LOITER_TIME else 0.0
        return [_Letter(number, kind, place, seconds if kind == plan.LOITER else 0.0) for kind in _FLOWN[item.command]]


def _radius(item: Item) -> float:
    """[m] of an item's circle, positive to the left; 0: the program's own."""
    asked = item.parameters[2] if item.command in (mission.LOITER, mission.LOITER_TIME) else 0.0
    return -asked if math.isfinite(asked) else 0.0
