"""Mission items: which there are, whether one can be flown, and where it leads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.place import FRAMES

__all__ = ["MOST_ITEMS", "Item", "as_message", "read_item", "wrong_with"]

MOST_ITEMS = 500
"""Items of a mission."""

WAYPOINT, LOITER, LOITER_TIME = mavlink.MAV_CMD_NAV_WAYPOINT, mavlink.MAV_CMD_NAV_LOITER_UNLIM, mavlink.MAV_CMD_NAV_LOITER_TIME
RETURN, LAND, TAKE_OFF = mavlink.MAV_CMD_NAV_RETURN_TO_LAUNCH, mavlink.MAV_CMD_NAV_LAND, mavlink.MAV_CMD_NAV_TAKEOFF
DELAY, JUMP, SPEED, WAIT = (
    mavlink.MAV_CMD_NAV_DELAY, mavlink.MAV_CMD_DO_JUMP, mavlink.MAV_CMD_DO_CHANGE_SPEED, mavlink.MAV_CMD_CONDITION_DELAY,
)  # fmt: skip
_PLACED = (WAYPOINT, LOITER, LOITER_TIME, LAND, TAKE_OFF)
_OTHER = (RETURN, DELAY, JUMP, SPEED, WAIT)
_SCALE = 1e7


@dataclass(frozen=True)
class Item:
    """An item: what to do, the frame of its place, four parameters, latitude and longitude [deg], height [m]."""

    command: int
    frame: int
    parameters: tuple[float, float, float, float]
    latitude: float
    longitude: float
    height: float
    autocontinue: int = 1

    @property
    def has_place(self) -> bool:
        """Whether it says where; a landing and a take-off may leave it out, or say 0, 0."""
        placed = self.command in _PLACED and math.isfinite(self.latitude) and math.isfinite(self.longitude)
        return placed and (self.command not in (LAND, TAKE_OFF) or bool(self.latitude or self.longitude))

    @property
    def yaw(self) -> float | None:
        """The heading [rad] from north that it asks for; none where it is left open. Of a way-point, 0 is north."""
        degrees = self.parameters[3]
        return math.radians(degrees) if self.command in (WAYPOINT, TAKE_OFF, LAND) and math.isfinite(degrees) else None


def read_item(message: Any) -> Item:
    """Of MISSION_ITEM_INT, or MISSION_ITEM, whose angles are degrees."""
    scale = _SCALE if message.get_type() == "MISSION_ITEM_INT" else 1.0
    parameters = (message.param1, message.param2, message.param3, message.param4)
    return Item(message.command, message.frame, parameters, message.x / scale, message.y / scale, message.z, message.autocontinue)


def wrong_with(item: Item) -> int | None:
    """Why an item cannot be flown, by MAVLink's number; None where it can."""
    if item.command not in (*_PLACED, *_OTHER):
        return int(mavlink.MAV_MISSION_UNSUPPORTED)
    if item.command in _OTHER:
        return None if math.isfinite(item.parameters[0]) else int(mavlink.MAV_MISSION_INVALID_PARAM1)
    if item.frame not in FRAMES:
        return int(mavlink.MAV_MISSION_UNSUPPORTED_FRAME)
    if item.has_place and not (abs(item.latitude) <= 90.0 and abs(item.longitude) <= 180.0):
        return int(mavlink.MAV_MISSION_INVALID_PARAM5_X)
    if item.command in (WAYPOINT, LOITER, LOITER_TIME) and not item.has_place:
        return int(mavlink.MAV_MISSION_INVALID_PARAM5_X)
    if not abs(item.height) < 1e5:
        return int(mavlink.MAV_MISSION_INVALID_PARAM7)
    return None


def as_message(item: Item, number: int, current: int, target: tuple[int, int], whole: bool) -> Any:
    """The item as MISSION_ITEM_INT, or MISSION_ITEM, for a system and component."""
    head = (*target, number, item.frame, item.command, int(number == current), item.autocontinue, *item.parameters)
    if whole:
        x, y = round(item.latitude * _SCALE), round(item.longitude * _SCALE)
        return mavlink.MAVLink_mission_item_int_message(*head, x, y, item.height)
    return mavlink.MAVLink_mission_item_message(*head, item.latitude, item.longitude, item.height)
