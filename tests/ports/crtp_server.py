"""`didymos serve --port crtp` in a process, and the client's process beside it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from serving import serving

from didymos import Log

CLIENT = Path(__file__).with_name("crtp_client.py")


@dataclass
class CrtpServer:
    """A server; `uris` by the names of its robots, `facts` is what it printed at its end."""

    process: subprocess.Popen[str]
    uris: dict[str, str]
    record: Path
    facts: dict[str, Any] | None = None

    @property
    def uri(self) -> str:
        """Of a twin alone."""
        return self.uris[""]

    def ask(self, what: str, *arguments: Any) -> dict[str, Any]:
        """What the client found."""
        words = [sys.executable, str(CLIENT), what, *(json.dumps(argument) for argument in (arguments or (self.uri,)))]
        done = subprocess.run(words, capture_output=True, text=True, timeout=280, check=False)
        ended = ""
        if done.returncode and self.process.poll() is not None and self.process.stderr is not None:
            ended = f"\nthe server ended with {self.process.returncode}: {self.process.stderr.read()}"
        assert done.returncode == 0, done.stderr[-3000:] + ended
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    def stop(self) -> dict[str, Any]:
        """Press Ctrl-C."""
        if self.facts is None:
            self.process.send_signal(signal.SIGINT)
            return self.end()
        return self.facts

    def end(self) -> dict[str, Any]:
        """Wait for its end."""
        out, err = self.process.communicate(timeout=200)
        assert self.process.returncode == 0, err
        self.facts = json.loads(out)
        return self.facts


@contextmanager
def crazyflie_served(folder: Path, *words: str, twin: str = "crazyflie", udp: tuple[str, ...] = ("0",)) -> Iterator[CrtpServer]:
    """A twin or a world on the wire, until the end of the block; it records to flight.mcap in a folder."""
    record = folder / "flight.mcap"
    ports = [word for port in udp for word in ("--udp", port)]
    options = ["--port", "crtp", "--record", str(record), "--json", *ports, *words]
    with serving(twin, *options) as (process, said):
        uris = dict(re.findall(r"(?:(\w+) on )?(udp://[\d.]+:\d+)", said))
        assert uris, said + process.communicate()[1]
        yield CrtpServer(process, uris, record)


def true_positions(log: Log, stamps: list[int], prefix: str = "") -> np.ndarray:
    """Where a robot really was at times [ms] of the twin's clock, [n, 3] in m."""
    signals = [log[f"{prefix}truth.position.{axis}"] for axis in "xyz"]
    at = np.searchsorted(signals[0].time, np.array(stamps) / 1000.0 - 1e-6)
    return np.column_stack([signal.values[np.minimum(at, len(signal.values) - 1)] for signal in signals])
