"""Typed records of the diagnostic protocol: their schema and data in bytes, and their leaves as lines of text.

    object  16 0  { 0 NAME 0 TYPE 1 DEFAULT }  0 "" 0 0 0     enum   17 6 COUNT { VALUE NAME }     fixed array  19 COUNT TYPE
    maybe   21 1 TYPE 0                                       bool 2, signed 3 SIZE, unsigned 4 SIZE, float 7

Numbers of the format are varuints, texts have their length before them; data has the fields in order, an enum as a varuint, a
maybe as 0 or as 1 and its value.

Reference: mjlib telemetry, binary schema and data; mjlib serializable_handler, text.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from didymos.ports.moteus.values import single, varuint

__all__ = [
    "BOOL", "F32", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "Choice", "Kind", "Maybe", "Record", "Row", "Scalar",
    "of",
]  # fmt: skip


class Kind(Protocol):
    """A type of the format."""

    @property
    def default(self) -> Any:
        """The value of one that nobody set."""
        ...

    def schema(self) -> bytes:
        """The type in bytes."""
        ...

    def data(self, value: Any) -> bytes:
        """A value in bytes."""
        ...

    def leaves(self, name: str, value: Any) -> Iterator[tuple[str, Scalar | Choice, Any]]:
        """Names, kinds and values of all that is single in it."""
        ...


def _text(text: str) -> bytes:
    return varuint(len(text)) + text.encode()


@dataclass(frozen=True)
class Scalar:
    """A number: `code` of its type, `form` of `struct`."""

    code: bytes
    form: str
    default: Any = 0

    def schema(self) -> bytes:
        """The type in bytes."""
        return self.code

    def data(self, value: Any) -> bytes:
        """A number in bytes, the lowest bits of one that does not fit."""
        if self.form == "f":
            return struct.pack("<f", single(float(value)))
        size = struct.calcsize(self.form)
        return (int(value) & (1 << 8 * size) - 1).to_bytes(size, "little")

    def leaves(self, name: str, value: Any) -> Iterator[tuple[str, Scalar | Choice, Any]]:
        """Itself."""
        yield name, self, value

    def text(self, value: Any) -> str:
        """A number as the device prints it."""
        return f"{single(float(value)):g}" if self.form == "f" else str(int(value))

    def parse(self, text: str) -> Any:
        """A number from text, within its type; `ValueError` where it is none."""
        if self.form == "f":
            return float(text)
        try:
            number = int(text, 0)
        except ValueError:
            number = int(float(text)) if math.isfinite(float(text)) else 0
        if self.form == "?":
            return int(number != 0)
        size = 8 * struct.calcsize(self.form)
        number &= (1 << size) - 1
        return number - (1 << size) if self.form.islower() and number >> (size - 1) else number


BOOL = Scalar(bytes([2]), "?")
I8, I16, I32, I64 = (Scalar(bytes([3, size]), form) for size, form in ((1, "b"), (2, "h"), (4, "i"), (8, "q")))
U8, U16, U32, U64 = (Scalar(bytes([4, size]), form) for size, form in ((1, "B"), (2, "H"), (4, "I"), (8, "Q")))
F32 = Scalar(bytes([7]), "f", 0.0)


def of(kind: Scalar, default: Any) -> Scalar:
    """The same type with another default."""
    return Scalar(kind.code, kind.form, default)


@dataclass(frozen=True)
class Choice:
    """One of some names, by number."""

    names: Mapping[int, str]
    default: int = 0

    def schema(self) -> bytes:
        """The type in bytes."""
        names = b"".join(varuint(number) + _text(name) for number, name in self.names.items())
        return bytes([17, 6]) + varuint(len(self.names)) + names

    def data(self, value: Any) -> bytes:
        """Its number in bytes."""
        return varuint(int(value) & 0xFFFFFFFF)

    def leaves(self, name: str, value: Any) -> Iterator[tuple[str, Scalar | Choice, Any]]:
        """Itself."""
        yield name, self, value

    def text(self, value: Any) -> str:
        """Its number."""
        return str(int(value))

    def parse(self, text: str) -> Any:
        """A number from text."""
        return I32.parse(text)


@dataclass(frozen=True)
class Maybe:
    """A number that may be missing: None."""

    item: Scalar
    default: None = None

    def schema(self) -> bytes:
        """The type in bytes."""
        return bytes([21, 1]) + self.item.schema() + bytes([0])

    def data(self, value: Any) -> bytes:
        """Whether it is there, and what it is."""
        return bytes([0]) if value is None else bytes([1]) + self.item.data(value)

    def leaves(self, name: str, value: Any) -> Iterator[tuple[str, Scalar | Choice, Any]]:
        """The number, as NaN where it is missing."""
        yield name, self.item if self.item.form == "f" else F32, math.nan if value is None else value


@dataclass(frozen=True)
class Row:
    """So many of a kind."""

    count: int
    item: Kind

    @property
    def default(self) -> list[Any]:
        """Each its own default."""
        return [self.item.default] * self.count

    def schema(self) -> bytes:
        """The type in bytes."""
        return bytes([19]) + varuint(self.count) + self.item.schema()

    def data(self, value: Any) -> bytes:
        """All of them in bytes."""
        return b"".join(map(self.item.data, value))

    def leaves(self, name: str, value: Any) -> Iterator[tuple[str, Scalar | Choice, Any]]:
        """Those of all, by their index."""
        for i, item in enumerate(value):
            yield from self.item.leaves(f"{name}.{i}", item)


@dataclass(frozen=True)
class Record:
    """Fields by name, in order."""

    fields: Mapping[str, Kind] = field(default_factory=dict)

    @property
    def default(self) -> dict[str, Any]:
        """Each its own default."""
        return {name: kind.default for name, kind in self.fields.items()}

    def schema(self) -> bytes:
        """The type in bytes."""
        data = bytes([16, 0])
        for name, kind in self.fields.items():
            data += b"\0" + _text(name) + b"\0" + kind.schema() + b"\1" + kind.data(kind.default)
        return data + bytes(5)

    def data(self, value: Any) -> bytes:
        """All fields in bytes."""
        return b"".join(kind.data(value[name]) for name, kind in self.fields.items())

    def leaves(self, name: str, value: Any) -> Iterator[tuple[str, Scalar | Choice, Any]]:
        """Those of all fields."""
        for key, kind in self.fields.items():
            yield from kind.leaves(f"{name}.{key}", value[key])
