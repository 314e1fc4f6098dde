"""Where events come from: a device of the kernel, a pipe or socket, or a file that was recorded before.

    device   /dev/input/event*; it says itself which axes and buttons it has, how far they go and where they stand
    stream   a named pipe or a Unix socket with the same structs: a simulated pad, a pad of another machine
    file     the same structs with their times, which count on the twin's clock from the start: the same run every time

A stream or file has axes 0 to 7 (codes ABS_X ... ABS_RZ, ABS_HAT0X, ABS_HAT0Y) from -32767 to 32767 and twelve buttons from code
0x120 on, as a joystick has. A source that ends is a pad that was unplugged.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from didymos.errors import InputError
from didymos.ports.gamepad.events import AXIS, EVENT, KEY, Event, decode
from didymos.unix import unix_module

__all__ = ["JOYSTICK", "PadLayout", "Source", "Unplugged", "open_source"]

_READ = 64 * EVENT.size
_NAME, _BITS, _STATE_OF_AXIS, _KEYS_DOWN = 0x80004506, 0x80004520, 0x80184540, 0x80004518  # requests of linux/input.h
_MOST_AXES, _MOST_KEYS, _FIRST_JOYSTICK_KEY, _FIRST_KEY = 0x40, 0x300, 0x120, 0x100


@dataclass(frozen=True)
class PadLayout:
    """Axes as (code, lowest, highest value) and codes of buttons, in the order in which a map counts them."""

    name: str
    axes: tuple[tuple[int, int, int], ...]
    buttons: tuple[int, ...]


JOYSTICK = PadLayout(
    "simulated pad", tuple((code, -32767, 32767) for code in (0, 1, 2, 3, 4, 5, 16, 17)), tuple(range(0x120, 0x12C))
)


class Unplugged(Exception):
    """There will be no more events; the text says why."""


class Source(Protocol):
    """A pad's wire. `live`: it belongs to somebody who sits there, so the run should keep to the wall clock."""

    layout: PadLayout
    live: bool

    def events(self, time: float) -> Iterator[Event]:
        """What happened since the last call, until a time [s] of the twin's clock; `Unplugged` where it ended."""

    def state(self) -> Iterator[Event]:
        """How the pad stands now, where the source can say."""

    def close(self) -> None:
        """Let go of it."""


def open_source(path: Path) -> Source:
    """The source at a path; one that cannot be opened is an `InputError`."""
    try:
        kind = os.stat(path).st_mode
        if stat.S_ISCHR(kind):
            return _Device(path)
        if stat.S_ISREG(kind):
            return _File(path)
        if stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind):
            return _Stream(path, stat.S_ISSOCK(kind))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(f"the pad {str(path)!r} cannot be opened: {why}", option="gamepad") from None
    raise InputError(f"found {str(path)!r}, expected a device, a pipe, a socket or a file of events", option="gamepad")


class _Device:
    live = True

    def __init__(self, path: Path) -> None:
        self._ioctl = unix_module("fcntl", "a gamepad of the kernel").ioctl
        self._fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            self.layout = self._ask_layout()
        except OSError:
            os.close(self._fd)
            raise

    def _ask_layout(self) -> PadLayout:
        name = self._ask(_NAME, 256).split(b"\0")[0].decode(errors="replace")
        axes = [code for code in bits(self._ask(_BITS + AXIS, _MOST_AXES // 8)) if code < _MOST_AXES]
        keys = bits(self._ask(_BITS + KEY, _MOST_KEYS // 8))
        states = {code: struct.unpack("@6i", self._ask_plain(_STATE_OF_AXIS + code, 24)) for code in axes}
        return PadLayout(name, tuple((code, states[code][1], states[code][2]) for code in axes), joystick_order(keys))

    def _ask(self, request: int, size: int) -> bytes:
        return self._ask_plain(request | size << 16, size)

    def _ask_plain(self, request: int, size: int) -> bytes:
        return bytes(self._ioctl(self._fd, request, bytes(size)))

    def state(self) -> Iterator[Event]:
        for code, _, _ in self.layout.axes:
            yield Event(0.0, AXIS, code, struct.unpack("@6i", self._ask_plain(_STATE_OF_AXIS + code, 24))[0])
        down = set(bits(self._ask(_KEYS_DOWN, _MOST_KEYS // 8)))
        for code in self.layout.buttons:
            yield Event(0.0, KEY, code, int(code in down))

    def events(self, time: float) -> Iterator[Event]:
        yield from decode(_read_all(self._fd, ends=False))

    def close(self) -> None:
        os.close(self._fd)


class _Stream:
    live = True

    def __init__(self, path: Path, is_socket: bool) -> None:
        self.layout = JOYSTICK
        self._rest = b""
        self._written = is_socket  # a pipe that nobody writes to yet looks like one that ended
        self._socket = None
        if is_socket:
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.settimeout(5.0)
            self._socket.connect(str(path))
            self._socket.setblocking(False)
        self._fd = self._socket.fileno() if self._socket else os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def state(self) -> Iterator[Event]:
        yield from ()

    def events(self, time: float) -> Iterator[Event]:
        content = self._rest + _read_all(self._fd, ends=self._written)
        self._written = self._written or bool(content)
        whole = len(content) // EVENT.size * EVENT.size
        self._rest = content[whole:]
        yield from decode(content[:whole])

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()
        else:
            os.close(self._fd)


class _File:
    live = False

    def __init__(self, path: Path) -> None:
        self.layout = JOYSTICK
        content = path.read_bytes()
        if not content or len(content) % EVENT.size:
            raise InputError(f"found {len(content)} bytes, expected events of {EVENT.size} bytes each", file=path)
        events = list(decode(content))
        self._ahead = [Event(event.time - events[0].time, event.kind, event.code, event.value) for event in events]

    def state(self) -> Iterator[Event]:
        yield from ()

    def events(self, time: float) -> Iterator[Event]:
        if not self._ahead:
            raise Unplugged("the recorded events ended")
        while self._ahead and self._ahead[0].time <= time + 1e-9:
            yield self._ahead.pop(0)

    def close(self) -> None:
        self._ahead = []


def _read_all(fd: int, ends: bool) -> bytes:
    """All bytes that wait; an end is an error where `ends`, and nothing else where not."""
    waiting = b""
    try:
        while True:
            part = os.read(fd, _READ)
            if not part:
                if ends and not waiting:
                    raise Unplugged("its wire was closed")
                return waiting
            waiting += part
    except BlockingIOError:
        return waiting
    except OSError as error:
        gone = error.errno in (errno.ENODEV, errno.ECONNRESET)
        raise Unplugged("it was unplugged" if gone else f"it cannot be read: {error.strerror}") from None


def bits(mask: bytes) -> list[int]:
    """Numbers of the bits that are set, in order; the kernel's masks are little-endian on every machine we run on."""
    return [8 * i + bit for i, byte in enumerate(mask) for bit in range(8) if byte >> bit & 1]


def joystick_order(keys: list[int]) -> tuple[int, ...]:
    """Codes of buttons as joysticks number them: from the joystick's first on, then the few below."""
    high = [code for code in keys if code >= _FIRST_JOYSTICK_KEY]
    return (*high, *(code for code in keys if _FIRST_KEY <= code < _FIRST_JOYSTICK_KEY))
