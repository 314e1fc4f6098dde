"""What ends a run from outside: TERM and a closed terminal as well as Ctrl-C, so that the log is completed after each of them."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["endings", "interrupted_by_all_signals", "stopped_by_signals"]


def endings() -> tuple[signal.Signals, ...]:
    """Those besides Ctrl-C: TERM, and the end of the terminal unless it is ignored, as `nohup` has it."""
    if not hasattr(signal, "SIGHUP") or signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        return (signal.SIGTERM,)
    return signal.SIGTERM, signal.SIGHUP


@contextmanager
def interrupted_by_all_signals() -> Iterator[None]:
    """TERM and a closed terminal interrupt as Ctrl-C does."""

    def interrupt(_which: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {which: signal.signal(which, interrupt) for which in endings()}
    try:
        yield
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Called at the first Ctrl-C, TERM or closed terminal, so that no tick is cut in two; a second one interrupts as usual."""

    def handle(which: int, _frame: FrameType | None) -> None:
        stop()
        signal.signal(which, signal.default_int_handler)

    before = {which: signal.signal(which, handle) for which in (signal.SIGINT, *endings())}
    try:
        yield
    finally:
        for which, handler in before.items():
            signal.signal(which, handler)
