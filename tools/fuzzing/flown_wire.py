"""Datagrams to a port whose twin flies what they say, over a real socket: what the wires of all such ports have in common."""

from __future__ import annotations

import contextlib
import socket
from abc import abstractmethod
from pathlib import Path
from typing import Protocol

from didymos import Twin
from didymos.engine.run import Run
from didymos.errors import InputError, RunError
from fuzzing.target import Case, Target

__all__ = ["FlownWire"]


class _Link(Protocol):
    port: int

    def listen(self) -> None: ...
    def tell(self) -> None: ...
    def close(self) -> None: ...


class FlownWire(Target):
    """One datagram per case; a tick passes with every fifth, and a twin that was flown out of the world begins anew."""

    link: _Link
    run: Run

    def __init__(self, folder: Path, twin: Twin) -> None:
        super().__init__(folder)
        self._twin = twin
        self._client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._client.bind(("127.0.0.1", 0))
        self._client.setblocking(False)
        self._sent = 0
        self._begin()

    @abstractmethod
    def connect(self) -> _Link:
        """The link of the port to `self.run`."""

    @abstractmethod
    def update(self) -> None:
        """What the port does before a tick."""

    @abstractmethod
    def refused(self) -> int:
        """How much of what came meant nothing, up to now."""

    @abstractmethod
    def check(self, answer: bytes) -> None:
        """Assert that a client can read an answer."""

    def attempt(self, case: Case) -> object:
        before = self.refused()
        self._client.sendto(case.data, ("127.0.0.1", self.link.port))
        self.link.listen()
        self.update()
        self.link.tell()
        with contextlib.suppress(BlockingIOError):
            while True:
                self.check(self._client.recv(4096))
        refused = self.refused() > before
        self._sent += 1
        if self._sent % 5 == 0:
            try:
                self.run.advance(1)
            except RunError:  # it was told to fly out of the world, and did
                self._end()
                self._begin()
        if refused:
            raise InputError("found a datagram that means nothing")
        return None

    def close(self) -> None:
        self._end()
        self._client.close()

    def _begin(self) -> None:
        self.run = Run(self._twin.simulate(), keep=False)
        self.run.advance(1)
        self.link = self.connect()

    def _end(self) -> None:
        self.link.close()
        self.run.close()
