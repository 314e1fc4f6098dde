"""A pseudo-terminal: the end of it that takes the place of a serial device, for as long as it is open."""

from __future__ import annotations

import errno
import os
import select
from collections.abc import Sequence
from pathlib import Path

from didymos.errors import InputError
from didymos.unix import unix_module

__all__ = ["Terminal", "wait"]

_AT_ONCE = 65536  # [bytes]
_BUNDLE = 4096  # bytes of answers that are written at once
_ROOM = 16384  # bytes that wait for a client beyond the kernel's own; more means that it does not read


class Terminal:
    """The device's end. `path` is the client's; `link` a name that leads to it and goes with it."""

    def __init__(self, link: Path | None = None) -> None:
        tty = unix_module("tty", "a pseudo-terminal")
        self.lost = 0  # answers that nobody read
        self._out = b""
        self._link: Path | None = None
        # The client's end stays open here too: else the kernel forgets that it is raw when a client leaves, and echoes.
        self._device, self._client = os.openpty()
        tty.setraw(self._client)
        self.path = os.ttyname(self._client)
        os.set_blocking(self._device, False)
        if link is not None:
            try:
                if link.is_symlink() and (not link.exists() or os.readlink(link) == self.path):
                    link.unlink()  # it led to a terminal of a run that was killed, whose number may be ours now
                link.symlink_to(self.path)
            except OSError as error:
                self.close()
                raise InputError(f"cannot be made: {error.strerror}", file=link, option="link") from None
            self._link = link

    @property
    def events(self) -> tuple[int, int]:
        """Its file, and what to look for there."""
        return self._device, select.POLLIN | (select.POLLOUT if self._out else 0)

    def take(self) -> bytes:
        """Bytes that came from clients."""
        try:
            return os.read(self._device, _AT_ONCE)
        except BlockingIOError:
            return b""

    def send(self, data: bytes) -> None:
        """An answer for the client, on its way with the next `flush`; where too many wait to be read it is lost and counted."""
        if len(self._out) + len(data) > _ROOM:
            self.lost += 1
            return
        self._out += data
        if len(self._out) > _BUNDLE:
            self.flush()

    def flush(self) -> None:
        """Write the answers that wait, as far as the client reads them."""
        while self._out:
            try:
                written = os.write(self._device, self._out)
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.EIO):
                    raise
                return
            self._out = self._out[written:]

    def close(self) -> None:
        """The device is unplugged."""
        os.close(self._device)
        os.close(self._client)
        if self._link is not None:
            self._link.unlink(missing_ok=True)


def wait(terminals: Sequence[Terminal], seconds: float) -> list[bytes]:
    """Bytes from clients of each terminal, within a time [s], and until the first that has any."""
    poll = select.poll()
    for terminal in terminals:
        poll.register(*terminal.events)
    ready = {file for file, event in poll.poll(max(0.0, 1000.0 * seconds)) if event & select.POLLIN}
    for terminal in terminals:
        terminal.flush()
    return [terminal.take() if terminal.events[0] in ready else b"" for terminal in terminals]
