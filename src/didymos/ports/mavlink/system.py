"""A MAVLink system: all services of one vehicle. Messages in, messages out; it knows no socket.

Messages for other systems or components are left alone. Commands count before the next slice of ticks, and reach the twin as
interventions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from didymos.ports.mavlink.commands import Commands, read_command
from didymos.ports.mavlink.dialect import AUTOPILOT, Sender, mavlink
from didymos.ports.mavlink.flight import Flight
from didymos.ports.mavlink.mission_transfer import MissionTransfer
from didymos.ports.mavlink.modes import find_mode
from didymos.ports.mavlink.parameters import Parameters, parameter_table
from didymos.ports.mavlink.streams import Streams

__all__ = ["System"]

_TEXT = 50  # characters of a status text
_NAK, _UNKNOWN_COMMAND = 129, 8  # of the file protocol


class System:
    """The flight of a robot as a MAVLink system of a number; `refused` counts messages that meant nothing to it."""

    def __init__(self, flight: Flight, number: int) -> None:
        self.number, self.flight, self.robot = number, flight, flight.robot
        self.refused = 0
        self._sender = Sender(number)
        self._streams = Streams(flight)
        self._commands = Commands(flight, self._streams, number)
        self._missions = MissionTransfer(flight.mission)
        self.parameters = Parameters(parameter_table(flight.robot, flight.settings))
        self._handlers: Mapping[str, Callable[[Any], bool]] = {
            "HEARTBEAT": self._heartbeat,
            "COMMAND_LONG": self._command,
            "COMMAND_INT": self._command,
            "SET_MODE": self._set_mode,
            "MANUAL_CONTROL": flight.take_sticks,
            "RC_CHANNELS_OVERRIDE": flight.take_sticks,
            "SET_POSITION_TARGET_LOCAL_NED": flight.take_target,
            "SET_POSITION_TARGET_GLOBAL_INT": flight.take_target,
            "SET_ATTITUDE_TARGET": flight.take_target,
            "REQUEST_DATA_STREAM": self._request_stream,
            "PING": self._ping,
            "TIMESYNC": self._timesync,
            "FILE_TRANSFER_PROTOCOL": self._file,
        }

    def receive(self, message: Any) -> None:
        """Take a message in; answers wait in `take`."""
        if not self._is_ours(message):
            return
        kind = message.get_type()
        if kind.startswith("PARAM_"):
            before = self.parameters.refused
            self._put(self.parameters.handle(message))
            self.refused += self.parameters.refused - before
        elif kind.startswith("MISSION_"):
            self._put(self._missions.handle(message, _client(message), self.robot.time))
        elif kind in self._handlers and not self._handlers[kind](message):
            self.refused += 1

    def update(self) -> None:
        """Before a tick: bring what is asked for to the twin."""
        self.flight.update()

    def tell(self) -> None:
        """After a tick: what goes to everybody unasked."""
        self._put(self._streams.due())
        self._put(self.parameters.due())
        self._put(self._missions.due(self.robot.time))
        for number in self.flight.mission.reached:
            self._sender.put(mavlink.MAVLink_mission_item_reached_message(number))
        self.flight.mission.reached.clear()
        for severity, text in self.flight.said:
            self._sender.put(mavlink.MAVLink_statustext_message(severity, text.encode("ascii", "replace")[:_TEXT]))
        self.flight.said.clear()

    def take(self) -> list[bytes]:
        """Frames that wait to be sent."""
        return self._sender.take()

    def _put(self, messages: Iterator[Any]) -> None:
        for message in messages:
            self._sender.put(message)

    def _is_ours(self, message: Any) -> bool:
        if message.get_srcSystem() == self.number:
            return False  # an echo
        system = getattr(message, "target_system", getattr(message, "target", 0))
        return system in (0, self.number) and getattr(message, "target_component", 0) in (0, AUTOPILOT)

    def _heartbeat(self, message: Any) -> bool:
        if message.type == mavlink.MAV_TYPE_GCS or message.autopilot == mavlink.MAV_AUTOPILOT_INVALID:
            self.flight.hear()
        return True

    def _command(self, message: Any) -> bool:
        result = self._commands.do(read_command(message))
        self._sender.put(mavlink.MAVLink_command_ack_message(message.command, result, 0, 0, *_client(message)))
        self._put(iter(self._commands.answers))
        self._commands.answers.clear()
        return result != mavlink.MAV_RESULT_UNSUPPORTED

    def _set_mode(self, message: Any) -> bool:
        """The message of old: its custom mode is that of a heartbeat."""
        mode = find_mode(message.custom_mode >> 16 & 0xFF, message.custom_mode >> 24 & 0xFF)
        return mode is not None and self.flight.set_mode(mode) == mavlink.MAV_RESULT_ACCEPTED

    def _request_stream(self, message: Any) -> bool:
        self._streams.set_group(message.req_stream_id, message.req_message_rate if message.start_stop else 0.0)
        return True

    def _ping(self, message: Any) -> bool:
        if message.target_system == 0 and message.target_component == 0:
            self._sender.put(mavlink.MAVLink_ping_message(message.time_usec, message.seq, *_client(message)))
        return True

    def _timesync(self, message: Any) -> bool:
        if message.tc1 == 0:
            now = round(1e9 * self.robot.time)
            self._sender.put(mavlink.MAVLink_timesync_message(now, message.ts1))
        return True

    def _file(self, message: Any) -> bool:
        """There are no files here: whoever asks is told so at once."""
        asked = bytes(message.payload[:12]).ljust(12, b"\0")
        sequence = (int.from_bytes(asked[:2], "little") + 1) % 65536
        head = sequence.to_bytes(2, "little") + bytes([asked[2], _NAK, 1, asked[3], 0, 0])
        payload = head + asked[8:12] + bytes([_UNKNOWN_COMMAND])
        self._sender.put(mavlink.MAVLink_file_transfer_protocol_message(0, *_client(message), list(payload.ljust(251, b"\0"))))
        return True


def _client(message: Any) -> tuple[int, int]:
    """System and component of whoever sent a message."""
    return int(message.get_srcSystem()), int(message.get_srcComponent())
