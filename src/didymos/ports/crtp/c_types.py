"""The C types of log variables and parameters, with the numbers that the wire has for them."""

from __future__ import annotations

import math
import struct
from enum import Enum

__all__ = ["CType", "log_type"]


class CType(Enum):
    """Number among log variables (None where they cannot have it), number among parameters, format, range of whole numbers."""

    UINT8 = (1, 0x08, "<B")
    UINT16 = (2, 0x09, "<H")
    UINT32 = (3, 0x0A, "<I")
    INT8 = (4, 0x00, "<b")
    INT16 = (5, 0x01, "<h")
    INT32 = (6, 0x02, "<i")
    FLOAT = (7, 0x06, "<f")
    FP16 = (8, 0x05, "<e")

    def __init__(self, log: int, parameter: int, code: str) -> None:
        self.log, self.parameter, self.code = log, parameter, code
        self.size = struct.calcsize(code)

    def pack(self, value: float) -> bytes:
        """A number as bytes; beyond the type's range the nearest that it has, and whole numbers cut as C does."""
        if self.code in ("<f", "<e"):
            try:
                return struct.pack(self.code, value)
            except OverflowError:
                return struct.pack(self.code, math.copysign(math.inf, value))
        if not math.isfinite(value):
            return struct.pack(self.code, 0)
        bits = 8 * self.size
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if self.code.islower() else (0, (1 << bits) - 1)
        return struct.pack(self.code, min(max(int(value), low), high))

    def unpack(self, data: bytes) -> float | None:
        """The number that the bytes are; None where there are not enough, or where it is none."""
        if len(data) < self.size:
            return None
        value = float(struct.unpack_from(self.code, data)[0])
        return value if math.isfinite(value) else None


_LOG = {item.log: item for item in CType}


def log_type(number: int) -> CType | None:
    """The type that a log block asks for."""
    return _LOG.get(number)
