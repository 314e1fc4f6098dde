"""Lines on which MAVLink is heard, as pymavlink spells them: UDP, TCP, a serial port. One that is lost is opened again.

    udp:PORT, udpin:HOST:PORT      listens; requests go back to whoever spoke
    udpout:HOST:PORT               writes first, and hears what is answered
    tcp:HOST:PORT                  connects
    DEVICE[,BAUD]                  a serial port, /dev/ttyACM0,115200

A datagram holds whole frames; those of a stream come in pieces.
"""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from didymos.errors import InputError
from didymos.ports.mavlink.dialect import FrameReader, messages
from didymos.ports.udp_socket import Address, UdpSocket

__all__ = ["Line", "open_line"]

_LARGEST = 65_507  # [bytes] of a datagram
_AGAIN = 1.0  # [s] between two attempts to open a line
_CHUNK = 65_536  # [bytes] that are read at once
_BAUD = 57_600
_HERE = ("127.0.0.1", "localhost")


class Line(Protocol):
    """Where frames come from."""

    def frames(self, seconds: float) -> Iterator[tuple[Any, float]]:
        """Messages that have come, None for bytes that are none, and when [s]; waits at most so long [s] for the first."""
        ...

    def send(self, frame: bytes) -> None:
        """Send a frame, where there is anybody to send it to."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


class _Udp:
    def __init__(self, port: int, peer: Address | None, *, network: bool) -> None:
        self._socket = UdpSocket(port, lambda _: None, network=network, largest=_LARGEST)
        self.port, self._peer, self._fixed = self._socket.port, peer, peer is not None

    def frames(self, seconds: float) -> Iterator[tuple[Any, float]]:
        select.select([self._socket.fileno()], [], [], max(seconds, 0.0))
        for datagram, sender, received in self._socket.stamped():
            for message in messages(datagram):
                if message is not None and not self._fixed:
                    self._peer = sender
                yield message, received

    def send(self, frame: bytes) -> None:
        if self._peer is not None:
            self._socket.send(frame, self._peer)

    def close(self) -> None:
        self._socket.close()


class _Stream:
    """Bytes without borders; `connect` opens what they come from, an OSError says that it cannot be opened now."""

    def __init__(self, connect: Callable[[], Any]) -> None:
        self._connect, self._open, self._tried = connect, None, -_AGAIN
        self._reader = FrameReader()

    _open: Any

    def frames(self, seconds: float) -> Iterator[tuple[Any, float]]:
        if self._open is None and not self._reopen(seconds):
            return
        try:
            ready, _, _ = select.select([self._open.fileno()], [], [], max(seconds, 0.0))
            data = self._open.recv(_CHUNK) if ready else b""
            if ready and not data:
                raise OSError("closed")
        except (OSError, ValueError):
            self._let_go()
            return
        now = time.monotonic()
        for message in self._reader.feed(data):
            yield message, now

    def send(self, frame: bytes) -> None:
        if self._open is not None:
            try:
                self._open.sendall(frame)
            except OSError:
                self._let_go()

    def close(self) -> None:
        self._let_go()

    def _reopen(self, seconds: float) -> bool:
        left = self._tried + _AGAIN - time.monotonic()
        if left > 0.0:
            time.sleep(min(left, max(seconds, 0.0)))
        if time.monotonic() < self._tried + _AGAIN:
            return False
        self._tried = time.monotonic()
        try:
            self._open = self._connect()
        except OSError:
            return False
        self._reader = FrameReader()
        return True

    def _let_go(self) -> None:
        if self._open is not None:
            with contextlib.suppress(OSError):
                self._open.close()
        self._open = None


class _Serial:
    """A serial port with the words of a socket."""

    def __init__(self, device: str, baud: int) -> None:
        try:
            import serial
        except ImportError:
            raise InputError("a serial port needs pyserial; this installs it: pip install pyserial", option="robot") from None
        self._port: Any = serial.Serial(device, baud, timeout=0, write_timeout=0.1)
        self.fileno, self.close, self.sendall = self._port.fileno, self._port.close, self._port.write

    def recv(self, size: int) -> bytes:
        return bytes(self._port.read(size))


def open_line(address: str, *, network: bool = False) -> Line:
    """The line of an address; one that is none is an `InputError`."""
    kind, _, rest = address.partition(":")
    host, _, port = rest.rpartition(":")
    if kind in ("udp", "udpin"):
        return _Udp(_port(port, address), None, network=network or host not in ("", *_HERE))
    if kind in ("udpout", "tcp"):
        there = host or _HERE[0], _port(port, address)
        if kind == "udpout":
            return _Udp(0, (socket.gethostbyname(there[0]), there[1]), network=there[0] not in _HERE)
        return _Stream(lambda: socket.create_connection(there, timeout=_AGAIN))
    if address.startswith("/"):
        device, _, baud = address.partition(",")
        if baud and not baud.isdigit():
            raise _wrong(address)
        return _Stream(lambda: _Serial(device, int(baud or _BAUD)))
    raise _wrong(address)


def _port(text: str, address: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) < 1 << 16):
        raise _wrong(address)
    return int(text)


def _wrong(address: str) -> InputError:
    expected = "udp:PORT, udpin:HOST:PORT, udpout:HOST:PORT, tcp:HOST:PORT or /DEVICE,BAUD"
    return InputError(f"found mavlink:{address}, expected one of {expected}", option="robot")
