"""Packets of a Crazyflie's client, good ones among them, to the port's own Crazyflie, over a real socket."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

import didymos
from didymos.ports.crtp.crazyflie import Crazyflie
from didymos.ports.crtp.link import Link
from didymos.ports.crtp.packet import Packet, PacketPort
from didymos.ports.crtp.vehicle import Vehicle
from fuzzing.flown_wire import FlownWire
from fuzzing.mutators import edit_frame
from fuzzing.target import Case

__all__ = ["CrtpPackets"]

_PORT = PacketPort
_LONGEST = 60000  # bytes of a datagram


def _floats(dice: Random, count: int) -> bytes:
    return struct.pack(f"<{count}f", *(dice.choice((0.0, 0.5, -1.0, 1e38, float("nan"), float("inf"))) for _ in range(count)))


def _good(dice: Random) -> Packet:
    """A packet as clients send them."""
    number, byte = struct.pack("<H", dice.randrange(130)), bytes([dice.randrange(256)])
    flag = dice.randrange(2)
    packets = (
        Packet(_PORT.LINK, dice.randrange(4), byte * dice.randrange(31)),
        Packet(_PORT.LINK, 3, b"\xfe" + bytes([dice.choice((1, 2, 3, 0xF0, 0xFF))])),
        Packet(_PORT.PLATFORM, dice.randrange(3), bytes([dice.randrange(4), dice.randrange(2)])),
        Packet(_PORT.SUPERVISOR, dice.randrange(2), bytes([dice.randrange(14), 1])),
        Packet(dice.choice((_PORT.LOG, _PORT.PARAMETERS)), 0, bytes([dice.randrange(4)]) + number),
        Packet(_PORT.LOG, 1, bytes([dice.choice((0, 6)), dice.randrange(20)]) + (b"\x77" + number) * dice.randrange(9)),
        Packet(_PORT.LOG, 1, bytes([dice.randrange(9), dice.randrange(20), dice.randrange(4), 0])),
        Packet(_PORT.PARAMETERS, 1, number),
        Packet(_PORT.PARAMETERS, 2, number + dice.choice((_floats(dice, 1), byte, b"\x01\x00"))),
        Packet(_PORT.PARAMETERS, 3, bytes([dice.randrange(9)]) + number),
        Packet(_PORT.PARAMETERS, 3, b"\x00ring\0effect\0\x08" + byte),
        Packet(_PORT.MEMORY, 0, bytes([dice.randrange(3), dice.randrange(9)])),
        Packet(_PORT.MEMORY, 1, struct.pack("<BIB", dice.randrange(8), dice.choice((0, 8, 4090, 1 << 31)), dice.randrange(30))),
        Packet(_PORT.MEMORY, 2, struct.pack("<BI", dice.randrange(8), dice.choice((0, 132, 4090))) + byte * 24),
        Packet(_PORT.COMMANDER, 0, _floats(dice, 3) + struct.pack("<H", dice.choice((0, 1000, 40000, 65535)))),
        Packet(_PORT.GENERIC_COMMANDER, 0, bytes([dice.randrange(12)]) + _floats(dice, 4)),
        Packet(_PORT.GENERIC_COMMANDER, 0, b"\x06" + bytes(dice.randrange(256) for _ in range(28))),
        Packet(_PORT.GENERIC_COMMANDER, 1, b"\x00" + struct.pack("<I", dice.choice((0, 100, 1 << 31)))),
        Packet(_PORT.HIGH_LEVEL, 0, bytes([dice.choice((4, 11, 12)), 0, dice.randrange(2), flag]) + _floats(dice, 5)),
        Packet(_PORT.HIGH_LEVEL, 0, bytes([dice.choice((1, 2, 7, 8)), 0]) + _floats(dice, 2) + b"\0" + _floats(dice, 1)),
        Packet(_PORT.HIGH_LEVEL, 0, struct.pack("<BBBBIB", 6, 1, 1, flag, dice.choice((0, 132, 4000)), dice.randrange(9))),
        Packet(_PORT.HIGH_LEVEL, 0, struct.pack("<BBBBBBf", 13, 0, 1, 1, dice.randrange(2), 1, dice.choice((1.0, 0.0, 1e-30)))),
        Packet(_PORT.LOCALIZATION, 0, _floats(dice, 3)),
        Packet(_PORT.LOCALIZATION, 1, bytes([dice.randrange(13)]) + _floats(dice, 7)),
    )
    return dice.choice(packets)


class CrtpPackets(FlownWire):
    """Packets to the link of a Crazyflie."""

    link: Link

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, didymos.load("crazyflie"))

    def connect(self) -> Link:
        return Link(Crazyflie(Vehicle(self.run, self.run.simulation.robots[""])), 0)

    def case(self, dice: Random) -> Case:
        plain = _good(dice).encode()
        return Case("packet", plain if dice.random() < 0.3 else edit_frame(plain, dice)[:_LONGEST])

    def update(self) -> None:
        self.link.crazyflie.update()

    def refused(self) -> int:
        return self.link.crazyflie.refused

    def check(self, answer: bytes) -> None:
        assert 1 <= len(answer) <= 31
