"""CDR: where each number of a ROS 2 message lies in its bytes.

ROS 2 serialises with the OMG's Common Data Representation: a header of 4 bytes (00 01 00 00 for little endian), then
the fields in order, each number aligned to its own size counted from the end of that header; a string is its length
with the closing zero, then its bytes; a sequence is its length, then its elements. Only strings and sequences make the
places of numbers vary: messages that agree in all lengths share one map, and are written and read as a table.

ROS 1 serialises the same tree more simply: no header, little endian, nothing aligned, no zero at the end of a string.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from didymos.record.message_types import BASE, NAME, SEQUENCE, types_with

__all__ = ["HEADER_SIZE", "CdrError", "CdrMap", "Leaf", "new_map", "read_map", "write_message"]

HEADER_SIZE = 4

_DTYPES = {
    "bool": "u1", "byte": "u1", "char": "u1", "uint8": "u1", "int8": "i1", "uint16": "u2", "int16": "i2",
    "uint32": "u4", "int32": "i4", "uint64": "u8", "int64": "i8", "float32": "f4", "float64": "f8",
}  # fmt: skip


class CdrError(ValueError):
    """Bytes that are not a message of the type they claim to be."""


@dataclass(frozen=True)
class Leaf:
    """Numbers of one field: `count` of them, one after the other, the first `offset` bytes into the message."""

    offset: int
    dtype: str
    count: int


@dataclass
class CdrMap:
    """Layout of all messages that agree with `data` in every length of a string or sequence.

    Attributes:
        data: a whole message, header included.
        numbers: leaf of each path such as `pose.position.x`; arrays are one leaf.
        strings: (offset, size) [bytes] of the text of each string field.
        lengths: offset [bytes] of each length; 4 bytes each.
        counts: number of elements of each sequence.
    """

    data: bytes = b""
    numbers: dict[str, Leaf] = field(default_factory=dict)
    strings: dict[str, tuple[int, int]] = field(default_factory=dict)
    lengths: list[int] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def leaf(self, path: str) -> Leaf:
        """The one number at a path; `position.3` is the fourth element of `position`."""
        if path in self.numbers:
            return self.numbers[path]
        array, _, index = path.rpartition(".")
        whole = self.numbers[array]
        return Leaf(whole.offset + int(index) * int(whole.dtype[-1]), whole.dtype, 1)

    def text(self, path: str) -> str:
        """The string at a path."""
        offset, size = self.strings[path]
        return self.data[offset : offset + size].decode(errors="replace")


def new_map(type_name: str, constants: Mapping[str, Any]) -> CdrMap:
    """Map of a message to be written.

    Args:
        type_name: such as `sensor_msgs/msg/Imu`.
        constants: by path: strings, numbers, arrays of numbers, and lengths of sequences; all else is empty or zero.
    """
    cursor = _Writer(constants)
    _walk(types_with(type_name), (NAME, type_name), "", cursor)
    cursor.map.data = bytes(cursor.buffer)
    return cursor.map


def write_message(type_name: str, values: Mapping[str, Any]) -> bytes:
    """A message in CDR, of its values by path, such as `header.frame_id`; sequences of messages by the paths of their elements
    (`transforms.0.child_frame_id`) and their number. What is left out is empty or zero.
    """
    cursor = _ValueWriter(values)
    _walk(types_with(type_name), (NAME, type_name), "", cursor)
    return bytes(cursor.buffer)


def read_map(types: Any, type_name: str, data: bytes, encoding: str = "cdr") -> CdrMap:
    """Map of a message that was received: `cdr`, in either byte order, or `ros1`."""
    if encoding == "ros1":
        plain = _Ros1Reader(data)
        _walk(types, (NAME, type_name), "", plain)
        return plain.map
    if len(data) < HEADER_SIZE or data[0] != 0 or data[1] not in (0, 1):
        raise CdrError(f"encapsulation {data[:2].hex()} is not plain CDR")
    cursor = _Reader(data)
    _walk(types, (NAME, type_name), "", cursor)
    return cursor.map


class _Cursor(Protocol):
    def string(self, path: str) -> None: ...
    def numbers(self, path: str, dtype: str, count: int) -> None: ...
    def length(self, path: str) -> int: ...


def _walk(types: Any, node: tuple[int, Any], path: str, cursor: _Cursor) -> None:
    kind, what = node
    if kind == NAME:
        if what not in types.fielddefs:
            raise CdrError(f"the definition of {what} is missing")
        for name, child in types.fielddefs[what][1]:
            _walk(types, child, f"{path}.{name}" if path else name, cursor)
    elif kind == BASE:
        if what[0] == "string":
            cursor.string(path)
        else:
            cursor.numbers(path, _dtype(what[0]), 1)
    else:
        element, count = what
        if kind == SEQUENCE:
            count = cursor.length(path)
        if element[0] == BASE and element[1][0] != "string":
            cursor.numbers(path, _dtype(element[1][0]), count)
        else:
            for i in range(count):
                _walk(types, element, f"{path}.{i}", cursor)


def _dtype(base: str) -> str:
    if base not in _DTYPES:
        raise CdrError(f"fields of type {base} are not read")
    return _DTYPES[base]


class _Writer:
    def __init__(self, constants: Mapping[str, Any]) -> None:
        self.constants, self.map = constants, CdrMap()
        self.buffer = bytearray(b"\x00\x01\x00\x00")

    def _align(self, size: int) -> None:
        self.buffer.extend(bytes((HEADER_SIZE - len(self.buffer)) % size))

    def _size(self, count: int) -> None:
        self._align(4)
        self.map.lengths.append(len(self.buffer))
        self.buffer += struct.pack("<I", count)

    def string(self, path: str) -> None:
        text = str(self.constants.get(path, "")).encode()
        self._size(len(text) + 1)
        self.map.strings[path] = (len(self.buffer), len(text))
        self.buffer += text + b"\x00"

    def length(self, path: str) -> int:
        count = self.map.counts[path] = int(self.constants.get(path, 0))
        self._size(count)
        return count

    def numbers(self, path: str, dtype: str, count: int) -> None:
        if count:
            self._align(int(dtype[1]))
        self.map.numbers[path] = Leaf(len(self.buffer), "<" + dtype, count)
        value = np.zeros(count, "<" + dtype)
        # A sequence of numbers has its length among the constants, not its values.
        value[...] = 0 if path in self.map.counts else self.constants.get(path, 0)
        self.buffer += value.tobytes()


class _ValueWriter(_Writer):
    """As the writer of a map, but sequences of numbers have their values among the constants."""

    def length(self, path: str) -> int:
        value = self.constants.get(path, 0)
        count = self.map.counts[path] = value if isinstance(value, int) else len(value)
        self._size(count)
        return count

    def numbers(self, path: str, dtype: str, count: int) -> None:
        if count:
            self._align(int(dtype[1]))
        value = np.zeros(count, "<" + dtype)
        value[...] = self.constants.get(path, 0)
        self.buffer += value.tobytes()


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.map, self.position = CdrMap(data), HEADER_SIZE
        self.order = "<" if data[1] else ">"

    def _take(self, size: int, count: int) -> int:
        start = self.position + (HEADER_SIZE - self.position) % size if count else self.position
        self.position = start + size * count
        if self.position > len(self.map.data):
            raise CdrError(f"the message ends after {len(self.map.data)} bytes, its fields do not")
        return start

    def _size(self) -> int:
        offset = self._take(4, 1)
        self.map.lengths.append(offset)
        return int(struct.unpack_from(self.order + "I", self.map.data, offset)[0])

    def string(self, path: str) -> None:
        size = self._size()
        self.map.strings[path] = (self._take(1, size), max(size - 1, 0))

    def length(self, path: str) -> int:
        count = self.map.counts[path] = self._size()
        if count > len(self.map.data):  # every element takes a byte at least, so this cannot be a length
            raise CdrError(f"{path} claims {count} elements in a message of {len(self.map.data)} bytes")
        return count

    def numbers(self, path: str, dtype: str, count: int) -> None:
        self.map.numbers[path] = Leaf(self._take(int(dtype[1]), count), self.order + dtype, count)


class _Ros1Reader(_Reader):
    def __init__(self, data: bytes) -> None:
        self.map, self.position, self.order = CdrMap(data), 0, "<"

    def _take(self, size: int, count: int) -> int:
        start, self.position = self.position, self.position + size * count
        if self.position > len(self.map.data):
            raise CdrError(f"the message ends after {len(self.map.data)} bytes, its fields do not")
        return start

    def string(self, path: str) -> None:
        size = self._size()
        self.map.strings[path] = (self._take(1, size), size)
