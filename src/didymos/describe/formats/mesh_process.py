"""Asks the child process that reads meshes (`mesh_child`); one for all descriptions of this process, started at the first mesh.

It ends with us: it waits for a line on a pipe that closes when we do. One that does not answer in time is ended, and the next
mesh gets a new one.
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

from didymos.describe.formats.child_environment import child_environment

__all__ = ["MeshProcessError", "read_mesh_file"]

_PATIENCE = 60.0  # [s] for one mesh; the first also waits for the process to start
_MOST_BYTES = 2**30  # of an answer


class MeshProcessError(Exception):
    """Why a mesh was not read, as the end of a sentence that begins with its path."""


def read_mesh_file(file: Path, part: str | None) -> tuple[np.ndarray, np.ndarray]:
    """The corners [m], shape [n, 3], and faces, shape [m, 3], of a mesh file or of one named object in it."""
    with _Process.lock:
        process = _Process.current()
        try:
            head, body = process.ask({"file": str(file), "part": part})
        except (MeshProcessError, OSError, ValueError):
            process.end()
            raise MeshProcessError("cannot be read: its reader broke off, or took too long") from None
    if "error" in head:
        raise MeshProcessError(str(head["error"]))
    corners = int(head["vertices"])
    vertices = np.frombuffer(body, "<f8", 3 * corners).reshape(-1, 3)
    return vertices, np.frombuffer(body, "<i8", offset=24 * corners).reshape(-1, 3)


class _Process:
    """The child that is running, if one is."""

    lock = threading.Lock()
    _running: _Process | None = None

    def __init__(self) -> None:
        self.owner = os.getpid()
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", "didymos.describe.formats.mesh_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=child_environment() | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
        )

    @classmethod
    def current(cls) -> _Process:
        """The one that is running; a process that was forked from us starts its own."""
        if cls._running is None or cls._running.owner != os.getpid() or cls._running._child.poll() is not None:
            cls._running = _Process()
        return cls._running

    def end(self) -> None:
        """End the child for good."""
        self._child.kill()
        self._child.communicate()
        _Process._running = None

    def ask(self, request: dict[str, str | None]) -> tuple[dict[str, int | str], bytes]:
        """The head of the answer and what follows it."""
        assert self._child.stdin is not None
        until = time.monotonic() + _PATIENCE
        self._child.stdin.write(json.dumps(request).encode() + b"\n")
        self._child.stdin.flush()
        answer = bytearray()
        while b"\n" not in answer:
            answer += self._received(until)
        line, _, rest = bytes(answer).partition(b"\n")
        head = dict(json.loads(line))
        size = 24 * (int(head.get("vertices", 0)) + int(head.get("faces", 0)))
        if size > _MOST_BYTES:
            raise MeshProcessError
        body = bytearray(rest)
        while len(body) < size:
            body += self._received(until)
        return head, bytes(body)

    def _received(self, until: float) -> bytes:
        assert self._child.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._child.stdout, selectors.EVENT_READ)
            ready = selector.select(until - time.monotonic())
        data = os.read(self._child.stdout.fileno(), 1 << 20) if ready else b""
        if not data:
            raise MeshProcessError
        return data
