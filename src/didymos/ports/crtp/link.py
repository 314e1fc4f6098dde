"""The wire of one Crazyflie: a UDP socket, one CRTP packet in each datagram.

Answers go to whoever asked. What is sent unasked, log and console, goes to the client: the one whose real packet (not a null one,
as scans send) came last. A client that is gone is noticed by the system's word that nobody listens there any more.
"""

from __future__ import annotations

import contextlib
import socket
import sys
from collections.abc import Iterator

from didymos.errors import InputError
from didymos.ports.crtp.crazyflie import Crazyflie
from didymos.ports.crtp.packet import NULL, Packet

__all__ = ["FIRST_PORT", "Link"]

FIRST_PORT = 19850
"""Where clients look first; they scan ten ports from here on."""

_ROOM = 1 << 20  # [bytes] of the system's buffers: a burst of a client must not be lost, it does not ask twice
_AT_ONCE = 512  # datagrams that are read before the run goes on
_IP_RECVERR, _SO_RCVBUFFORCE = 11, 33  # Linux

Address = tuple[str, int]


class Link:
    """A Crazyflie on a port of this machine; `network`: reachable from others. Port 0 is one that is free."""

    def __init__(self, crazyflie: Crazyflie, port: int, *, network: bool = False) -> None:
        self.crazyflie = crazyflie
        self.client: Address | None = None
        self.lost = 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setblocking(False)
        for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            self.socket.setsockopt(socket.SOL_SOCKET, option, _ROOM)
        self._hears_errors = sys.platform == "linux"
        if self._hears_errors:
            self.socket.setsockopt(socket.IPPROTO_IP, _IP_RECVERR, 1)
            with contextlib.suppress(OSError):  # beyond the system's limit, where we may
                self.socket.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 4 * _ROOM)
        try:
            self.socket.bind(("" if network else "127.0.0.1", port))
        except (OSError, OverflowError) as error:
            self.socket.close()
            why = getattr(error, "strerror", None) or error
            raise InputError(f"cannot listen on UDP port {port}: {why}", option="udp") from None
        self.port = int(self.socket.getsockname()[1])

    @property
    def uri(self) -> str:
        """What a client on this machine is told to open."""
        return f"udp://127.0.0.1:{self.port}"

    def listen(self) -> None:
        """Answer all that has come."""
        for datagram, sender in self._datagrams():
            packet = Packet.decode(datagram)
            if packet is None:
                self.crazyflie.counters.refused += 1
                continue
            if packet != NULL and sender != self.client:
                self.crazyflie.leave()
                self.client = sender
            for answer in self.crazyflie.receive(packet):
                self._send(answer, sender)

    def tell(self) -> None:
        """Send what goes to the client unasked."""
        for packet in () if self.client is None else self.crazyflie.due():
            if self.client is not None:  # it may be found gone by the packet before
                self._send(packet, self.client)

    def close(self) -> None:
        """Leave the port."""
        self.socket.close()

    def _datagrams(self) -> Iterator[tuple[bytes, Address]]:
        for _ in range(_AT_ONCE):
            try:
                yield self.socket.recvfrom(2048)
            except BlockingIOError:
                break
            except OSError:
                self._note_gone()
        self._note_gone()

    def _send(self, packet: Packet, receiver: Address) -> None:
        try:
            self.socket.sendto(packet.encode(), receiver)
            self.crazyflie.counters.sent += 1
        except BlockingIOError:
            self.lost += 1
        except OSError:
            self._note_gone()

    def _note_gone(self) -> None:
        """Find out who does not listen any more."""
        while self._hears_errors:
            try:
                _, _, _, receiver = self.socket.recvmsg(512, 512, socket.MSG_ERRQUEUE)
            except OSError:
                return
            if self.client is not None and tuple(receiver[:2]) == self.client:
                self.client = None
                self.crazyflie.leave()
