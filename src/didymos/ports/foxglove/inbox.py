"""What viewers ask for waits here until the run stands between two ticks; it counts in the order in which it came.

There are two sorts. What acts on the run as it goes on (a parameter, a command) is done between two slices of ticks. What acts on
the run as a whole (pause, step, reset) is done by whoever lets slices pass, and until then nothing that came later is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from threading import Condition
from typing import Any

from didymos.errors import DidymosError

__all__ = ["Inbox"]

_ROOM = 10_000  # requests that wait; more means that nobody runs the twin
_PATIENCE = 30.0  # [s] that an answer may take


@dataclass(frozen=True)
class _Request:
    action: Callable[[], Any]
    reply: Future[Any]
    whole: bool


class Inbox:
    """Takes requests from the threads of the wire; the thread of the run does them.

    An action that returns a `Future` is answered when that is; one that raises a `DidymosError` is refused with its text.
    """

    def __init__(self) -> None:
        self._waiting: deque[_Request] = deque()
        self._came = Condition()
        self._closed = False

    def put(self, action: Callable[[], Any], *, whole: bool = False) -> Future[Any]:
        """Let the run do something soon; `whole`: to the run as a whole. What it answers."""
        request = _Request(action, Future(), whole)
        with self._came:
            if self._closed or len(self._waiting) >= _ROOM:
                request.reply.set_exception(DidymosError("the run has ended" if self._closed else "too much was asked at once"))
            else:
                self._waiting.append(request)
                self._came.notify()
        return request.reply

    def ask(self, action: Callable[[], Any], *, whole: bool = False) -> Any:
        """The same, and wait for the answer; a `DidymosError` says why it was refused."""
        try:
            return self.put(action, whole=whole).result(_PATIENCE)
        except TimeoutError:
            raise DidymosError(f"the run has not answered for {_PATIENCE:g} s") from None

    @property
    def about_whole(self) -> bool:
        """Whether the next request is about the run as a whole."""
        return bool(self._waiting) and self._waiting[0].whole

    def settle(self, *, whole: bool = False, wait: float = 0.0) -> None:
        """Do what was asked for, on this thread, up to a request about the run as a whole unless these are done, too.

        Waits up to `wait` [s] where there is nothing.
        """
        with self._came:
            if not self._waiting and wait > 0.0:
                self._came.wait(wait)
        while self._waiting and (whole or not self._waiting[0].whole):
            _do(self._waiting.popleft())

    def close(self) -> None:
        """Refuse all that waits, and all that comes."""
        with self._came:
            self._closed = True
            waiting = list(self._waiting)
            self._waiting.clear()
        for request in waiting:
            request.reply.set_exception(DidymosError("the run has ended"))


def _do(request: _Request) -> None:
    try:
        answer = request.action()
    except DidymosError as error:
        request.reply.set_exception(error)
        return
    if isinstance(answer, Future):
        answer.add_done_callback(lambda done: _hand_on(done, request.reply))
    else:
        request.reply.set_result(answer)


def _hand_on(done: Future[Any], reply: Future[Any]) -> None:
    error = done.exception()
    if error is not None:
        reply.set_exception(error)
    else:
        reply.set_result(done.result())
