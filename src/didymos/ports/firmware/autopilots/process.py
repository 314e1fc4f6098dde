"""The autopilot's process: one that the run starts and ends, or one that somebody else has started."""

from __future__ import annotations

import os
import shlex
import tempfile
from pathlib import Path

from didymos.errors import InputError, RunError
from didymos.ports.firmware.child import Child
from didymos.ports.firmware.waiting import Waiting

__all__ = ["LOOPBACK", "Process", "port_of"]

LOOPBACK = "127.0.0.1"
_LOCAL = (LOOPBACK, "localhost")
_END = 2.0  # [s] for a process whose line has closed to have ended


def port_of(listen: str, usual: int) -> int:
    """The port that `listen`, `listen:PORT` or `listen:127.0.0.1:PORT` names; only of this machine."""
    host, _, port = listen.rpartition(":")
    if listen and ((host and host not in _LOCAL) or not port.isdigit() or not 0 < int(port) < 65536):
        raise InputError(f"found {listen!r}, expected a port of this machine, {LOOPBACK}:PORT", option="firmware")
    return int(port) if listen else usual


class Process:
    """A process called `name`; without a command, somebody else's, of which nothing is known but what it sends."""

    def __init__(self, name: str, command: str, port: int, patience: float) -> None:
        self.name, self.patience = name, patience
        self._home = tempfile.TemporaryDirectory(prefix="didymos_autopilot_", ignore_cleanup_errors=True)
        self._child: Child | None = None
        if command:
            try:
                arguments = [word.replace("{port}", str(port)) for word in shlex.split(command)]
                output = Path(self._home.name) / "output.txt"
                self._child = Child(arguments, output=output, folder=Path.cwd(), environment=os.environ)
            except (OSError, ValueError, IndexError) as error:
                self._home.cleanup()
                raise InputError(f"{command!r} cannot be started: {error}", option="firmware") from None

    def __str__(self) -> str:
        return self.name if self._child is None else f"{self.name} (process {self._child.id})"

    def check(self, waiting: Waiting, t: float | None = None) -> None:
        """To be called at each look: raises a `RunError` where there is nobody to wait for any more."""
        gone = self._child.death() if self._child is not None else None
        if gone is not None:
            raise RunError(f"{self} {gone}", time=t)
        waiting.tell()
        if self._child is None and waiting.seconds > self.patience:
            raise RunError(f"nothing came from {self.name} for {self.patience:g} s", time=t)

    def gone(self) -> str:
        """What to say when its line has closed."""
        if self._child is not None:
            self._child.wait(_END)  # its line closes before it has quite ended
        death = self._child.death() if self._child is not None else None
        return f"{self} {death or 'closed its line before the run was over'}"

    def stop(self) -> None:
        """End it, if we started it."""
        if self._child is not None:
            self._child.stop()
            self._child = None
        self._home.cleanup()
