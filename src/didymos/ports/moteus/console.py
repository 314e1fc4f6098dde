"""The diagnostic console of a moteus: text commands that travel in messages, and what answers them.

    d stop | d pos P V T ... | d zero | d rezero P | d cfg-set-output P | d index P | d req-reindex | d recapture
    conf get NAME | conf set NAME VALUE | conf enumerate [GROUP] | conf write | conf load | conf default
    tel list | tel schema NAME | tel fmt NAME 0|1 | tel get NAME | tel stop | tel text

Reference: moteus reference manual, diagnostic protocol; firmware board_debug, mjlib persistent_config and telemetry_manager.
"""

from __future__ import annotations

import struct

from didymos.parts.drive import POSITION, ZERO_VELOCITY
from didymos.ports.moteus import telemetry
from didymos.ports.moteus.command import Command
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.settings import Settings

__all__ = ["Console"]

_LONGEST = 100  # characters of a command that the firmware has room for
_ROOM = 65536  # bytes that wait for a client; more means that nobody reads them
_OPTIONS = {
    "p": "kp_scale",
    "d": "kd_scale",
    "i": "integral_scale",
    "s": "stop_position",
    "f": "feedforward",
    "t": "watchdog",
    "a": "acceleration_limit",
    "v": "velocity_limit",
    "o": "fixed_voltage",
    "c": "fixed_current",
    "b": "ignore_bounds",
}


class Console:
    """Bytes in, bytes out; never fails, whatever comes in."""

    def __init__(self, controller: Controller) -> None:
        self._controller, self._settings = controller, Settings(controller)
        self._line, self._out, self._unacknowledged = b"", b"", b""
        self._packet = 0
        self._as_text: set[str] = set()

    def put(self, data: bytes) -> None:
        """Bytes from the client; every complete line is executed."""
        *lines, rest = (self._line + data.replace(b"\r", b"\n")).split(b"\n")
        self._line = rest[: _LONGEST + 1]
        for line in lines:
            if line.strip() and len(line) <= _LONGEST:
                self._out = (self._out + self.execute(line.decode("latin1")))[-_ROOM:]

    def get(self, most: int) -> bytes:
        """Bytes for the client."""
        self._release()
        first, self._out = self._out[:most], self._out[most:]
        return first

    def get_flow(self, acknowledged: int, most: int) -> tuple[int, bytes]:
        """The next packet, or the last one again where it was not acknowledged."""
        if self._unacknowledged and acknowledged != self._packet:
            return self._packet, self._unacknowledged
        self._unacknowledged, self._packet = b"", (self._packet + 1) & 0xFF
        self._unacknowledged, self._out = self._out[:most], self._out[most:]
        return self._packet, self._unacknowledged

    def _release(self) -> None:
        """A client that asks without acknowledging starts from what it has not acknowledged."""
        self._out, self._unacknowledged = self._unacknowledged + self._out, b""

    def execute(self, line: str) -> bytes:
        """What a command answers."""
        group, *arguments = [part for part in line.split(" ") if part] or [""]
        if group == "d":
            return self._do(arguments).encode("latin1", "replace")
        if group == "conf":
            return self._configure(arguments).encode("latin1", "replace")
        if group == "tel":
            return self._telemetry(arguments)
        return b"ERR unknown command\r\n"

    def _do(self, arguments: list[str]) -> str:
        what, *numbers = arguments or [""]
        controller = self._controller
        value = _float(numbers[0]) if numbers else None
        if what == "stop":
            controller.stop()
        elif what in ("rezero", "index"):
            controller.set_output(value or 0.0, exact=False)
        elif what == "cfg-set-output":
            controller.set_output(value or 0.0, exact=True)
        elif what in ("pos", "zero"):
            command = _command(what, numbers)
            if isinstance(command, str):
                return command
            controller.execute(command)
        elif what == "reset":
            controller.stop()
            return ""  # a device that restarts says nothing
        elif what not in ("req-reindex", "recapture"):
            return "ERR unknown command\r\n"
        return "OK\r\n"

    def _configure(self, arguments: list[str]) -> str:
        what, *rest = arguments or [""]
        settings = self._settings
        if what == "enumerate":
            names = [name for name in settings.names if not rest or name.partition(".")[0] == rest[0]]
            if not names:
                return "ERR unknown group\r\n"
            return "".join(f"{name} {settings.get(name)}\r\n" for name in names) + "OK\r\n"
        if what in ("get", "set"):
            name = rest[0] if rest else ""
            if name.partition(".")[0] not in settings.groups:
                return "ERR unknown group\r\n"
            if what == "get":
                value = settings.get(name)
                return "ERR error reading\r\n" if value is None else f"{value}\r\n"
            return "OK\r\n" if len(rest) == 2 and settings.set(name, rest[1]) else "ERR error setting\r\n"
        return "OK\r\n" if what in ("write", "load", "default") else "ERR unknown subcommand\r\n"

    def _telemetry(self, arguments: list[str]) -> bytes:
        what, *rest = arguments or [""]
        if what == "list":
            return "".join(f"{name}\r\n" for name in telemetry.CHANNELS).encode() + b"OK\r\n"
        if what in ("stop", "text"):
            self._as_text |= set(telemetry.CHANNELS) if what == "text" else set()
            return b"OK\r\n"
        if what not in ("schema", "get", "fmt", "rate"):
            return b"ERR unknown command\r\n"
        if not rest or rest[0] not in telemetry.CHANNELS:
            return b"ERR unknown name\r\n"
        name = rest[0]
        if what == "schema":
            return _blob("schema", name, telemetry.schema(name))
        if what == "get":
            values = telemetry.values(name, self._controller)
            if name in self._as_text:
                return "".join(f"{line}\r\n" for line in telemetry.text(name, values)).encode() + b"OK\r\n"
            return _blob("emit", name, telemetry.binary(name, values))
        number = _float(rest[1]) if len(rest) > 1 else 0.0
        if what == "fmt":
            (self._as_text.add if number else self._as_text.discard)(name)
        elif number:
            return b"ERR no periodic telemetry\r\n"
        return b"OK\r\n"


def _blob(what: str, name: str, data: bytes) -> bytes:
    return f"{what} {name}\r\n".encode() + struct.pack("<I", len(data)) + data


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _command(what: str, arguments: list[str]) -> Command | str:
    """The command of `d pos` and `d zero`, or an error."""
    count = 3 if what == "pos" else 1
    numbers = [_float(argument) for argument in arguments[:count]]
    if len(numbers) < count or any(number is None for number in numbers):
        return "ERR missing p/v/f command\r\n" if what == "pos" else "ERR missing max torque\r\n"
    fields: dict[str, float] = {"torque_limit": numbers[-1] or 0.0}
    if what == "pos":
        fields |= {"position": numbers[0] or 0.0, "velocity": numbers[1] or 0.0}
    for argument in arguments[count:]:
        number = _float(argument[1:])
        if argument[0] not in _OPTIONS or number is None:
            return "ERR unknown option\r\n"
        fields[_OPTIONS[argument[0]]] = number
    return Command(mode=int(POSITION if what == "pos" else ZERO_VELOCITY), **fields)
