"""What a controller does with a message: its subframes one by one, as the firmware's multiplex server does.

    0x00..0x0f   write registers: type in bits 2 and 3, how many in bits 0 and 1 (0: a number follows)
    0x10..0x1f   read registers; answered by 0x20..0x2f of the same shape, or by 0x31 register error
    0x30         answer to a write that failed: register, error (1 unknown, 2 cannot be written, 3 no such value)
    0x40, 0x42   bytes for the console, and asking for its bytes; answered by 0x41
    0x44         asking for the console's bytes again until they are acknowledged; answered by 0x43
    0x50         nothing

An unknown or broken subframe ends the message; what came before it counts.
"""

from __future__ import annotations

from typing import Protocol

from didymos.ports.moteus.values import SIZES, Reader, varuint

__all__ = ["CANNOT_WRITE", "NO_SUCH_VALUE", "UNKNOWN", "Registers", "Tunnel", "answer", "overhear"]

UNKNOWN, CANNOT_WRITE, NO_SUCH_VALUE = 1, 2, 3
_TOO_MUCH = 2  # a read whose answer does not fit
_WRITE_ERROR, _READ_ERROR = 0x30, 0x31
_TO_CONSOLE, _FROM_CONSOLE, _POLL, _FROM_CONSOLE_FLOW, _POLL_FLOW, _NOTHING = 0x40, 0x41, 0x42, 0x43, 0x44, 0x50
_ROOM = 64  # bytes of a reply
_CHANNEL = 1
_HEAD = 4  # bytes around the console's bytes


class Registers(Protocol):
    """Registers of a controller."""

    def read(self, register: int, kind: int) -> bytes | int:
        """The value of a register in a type, or an error."""
        ...

    def write(self, register: int, raw: float, kind: int) -> int:
        """Write a register; 0 or an error."""
        ...


class Tunnel(Protocol):
    """The console's end of the diagnostic channel."""

    def put(self, data: bytes) -> None:
        """Bytes from the client."""
        ...

    def get(self, most: int) -> bytes:
        """Bytes for the client, gone from here."""
        ...

    def get_flow(self, acknowledged: int, most: int) -> tuple[int, bytes]:
        """Number of a packet and its bytes; the same again until its number is acknowledged."""
        ...


def overhear(data: bytes, registers: Registers, tunnel: Tunnel) -> None:
    """Follow what a message writes, as somebody who hears it and answers nothing: what it reads is passed over."""
    reader = Reader(data)
    try:
        while reader.left:
            if 0x10 <= data[-reader.left] < 0x20:
                _shape(reader.varuint(), reader)
            elif not _follow(reader, bytearray(), registers, tunnel, False):
                return
    except EOFError:
        pass


def answer(data: bytes, registers: Registers, tunnel: Tunnel, wants_reply: bool) -> bytes:
    """Follow a message; the bytes of the reply, empty where nobody waits for one."""
    reader = Reader(data)
    reply = bytearray()
    try:
        while reader.left and _follow(reader, reply, registers, tunnel, wants_reply):
            pass
    except EOFError:
        pass  # the last subframe is broken; the device ignores it
    return bytes(reply) if wants_reply else b""


def _follow(reader: Reader, reply: bytearray, registers: Registers, tunnel: Tunnel, wants_reply: bool) -> bool:
    """One subframe; False where the rest of the message is unusable."""
    what = reader.varuint()
    if what == _NOTHING:
        return True
    if what < 0x10:
        _write(what, reader, reply, registers)
        return True
    if what < 0x20:
        return _read(what & 0x0F, reader, reply, registers) if wants_reply else False
    if what not in (_TO_CONSOLE, _POLL, _POLL_FLOW):
        return False
    channel = reader.varuint()
    acknowledged = reader.take(1)[0] if what == _POLL_FLOW else 0
    count = reader.varuint()
    if channel != _CHANNEL:
        return False
    room = _ROOM - len(reply) - _HEAD
    if what == _TO_CONSOLE:
        tunnel.put(reader.take(count))
        count = room
    if not wants_reply:
        return True
    if room < 0:
        return False
    if what == _POLL_FLOW:
        number, printed = tunnel.get_flow(acknowledged, min(count, room))
        if len(printed) > room:  # an earlier packet, not acknowledged, of a message that asked for nothing else
            return False
        reply += bytes([_FROM_CONSOLE_FLOW, _CHANNEL, number, len(printed)]) + printed
    else:
        printed = tunnel.get(min(count, room))
        reply += bytes([_FROM_CONSOLE, _CHANNEL, len(printed)]) + printed
    return True


def _shape(what: int, reader: Reader) -> tuple[int, int, int]:
    """Type, number and first of the registers of a subframe."""
    count = what & 3 or reader.varuint()
    return (what & 0x0F) >> 2, count, reader.varuint()


def _write(what: int, reader: Reader, reply: bytearray, registers: Registers) -> None:
    kind, count, first = _shape(what, reader)
    for register in range(first, first + count):
        error = registers.write(register, reader.value(kind), kind)
        fault = bytes([_WRITE_ERROR]) + varuint(register) + varuint(error)
        if error and len(reply) + len(fault) <= _ROOM:
            reply += fault


def _read(what: int, reader: Reader, reply: bytearray, registers: Registers) -> bool:
    kind, count, first = _shape(what, reader)
    subframe = bytes([0x20 | what]) + (b"" if what & 3 else varuint(count)) + varuint(first)
    if len(reply) + len(subframe) + count * SIZES[kind] > _ROOM:
        reply += (bytes([_READ_ERROR]) + varuint(first) + varuint(_TOO_MUCH))[: _ROOM - len(reply)]
        return False
    for register in range(first, first + count):
        value = registers.read(register, kind)
        if isinstance(value, int):
            fault = bytes([_READ_ERROR]) + varuint(register) + varuint(value)
            reply += fault if len(reply) + len(fault) <= _ROOM else b""
            return False
        subframe += value
    reply += subframe
    return True
