"""Telemetry that is told without being asked: each channel at its own rate, in bytes or as text.

    tel rate NAME MS    every so many milliseconds of the twin's clock; 0 never; below 10 a firmware tells with every change
                        that a channel announces, and none of these does

A channel whose last record was not read yet waits: none is told twice before the client has it.

Reference: mjlib telemetry_manager.
"""

from __future__ import annotations

import struct

from didymos.ports.moteus import telemetry
from didymos.ports.moteus.channels import CHANNELS
from didymos.ports.moteus.controller import Controller

__all__ = ["Telling", "blob"]

_LEAST = 10  # [ms]


def blob(what: str, name: str, data: bytes) -> bytes:
    """Bytes that follow a line which says what they are."""
    return f"{what} {name}\r\n".encode() + struct.pack("<I", len(data)) + data


class Telling:
    """Rates and formats of the channels of a controller."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._text = set[str]()
        self._rates = dict[str, int]()  # [ms]
        self._left = dict[str, float]()  # [ms] until the next
        self._due = dict[str, None]()  # in the order in which they came

    def execute(self, arguments: list[str]) -> bytes:
        """What a command of `tel` answers."""
        what, *rest = arguments or [""]
        if what == "list":
            return "".join(f"{name}\r\n" for name in CHANNELS).encode() + b"OK\r\n"
        if what == "stop":
            self._rates.clear()
            self._due.clear()
            return b"OK\r\n"
        if what == "text":
            self._text |= set(CHANNELS)
            return b"OK\r\n"
        if what not in ("schema", "get", "fmt", "rate"):
            return b"ERR unknown subcommand\r\n"
        name = rest[0] if rest else ""
        if name not in CHANNELS:
            return b"ERR unknown name\r\n"
        if what == "schema":
            return blob("schema", name, CHANNELS[name].schema())
        if what == "get":
            return self._told(name)
        number = _whole(rest[1]) if len(rest) > 1 else 0
        if what == "fmt":
            (self._text.add if number else self._text.discard)(name)
        else:
            self._set_rate(name, number)
        return b"OK\r\n"

    def _set_rate(self, name: str, milliseconds: int) -> None:
        self._rates.pop(name, None)
        if milliseconds >= _LEAST:
            self._rates[name] = milliseconds
            self._left[name] = float(milliseconds)

    @property
    def silent(self) -> bool:
        """Whether nothing is told unless it is asked for."""
        return not self._rates

    def advance(self, dt: float) -> None:
        """Let dt [s] pass."""
        for name, rate in self._rates.items():
            self._left[name] -= 1000.0 * dt
            if self._left[name] <= 1e-6:
                self._left[name] = max(self._left[name] + rate, 0.0)
                self._due[name] = None

    def next(self) -> bytes:
        """The record that waits for longest, or nothing."""
        for name in self._due:
            del self._due[name]
            return self._told(name)
        return b""

    def _told(self, name: str) -> bytes:
        fields = telemetry.values(name, self._controller)
        if name in self._text:
            return "".join(f"{line}\r\n" for line in telemetry.lines(name, fields)).encode() + b"OK\r\n"
        return blob("emit", name, CHANNELS[name].data(fields))


def _whole(text: str) -> int:
    """The whole number that a text begins with, as C reads it; 0 where there is none."""
    try:
        return min(max(int(float(text)), -(1 << 31)), (1 << 31) - 1)
    except (ValueError, OverflowError):
        return 0
