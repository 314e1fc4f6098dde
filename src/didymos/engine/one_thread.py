"""One thread at a time: what changes a run is refused while another thread does.

A run has one time line. Two threads that let it pass at once would each write half of it; a lock that lets the second wait would
hide that, and give another run each time. So the second is told, at once. The same thread may go in again, as `run` does that
lets ticks pass; threads that take turns, as a page and the run that it shows do, never meet.

`alone` costs a quarter of a microsecond. What is called for every tick takes its turn itself, for a tenth:

    if not self._turn.acquire(False):
        raise another_thread()
    try: ...
    finally:
        self._turn.release()
"""

from __future__ import annotations

import _thread
import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from didymos.errors import RunError

__all__ = ["alone", "another_thread"]

F = TypeVar("F", bound=Callable[..., Any])


def another_thread() -> RunError:
    """What the second thread is told."""
    return RunError("another thread is at work on this simulation; one at a time, or a simulation for each")


def alone(method: F) -> F:
    """A method that one thread at a time may be in, of an object whose `_turn` is an `RLock`; a second one gets a `RunError`."""

    @functools.wraps(method)
    def guarded(self: Any, *arguments: Any, **named: Any) -> Any:
        turn: _thread.RLock = self._turn
        if not turn.acquire(False):
            raise another_thread()
        try:
            return method(self, *arguments, **named)
        finally:
            turn.release()

    return cast("F", guarded)
