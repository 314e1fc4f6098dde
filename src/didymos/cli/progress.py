"""A progress bar on stderr, for runs that one has to wait for."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]

TIME = "{task.completed:.1f} of {task.total:.1f} s"
PATIENCE = 2.0  # [s] of wall time that pass before a bar appears


@contextmanager
def progress(total: float | None, *, quiet: bool = False, text: str = TIME) -> Iterator[Callable[..., None]]:
    """A function to be called with what is reached of `total`, seconds unless `text` says otherwise; draws after `PATIENCE`.

    Nothing is drawn where stderr is no terminal, so that log files stay clean.
    """
    if quiet or total is None or not sys.stderr.isatty():
        yield lambda _reached, _note="": None
        return
    bar = _Bar(total, text)
    try:
        yield bar.update
    finally:
        bar.close()


class _Bar:
    def __init__(self, total: float, text: str) -> None:
        self._total, self._text, self._started = total, text, time.monotonic()
        self._shown: Callable[[float, str], None] | None = None
        self._close: Callable[[], None] = lambda: None

    def update(self, reached: float, note: str = "") -> None:
        if self._shown is None:
            if time.monotonic() - self._started < PATIENCE:
                return
            self._shown = self._open()
        self._shown(reached, note)

    def _open(self) -> Callable[[float, str], None]:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (BarColumn(), TextColumn(self._text), TextColumn("{task.description}"), TimeRemainingColumn())
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        task = bar.add_task("", total=self._total)
        bar.start()
        self._close = bar.stop
        return lambda reached, note: bar.update(task, completed=reached, description=note)

    def close(self) -> None:
        self._close()
