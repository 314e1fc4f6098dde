"""Flight modes by PX4's numbers: what a heartbeat shows and DO_SET_MODE asks for.

    custom_mode = main << 16 | sub << 24        base_mode: custom mode, armed, and what kind of mode it is

The vehicle shows itself as PX4 (MAV_AUTOPILOT_PX4), because that is the numbering that ground stations and libraries know
missions, take-off and off-board control by; one that says "generic" has no modes that anybody can name.
"""

from __future__ import annotations

from enum import Enum

from didymos.ports.mavlink.dialect import mavlink

__all__ = ["Mode", "base_mode", "find_mode"]

_AUTO = 4


class Mode(Enum):
    """The modes, as (main, sub)."""

    ALTITUDE = (2, 0)
    POSITION = (3, 0)
    TAKE_OFF = (_AUTO, 2)
    HOLD = (_AUTO, 3)
    MISSION = (_AUTO, 4)
    RETURN = (_AUTO, 5)
    LAND = (_AUTO, 6)
    ACRO = (5, 0)
    OFFBOARD = (6, 0)
    STABILIZED = (7, 0)

    @property
    def custom(self) -> int:
        """As a heartbeat has it."""
        main, sub = self.value
        return main << 16 | sub << 24

    @property
    def by_sticks(self) -> bool:
        """Whether a person's sticks fly it."""
        return self in (Mode.ALTITUDE, Mode.POSITION, Mode.ACRO, Mode.STABILIZED)


def find_mode(main: float, sub: float) -> Mode | None:
    """The mode of two numbers of a command, None where there is none. PX4's manual mode is the stabilized one of a multirotor."""
    asked = (7, 0) if main == 1 else (main, sub if main == _AUTO else 0)
    return next((mode for mode in Mode if mode.value == asked), None)


def base_mode(mode: Mode, armed: bool) -> int:
    """The flags of a heartbeat."""
    flags = mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED | (mavlink.MAV_MODE_FLAG_SAFETY_ARMED if armed else 0)
    if mode is not Mode.ACRO:
        flags |= mavlink.MAV_MODE_FLAG_STABILIZE_ENABLED
    if mode.by_sticks:
        return int(flags | mavlink.MAV_MODE_FLAG_MANUAL_INPUT_ENABLED)
    return int(flags | mavlink.MAV_MODE_FLAG_GUIDED_ENABLED | mavlink.MAV_MODE_FLAG_AUTO_ENABLED)
