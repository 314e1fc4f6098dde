"""`didymos serve` in a process of its own, as the tests of several ports need it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import didymos

SRC = Path(didymos.__file__).parent.parent


@contextmanager
def serving(twin: str, *words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process and the first line that it says, where it listens; it is ended with the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "didymos.cli.main", "serve", twin, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(SRC)},
    )
    assert process.stderr is not None
    try:
        yield process, process.stderr.readline()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
