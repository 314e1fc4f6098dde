"""What a moteus says about itself: model, firmware, serial number, UUID. A drive of a twin is always the same one."""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass

__all__ = ["Board"]


@dataclass(frozen=True)
class Board:
    """An r4.11 whose numbers follow from names, so that two drives differ and a drive stays itself."""

    twin: str
    drive: str
    number: int  # on the bus
    model: int = 0x0411
    firmware: int = 0x010100
    register_map: int = 5

    @property
    def _digest(self) -> bytes:
        return hashlib.sha256(f"{self.twin}/{self.drive}".encode()).digest()

    @property
    def serial(self) -> tuple[int, int, int]:
        """Three words."""
        first, second, third = struct.unpack("<III", self._digest[:12])
        return first, second, third

    @property
    def uuid(self) -> bytes:
        """Sixteen bytes; by its own field of version one that is made from a name."""
        raw = bytearray(self._digest[16:32])
        raw[6] = raw[6] & 0x0F | 0x50
        raw[8] = raw[8] & 0x3F | 0x80
        return bytes(raw)

    @property
    def build(self) -> bytes:
        """Takes the place of the firmware's commit: twenty bytes."""
        return hashlib.sha1(b"didymos moteus", usedforsecurity=False).digest()
