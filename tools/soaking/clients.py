"""Clients of served twins: each lets time pass and counts what comes back."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

__all__ = ["MoteusClient", "PageClient", "Ros2Client"]

_PATIENCE = 120.0  # [s] for an answer on a machine with much else to do


class Ros2Client:
    """Steps a step-locked twin and reads its joint states; every stamp has to follow the one before by a period."""

    def __init__(self, domain: int) -> None:
        from didymos.ports.ros2.names import dds_topic
        from didymos.ports.ros2.node import Node
        from didymos.ports.ros2.types import message_type

        self._node = Node(domain, network=False)
        number = message_type("std_msgs/msg/UInt64")
        self._number = number
        self._step = self._node.writer(dds_topic("/step"), number, depth=100)
        self._stepped = self._node.reader(dds_topic("/stepped"), number, depth=100)
        self._joints = self._node.reader(dds_topic("/joint_states"), message_type("sensor_msgs/msg/JointState"), depth=1000)
        self.stamps: list[int] = []
        until = time.monotonic() + _PATIENCE
        while not all((self._step.get_matched_subscriptions(), self._stepped.get_matched_publications(),
                       self._joints.get_matched_publications())):  # fmt: skip
            if time.monotonic() > until:
                raise SystemExit("the served twin was not found on DDS")
            time.sleep(0.01)
        time.sleep(0.5)  # until the other side has found us, too

    def step(self, ticks: int) -> None:
        """Let ticks pass; returns when everything that was recorded on the way is here."""
        self._step.write(self._number(data=ticks))
        until = time.monotonic() + _PATIENCE
        while not self._stepped.take(10):
            self._collect()
            if time.monotonic() > until:
                raise SystemExit(f"no answer to a step within {_PATIENCE:g} s")
        self._collect()

    def _collect(self) -> None:
        for message in self._joints.take(1000):
            stamp = message.header.stamp
            self.stamps.append(stamp.sec * 1_000_000_000 + stamp.nanosec)


class MoteusClient:
    """Queries a step-locked drive over its pseudo-terminal; each query lets a period pass and has one reply."""

    def __init__(self, path: Path) -> None:
        from didymos.ports.moteus.host import QUERY

        self._line = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._query = f"can send 8001 {QUERY.hex()}50\n".encode()
        self.queries = self.replies = 0
        self._rest = b""

    def query(self) -> None:
        """Ask, and wait for the reply."""
        os.write(self._line, self._query)
        self.queries += 1
        until = time.monotonic() + _PATIENCE
        while self.replies < self.queries:
            if not select.select([self._line], [], [], 1.0)[0]:
                if time.monotonic() > until:
                    raise SystemExit(f"no reply to a query within {_PATIENCE:g} s")
                continue
            *lines, self._rest = (self._rest + os.read(self._line, 65536)).split(b"\n")
            self.replies += sum(line.startswith(b"rcv ") for line in lines)

    def close(self) -> None:
        """Leave."""
        os.close(self._line)


class PageClient:
    """A page of the cockpit that takes whatever it is sent."""

    def __init__(self, port: int, failed: Callable[[str], None]) -> None:
        import viser
        from websockets.sync.client import connect

        speaks = f"viser-v{viser.__version__}"
        self.messages = 0
        self._over, self._failed = Event(), failed
        self._line = connect(f"ws://127.0.0.1:{port}/", subprotocols=[speaks], max_size=None, open_timeout=None)  # type: ignore[list-item]
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        while not self._over.is_set():
            try:
                self._line.recv(timeout=1.0)
                self.messages += 1
            except TimeoutError:
                continue
            except Exception as error:
                if not self._over.is_set():
                    self._failed(f"the page lost its connection: {error}")
                return

    def close(self) -> None:
        """Leave."""
        self._over.set()
        self._line.close()
        self._thread.join()
