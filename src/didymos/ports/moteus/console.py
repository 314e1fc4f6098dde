"""The diagnostic console of a moteus: text commands that travel in messages, and what answers them.

    d ...      modes and positions (`debug.py`)
    conf ...   list | enumerate [GROUP] | get NAME | set NAME VALUE | write | load | default | schema GROUP | data GROUP
    tel ...    list | schema NAME | get NAME | rate NAME MS | fmt NAME 0|1 | text | stop (`telling.py`)
    clock us   the twin's clock [us]

Reference: moteus reference manual, diagnostic protocol; mjlib command_manager, persistent_config and telemetry_manager.
"""

from __future__ import annotations

from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.debug import debug
from didymos.ports.moteus.settings import Settings
from didymos.ports.moteus.telling import Telling, blob

__all__ = ["Console"]

_LONGEST = 100  # characters of a command that the firmware has room for
_ROOM = 262144  # bytes that wait for a client: twice the whole configuration; more means that nobody reads them


class Console:
    """Bytes in, bytes out; never fails, whatever comes in."""

    def __init__(self, controller: Controller) -> None:
        self._controller, self._settings, self._telling = controller, Settings(controller), Telling(controller)
        self._line, self._out, self._unacknowledged = b"", bytearray(), b""
        self._packet = 0

    def put(self, data: bytes) -> None:
        """Bytes from the client; every complete line is executed."""
        *lines, rest = (self._line + data.replace(b"\r", b"\n")).split(b"\n")
        self._line = rest[: _LONGEST + 1]
        for line in lines:
            if line.strip() and len(line) <= _LONGEST:
                self._out += self.execute(line.decode("latin1"))
                del self._out[:-_ROOM]

    def get(self, most: int) -> bytes:
        """Bytes for the client."""
        self._release()
        return self._take(most)

    def get_flow(self, acknowledged: int, most: int) -> tuple[int, bytes]:
        """The next packet, or the last one again where it was not acknowledged."""
        if self._unacknowledged and acknowledged != self._packet:
            return self._packet, self._unacknowledged
        self._packet = (self._packet + 1) & 0xFF
        self._unacknowledged = self._take(most)
        return self._packet, self._unacknowledged

    def advance(self, dt: float) -> None:
        """Let dt [s] pass: what is told at a rate comes due."""
        if not self._telling.silent:
            self._telling.advance(dt)

    def _take(self, most: int) -> bytes:
        if not self._out:
            self._out += self._telling.next()
        first = bytes(self._out[:most])
        del self._out[:most]
        return first

    def _release(self) -> None:
        """A client that asks without acknowledging starts from what it has not acknowledged."""
        self._out[:0], self._unacknowledged = self._unacknowledged, b""

    def execute(self, line: str) -> bytes:
        """What a command answers."""
        group, *arguments = [part for part in line.split(" ") if part] or [""]
        if group == "d":
            return debug(self._controller, arguments).encode("latin1", "replace")
        if group == "conf":
            return self._configure(arguments)
        if group == "tel":
            return self._telling.execute(arguments)
        if group == "clock":
            known = arguments[:1] == ["us"]
            return f"{int(self._controller.drive.time * 1e6) & 0xFFFFFFFF}\r\n".encode() if known else b"ERR unknown clock\r\n"
        return b"ERR unknown command\r\n"

    def _configure(self, arguments: list[str]) -> bytes:
        what, *rest = arguments or [""]
        settings, name = self._settings, rest[0] if rest else ""
        if what == "list":
            return "".join(f"{group}\r\n" for group in settings.groups).encode() + b"OK\r\n"
        if what in ("write", "load", "default"):
            {"write": settings.write, "load": settings.load, "default": settings.default}[what]()
            return b"OK\r\n"
        if what not in ("enumerate", "get", "set", "schema", "data"):
            return b"ERR unknown subcommand\r\n"
        if name.partition(".")[0] not in settings.groups and (name or what != "enumerate"):
            return b"ERR unknown group\r\n"
        if what == "enumerate":
            return "".join(f"{key} {value}\r\n" for key, value in settings.lines(name)).encode() + b"OK\r\n"
        if what == "set":
            return b"OK\r\n" if len(rest) == 2 and settings.set(name, rest[1]) else b"ERR error setting\r\n"
        if what == "get":
            value = settings.get(name)
            return b"ERR error reading\r\n" if value is None else f"{value}\r\n".encode()
        if name not in settings.groups:
            return b"ERR unknown group\r\n"
        return blob("cschema", name, settings.schema(name)) if what == "schema" else blob("cdata", name, settings.data(name))
