"""A UDP socket of a port: bursts are kept, nothing waits, and whoever listens no more is told by name.

The system says of a datagram to nobody that nobody was there, on Linux with the address that it went to; elsewhere such errors
are passed over.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterator

from didymos.errors import InputError
from didymos.unix import monotonic_of_stamp

__all__ = ["Address", "UdpSocket"]

_ROOM = 1 << 20  # [bytes] of the system's buffers: a burst of a client must not be lost, it does not ask twice
_AT_ONCE = 512  # datagrams that are read before the run goes on
_IP_RECVERR, _SO_RCVBUFFORCE = 11, 33  # Linux

_SO_TIMESTAMPNS, _TIMESPEC = 35, struct.Struct("qq")  # Linux: seconds and nanoseconds since 1970
_ABOUT = socket.CMSG_SPACE(_TIMESPEC.size)
_OLDEST = 60.0  # [s] that a datagram may have waited

Address = tuple[str, int]


class UdpSocket:
    """A socket on a port of this machine, 0 for one that is free; `network`: reachable from others.

    `on_gone` is called with every address at which nobody listens. Of a datagram at most the `largest` [bytes] are read.
    """

    def __init__(self, port: int, on_gone: Callable[[Address], None], *, network: bool = False, largest: int = 4096) -> None:
        self._on_gone, self._largest = on_gone, largest
        self.sent = self.lost = 0
        self._stamps = False
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        for option in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            self._socket.setsockopt(socket.SOL_SOCKET, option, _ROOM)
        self._hears_errors = sys.platform == "linux"
        if self._hears_errors:
            self._socket.setsockopt(socket.IPPROTO_IP, _IP_RECVERR, 1)
            with contextlib.suppress(OSError):  # beyond the system's limit, where we may
                self._socket.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 4 * _ROOM)
        try:
            self._socket.bind(("" if network else "127.0.0.1", port))
        except (OSError, OverflowError) as error:
            self._socket.close()
            why = getattr(error, "strerror", None) or error
            raise InputError(f"cannot listen on UDP port {port}: {why}", option="udp") from None
        self.port = int(self._socket.getsockname()[1])

    @property
    def uri(self) -> str:
        """What a client on this machine writes to."""
        return f"udp://127.0.0.1:{self.port}"

    def fileno(self) -> int:
        """The system's number of the socket, to wait for it."""
        return self._socket.fileno()

    def close(self) -> None:
        """Leave the port."""
        self._socket.close()

    def datagrams(self) -> Iterator[tuple[bytes, Address]]:
        """What has come and from where, up to a burst."""
        for _ in range(_AT_ONCE):
            try:
                yield self._socket.recvfrom(self._largest)
            except BlockingIOError:
                break
            except OSError:
                self._tell_gone()
        self._tell_gone()

    def stamped(self) -> Iterator[tuple[bytes, Address, float]]:
        """What has come, from where, and when by `time.monotonic()` [s]: on Linux when the system took it, else as it is read.

        Linux begins to stamp a moment after it was asked to, by the first call: what comes before bears the time of reading.
        """
        if self._hears_errors and not self._stamps:
            self._socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
            self._stamps = True
        for _ in range(_AT_ONCE):
            try:
                data, about, _, sender = self._socket.recvmsg(self._largest, _ABOUT)
            except BlockingIOError:
                break
            except OSError:
                self._tell_gone()
                continue
            yield data, sender, _taken(about)
        self._tell_gone()

    def send(self, datagram: bytes, receiver: Address) -> bool:
        """Whether a datagram went out; one for which there is no room is lost and counted."""
        try:
            try:
                self._socket.sendto(datagram, receiver)
            except BlockingIOError:
                raise
            except OSError:  # mostly the answer to an earlier one, to somebody else
                if receiver in self._tell_gone():
                    return False
                self._socket.sendto(datagram, receiver)
        except BlockingIOError:
            self.lost += 1
            return False
        except OSError:
            return False
        self.sent += 1
        return True

    def _tell_gone(self) -> list[Address]:
        """Who does not listen any more, by what the system has to say since it was asked last."""
        gone: list[Address] = []
        while self._hears_errors:
            try:
                _, _, _, receiver = self._socket.recvmsg(512, 512, socket.MSG_ERRQUEUE)
            except OSError:
                break
            gone.append((str(receiver[0]), int(receiver[1])))
            self._on_gone(gone[-1])
        return gone


def _taken(about: list[tuple[int, int, bytes]]) -> float:
    """When [s] the system took a datagram, now where it does not say."""
    for level, kind, content in about:
        if level == socket.SOL_SOCKET and kind == _SO_TIMESTAMPNS and len(content) >= _TIMESPEC.size:
            seconds, nanoseconds = _TIMESPEC.unpack_from(content)
            return monotonic_of_stamp(seconds * 1_000_000_000 + nanoseconds, _OLDEST)
    return time.monotonic()
