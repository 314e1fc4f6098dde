"""The wire of a MAVLink network: one UDP socket for all vehicles of a run.

Everything goes to the ports where ground stations and scripts listen (14550 and 14540 of this machine, as PX4's simulation has
it), and to whoever has written within the last ten seconds. Where the system says that nobody listens, a frame or two
go every second, until somebody does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from didymos.ports.mavlink.dialect import messages
from didymos.ports.mavlink.system import System
from didymos.ports.udp_socket import Address, UdpSocket

__all__ = ["OWN_PORT", "TARGETS", "Link"]

OWN_PORT = 14580
"""Where the vehicle itself listens, as PX4's simulation does."""

TARGETS = (14550, 14540)
"""Where ground stations and scripts listen."""

_FORGOTTEN = 10.0  # [s] of the wall clock after which whoever was silent is sent nothing more
_MOST_CLIENTS = 32
_PROBE = 1.0  # [s] between two looks whether somebody listens


class Link:
    """The socket of systems; `port` 0 is one that is free. `network`: reachable from other machines."""

    def __init__(
        self, systems: Sequence[System], port: int = OWN_PORT, targets: Sequence[int] = TARGETS, *, network: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.systems, self._clock = systems, clock
        self.received = self.refused = 0
        self.socket = UdpSocket(port, self._note_gone, network=network)
        self.port = self.socket.port
        self._targets: tuple[Address, ...] = tuple(("127.0.0.1", target) for target in targets)
        self._clients: dict[Address, float] = {}  # when each wrote last
        self._deaf: set[Address] = set()  # where nobody listens
        self._probed = -_PROBE

    @property
    def address(self) -> str:
        """What a client on this machine writes to."""
        return self.socket.uri

    @property
    def sent(self) -> int:
        """Frames that went out."""
        return self.socket.sent

    @property
    def lost(self) -> int:
        """Frames for which the system had no room."""
        return self.socket.lost

    def listen(self) -> None:
        """Take in all that has come, and answer."""
        for datagram, sender in self.socket.datagrams():
            self._note(sender)
            for message in messages(datagram):
                if message is None:
                    self.refused += 1
                    continue
                self.received += 1
                for system in self.systems:
                    system.receive(message)
        self._send_all()

    def tell(self) -> None:
        """Send what goes to everybody unasked."""
        for system in self.systems:
            system.tell()
        self._send_all()

    def close(self) -> None:
        """Leave the port."""
        self.socket.close()

    def _note(self, sender: Address) -> None:
        """Remember who has written; of too many, the one that was silent longest is forgotten."""
        self._clients[sender] = self._clock()
        self._deaf.discard(sender)
        if len(self._clients) > _MOST_CLIENTS:
            del self._clients[min(self._clients, key=lambda client: self._clients[client])]

    def _send_all(self) -> None:
        frames = [frame for system in self.systems for frame in system.take()]
        if not frames:
            return
        now = self._clock()
        self._clients = {client: then for client, then in self._clients.items() if now - then < _FORGOTTEN}
        if now - self._probed >= _PROBE:
            self._probed = now
            self._deaf.clear()
        for receiver in dict.fromkeys((*self._targets, *self._clients)):
            for frame in frames:
                if receiver in self._deaf:
                    break
                self.socket.send(frame, receiver)

    def _note_gone(self, receiver: Address) -> None:
        """Nobody listens there."""
        self._deaf.add(receiver)
        self._clients.pop(receiver, None)
