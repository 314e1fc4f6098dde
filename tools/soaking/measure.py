"""Memory, threads, open files and disk of a process over time, from outside, and whether they are flat."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import numpy as np

__all__ = ["LIMITS", "Watch", "growth", "watched"]

LIMITS = {"memory": 8e6, "threads": 0.5, "files": 0.5, "disk": 2e6}
"""[bytes], [1], [1], [bytes]: by how much each may grow over the second half of a run, by a line through it."""

_EVERY = 0.25  # [s]
_PAGE = 4096


@dataclass
class Watch:
    """Samples of one process and of the folder that it writes into."""

    pid: int
    folder: Path
    samples: dict[str, list[float]] = field(default_factory=lambda: {"time": [], **{name: [] for name in LIMITS}})

    def sample(self) -> None:
        """Look once; a process that has just ended is left out."""
        home = Path(f"/proc/{self.pid}")
        try:
            resident = int((home / "statm").read_text().split()[1]) * _PAGE
            threads = int((home / "status").read_text().partition("Threads:")[2].split()[0])
            files = len(list((home / "fd").iterdir()))
        except (OSError, IndexError):
            return
        if resident == 0:  # it has ended, and nobody has asked how yet
            return
        disk = 0
        for file in self.folder.rglob("*"):
            try:
                disk += file.stat().st_size if file.is_file() else 0
            except OSError:
                continue  # removed meanwhile
        seen = {"time": time.monotonic(), "memory": resident, "threads": threads, "files": files, "disk": disk}
        for name, value in seen.items():
            self.samples[name].append(float(value))

    def growths(self) -> dict[str, float]:
        """How much each grew over the second half."""
        return {name: growth(self.samples["time"], self.samples[name]) for name in LIMITS}

    def last(self, name: str) -> float:
        """The last sample of a quantity."""
        return self.samples[name][-1] if self.samples[name] else float("nan")


def growth(times: list[float], values: list[float]) -> float:
    """By how much values grow over the second half of the samples: the slope of the line through them, times its length."""
    half = len(times) // 2
    late, what = np.array(times[half:]), np.array(values[half:])
    if len(late) < 4:
        return float("nan")
    return float(np.polyfit(late - late[0], what, 1)[0] * (late[-1] - late[0]))


@contextmanager
def watched(pid: int, folder: Path) -> Iterator[Watch]:
    """Sample until the end of the block."""
    watch, over = Watch(pid, folder), Event()

    def work() -> None:
        while not over.wait(_EVERY):
            watch.sample()

    thread = Thread(target=work, daemon=True)
    thread.start()
    try:
        yield watch
    finally:
        over.set()
        thread.join()
