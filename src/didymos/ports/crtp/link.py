"""The wire of one Crazyflie: a UDP socket, one CRTP packet in each datagram.

Answers go to whoever asked. What is sent unasked, log and console, goes to the client: the one whose real packet (not a null one,
as scans send) came last. A client that is gone is noticed by the system's word that nobody listens there any more.
"""

from __future__ import annotations

from didymos.ports.crtp.crazyflie import Crazyflie
from didymos.ports.crtp.packet import NULL, Packet
from didymos.ports.udp_socket import Address, UdpSocket

__all__ = ["FIRST_PORT", "Link"]

FIRST_PORT = 19850
"""Where clients look first; they scan ten ports from here on."""


class Link:
    """A Crazyflie on a port of this machine; `network`: reachable from others. Port 0 is one that is free."""

    def __init__(self, crazyflie: Crazyflie, port: int, *, network: bool = False) -> None:
        self.crazyflie = crazyflie
        self.client: Address | None = None
        self.socket = UdpSocket(port, self._note_gone, network=network)
        self.port = self.socket.port

    @property
    def lost(self) -> int:
        """Packets for which the system had no room."""
        return self.socket.lost

    @property
    def uri(self) -> str:
        """What a client on this machine is told to open."""
        return self.socket.uri

    def listen(self) -> None:
        """Answer all that has come."""
        for datagram, sender in self.socket.datagrams():
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

    def _send(self, packet: Packet, receiver: Address) -> None:
        if self.socket.send(packet.encode(), receiver):
            self.crazyflie.counters.sent += 1

    def _note_gone(self, receiver: Address) -> None:
        """Nobody listens there any more."""
        if receiver == self.client:
            self.client = None
            self.crazyflie.leave()
