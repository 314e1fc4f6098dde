"""Numbers on the wire: four types, each with a scale of its own for each quantity; the lowest integer says "no number".

Reference: moteus reference manual, registers; mjlib multiplex protocol.
"""

from __future__ import annotations

import math
import struct

__all__ = [
    "FLOAT", "INT8", "INT16", "INT32", "SCALES", "SIZES", "Reader", "decode", "encode", "encode_integer", "single", "varuint",
]  # fmt: skip

INT8, INT16, INT32, FLOAT = range(4)
SIZES = (1, 2, 4, 4)
_FORMATS = (struct.Struct("<b"), struct.Struct("<h"), struct.Struct("<i"), struct.Struct("<f"))
_LARGEST = (127, 32767, 2147483647)
_FLOAT_LARGEST = 3.4028234e38

SCALES: dict[str, tuple[float, float, float]] = {
    "position": (0.01, 0.0001, 0.00001),  # [rev]
    "velocity": (0.1, 0.00025, 0.00001),  # [rev/s]
    "acceleration": (0.05, 0.001, 0.00001),  # [rev/s^2]
    "torque": (0.5, 0.01, 0.001),  # [N m]
    "current": (1.0, 0.1, 0.001),  # [A]
    "voltage": (0.5, 0.1, 0.001),  # [V]
    "temperature": (1.0, 0.1, 0.001),  # [degC]
    "time": (0.01, 0.001, 0.000001),  # [s]
    "power": (10.0, 0.05, 0.0001),  # [W]
    "fraction": (1.0 / 127.0, 1.0 / 32767.0, 1.0 / 2147483647.0),
}
"""What one count is worth in int8, int16 and int32."""


def single(value: float) -> float:
    """A number that a float of 32 bits holds: the largest there is for one beyond; NaN and infinity as they are."""
    return min(max(value, -_FLOAT_LARGEST), _FLOAT_LARGEST) if math.isfinite(value) else value


def encode(value: float, kind: int, quantity: str) -> bytes:
    """A number as the device sends it: scaled, cut towards zero, held within the type, its lowest value for none."""
    if kind == FLOAT:
        return _FORMATS[FLOAT].pack(single(value))
    largest = _LARGEST[kind]
    if not math.isfinite(value):
        return _FORMATS[kind].pack(-largest - 1)
    return _FORMATS[kind].pack(int(min(max(value / SCALES[quantity][kind], -largest), largest)))


def encode_integer(value: int, kind: int) -> bytes:
    """A whole number, its lowest bits where it does not fit."""
    if kind == FLOAT:
        return _FORMATS[FLOAT].pack(float(value))
    return (value & (1 << 8 * SIZES[kind]) - 1).to_bytes(SIZES[kind], "little")


def decode(raw: float, kind: int, quantity: str) -> float:
    """The number that a raw value stands for."""
    if kind == FLOAT:
        return raw
    return math.nan if raw == -_LARGEST[kind] - 1 else raw * SCALES[quantity][kind]


def varuint(value: int) -> bytes:
    """An unsigned number, seven bits to a byte, the lowest first."""
    if value < 0x80:
        return bytes((value,))
    data = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        data.append(low | (0x80 if value else 0))
        if not value:
            return bytes(data)


class Reader:
    """Takes numbers from a message; `EOFError` where it ends too early."""

    def __init__(self, data: bytes) -> None:
        self._data, self._position = data, 0

    @property
    def left(self) -> int:
        """Bytes that are left."""
        return len(self._data) - self._position

    def take(self, count: int) -> bytes:
        """The next bytes."""
        if count > self.left:
            raise EOFError
        self._position += count
        return self._data[self._position - count : self._position]

    def varuint(self) -> int:
        """The next unsigned number, of five bytes at most."""
        position, value = self._position, 0
        if position < len(self._data) and self._data[position] < 0x80:  # nearly always
            self._position = position + 1
            return self._data[position]
        for shift in range(0, 35, 7):
            (byte,) = self.take(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
        raise EOFError

    def value(self, kind: int) -> float:
        """The next raw value of a type."""
        if SIZES[kind] > self.left:
            raise EOFError
        value: float = _FORMATS[kind].unpack_from(self._data, self._position)[0]
        self._position += SIZES[kind]
        return value
