"""The memories of a Crazyflie: those that clients ask for when they connect, and those that hold trajectories and lights.

    info    count 1;  details 2, number -> type, size (32 bits), address on the 1-wire bus (8 bytes)
    read    number, address, length -> number, address, error, bytes (up to 24)
    write   number, address, bytes  -> number, address, error
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol
from zlib import crc32

from didymos.ports.crtp.packet import Packet
from didymos.ports.crtp.trajectory_memory import TrajectoryMemory

__all__ = ["Memories", "Tester"]

_INFO, _READ, _WRITE = range(3)
_COUNT, _DETAILS = 1, 2
_EIO, _ENOENT = 5, 2
_MOST = 24  # bytes of a read
_EEPROM, _ONE_WIRE, _LED, _TRAJECTORY, _TESTER, _LED_TIMING, _DECKS = 0, 1, 0x10, 0x12, 0x15, 0x17, 0x19
_DECK_VERSION = 3


class _Bytes(Protocol):
    """Something that can be read and written like a memory."""

    def __len__(self) -> int: ...

    def read(self, at: int, length: int) -> bytes:
        """So many bytes from an address on, which are all inside."""

    def write(self, at: int, data: bytes) -> None:
        """Bytes to an address, which are all inside."""


@dataclass
class _Ram:
    """A memory that keeps what is written to it."""

    data: bytearray

    def __len__(self) -> int:
        return len(self.data)

    def read(self, at: int, length: int) -> bytes:
        return bytes(self.data[at : at + length])

    def write(self, at: int, data: bytes) -> None:
        self.data[at : at + len(data)] = data


@dataclass
class Tester:
    """A memory by which clients test the wire: each byte is the end of its address; `errors` counts written ones that are not."""

    errors: int = 0

    def __len__(self) -> int:
        return 0x10000

    def read(self, at: int, length: int) -> bytes:
        """What the addresses say."""
        return bytes((at + i) & 0xFF for i in range(length))

    def write(self, at: int, data: bytes) -> None:
        """Check bytes against their addresses."""
        self.errors += sum(byte != (at + i) & 0xFF for i, byte in enumerate(data))

    def reset(self) -> bool:
        """Count from zero again."""
        self.errors = 0
        return True


@dataclass(frozen=True)
class _Memory:
    type: int
    inside: _Bytes
    address: bytes = field(default=bytes(8))


class Memories:
    """All memories; `deck` is the name of the expansion board whose 1-wire memory is there."""

    def __init__(self, trajectories: TrajectoryMemory, deck: str, number: int) -> None:
        self.tester = Tester()
        self._memories: Sequence[_Memory] = (
            _Memory(_EEPROM, _Ram(_eeprom(number))),
            _Memory(_LED, _Ram(bytearray(24))),
            _Memory(_TRAJECTORY, _Ram(trajectories.data)),
            _Memory(_TESTER, self.tester),
            _Memory(_LED_TIMING, _Ram(bytearray(2000))),
            _Memory(_DECKS, _Ram(bytearray([_DECK_VERSION]) + bytearray(0x1FFF))),
            _Memory(_ONE_WIRE, _Ram(_one_wire(deck)), bytes([0x0D, 0xF0, *number.to_bytes(5, "big"), 0x3A])),
        )

    def handle(self, packet: Packet) -> Packet | None:
        """The answer to a packet; None to what is no request."""
        data = packet.data
        if packet.channel == _INFO and data:
            return self._about(packet)
        if packet.channel not in (_READ, _WRITE) or len(data) < 6:
            return None
        number, at = struct.unpack_from("<BI", data)
        inside = self._memories[number].inside if number < len(self._memories) else None
        length = data[5] if packet.channel == _READ else len(data) - 5
        error = _ENOENT if inside is None else 0
        if inside is not None and (at + length > len(inside) or (packet.channel == _READ and length > _MOST)):
            error = _EIO
        answer = data[:5] + bytes([error])
        if inside is None or error:
            return packet.answer(answer)
        if packet.channel == _READ:
            return packet.answer(answer + inside.read(at, length))
        inside.write(at, data[5:])
        return packet.answer(answer)

    def _about(self, packet: Packet) -> Packet | None:
        data = packet.data
        if data[0] == _COUNT:
            return packet.answer(bytes([_COUNT, len(self._memories)]))
        if data[0] != _DETAILS or len(data) < 2:
            return None
        if data[1] >= len(self._memories):
            return packet.answer(data[:2])
        item = self._memories[data[1]]
        return packet.answer(data[:2] + struct.pack("<BI", item.type, len(item.inside)) + item.address)


def _eeprom(number: int) -> bytearray:
    """The configuration of a Crazyflie: radio channel 80, 2 Mbit/s, no trim, the address E7E7E7E7 and its number."""
    image = b"0xBC" + struct.pack("<BBBffBI", 1, 80, 2, 0.0, 0.0, 0xE7, 0xE7E7E700 | (0xE7 + number) & 0xFF)
    image += bytes([sum(image) % 256])
    return bytearray(image.ljust(8192, b"\xff"))


def _one_wire(deck: str) -> bytearray:
    """What the memory of an expansion board says: maker, product, name and revision."""
    header = struct.pack("<BIBB", 0xEB, 0x000, 0xBC, 0x0F)
    names = b"".join(bytes([kind, len(text)]) + text.encode("ascii") for kind, text in ((1, deck), (2, "D")))
    elements = bytes([0, len(names)]) + names
    image = header + bytes([crc32(header) & 0xFF]) + elements + bytes([crc32(elements) & 0xFF])
    return bytearray(image.ljust(112, b"\xff"))
