"""A second adapter on the same bus that only listens: every message of the bus is told on a terminal of its own.

It is what a second fdcanusb is to a real bus: `rcv ID DATA FLAGS` for each message, the host's commands and the replies alike,
in their order. It never holds up the drives: what its terminal does not take at once is dropped, whole lines of it, and counted.
What a client writes here goes nowhere: nobody commands a robot from here.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from didymos.ports.moteus.line import Message, received, render
from didymos.ports.moteus.terminal import Terminal

__all__ = ["Tap"]


class Tap(Terminal):
    """The adapter that listens; `lost` counts the messages that nobody read in time, or at all."""

    def __init__(self, link: Path) -> None:
        super().__init__(link)
        self._told: list[bytes] = []

    def tell(self, message: Message) -> None:
        """A message that went over the bus; on its way with the next `flush`."""
        self._told.append(render(received(message), False))

    def flush(self) -> None:
        """Write what was told as far as the terminal takes it; of the rest only the end of a line that was begun waits."""
        lines, self._told = self._told, []
        room = self._write(self._out)
        self._out = self._out[room:]
        if self._out:
            self.lost += len(lines)
            return
        room = self._write(b"".join(lines))
        for i, line in enumerate(lines):
            if room < len(line):
                self._out = line[room:] if room else b""
                self.lost += len(lines) - i - (1 if room else 0)
                return
            room -= len(line)

    def _write(self, data: bytes) -> int:
        """How many bytes the terminal took."""
        try:
            return os.write(self._device, data) if data else 0
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.EIO):
                raise
            return 0
