"""Betaflight's command line, over the first of its serial ports: settings in, saved by the firmware itself."""

from __future__ import annotations

import contextlib
import socket
import time
from collections.abc import Sequence

from didymos.errors import InputError, RunError
from didymos.ports.firmware.child import Child

__all__ = ["configure"]

_PATIENCE = 10.0  # [s] of the wall clock for an answer
_PROMPT = b"\n# "
_REFUSALS = ("invalid", "error", "unknown", "parse error", "not found", "###")


def configure(port: int, lines: Sequence[str], child: Child) -> None:
    """Give settings to a firmware that listens on a loopback port, and let it save them; it then ends by itself."""
    with _connect(port, child) as line:
        line.settimeout(_PATIENCE)
        try:
            line.sendall(b"#")  # alone: whatever follows at once takes it back
            _until_prompt(line)
            for text in lines:
                line.sendall(text.encode("ascii", "replace") + b"\n")
                answer = _until_prompt(line).removeprefix(text).strip().removesuffix("#").strip()
                if any(refusal in answer.lower() for refusal in _REFUSALS):
                    raise InputError(f"Betaflight refuses the line {text!r}: {' '.join(answer.split())[:200]}", path="settings")
            line.sendall(b"save\n")
            with contextlib.suppress(OSError):
                while line.recv(4096):
                    pass
        except OSError as error:
            raise RunError(f"Betaflight's command line fell silent ({error}); its process {_state(child)}") from None
    if not child.wait(_PATIENCE):
        raise RunError(f"Betaflight did not restart after its settings were saved; it said last: {child.last_line()}")


def _connect(port: int, child: Child) -> socket.socket:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE)
        except OSError:
            if child.death() is not None or time.monotonic() > end:
                raise RunError(f"Betaflight does not answer on its command line; its process {_state(child)}") from None
            time.sleep(0.02)


def _state(child: Child) -> str:
    return child.death() or f"lives and said last: {child.last_line()}"


def _until_prompt(line: socket.socket) -> str:
    received = b""
    while not received.endswith(_PROMPT):
        more = line.recv(4096)
        if not more:
            raise OSError("the line was closed")
        received += more
    return received.decode("ascii", "replace")
