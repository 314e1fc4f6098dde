"""Trajectories that a client uploads: polynomials, 132 bytes a piece, or compressed Bezier curves in millimetres.

    piece        8 coefficients of x, y, z, yaw each, duration [s]: 33 floats
    compressed   start x, y, z [mm], yaw [0.1 deg]; then pieces: a byte with two bits for each coordinate (0, 1, 3 or 7 further
                 control points), the duration [ms], and the control points
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from didymos.control.polynomial_path import ORDER, Piece, bezier

__all__ = ["SIZE", "TrajectoryMemory"]

SIZE = 4096
"""Bytes there are for trajectories."""

_PIECE = struct.Struct("<33f")
_PLAIN, _COMPRESSED = 0, 1
_POINTS = (0, 1, 3, 7)
_UNITS = (0.001, 0.001, 0.001, math.radians(0.1))
_IN_MEMORY = 1
_LONGEST, _LARGEST = 1e4, 1e6  # [s] of a piece, and coefficients: beyond, nobody can have meant it


@dataclass(frozen=True)
class _Defined:
    kind: int
    offset: int
    pieces: int


class TrajectoryMemory:
    """The bytes of trajectories, and which trajectory is where."""

    def __init__(self) -> None:
        self.data = bytearray(SIZE)
        self._defined: dict[int, _Defined] = {}

    def define(self, data: bytes) -> bool:
        """Say where a trajectory is: number, place, kind, offset, how many pieces; whether there can be one."""
        if len(data) < 8:
            return False
        number, place, kind, offset, pieces = struct.unpack_from("<BBBIB", data)
        if place != _IN_MEMORY or kind not in (_PLAIN, _COMPRESSED) or offset >= SIZE:
            return False
        self._defined[number] = _Defined(kind, offset, pieces)
        return True

    def pieces(self, number: int) -> tuple[Piece, ...]:
        """The pieces of a trajectory as they are in memory now; none where it is not defined, or is none."""
        item = self._defined.get(number)
        if item is None:
            return ()
        read = self._plain if item.kind == _PLAIN else self._compressed
        try:
            pieces = tuple(read(item))
        except struct.error:  # beyond the end of the memory
            return ()
        sane = all(0.0 <= piece.duration < _LONGEST and (np.abs(piece.coefficients) < _LARGEST).all() for piece in pieces)
        return pieces if sane else ()

    def _plain(self, item: _Defined) -> Iterator[Piece]:
        for i in range(item.pieces):
            *numbers, duration = _PIECE.unpack_from(self.data, item.offset + i * _PIECE.size)
            yield Piece(np.array(numbers, dtype=np.float64).reshape(4, ORDER), duration)

    def _compressed(self, item: _Defined) -> Iterator[Piece]:
        at = item.offset
        last = [number * unit for number, unit in zip(struct.unpack_from("<4h", self.data, at), _UNITS, strict=True)]
        at += 8
        for _ in range(item.pieces):
            kinds, milliseconds = struct.unpack_from("<BH", self.data, at)
            at += 3
            duration, rows = milliseconds / 1000.0, []
            for i, unit in enumerate(_UNITS):
                count = _POINTS[kinds >> 2 * i & 3]
                further = [number * unit for number in struct.unpack_from(f"<{count}h", self.data, at)]
                at += 2 * count
                rows.append(bezier(duration, [last[i], *further]))
                last[i] = further[-1] if further else last[i]
            yield Piece(np.array(rows), duration)
