"""Betaflight's command line, over the first of its serial ports: settings in, saved by the firmware itself."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence

from didymos.errors import InputError, RunError
from didymos.ports.firmware.child import Child
from didymos.ports.firmware.waiting import LOOK, Waiting

__all__ = ["configure"]

_PROMPT = b"\n# "
_REFUSALS = ("invalid", "error", "unknown", "parse error", "not found", "###")


def configure(port: int, lines: Sequence[str], child: Child) -> None:
    """Give settings to a firmware that listens on a loopback port, and let it save them; it then ends by itself."""
    with _connect(port, child) as line:
        line.settimeout(LOOK)
        _ask(line, b"#", child)  # alone: whatever follows at once takes it back
        for text in lines:
            answer = _ask(line, text.encode("ascii", "replace") + b"\n", child)
            said = answer.removeprefix(text).strip().removesuffix("#").strip()
            if any(word in said.lower() for word in _REFUSALS):
                raise InputError(f"Betaflight refuses the line {text!r}: {' '.join(said.split())[:200]}", path="settings")
        line.sendall(b"save\n")
        waiting = _waiting("save its settings and end", child)
        while not child.wait(LOOK):
            waiting.tell()


def _connect(port: int, child: Child) -> socket.socket:
    waiting = _waiting("open its command line", child)
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            _must_live(child)
            waiting.tell()
            time.sleep(0.1 * LOOK)


def _ask(line: socket.socket, text: bytes, child: Child) -> str:
    """Say something and return the answer, up to the prompt."""
    waiting = _waiting(f"answer {text.decode().strip()!r} on its command line", child)
    found = b""
    try:
        line.sendall(text)
        while not found.endswith(_PROMPT):
            try:
                more = line.recv(4096)
            except TimeoutError:
                _must_live(child)
                waiting.tell()
                continue
            if not more:
                raise ConnectionError("the line was closed")
            found += more
    except ConnectionError as error:
        child.wait(1.0)  # its line closes before it has quite ended
        raise RunError(f"Betaflight's command line fell silent ({error}); its process {_state(child)}") from None
    return found.decode("ascii", "replace")


def _must_live(child: Child) -> None:
    if child.death() is not None:
        raise RunError(f"Betaflight does not answer on its command line; its process {_state(child)}")


def _state(child: Child) -> str:
    return child.death() or f"lives and said last: {child.last_line()}"


def _waiting(what: str, child: Child) -> Waiting:
    return Waiting(f"Betaflight (process {child.id}) to {what}")
