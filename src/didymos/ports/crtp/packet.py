"""CRTP packets: a header of port and channel, and up to 30 bytes. One datagram holds one packet.

    header   port (4 bits) | link (2 bits, both 1) | channel (2 bits)

Port 15, channel 3 is the null packet (0xFF), which means nothing but that somebody is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

__all__ = ["MOST_DATA", "NULL", "Packet", "PacketPort"]

MOST_DATA = 30
"""Bytes of a packet behind its header."""


class PacketPort(IntEnum):
    """Whom a packet is for."""

    CONSOLE = 0
    PARAMETERS = 2
    COMMANDER = 3
    MEMORY = 4
    LOG = 5
    LOCALIZATION = 6
    GENERIC_COMMANDER = 7
    HIGH_LEVEL = 8
    SUPERVISOR = 9
    PLATFORM = 13
    LINK = 15


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet: port, channel (0 to 3) and what it holds."""

    port: int
    channel: int
    data: bytes = b""

    @classmethod
    def decode(cls, datagram: bytes) -> Packet | None:
        """The packet of a datagram; None where there is none in it."""
        if not 1 <= len(datagram) <= 1 + MOST_DATA:
            return None
        return cls(datagram[0] >> 4, datagram[0] & 3, bytes(datagram[1:]))

    def encode(self) -> bytes:
        """The packet as a datagram; what is too long is cut off."""
        return bytes([self.port << 4 | 0x0C | self.channel]) + self.data[:MOST_DATA]

    def answer(self, data: bytes) -> Packet:
        """A packet on the same port and channel."""
        return Packet(self.port, self.channel, data)


NULL = Packet(PacketPort.LINK, 3)
