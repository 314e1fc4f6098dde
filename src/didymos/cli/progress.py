"""A progress bar on stderr, for runs that one has to wait for."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]

PATIENCE = 2.0  # [s] of wall time that pass before a bar appears


@contextmanager
def progress(total: float | None, *, quiet: bool = False) -> Iterator[Callable[[float], None]]:
    """A function to be called with the time reached [s] of `total` [s]; it draws once `PATIENCE` is over.

    Nothing is drawn where stderr is no terminal, so that log files stay clean.
    """
    if quiet or total is None or not sys.stderr.isatty():
        yield lambda _reached: None
        return
    bar = _Bar(total)
    try:
        yield bar.update
    finally:
        bar.close()


class _Bar:
    def __init__(self, total: float) -> None:
        self._total, self._started = total, time.monotonic()
        self._shown: Callable[[float], None] | None = None
        self._close: Callable[[], None] = lambda: None

    def update(self, reached: float) -> None:
        if self._shown is None:
            if time.monotonic() - self._started < PATIENCE:
                return
            self._shown = self._open()
        self._shown(reached)

    def _open(self) -> Callable[[float], None]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (BarColumn(), TextColumn("{task.completed:.1f} of {task.total:.1f} s"), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        task = bar.add_task("", total=self._total)
        bar.start()
        self._close = bar.stop
        return lambda reached: bar.update(task, completed=reached)

    def close(self) -> None:
        self._close()
