"""Commands (COMMAND_LONG, COMMAND_INT): what each does, answered by a COMMAND_ACK.

What is not in the table is answered as unsupported; numbers that make no sense as denied. A command never does more than it
says: none arms, none takes off by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from didymos.ports.mavlink.conversions import heading
from didymos.ports.mavlink.dialect import mavlink
from didymos.ports.mavlink.flight import ACCEPTED, DENIED, REJECTED, Flight
from didymos.ports.mavlink.modes import Mode, find_mode
from didymos.ports.mavlink.status import autopilot_version
from didymos.ports.mavlink.streams import Streams

__all__ = ["COMMANDS", "Command", "Commands", "read_command"]

_UNSUPPORTED = int(mavlink.MAV_RESULT_UNSUPPORTED)
_FORCE = 21196.0  # MAVLink's number for by force
_VERSION, _HOME = mavlink.MAVLINK_MSG_ID_AUTOPILOT_VERSION, mavlink.MAVLINK_MSG_ID_HOME_POSITION


@dataclass(frozen=True)
class Command:
    """A command: its number, its frame, seven parameters; the fifth and sixth are degrees where they are a place."""

    number: int
    frame: int
    parameters: tuple[float, ...]

    def __getitem__(self, number: int) -> float:
        """A parameter, counted from 1."""
        return self.parameters[number - 1]

    def given(self, number: int) -> float | None:
        """A parameter, None where it is left out."""
        value = self[number]
        return value if math.isfinite(value) else None


def read_command(message: Any) -> Command:
    """Of COMMAND_LONG or COMMAND_INT, whose latitude and longitude are whole numbers."""
    first = (message.param1, message.param2, message.param3, message.param4)
    if message.get_type() == "COMMAND_LONG":
        return Command(message.command, mavlink.MAV_FRAME_GLOBAL, (*first, message.param5, message.param6, message.param7))
    nothing = -(1 << 31), (1 << 31) - 1
    x, y = (math.nan if value in nothing else value / 1e7 for value in (message.x, message.y))
    return Command(message.command, message.frame, (*first, x, y, message.z))


class Commands:
    """Does what commands say; `answers` are messages that follow from them."""

    def __init__(self, flight: Flight, streams: Streams, system: int) -> None:
        self._flight, self._streams, self._system = flight, streams, system
        self.answers: list[Any] = []

    def do(self, command: Command) -> int:
        """Do a command; MAVLink's result."""
        act = COMMANDS.get(command.number)
        return _UNSUPPORTED if act is None else int(act(self, command))

    def _arm(self, command: Command) -> int:
        force = command[2] == _FORCE
        if command[1] not in (0.0, 1.0):
            return int(DENIED)
        return self._flight.arm(force=force) if command[1] == 1.0 else self._flight.disarm(force=force)

    def _terminate(self, command: Command) -> int:
        return self._flight.disarm(force=True) if command[1] >= 1.0 else int(ACCEPTED)

    def _set_mode(self, command: Command) -> int:
        if not (math.isfinite(command[1]) and int(command[1]) & mavlink.MAV_MODE_FLAG_CUSTOM_MODE_ENABLED):
            return int(DENIED)
        mode = find_mode(command[2], command[3])
        return _UNSUPPORTED if mode is None else self._flight.set_mode(mode)

    def _take_off(self, command: Command) -> int:
        """A height of COMMAND_LONG is above the sea, of COMMAND_INT as its frame says.

        MAVProxy and scripts for ArduPilot mean the height above home; one that lies below the vehicle cannot be meant otherwise.
        """
        height = command.given(7)
        if height is None:
            return self._flight.take_off(None)
        here = self._flight.robot.place
        goal = self._flight.places.above(here, command.frame, height)
        if goal is None:
            return int(DENIED)
        if goal[2] <= here[2] and height > 0.0:
            goal = self._flight.places.above(here, mavlink.MAV_FRAME_GLOBAL_RELATIVE_ALT, height)
        return int(DENIED) if goal is None else self._flight.take_off(goal[2])

    def _land(self, _command: Command) -> int:
        return self._flight.set_mode(Mode.LAND)

    def _return(self, _command: Command) -> int:
        return self._flight.set_mode(Mode.RETURN)

    def _hold(self, _command: Command) -> int:
        return self._flight.set_mode(Mode.HOLD)

    def _reposition(self, command: Command) -> int:
        """To a place, a height or both; what is left out stays."""
        places, here = self._flight.places, self._flight.robot.place
        latitude, longitude, height = places.globally(here)
        frame = command.frame if command.given(7) is not None else mavlink.MAV_FRAME_GLOBAL
        kept = zip((latitude, longitude, height), map(command.given, (5, 6, 7)), strict=True)
        there = places.locate(frame, *(now if asked is None else asked for now, asked in kept))
        if there is None:
            return int(DENIED)
        yaw, speed = command.given(4), command.given(1) or 0.0
        return self._flight.go_to(there, None if yaw is None else heading(yaw), speed if speed > 0.0 else None)

    def _change_speed(self, command: Command) -> int:
        """-1 leaves it, -2 is the vehicle's own."""
        if command[2] == -1.0:
            return int(ACCEPTED)
        return self._flight.set_speed(command[1], None if command[2] == -2.0 else command[2])

    def _start_mission(self, command: Command) -> int:
        flight, first = self._flight, command.given(1) or 0.0
        if not flight.armed:
            return int(REJECTED)
        if first and not flight.mission.set_current(int(first)):
            return int(DENIED)
        return flight.set_mode(Mode.MISSION)

    def _set_current(self, command: Command) -> int:
        number = command.given(1)
        return int(ACCEPTED if number is not None and self._flight.mission.set_current(int(number)) else DENIED)

    def _pause(self, command: Command) -> int:
        return self._flight.set_mode(Mode.HOLD if command[1] == 0.0 else Mode.MISSION)

    def _set_home(self, command: Command) -> int:
        if command[1] == 1.0:
            return self._flight.move_home(self._flight.robot.place)
        numbers = [command.given(i) for i in (5, 6, 7)]
        place = None if None in numbers else self._flight.places.locate(command.frame, *numbers)  # type: ignore[arg-type]
        return int(DENIED) if place is None else self._flight.move_home(place)

    def _get_home(self, _command: Command) -> int:
        return self._send(self._streams.request(_HOME))

    def _check(self, _command: Command) -> int:
        ready = self._flight.may_arm
        text = "Ready to arm" if ready else "Not ready: no estimate yet, or not upright"
        self._flight.say(mavlink.MAV_SEVERITY_INFO, text)
        return int(ACCEPTED)

    # messages on request

    def _request(self, command: Command) -> int:
        if command[1] == _VERSION:
            return self._send(autopilot_version(self._system))
        return self._send(self._streams.request(command[1]))

    def _send(self, message: Any) -> int:
        if message is None:
            return _UNSUPPORTED
        self.answers.append(message)
        return int(ACCEPTED)

    def _capabilities(self, _command: Command) -> int:
        return self._send(autopilot_version(self._system))

    def _interval(self, command: Command) -> int:
        return int(ACCEPTED if self._streams.set_interval(command[1], command[2]) else DENIED)

    def _get_interval(self, command: Command) -> int:
        number = command.given(1)
        if number is None or not 0 <= number < 65536:
            return int(DENIED)
        return self._send(mavlink.MAVLink_message_interval_message(int(number), self._streams.interval(number)))


COMMANDS: Mapping[int, Callable[[Commands, Command], int]] = {
    mavlink.MAV_CMD_COMPONENT_ARM_DISARM: Commands._arm,
    mavlink.MAV_CMD_DO_FLIGHTTERMINATION: Commands._terminate,
    mavlink.MAV_CMD_DO_SET_MODE: Commands._set_mode,
    mavlink.MAV_CMD_NAV_TAKEOFF: Commands._take_off,
    mavlink.MAV_CMD_NAV_LAND: Commands._land,
    mavlink.MAV_CMD_NAV_RETURN_TO_LAUNCH: Commands._return,
    mavlink.MAV_CMD_NAV_LOITER_UNLIM: Commands._hold,
    mavlink.MAV_CMD_DO_REPOSITION: Commands._reposition,
    mavlink.MAV_CMD_DO_CHANGE_SPEED: Commands._change_speed,
    mavlink.MAV_CMD_MISSION_START: Commands._start_mission,
    mavlink.MAV_CMD_DO_SET_MISSION_CURRENT: Commands._set_current,
    mavlink.MAV_CMD_DO_PAUSE_CONTINUE: Commands._pause,
    mavlink.MAV_CMD_DO_SET_HOME: Commands._set_home,
    mavlink.MAV_CMD_GET_HOME_POSITION: Commands._get_home,
    mavlink.MAV_CMD_RUN_PREARM_CHECKS: Commands._check,
    mavlink.MAV_CMD_REQUEST_MESSAGE: Commands._request,
    mavlink.MAV_CMD_REQUEST_AUTOPILOT_CAPABILITIES: Commands._capabilities,
    mavlink.MAV_CMD_SET_MESSAGE_INTERVAL: Commands._interval,
    mavlink.MAV_CMD_GET_MESSAGE_INTERVAL: Commands._get_interval,
}
"""All of them by number."""
