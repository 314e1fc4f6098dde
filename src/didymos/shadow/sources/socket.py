"""`socket:PORT`: anybody's robot, firmware included, tells of itself by UDP datagrams to this machine, each a JSON object.

    {"stamp": 12.345, "imu.gyro.x": 0.02, "encoders.elbow.position": 1.1, "inputs.motor1": 0.63}

`stamp` is the robot's clock [s]; without one the time of arrival stands for it. All other names are signals of the twin's log, in
its units and frames; null and what is no number are left out. A robot sends what it has when it has it: one datagram for each
sensor, or one for all. The whole client:

    import json, socket, time
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    while True:
        told = {"stamp": time.monotonic(), "imu.gyro.x": gyro()[0], "inputs.motor1": command[0]}
        line.sendto(json.dumps(told).encode(), ("127.0.0.1", 9000))

Port 0 is one that is free (`SocketSource.port`). Nothing is ever sent back.
"""

from __future__ import annotations

import json
import math
import select
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from didymos.errors import InputError, nearest
from didymos.ports.udp_socket import UdpSocket
from didymos.shadow.signals import all_signals, chosen
from didymos.shadow.source import Arrival, SourceOptions
from didymos.shadow.sources.arrivals import Arrivals

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["SocketSource", "open_socket"]

_LARGEST = 65_507  # [bytes] of a datagram
_MOST_UNKNOWN = 16  # names that are told
_LONGEST = 80  # characters of a stranger's name
_STAMP = "stamp"


class SocketSource:
    """A robot that sends JSON to a port; `known` are the signals that it may tell of."""

    live = True

    def __init__(self, known: Mapping[str, str], port: int, *, network: bool = False) -> None:
        self._known = known
        self._unknown: set[str] = set()
        self._socket = UdpSocket(port, lambda _: None, network=network, largest=_LARGEST)
        self.port = self._socket.port
        self._name = f"socket:{self.port}"
        self._arrivals = Arrivals(f"the robot on {self._name}")

    @property
    def signals(self) -> tuple[str, ...]:
        """What it may tell of: any signal of the twin."""
        return tuple(self._known)

    @property
    def unread(self) -> int:
        """How many datagrams meant nothing."""
        return self._arrivals.unread

    def read(self, seconds: float) -> Sequence[Arrival]:
        """What has come; waits at most so long [s]."""
        select.select([self._socket.fileno()], [], [], max(seconds, 0.0))
        spoke = False
        for datagram, _, received in self._socket.stamped():
            arrival = self._arrival(datagram, received)
            if arrival is not None:
                spoke = True
                self._arrivals.put((arrival,))
        if not spoke:  # what waited here for somebody who was busy is no silence
            self._arrivals.watch()
        return self._arrivals.take(0.0)

    def notices(self) -> Sequence[str]:
        """What there is to say since the last time."""
        return self._arrivals.notices()

    def close(self) -> None:
        """Leave the port."""
        self._socket.close()

    def _arrival(self, datagram: bytes, now: float) -> Arrival | None:
        try:
            told: Any = json.loads(datagram)
        except (ValueError, RecursionError):
            told = None
        if not isinstance(told, dict):
            self._arrivals.refuse(self._name, "a datagram is no JSON object")
            return None
        stamp = now
        if _STAMP not in told:
            self._arrivals.say_once("stamp", f"{self._name}: messages have no stamp, so their arrival stands for it")
        elif (given := _number(told.pop(_STAMP))) is None:
            self._arrivals.refuse(f"stamp on {self._name}", "it is no number")
            return None
        else:
            stamp = given
        values = {}
        for name, value in told.items():
            if name not in self._known:
                self._say_unknown(name)
            elif (number := _number(value)) is not None:
                values[name] = number
            elif value is not None:
                self._arrivals.refuse(f"{name} on {self._name}", "it is no number")
        return Arrival(stamp, now, values) if values else None

    def _say_unknown(self, name: str) -> None:
        """A name that the twin does not have: each once, up to so many."""
        if name in self._unknown or len(self._unknown) == _MOST_UNKNOWN:
            return
        self._unknown.add(name)
        told = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
        last = "; of further ones nothing is said" if len(self._unknown) == _MOST_UNKNOWN else ""
        self._arrivals.say(f"{self._name}: the twin has no signal {told!r}{nearest(told, self._known)}{last}")


def _number(value: Any) -> float | None:
    """A finite number, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def open_socket(twin: Twin, address: str, options: SourceOptions) -> SocketSource:
    """Listen at a port of this machine."""
    if not (address.isascii() and address.isdigit() and int(address) < 1 << 16):
        raise InputError(f"found socket:{address}, expected socket:PORT with a number below 65536", option="robot")
    known = all_signals(twin)
    return SocketSource(chosen(options.signals, known) if options.signals else known, int(address), network=options.network)
