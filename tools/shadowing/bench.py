"""Robots that are other processes, a shadow beside them, and what was heard: what the cases of `try_shadow.py` share."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np

import didymos

__all__ = ["DIDYMOS", "Served", "Shadow", "commanded", "cpu_of", "free_port", "go_first", "report", "same_run", "served", "until"]

DIDYMOS = [sys.executable, "-m", "didymos.cli.main"]


class Shadow:
    """`didymos shadow` as a process of its own, and the lines that it printed."""

    def __init__(self, *words: str) -> None:
        self.lines: list[dict[str, Any]] = []
        self.errors: list[str] = []
        self.process = subprocess.Popen(
            [*DIDYMOS, "shadow", *words, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self._readers = [Thread(target=self._read, args=item, daemon=True) for item in (
            (self.process.stdout, lambda line: self.lines.append(json.loads(line))), (self.process.stderr, self.errors.append)
        )]  # fmt: skip
        for reader in self._readers:
            reader.start()
        until(lambda: any("beside" in line for line in self.errors) or self.process.poll() is not None)

    def _read(self, stream: Any, take: Callable[[str], None]) -> None:
        for line in stream:
            take(line)

    def notices(self) -> list[str]:
        """The sentences until now."""
        return [line["text"] for line in self.lines if line["event"] == "notice"]

    def said(self, word: str) -> int:
        """How many of them have a word."""
        return sum(word in text for text in self.notices())

    def end(self) -> dict[str, Any]:
        """Ctrl-C; the summary."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        for reader in self._readers:
            reader.join()
        return next((line for line in self.lines if line["event"] == "summary"), {})


def until(found: Callable[[], bool], seconds: float = 120.0) -> None:
    """Wait for something; in vain for so long [s] is the end."""
    end = time.monotonic() + seconds
    while not found():
        if time.monotonic() > end:
            raise SystemExit("try_shadow: waited in vain")
        time.sleep(0.02)


class Served:
    """A served robot: its process, its own recording and, at the end, its facts and the wall time [s] that it ran."""

    def __init__(self, process: Any, record: Path) -> None:
        self.process, self.record = process, record
        self.facts: dict[str, Any] = {}
        self.wall = 0.0

    def kill(self) -> None:
        """Kill it -9."""
        self.process.kill()
        self.process.wait()


@contextmanager
def served(twin: str, port: str, record: Path, *words: str) -> Iterator[Served]:
    """A robot that is served, once it runs, until the end."""
    process = subprocess.Popen(
        [*DIDYMOS, "serve", twin, "--port", port, *words, "--record", str(record), "--json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stderr is not None
    said = process.stderr.readline()
    if "runs" not in said:
        raise SystemExit(f"try_shadow: {said}")
    robot, begun = Served(process, record), time.monotonic()
    try:
        yield robot
    finally:
        robot.wall = time.monotonic() - begun
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate()
        robot.facts = json.loads(out) if out else {}


def free_port() -> int:
    """A UDP port that nobody has."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as item:
        item.bind(("127.0.0.1", 0))
        port: int = item.getsockname()[1]
    return port


def report(case: str, shadow: Shadow, summary: dict[str, Any], checks: dict[str, bool]) -> bool:
    """Print what the shadow said and what is as it should be; whether all is."""
    print(f"{case}:")
    for text in shadow.notices():
        print(f"    said: {text}")
    for line in shadow.lines:
        if line["event"] == "alarm":
            print(f"    alarm: {line['text']}")
    alarms = len(summary.get("alarms", ()))
    print(f"    {summary.get('seconds', 0.0):.1f} s, {summary.get('updates', 0)} updates, {alarms} alarms")
    for what, ok in checks.items():
        print(f"    {'ok  ' if ok else 'FAIL'} {what}")
    sys.stdout.flush()
    return all(checks.values())


def same_run(part: Any, whole: Any) -> bool:
    """Whether values follow each other without a gap in a recording."""
    at = np.flatnonzero(whole == part[0])
    return any(np.array_equal(whole[i : i + len(part)], part[: len(whole) - i]) for i in at)


def commanded(record: Path) -> bool:
    """Whether a served robot's own recording knows of somebody's interventions."""
    return any(key.startswith("didymos.interventions") and "seconds" not in key for key in didymos.Log.load(record).metadata)


def cpu_of(pid: int) -> float:
    """CPU time [s] of a process until now."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def go_first(pid: int) -> None:
    """Let all threads of a process go before all others of the machine, as if these were not there."""
    for thread in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setscheduler(int(thread.name), os.SCHED_FIFO, os.sched_param(1))
