"""The registers of a controller, as a message reads and writes them: values in the types of the wire, or an error."""

from __future__ import annotations

import math
from typing import Any

from didymos.ports.moteus import registers as r
from didymos.ports.moteus.command import Command
from didymos.ports.moteus.controller import Controller
from didymos.ports.moteus.message import CANNOT_WRITE, NO_SUCH_VALUE, UNKNOWN
from didymos.ports.moteus.values import FLOAT, INT32, decode, encode, encode_integer

__all__ = ["NotAddressed", "RegisterFile"]


class NotAddressed(Exception):
    """The message is for another controller."""


class RegisterFile:
    """The registers of one controller. What a message writes counts once the whole of it is read."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._mode_written = False
        self._ignored: dict[int, float] = {}

    def begin(self) -> None:
        """A message begins."""
        self._mode_written = False

    def finish(self) -> None:
        """A message is over: what it commands counts."""
        if self._mode_written:
            self._mode_written = False
            self._controller.execute(self._controller.command)

    def read(self, register: int, kind: int) -> bytes | int:
        """The value of a register, or an error."""
        if register in r.MEASURED:
            name, quantity = r.MEASURED[register]
            return encode(self._controller.measured(name), kind, quantity)
        if register in r.NAMES:
            if register >= 0x100 and register < 0x130 and kind != INT32:
                return UNKNOWN
            number = self._controller.whole(r.NAMES[register])
            return encode_integer(number % (1 << 23) if kind == FLOAT and register < 0x100 else number, kind)
        if register in r.COMMANDS:
            name, quantity = r.COMMANDS[register]
            value = getattr(self._controller.command, name)
            return encode_integer(int(value), kind) if quantity == "integer" else encode(value, kind, quantity)
        if register in r.IGNORED:
            value = self._ignored.get(register, 0.0)
            integer = r.IGNORED[register] == "integer"
            return encode_integer(int(value), kind) if integer else encode(value, kind, r.IGNORED[register])
        return UNKNOWN

    def write(self, register: int, raw: float, kind: int) -> int:
        """Write a register; 0 or an error. `NotAddressed` where the message is for another controller."""
        if register in r.COMMANDS:
            name, quantity = r.COMMANDS[register]
            value: Any = (raw if math.isfinite(raw) else 0.0) if quantity == "integer" else decode(raw, kind, quantity)
            setattr(self._controller.command, name, value)
        elif register in r.IGNORED:
            quantity = r.IGNORED[register]
            number = raw if quantity == "integer" else decode(raw, kind, quantity)
            self._ignored[register] = number if math.isfinite(number) or quantity != "integer" else 0.0
        elif register in (0x130, 0x131):
            self._controller.set_output(decode(raw, kind, "position"), exact=register == 0x131)
        elif register == 0x132:
            self._controller.forget_output()
        elif register == 0x133:
            pass  # an encoder that is captured anew stands where it stood
        elif 0x154 <= register <= 0x157:
            if kind != INT32 or int(raw) != self._controller.uuid_word(register - 0x154):
                raise NotAddressed
        elif register == 0x000:
            return self._write_mode(raw)
        else:
            return CANNOT_WRITE if register in r.READ_ONLY else UNKNOWN
        return 0

    def _write_mode(self, raw: float) -> int:
        if not math.isfinite(raw) or not 0 <= int(raw) <= r.MODES:
            return NO_SUCH_VALUE
        self._controller.command, self._mode_written = Command(mode=int(raw)), True
        return 0
