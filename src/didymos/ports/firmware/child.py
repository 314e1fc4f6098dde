"""A process that a run started: watched while it lives, ended by its own id, its last line kept for the error message."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["Child"]

_PATIENCE = 2.0  # [s] between asking a process to end and ending it


class Child:
    """A process with its own folder for what it prints. Nothing but `stop`, garbage collection or the exit of Python ends it."""

    def __init__(
        self, command: Sequence[str], *, output: Path, folder: Path, environment: Mapping[str, str], sockets: Sequence[int] = ()
    ) -> None:
        self._output = output
        with output.open("wb") as printed:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(environment),
                pass_fds=tuple(sockets),
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
            )
        self._end = weakref.finalize(self, _stop, self._process)

    @property
    def id(self) -> int:
        """The process id."""
        return self._process.pid

    def death(self) -> str | None:
        """How it ended and what it said last, None while it lives."""
        status = self._process.poll()
        if status is None:
            return None
        how = f"was ended by {_signal_name(-status)}" if status < 0 else f"ended with status {status}"
        last = self.last_line()
        return f"{how}; it said last: {last}" if last else how

    def last_line(self) -> str:
        """The last line that it printed, shortened."""
        with contextlib.suppress(OSError):
            text = self._output.read_text(encoding="utf-8", errors="replace")
            lines = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
            return lines[-1][:200] if lines else ""
        return ""

    def wait(self, seconds: float) -> bool:
        """Whether it ends by itself within a time [s]."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def stop(self) -> None:
        """End it, by its id; also when it has ended already."""
        self._end()


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
