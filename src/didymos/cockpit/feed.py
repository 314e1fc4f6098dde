"""The line between the cockpit and its pages, beside viser's: messages by topic, numbers as they are in memory.

What a page sends is JSON text {"topic": ..., ...}; whatever else comes is dropped. What the cockpit sends is the same, or bytes:
the length of a head (uint32), the head as JSON, filled up to a multiple of 8, then the numbers of its arrays (float64), all
little end first, whose lengths the head has in `arrays`. A page that does not read in time misses messages, nobody waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import struct
import threading
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from websockets.exceptions import ConnectionClosed

__all__ = ["Feed", "Visitor"]

LONGEST = 2**20  # characters of a message from a page
MOST_WAITING = 256  # messages for a page that reads slowly; later ones are dropped
_LOGGER = logging.getLogger(__name__)
Arrays = Mapping[str, NDArray[np.float64]]


def encode(topic: str, fields: Mapping[str, Any], arrays: Arrays) -> str | bytes:
    """A message as it goes to a page."""
    head: dict[str, Any] = {"topic": topic, **fields}
    if not arrays:
        return json.dumps(head)
    numbers = {name: np.ascontiguousarray(values, dtype="<f8").ravel() for name, values in arrays.items()}
    text = json.dumps(head | {"arrays": {name: len(values) for name, values in numbers.items()}}).encode()
    parts = [struct.pack("<I", len(text)), text, bytes(-(4 + len(text)) % 8)]
    return b"".join([*parts, *(values.tobytes() for values in numbers.values())])


class Visitor:
    """One open page. `send` may be called on any thread."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop, self._queue = loop, asyncio.Queue[str | bytes](MOST_WAITING)

    def send(self, topic: str, fields: Mapping[str, Any] | None = None, **arrays: NDArray[np.float64]) -> None:
        """Tell the page something; dropped where it has not read what came before, or is gone."""
        message = encode(topic, fields or {}, arrays)
        with contextlib.suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._put, message)

    @property
    def waiting(self) -> int:
        """How many messages the page has not read yet; who sends much sends less then."""
        return self._queue.qsize()

    def _put(self, message: str | bytes) -> None:
        with contextlib.suppress(asyncio.QueueFull):
            self._queue.put_nowait(message)

    async def pump(self, connection: Any) -> None:
        """Send what waits, until the page is gone."""
        while True:
            await connection.send(await self._queue.get())


Handler = Callable[[Visitor, dict[str, Any]], None]


class Feed:
    """All open pages, and what is done with their messages: `on` names a handler per topic, `left` one for pages that go."""

    def __init__(self) -> None:
        self._handlers: dict[str, Handler] = {}
        self._left: list[Callable[[Visitor], None]] = []
        self._visitors: set[Visitor] = set()
        self._lock = threading.Lock()

    def on(self, topic: str, handler: Handler) -> None:
        """Let a handler have the messages of a topic; it is called on the server's thread, so it must not wait."""
        self._handlers[topic] = handler

    def left(self, handler: Callable[[Visitor], None]) -> None:
        """Call a handler for every page that goes."""
        self._left.append(handler)

    def clear(self, keep: str) -> None:
        """Forget who listens, but for topics that begin so: another twin takes the page."""
        self._handlers = {topic: handler for topic, handler in self._handlers.items() if topic.startswith(keep)}
        self._left = []

    @property
    def visitors(self) -> tuple[Visitor, ...]:
        """The pages that are open now."""
        with self._lock:
            return tuple(self._visitors)

    def tell(self, topic: str, fields: Mapping[str, Any] | None = None, **arrays: NDArray[np.float64]) -> None:
        """Tell every open page something."""
        for visitor in self.visitors:
            visitor.send(topic, fields, **arrays)

    async def attend(self, connection: Any) -> None:
        """Serve a page from its coming to its going."""
        visitor = Visitor(asyncio.get_running_loop())
        with self._lock:
            self._visitors.add(visitor)
        pump = asyncio.ensure_future(visitor.pump(connection))
        try:
            async for text in connection:
                self._receive(visitor, text)
        except ConnectionClosed:
            pass
        finally:
            pump.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionClosed):
                await pump
            with self._lock:
                self._visitors.discard(visitor)
            for handler in self._left:
                handler(visitor)

    def _receive(self, visitor: Visitor, text: str | bytes) -> None:
        """Hand a message to its handler; nothing that a page sends ends its line."""
        if not isinstance(text, str) or len(text) > LONGEST:
            return
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            return
        handler = self._handlers.get(str(message.get("topic"))) if isinstance(message, dict) else None
        if handler is not None:
            try:
                handler(visitor, message)
            except Exception:  # fields that no page of ours sends, or a defect of ours
                _LOGGER.warning("a message of the page was not understood: %.200s", text, exc_info=True)
