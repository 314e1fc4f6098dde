"""`moteus:PATH`: the drives of a robot, heard on their CAN bus through an fdcanusb of one's own.

All that passes on the bus is heard: what the robot's host commands and what the drives answer (`moteus_bus.py`). Drives have
no clock that is told there, so a stamp is this machine's time of arrival. A terminal has one reader; a served twin has a
second one for this (`ports/moteus/tap.py`), as a second adapter on the bus would be.

Where no host has been heard for a second, the drives are asked here, by reads of registers alone, as often as the twin's
program runs; with the first word of a host that ends. Nothing is ever written to a register.

A terminal that is gone is opened again once it is there. One that is somebody else's by now is left alone: a pseudo-terminal
is opened again only under a name that was made anew.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

from didymos.errors import InputError, RunError
from didymos.ports.moteus.host import Host, received_message
from didymos.ports.moteus.line import crc8
from didymos.ports.moteus.numbers import bus_numbers
from didymos.shadow.source import Arrival, SourceOptions
from didymos.shadow.sources.arrivals import SILENCE, Arrivals
from didymos.shadow.sources.moteus_bus import QUESTION, HeardBus

if TYPE_CHECKING:
    from didymos.describe.twin import Twin

__all__ = ["MoteusSource", "open_moteus"]

_LOOK_UP = 0.1  # [s] after which a quiet thread looks around
_MOVING = 0.002  # [s] between two steps of a set-point that moves by itself
_RATES = (1.0, 200.0)  # [Hz] at which drives are asked
_SLOW = 2.0  # [Hz] at which drives are asked that do not answer
_TERMINALS = Path("/dev/pts")


def open_moteus(twin: Twin, address: str, options: SourceOptions | None = None) -> MoteusSource:
    """Listen to the drives of a twin at the fdcanusb of a path."""
    options = options or SourceOptions()
    control = twin.file.control
    rate = min(max(100.0 if control is None else control.rate, _RATES[0]), _RATES[1])
    return MoteusSource(twin, Path(address), bus_numbers(twin, options.ids), ask=rate if options.request else 0.0)


class MoteusSource:
    """The drives on a bus, as far as they can be heard; `ask` [Hz] is how often they are asked where nobody else does."""

    live = True

    def __init__(self, twin: Twin, path: Path, numbers: Mapping[str, int], *, ask: float) -> None:
        self._path, self._numbers, self._ask = path, dict(numbers), ask
        self._arrivals = Arrivals(f"the bus at {path}")
        self._bus = HeardBus(twin, numbers, lambda text: self._arrivals.say_once(text, text))
        self._name: tuple[int, int] | None = None
        self._returns = True
        self._host: Host | None = self._open()
        now = time.monotonic()
        self._host_heard = self._replied = self._moved = self._opened = now
        self._next_question, self._asked = now + SILENCE, False
        self._over = Event()
        self._thread = Thread(target=self._work, name="didymos-shadow-moteus", daemon=True)
        self._thread.start()

    @property
    def signals(self) -> tuple[str, ...]:
        """What drives are told and what they say."""
        return tuple(name for drive in self._numbers for name in HeardBus.signals_of(drive))

    @property
    def lost(self) -> int:
        """Arrivals that nobody took in time."""
        return self._arrivals.lost

    @property
    def unread(self) -> int:
        """Lines that meant nothing."""
        return self._arrivals.unread

    def read(self, seconds: float) -> Sequence[Arrival]:
        """What has come, in order."""
        return self._arrivals.take(seconds)

    def notices(self) -> Sequence[str]:
        """What there is to say since the last time."""
        return self._arrivals.notices()

    def close(self) -> None:
        """Let go of the terminal."""
        if not self._over.is_set():
            self._over.set()
            self._thread.join()
            if self._host is not None:
                self._host.close()

    def _work(self) -> None:
        while not self._over.is_set():
            if self._host is None:
                self._open_again()
            else:
                self._listen(self._host)

    def _listen(self, host: Host) -> None:
        try:
            lines = host.lines(time.monotonic() + self._patience())
        except RunError as error:
            then = "it is opened again once it is there" if self._returns else "whoever has its name next is somebody else"
            self._arrivals.say(f"{error}; {then}")
            self._arrivals.hush()
            host.close()
            self._host = None
            return
        now = time.monotonic()
        found = [item for line in lines for item in self._hear(line.strip(), now)]
        if self._bus.moving:
            found += self._bus.advance(now - self._moved)
        self._moved = now
        self._arrivals.put([Arrival(now, now, values) for values in found])
        self._arrivals.watch()
        if self._ask and now - self._host_heard > SILENCE:
            self._question(host, now)

    def _patience(self) -> float:
        """How long to wait for a line [s]."""
        if self._bus.moving:
            return _MOVING
        asking = self._ask and time.monotonic() - self._host_heard > SILENCE
        return max(0.0, min(_LOOK_UP, self._next_question - time.monotonic())) if asking else _LOOK_UP

    def _hear(self, line: bytes, now: float) -> list[dict[str, float]]:
        """The signals that a line tells of."""
        if not line or line == b"OK" or line.startswith(b"OK *"):
            return []
        star = line.rfind(b"*")
        whole = star < 0 or line[star + 1 :].upper() == b"%02X" % crc8(line[:star])
        message = received_message(line) if whole else None
        if message is None:
            self._arrivals.refuse(str(self._path), f"a line of {len(line)} characters is no message of a bus")
            return []
        if not self._bus.knows(message):
            self._arrivals.say_once("strangers", f"the bus at {self._path} has others than the drives of the twin on it")
            return []
        self._arrivals.heard(now)
        if self._bus.is_reply(message):
            self._replied = now
        else:
            self._host_heard, self._asked = now, False
        return self._bus.hear(message, asked=self._asked)

    def _question(self, host: Host, now: float) -> None:
        """Ask every drive, where it is time."""
        if now < self._next_question:
            return
        if not self._asked:
            self._asked, self._replied = True, now
        rate = self._ask if now - self._replied < SILENCE else _SLOW
        self._next_question = max(self._next_question + 1.0 / rate, now)
        try:
            for number in self._numbers.values():
                host.send(number, QUESTION, reply=True, patience=0.0)
        except RunError:
            pass  # it takes nothing now; where it is gone, the next reading says so

    def _open(self) -> Host:
        host = Host(self._path)
        host.discard()
        self._name = _made(self._path)
        self._returns = self._path.is_symlink() or not _is_terminal(self._path)
        return host

    def _open_again(self) -> None:
        new = _made(self._path) != self._name or not _is_terminal(self._path)
        if not self._over.wait(_LOOK_UP) and self._returns and new:
            try:
                self._host = self._open()
            except InputError:
                return  # not there yet
            self._host_heard = time.monotonic()


def _made(path: Path) -> tuple[int, int] | None:
    """What tells a name from another of the same letters: its file, and when it was made."""
    try:
        about = os.lstat(path)
    except OSError:
        return None
    return about.st_ino, about.st_ctime_ns


def _is_terminal(path: Path) -> bool:
    """Whether a name leads to a pseudo-terminal, whose number the next program gets that asks for one."""
    return path.resolve().is_relative_to(_TERMINALS)
