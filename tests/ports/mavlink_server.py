"""`didymos serve --port mavlink` in a process, and clients' processes beside it."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from serving import serving

CLIENT = Path(__file__).with_name("mavlink_client.py")


def free_port() -> int:
    """A UDP port that nobody uses now."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as item:
        item.bind(("127.0.0.1", 0))
        return int(item.getsockname()[1])


@dataclass
class MavlinkServer:
    """A server; `port` is its own, `targets` those that it sends to."""

    process: subprocess.Popen[str]
    port: int
    targets: tuple[int, ...]
    record: Path
    said: str

    def client(self, who: str, address: str, system: int, points: list[list[float]]) -> subprocess.Popen[str]:
        """Let a client fly a system."""
        words = [sys.executable, str(CLIENT), who, address, str(system), json.dumps(points)]
        return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def stop(self) -> dict[str, Any]:
        """Press Ctrl-C; what it printed at its end."""
        self.process.send_signal(signal.SIGINT)
        out, err = self.process.communicate(timeout=200)
        assert self.process.returncode == 0, err
        found: dict[str, Any] = json.loads(out)
        return found


@contextmanager
def served(folder: Path, twin: str, *words: str, targets: int = 0) -> Iterator[MavlinkServer]:
    """A twin or a world on the wire, until the end of the block; it records to flight.mcap in a folder."""
    record, ports = folder / "flight.mcap", tuple(free_port() for _ in range(targets))
    send_to = [word for port in ports or (0,) for word in ("--send-to", str(port))]
    options = ["--port", "mavlink", "--record", str(record), "--udp", "0", *send_to, "--json", *words]
    with serving(twin, *options) as (process, said):
        found = re.search(r"udp://127\.0\.0\.1:(\d+)", said)
        assert found is not None, said + process.communicate()[1]
        yield MavlinkServer(process, int(found[1]), ports, record, said)
