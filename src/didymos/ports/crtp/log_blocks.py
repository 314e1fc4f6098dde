"""Log blocks: up to 26 bytes of variables that a client wants every so many milliseconds of the twin's clock.

    settings   create 6 (0 of old), append 7 (1): block, then a type and a number for each variable;   delete 2, start 3 with a
               period of tens of milliseconds (8: of milliseconds), stop 4: block;   reset 5         -> command, block, error
    data       block, time stamp [ms, 24 bits], values

A block is sent at the first tick at or after it is due, with that tick's time. Due times are multiples of the period from the
start of the block, so none is ever left out.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from didymos.ports.crtp.c_types import CType, log_type
from didymos.ports.crtp.contents import Contents
from didymos.ports.crtp.log_variables import LogVariable
from didymos.ports.crtp.packet import Packet, PacketPort

__all__ = ["LogBlocks"]

_CONTENTS, _SETTINGS, _DATA = range(3)
_CREATE_OLD, _APPEND_OLD, _DELETE, _START, _STOP, _RESET, _CREATE, _APPEND, _START_MS = range(9)
_ENOENT, _E2BIG, _ENOEXEC, _ENOMEM, _EEXIST = 2, 7, 8, 12, 17
_MOST_BLOCKS, _MOST_VARIABLES, _MOST_BYTES = 16, 128, 26
_HALF_TICK = 1e-6  # [s], so that rounding does not make a block late by a tick


@dataclass
class _Block:
    """What a block holds, its period [s] while it is started, and when it was started and how often it was sent since."""

    variables: list[tuple[LogVariable, CType]] = field(default_factory=list)
    period: float | None = None
    start: float = 0.0
    sent: int = 0

    @property
    def size(self) -> int:
        return sum(kind.size for _, kind in self.variables)


class LogBlocks:
    """The blocks of a client."""

    def __init__(self, variables: Sequence[LogVariable]) -> None:
        self._variables = variables
        self._contents = Contents(variables)
        self._blocks: dict[int, _Block] = {}

    def handle(self, packet: Packet, now: float) -> Packet | None:
        """The answer to a packet at a time [s] of the twin's clock."""
        data = packet.data
        if packet.channel == _CONTENTS:
            answer = self._contents.answer(data)
            return None if answer is None else packet.answer(answer)
        if packet.channel != _SETTINGS or not data:
            return None
        block = data[1] if len(data) > 1 else 0
        return packet.answer(bytes([data[0], block, self._settle(data[0], block, data[2:], now)]))

    def clear(self) -> None:
        """Forget all blocks."""
        self._blocks.clear()

    def due(self, now: float) -> Iterator[Packet]:
        """The blocks that are due, as packets; none any more once they are cleared, as by a client that was found to be gone."""
        for number, block in tuple(self._blocks.items()):
            if self._blocks.get(number) is not block:
                continue
            if block.period is None or now + _HALF_TICK < block.start + (block.sent + 1) * block.period:
                continue
            block.sent = int((now + _HALF_TICK - block.start) / block.period)
            stamp = struct.pack("<I", int(1000.0 * now + 0.5) & 0xFFFFFF)[:3]
            values = b"".join(kind.pack(variable.read()) for variable, kind in block.variables)
            yield Packet(PacketPort.LOG, _DATA, bytes([number]) + stamp + values)

    def _settle(self, command: int, number: int, rest: bytes, now: float) -> int:
        """Do what a command says; 0 or the error."""
        if command == _RESET:
            self.clear()
            return 0
        if command in (_CREATE, _CREATE_OLD):
            if number in self._blocks:
                return _EEXIST
            if len(self._blocks) >= _MOST_BLOCKS:
                return _ENOMEM
            block = _Block()
            error = self._append(block, rest, wide=command == _CREATE)
            if not error:
                self._blocks[number] = block
            return error
        known = self._blocks.get(number)
        if known is None:
            return _ENOENT if command <= _START_MS else _ENOEXEC
        if command in (_APPEND, _APPEND_OLD):
            return self._append(known, rest, wide=command == _APPEND)
        if command == _DELETE:
            del self._blocks[number]
            return 0
        if command == _STOP:
            known.period = None
            return 0
        return self._begin(known, command, rest, now)

    @staticmethod
    def _begin(block: _Block, command: int, rest: bytes, now: float) -> int:
        if command == _START and rest:
            period = 10 * rest[0]
        elif command == _START_MS and len(rest) >= 2:
            period = struct.unpack_from("<H", rest)[0]
        else:
            return _ENOEXEC
        block.period, block.start, block.sent = (period / 1000.0 if period else None), now, 0
        return 0

    def _append(self, block: _Block, rest: bytes, *, wide: bool) -> int:
        """Add variables, each a type byte and a number of one or two bytes; all of them or none."""
        step = 3 if wide else 2
        added: list[tuple[LogVariable, CType]] = []
        for at in range(0, len(rest) - step + 1, step):
            number = struct.unpack_from("<H" if wide else "<B", rest, at + 1)[0]
            kind = log_type(rest[at] & 0x0F)
            if kind is None or number >= len(self._variables):
                return _ENOENT
            added.append((self._variables[number], kind))
        used = sum(len(item.variables) for item in self._blocks.values())
        if used + len(added) > _MOST_VARIABLES:
            return _ENOMEM
        if block.size + sum(kind.size for _, kind in added) > _MOST_BYTES:
            return _E2BIG
        block.variables += added
        return 0
