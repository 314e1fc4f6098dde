"""DDS's sockets held to this machine's loopback by the kernel.

Cyclone DDS sends from the address of the interface that it is told to use, but receives on all of them (0.0.0.0), whatever its
configuration says (`ddsi_udp_create_conn`: a receiving socket is always bound to any address). A datagram from the network to
its well-known ports would be read. So each socket that it opened is tied to the loopback device (`SO_BINDTODEVICE`, which Linux
allows every user since 5.7): whatever does not come through that device never reaches the socket. `ss -uln` shows them as
`0.0.0.0%lo`. What came in between the opening and the tying, some milliseconds, can have no answer: DDS sends from 127.0.0.1,
which the kernel routes nowhere else, and without an answer no reader takes a message.
"""

from __future__ import annotations

import errno
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from didymos.errors import InputError

__all__ = ["held_to_loopback"]

_LOOPBACK_DEVICE = b"lo\0"
_ANY = ("0.0.0.0", "::")


def _sockets() -> dict[str, int]:
    """All sockets that this process has open: the kernel's name of each, and the number of its file."""
    found = {}
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # the listing's own file is closed by now
            found[os.readlink(f"/proc/self/fd/{number}")] = int(number)
    return {name: number for name, number in found.items() if name.startswith("socket:")}


def _listening(number: int) -> socket.socket | None:
    """A second handle of an open file, where it is a datagram socket that receives on all interfaces."""
    try:
        handle = socket.socket(fileno=os.dup(number))
    except OSError:  # closed meanwhile
        return None
    internet = handle.family in (socket.AF_INET, socket.AF_INET6)
    if internet and handle.type == socket.SOCK_DGRAM and handle.getsockname()[0] in _ANY:
        return handle
    handle.close()
    return None


def _tie(number: int) -> None:
    handle = _listening(number)
    if handle is None:
        return
    with closing(handle):
        try:
            handle.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, _LOOPBACK_DEVICE)
        except OSError as error:
            why = "this Linux is older than 5.7" if error.errno == errno.EPERM else error.strerror
            raise InputError(
                f"DDS cannot be held to this machine's loopback: {why}; `network` lets every machine of the network in",
                option="port",
            ) from None


@contextmanager
def held_to_loopback() -> Iterator[None]:
    """Every datagram socket that is opened within the block and receives on all interfaces hears the loopback alone after it.

    Other systems than Linux have no such option that DDS's sockets could be given: there a line says so.
    """
    if not sys.platform.startswith("linux"):
        print("didymos: on this system DDS can be reached from the network; a firewall can keep it apart", file=sys.stderr)
        yield
        return
    before = _sockets()
    yield
    for name, number in _sockets().items():
        if name not in before:
            _tie(number)
