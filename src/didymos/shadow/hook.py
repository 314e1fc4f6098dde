"""A command that is run once for each alarm, without a shell, beside the shadow.

Its words may hold {number}, {time}, {since}, {cause}, {of}, {size}, {unit} and {text}; the alarm as JSON comes on its standard
input. What it prints goes to standard error. It is started and waited for on threads of its own, so that neither a slow disk
nor a command that hangs keeps the shadow; with `MOST` of them at work, a further alarm is told to `say` instead.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from threading import Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from didymos.errors import InputError
from didymos.shadow.alarm import Alarm

if TYPE_CHECKING:
    from didymos.shadow.estimate import Frame
    from didymos.shadow.shadow import Shadow

__all__ = ["AlarmHook"]

MOST = 8  # at work at once
_STDERR = 2
_GRACE = 2.0  # [s] that a command has to end by itself once the shadow has ended, and again once it was asked to


class AlarmHook:
    """An audience of a shadow that starts a command; a command that cannot be found is an `InputError`."""

    def __init__(self, command: str, say: Callable[[str], None]) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise InputError(f"found {command!r}, which is no command: {error}", option="on_alarm") from None
        if not self._words or shutil.which(self._words[0]) is None:
            raise InputError(f"found {command!r}, expected a program that can be run and its arguments", option="on_alarm")
        self._say, self._lock = say, Lock()
        self._threads: list[Thread] = []
        self._running: dict[int, subprocess.Popen[bytes]] = {}
        self._closing = False

    def alarm(self, alarm: Alarm) -> None:
        """Start the command."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        if len(self._threads) >= MOST:
            self._say(f"{self._words[0]} was not run for alarm {alarm.number}: {MOST} of it are still at work")
            return
        thread = Thread(target=self._run, args=(alarm,), name="didymos-on-alarm", daemon=True)
        self._threads.append(thread)
        thread.start()

    def frame(self, _frame: Frame, _shadow: Shadow) -> None:
        """Nothing is wrong."""

    def notice(self, _text: str) -> None:
        """Nothing is wrong yet."""

    def close(self) -> None:
        """Wait for those that are at work; end those of ours that do not end."""
        self._closing = True
        for ended in (None, subprocess.Popen.terminate, subprocess.Popen.kill):
            if ended is not None:
                with self._lock:
                    for process in self._running.values():
                        ended(process)
            until = monotonic() + _GRACE
            for thread in self._threads:
                thread.join(max(until - monotonic(), 0.0))
            if not any(thread.is_alive() for thread in self._threads):
                return

    def _run(self, alarm: Alarm) -> None:
        with tempfile.TemporaryFile() as told:
            told.write(json.dumps({**alarm.facts, "text": str(alarm)}).encode() + b"\n")
            told.seek(0)
            try:
                process = subprocess.Popen(_filled(self._words, alarm), stdin=told, stdout=_STDERR)
            except OSError as error:
                self._say(f"{self._words[0]} could not be run for alarm {alarm.number}: {error.strerror}")
                return
        with self._lock:
            self._running[process.pid] = process
        status = process.wait()
        with self._lock:
            del self._running[process.pid]
        if status and not self._closing:
            self._say(f"{self._words[0]} ended with status {status} for alarm {alarm.number}")


def _filled(words: list[str], alarm: Alarm) -> list[str]:
    """The words of the command, with what they ask for of an alarm; other braces stay."""
    cause = alarm.cause
    told = {
        "number": str(alarm.number), "time": f"{alarm.time:.3f}", "since": f"{alarm.since:.3f}", "text": str(alarm),
        "cause": "" if cause is None else cause.cause, "of": "" if cause is None else cause.of,
        "size": "" if cause is None else f"{cause.size:.6g}", "unit": "" if cause is None else cause.unit,
    }  # fmt: skip
    for name, text in told.items():
        words = [word.replace("{" + name + "}", text) for word in words]
    return words
