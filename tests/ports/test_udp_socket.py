"""The UDP socket of ports: what comes is read in order, and whoever is gone is told by name, on loopback."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

import pytest

from didymos.errors import InputError
from didymos.ports.udp_socket import Address, UdpSocket

T = TypeVar("T")


@pytest.fixture
def client() -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    made.bind(("127.0.0.1", 0))
    made.settimeout(30.0)
    return made


def test_datagrams_come_in_order_and_answers_reach_whoever_wrote(client: socket.socket) -> None:
    ours = UdpSocket(0, lambda address: None)
    with client:
        for number in range(300):  # a burst is kept whole
            client.sendto(bytes([number % 256]), ("127.0.0.1", ours.port))
        came = list(ours.datagrams())
        assert [data for data, _ in came] == [bytes([number % 256]) for number in range(300)]
        assert ours.send(b"answer", came[0][1])
        assert client.recv(16) == b"answer"
    assert (ours.sent, ours.lost) == (1, 0)
    ours.close()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say to whom a datagram could not go")
def test_who_is_gone_is_told_and_takes_nothing_from_others(client: socket.socket) -> None:
    gone: list[Address] = []
    ours = UdpSocket(0, gone.append)
    dead = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    dead.bind(("127.0.0.1", 0))
    nobody = dead.getsockname()
    dead.close()
    with client:
        ours.send(b"lost", nobody)  # on loopback the answer that nobody is there comes within the call
        assert ours.send(b"heard", client.getsockname())  # the error of the one before must not eat it
        assert client.recv(16) == b"heard"
    assert gone == [nobody]
    ours.close()


def test_a_port_that_is_taken_is_refused_with_a_sentence(client: socket.socket) -> None:
    with client, pytest.raises(InputError, match=f"cannot listen on UDP port {client.getsockname()[1]}: "):
        UdpSocket(client.getsockname()[1], lambda address: None)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says when it took a datagram")
def test_a_datagram_is_stamped_when_it_came_not_when_it_is_read() -> None:
    line, patience = UdpSocket(0, lambda _: None), time.monotonic() + 60.0
    with closing(line), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        while True:  # the system begins to stamp a moment after it was asked; until then it gives the time of reading
            list(line.stamped())
            before = time.monotonic()
            sender.sendto(b"x", ("127.0.0.1", line.port))
            after = time.monotonic()
            time.sleep(0.05)
            ((data, _, received),) = line.stamped()
            if received < after + 0.049 or time.monotonic() > patience:
                break
    assert data == b"x"
    assert before - 1.0 < received < after + 0.049  # it is read 0.05 s later, or more


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says when it took a datagram")
def test_a_pause_of_the_reader_never_puts_a_datagram_before_it_was_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two clocks are read one after the other; between them a busy machine may leave us waiting."""
    line, real = UdpSocket(0, lambda _: None), time.monotonic
    before, after = time.time_ns, time.monotonic

    def slow(clock: Callable[[], T]) -> Callable[[], T]:
        def read() -> T:
            found = clock()
            time.sleep(0.005)
            return found

        return read

    monkeypatch.setattr(time, "time_ns", slow(before))
    monkeypatch.setattr(time, "monotonic", slow(after))
    with closing(line), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        list(line.stamped())  # from here on the system says when
        sent = real()
        client.sendto(b"x", ("127.0.0.1", line.port))
        ((_, _, taken),) = line.stamped()
    assert sent <= taken <= real()
