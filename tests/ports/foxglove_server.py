"""A twin before viewers: `didymos serve --port foxglove`, or `run --foxglove`, in a process of its own on a free port."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from foxglove_client import Viewer

import didymos

SRC = Path(didymos.__file__).parent.parent


@dataclass
class Watched:
    """The process, where viewers find it, and what it has said on stderr."""

    process: subprocess.Popen[str]
    url: str
    said: list[str]

    def view(self) -> Viewer:
        """Another viewer."""
        return Viewer(self.url)

    def stop(self) -> dict[str, Any]:
        """Press Ctrl-C; the facts that it prints."""
        self.process.send_signal(signal.SIGINT)
        return self.ended()

    def ended(self) -> dict[str, Any]:
        """The facts that it prints when it ends by itself."""
        assert self.process.stdout is not None
        out = self.process.stdout.read()
        assert self.process.wait() in (0, 1), self.said
        facts: dict[str, Any] = json.loads(out)
        return facts


@contextmanager
def started(*words: str) -> Iterator[Watched]:
    """A command of didymos that viewers can come to, until the end of the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "didymos.cli.main", *words, "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(SRC)},
    )  # fmt: skip
    assert process.stderr is not None
    try:
        said = []
        for line in process.stderr:
            said.append(line)
            found = re.search(r"at (ws://\S+:\d+)", line)
            if found:
                break
        else:
            raise AssertionError("".join(said))
        Thread(target=lambda: said.extend(process.stderr or ()), daemon=True).start()
        yield Watched(process, found[1], said)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def served(what: Path | str, *options: str) -> Any:
    """with served(folder, *options) as twin: `didymos serve` with the port foxglove."""
    return started("serve", str(what), "--port", "foxglove", "--listen", "0", *options)
