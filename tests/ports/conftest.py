"""A served twin and its peers, each a process of its own, on the loopback of this machine."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import didymos

PEER = Path(__file__).with_name("peer.py")
SRC = Path(didymos.__file__).parent.parent


@contextmanager
def free_domain() -> Iterator[int]:
    """A domain that nobody else on this machine uses until the end of the block: other workers, other suites, other nodes."""
    for domain in range(1, 101):
        first = 7400 + 250 * domain  # DDS's ports of a domain, 250 of them; participants use the lower ones
        with contextlib.ExitStack() as held:
            kinds = {first + 249: socket.SOCK_STREAM, first + 10: socket.SOCK_DGRAM}  # our mark, and the first participant's
            try:
                for port, kind in kinds.items():
                    item = held.enter_context(socket.socket(socket.AF_INET, kind))
                    item.bind(("127.0.0.1", port))
            except OSError:
                continue
            item.close()  # the second is for the participant itself
            yield domain
            return
    raise AssertionError("all domains from 1 to 100 are in use")


@pytest.fixture
def domain() -> Iterator[int]:
    """A free ROS 2 domain."""
    with free_domain() as found:
        yield found


@pytest.fixture
def domains() -> Iterator[Callable[[int], list[int]]]:
    """Free ROS 2 domains, as many as are asked for."""
    with contextlib.ExitStack() as held:
        yield lambda count: [held.enter_context(free_domain()) for _ in range(count)]


@dataclass
class Server:
    """`didymos serve` in a process; `facts` is what it printed at its end."""

    process: subprocess.Popen[str]
    domain: int
    facts: dict[str, Any] | None = None
    said: str = ""

    def stop(self) -> dict[str, Any]:
        """Press Ctrl-C."""
        if self.facts is None:
            self.process.send_signal(signal.SIGINT)
            out, err = self.process.communicate()
            self.said += err
            assert self.process.returncode == 0, self.said
            self.facts = json.loads(out)
        return self.facts

    def peer(self, what: str, *arguments: Any) -> subprocess.Popen[str]:
        """Start a peer."""
        words = [sys.executable, str(PEER), str(self.domain), what, *(json.dumps(argument) for argument in arguments)]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ask(self, what: str, *arguments: Any) -> dict[str, Any]:
        """What a peer found."""
        process = self.peer(what, *arguments)
        out, err = process.communicate()
        assert process.returncode == 0, f"{err}\n{self.said}"
        found: dict[str, Any] = json.loads(out.splitlines()[-1])
        return found


@pytest.fixture(scope="module")
def serve() -> Callable[..., Any]:
    """with serve(folder, *options) as server: a twin on the wire, until the end of the block."""

    @contextmanager
    def start(folder: Path | str, *options: str) -> Iterator[Server]:
        with free_domain() as domain:
            words = ["serve", str(folder), "--port", "ros2", "--domain", str(domain), "--json", *options]
            environment = {key: value for key, value in os.environ.items() if not key.startswith(("CYCLONEDDS", "ROS_"))}
            process = subprocess.Popen(
                [sys.executable, "-m", "didymos.cli.main", *words],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment | {"PYTHONPATH": str(SRC)},
            )
            assert process.stderr is not None
            server = Server(process, domain, said=process.stderr.readline())
            try:
                assert "ROS 2 domain" in server.said, server.said + process.communicate()[1]
                yield server
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()

    return start
