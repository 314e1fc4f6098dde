"""The host's end of an fdcanusb: lines out, lines in, and what registers a reply holds.

    write mode, then floats from register 0x020 on       a command
    read int8 0x000, float 0x001..0x003, int16 0x00d..0x00f      mode; position, velocity, torque; voltage, temperature, fault

Reference: moteus reference manual, CAN format and registers; fdcanusb.
"""

from __future__ import annotations

import errno
import os
import select
import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import monotonic

from didymos.errors import InputError, RunError
from didymos.ports.moteus.line import Message, pad
from didymos.ports.moteus.values import SIZES, Reader, single, varuint
from didymos.unix import unix_module

__all__ = ["QUERY", "Host", "command", "received_message", "registers"]

QUERY = bytes([0x11, 0x00, 0x1F, 0x01, 0x17, 0x0D])
_POSITION = 0x020
_SOURCE, _WANTS_REPLY = 0x00, 0x80
_OF_READ = range(0x20, 0x30)
_NOTHING = 0x50
_LONGEST = 65536  # bytes of a line that never ends


def command(mode: int, values: Iterable[float] = (), extra: Mapping[int, float] | None = None) -> bytes:
    """A command: the mode, floats from the register of the position on, further registers by number."""
    numbers = list(values)
    data = bytes([0x01, 0x00, mode])
    if numbers:
        data += bytes([0x0C, len(numbers), _POSITION]) + struct.pack(f"<{len(numbers)}f", *map(single, numbers))
    for register, value in (extra or {}).items():
        data += bytes([0x0D]) + varuint(register) + struct.pack("<f", single(value))
    return data


def registers(data: bytes) -> dict[int, tuple[float, int]]:
    """Raw value and type of every register that a reply holds; what cannot be read ends it."""
    reader, values = Reader(data), dict[int, tuple[float, int]]()
    try:
        while reader.left:
            what = reader.varuint()
            if what == _NOTHING:
                continue
            if what not in _OF_READ:
                break
            kind = (what & 0x0F) >> 2
            count = what & 3 or reader.varuint()
            first = reader.varuint()
            if count * SIZES[kind] > reader.left:
                break
            for register in range(first, first + count):
                values[register] = (reader.value(kind), kind)
    except EOFError:
        pass
    return values


def received_message(line: bytes) -> Message | None:
    """The message that a line `rcv ID DATA FLAGS` hands over; None for any other line."""
    fields = line.split()
    if fields[:1] != [b"rcv"] or len(fields) < 3:
        return None
    try:
        message = Message(int(fields[1], 16), bytes.fromhex(fields[2].decode("ascii")))
    except ValueError:
        return None
    return message if 0 <= message.identifier < 1 << 29 else None


class Host:
    """An open fdcanusb."""

    def __init__(self, path: Path) -> None:
        termios, tty = (unix_module(name, "a serial line") for name in ("termios", "tty"))
        self._name = str(path)
        try:
            self._wire = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError as error:
            raise InputError(f"cannot be opened: {error.strerror}", file=path, option="robot") from None
        try:
            tty.setraw(self._wire)
        except (termios.error, OSError):
            os.close(self._wire)
            raise InputError("is not a serial line or a terminal", file=path, option="robot") from None
        self._poll = select.poll()
        self._poll.register(self._wire, select.POLLIN)
        self._rest, self._begun = b"", True

    def send(self, number: int, data: bytes, *, reply: bool, patience: float = 1.0) -> None:
        """Send a message to a controller; a wire that takes nothing for so long [s] is broken."""
        identifier = (_SOURCE | (_WANTS_REPLY if reply else 0)) << 8 | number
        line = f"can send {identifier:04x} {pad(data).hex()}\n".encode()
        until = monotonic() + patience
        while line:
            try:
                line = line[os.write(self._wire, line) :]
            except OSError as error:
                if error.errno != errno.EAGAIN or monotonic() > until:
                    raise self._broken(error.strerror) from None
                select.select([], [self._wire], [], 0.01)

    def receive(self, until: float) -> list[Message]:
        """Messages that have come, at the latest by a time of the monotonic clock [s]; an adapter that refuses is an error."""
        return [message for line in self.lines(until) if (message := self._message(line)) is not None]

    def lines(self, until: float) -> list[bytes]:
        """Lines that have come, whatever they are, at the latest by a time of the monotonic clock [s]."""
        events = self._poll.poll(max(0.0, 1000.0 * (until - monotonic())))
        if not events:
            return []
        try:
            data = os.read(self._wire, _LONGEST)
        except BlockingIOError:
            return []
        except OSError as error:
            raise self._broken(error.strerror) from None
        if not data:
            raise self._broken("it was closed")
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._rest = self._rest[-_LONGEST:]
        if not self._begun and lines:
            self._begun = True
            return lines if lines[0].startswith((b"rcv", b"OK", b"ERR")) else lines[1:]
        return lines

    def discard(self) -> None:
        """Drop what waits in the terminal from before it was opened, and the half line that it may begin with."""
        termios = unix_module("termios", "a serial line")
        termios.tcflush(self._wire, termios.TCIFLUSH)
        self._rest, self._begun = b"", False

    def forget(self) -> None:
        """Drop what came before now: replies to somebody else."""
        while self.receive(monotonic()):
            pass
        self._rest = b""

    def _message(self, line: bytes) -> Message | None:
        if line.split()[:1] == [b"ERR"]:
            raise RunError(f"{self._name} refuses a message: {line.decode('latin1').strip()}")
        return received_message(line)

    def _broken(self, why: str | None) -> RunError:
        return RunError(f"{self._name} is gone: {why}")

    def close(self) -> None:
        """Let go of it."""
        os.close(self._wire)
