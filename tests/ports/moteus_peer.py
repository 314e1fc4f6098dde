"""A twin that is served on a thread of this process as moteus controllers, and the public client that drives it, unmodified."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from didymos.control.idle import Idle
from didymos.describe.twin import Twin
from didymos.ports.moteus.port import serve
from didymos.ports.serve_options import ServeOptions

moteus = pytest.importorskip("moteus")
PATIENT = {"command_timeout": 100.0, "response_timeout": 100.0}  # [s]: no test asserts how fast this machine is


class Served:
    """A twin that is served on a thread of this process."""

    def __init__(self, twin: Twin, folder: Path, **options: Any) -> None:
        self.link, self.record, self.said = folder / "bus", folder / "served.mcap", list[str]()
        self._ready, self._stop = Event(), Event()
        self.simulation = twin.simulate(control=Idle())
        self.facts: dict[str, Any] = {}
        options = {"step_locked": True} | options
        self.options = ServeOptions(link=self.link, record=self.record, say=self._hear, stop=self._stop, **options)
        self._thread = Thread(target=self._work)
        self._thread.start()
        while not self._ready.wait(0.1):
            assert self._thread.is_alive(), self.said

    def _hear(self, line: str) -> None:
        self.said.append(line)
        self._ready.set()

    def _work(self) -> None:
        self.facts = serve(self.simulation, self.options)

    def stop(self) -> dict[str, Any]:
        """Ctrl-C; what it says about itself."""
        self._stop.set()
        self._thread.join()
        return self.facts

    def run(self, script: Callable[..., Any], *numbers: int) -> Any:
        """What a client's script finds; it is given a controller for each number."""

        async def work() -> Any:
            transport = moteus.Fdcanusb(str(self.link), **PATIENT)
            try:
                return await script(*(moteus.Controller(id=number, transport=transport) for number in numbers or (1,)))
            finally:
                transport.close()

        return asyncio.run(work())


@contextmanager
def served(twin: Twin, folder: Path, **options: Any) -> Iterator[Served]:
    """A twin on the wire until the end of the block."""
    server = Served(twin, folder, **options)
    try:
        yield server
    finally:
        server.stop()


def tool(path: Path, *words: str) -> str:
    """What `moteus_tool` prints; it waits for ever for bytes that came later than 0.2 s, and is started anew."""
    command = [sys.executable, "-m", "moteus.moteus_tool", "--fdcanusb", str(path), *words]
    for left in (2, 1, 0):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=40, check=False)
            break
        except subprocess.TimeoutExpired:
            if not left:
                raise
    assert done.returncode == 0, done.stderr
    return done.stdout
