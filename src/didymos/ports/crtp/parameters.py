"""The parameters of a Crazyflie on the wire: contents, read, write, and what goes beyond that (channel 3).

    by name 0, updated 1, extended type 2 (7), store 3, state 4, clear 5, default 6 (8)

What is stored lasts as long as the twin is served: there is no EEPROM behind it. A value that the twin refuses stays as it was,
and the answer says so by having the old one. Where a write moves other parameters as well (one gain of the twin is two of the
firmware's), the client is told their new values.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from didymos.ports.crtp.c_types import CType
from didymos.ports.crtp.contents import Contents
from didymos.ports.crtp.packet import Packet, PacketPort

__all__ = ["Parameter", "ParameterService"]

_CONTENTS, _READ, _WRITE, _MORE = range(4)
_BY_NAME, _UPDATED, _EXTENDED, _STORE, _STATE, _CLEAR, _DEFAULT, _EXTENDED_2, _DEFAULT_2 = range(9)
_ENOENT, _EINVAL, _EACCES = 2, 22, 13
_READ_ONLY, _EXTENDED_BIT = 0x40, 0x10
_PERSISTENT = 1


@dataclass(frozen=True)
class Parameter:
    """A parameter: its names and type, how it is read, and written where it can be (answers whether that was taken)."""

    group: str
    name: str
    type: CType
    read: Callable[[], float]
    write: Callable[[float], bool] | None = None
    persistent: bool = False

    @property
    def type_byte(self) -> int:
        """Its type as the table of contents has it."""
        return self.type.parameter | (_READ_ONLY if self.write is None else 0) | (_EXTENDED_BIT if self.persistent else 0)

    @property
    def value(self) -> bytes:
        """Its value as bytes."""
        return self.type.pack(self.read())


class ParameterService:
    """Answers requests; `refused` counts writes that were not taken."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = parameters
        self._numbers = {(item.group, item.name): i for i, item in enumerate(parameters)}
        self._contents = Contents(parameters)
        self._defaults = [item.value for item in parameters]
        self._stored: dict[int, bytes] = {}
        self.refused = 0

    def handle(self, packet: Packet) -> Iterator[Packet]:
        """The answers to a packet."""
        data = packet.data
        if packet.channel == _CONTENTS:
            answer = self._contents.answer(data)
            if answer is not None:
                yield packet.answer(answer)
        elif packet.channel == _MORE:
            yield from self._more(packet)
        elif len(data) >= 2:
            number = struct.unpack_from("<H", data)[0]
            if number >= len(self._parameters):
                yield packet.answer(data[:2] + bytes([_ENOENT]))
            elif packet.channel == _READ:
                yield packet.answer(data[:2] + b"\0" + self._parameters[number].value)
            else:
                changed = self._write(number, data[2:])
                yield packet.answer(data[:2] + self._parameters[number].value)
                yield from (self._updated(other) for other in changed if other != number)

    def restore(self) -> None:
        """Give stored parameters their stored values, and the others that have been set their first ones, as at a start."""
        for number, item in enumerate(self._parameters):
            value = item.type.unpack(self._stored.get(number, self._defaults[number]))
            if item.write is not None and value is not None and item.value != self._stored.get(number, self._defaults[number]):
                item.write(value)

    def _write(self, number: int, data: bytes) -> list[int]:
        """Set a parameter; the numbers of all that have changed by it."""
        item = self._parameters[number]
        value = item.type.unpack(data)
        before = [other.value for other in self._parameters] if item.group.endswith(("Pid", "_attitude", "_rate")) else []
        if value is None or item.write is None or not item.write(value):
            self.refused += 1
            return []
        return [i for i, old in enumerate(before) if self._parameters[i].value != old]

    def _updated(self, number: int) -> Packet:
        return Packet(PacketPort.PARAMETERS, _MORE, struct.pack("<BH", _UPDATED, number) + self._parameters[number].value)

    def _more(self, packet: Packet) -> Iterator[Packet]:
        data = packet.data
        if len(data) < 1:
            return
        if data[0] == _BY_NAME:
            yield from self._by_name(packet)
            return
        if len(data) < 3 or data[0] > _DEFAULT_2 or data[0] == _UPDATED:
            return
        number = struct.unpack_from("<H", data, 1)[0]
        error = _ENOENT if number >= len(self._parameters) else 0
        yield packet.answer(data[:3] + (bytes([error]) if error else self._about(data[0], number)))

    def _about(self, command: int, number: int) -> bytes:
        item = self._parameters[number]
        if command in (_EXTENDED, _EXTENDED_2):
            kind = bytes([_PERSISTENT if item.persistent else 0])
            return (b"\0" if command == _EXTENDED_2 else b"") + kind
        if command in (_DEFAULT, _DEFAULT_2):
            if item.write is None:
                return bytes([_ENOENT])
            return (b"\0" if command == _DEFAULT_2 else b"") + self._defaults[number]
        if not item.persistent:
            return bytes([_ENOENT])
        if command == _STORE:
            self._stored[number] = item.value
            return b"\0"
        if command == _CLEAR:
            return bytes([0 if self._stored.pop(number, None) is not None else _ENOENT])
        stored = self._stored.get(number)
        return bytes([stored is not None]) + self._defaults[number] + (stored or b"")

    def _by_name(self, packet: Packet) -> Iterator[Packet]:
        names = packet.data[1:].split(b"\0", 2)
        if len(names) < 3 or not names[2]:
            return
        head = packet.data[: len(packet.data) - len(names[2])]
        group, name = (text.decode("latin1") for text in names[:2])
        number = self._numbers.get((group, name))
        error = 0
        if number is None:
            error = _ENOENT
        elif self._parameters[number].type.parameter != names[2][0]:
            error = _EINVAL
        elif self._parameters[number].write is None:
            error = _EACCES
        changed = [] if number is None or error else self._write(number, names[2][1:])
        yield packet.answer(head + bytes([error]))
        yield from (self._updated(other) for other in changed)
