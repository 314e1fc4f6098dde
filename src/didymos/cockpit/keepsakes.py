"""What people take out of the page: pictures and films that a browser drew, and the run as a page to give away.

A browser sends its file in parts (topic `out.part`); the cockpit chooses the name. A part that does not follow is dropped with
what came before it.
"""

from __future__ import annotations

import base64
import binascii
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from didymos.cockpit.feed import Feed, Visitor
from didymos.cockpit.session import Session
from didymos.errors import DidymosError

__all__ = ["LARGEST", "Keepsakes"]

LARGEST = 2**29  # bytes of a file from a page
SUFFIXES = {"png": b"\x89PNG", "webm": b"\x1a\x45\xdf\xa3", "mp4": b""}
"""Kinds of files that a page sends, and how they begin."""


class Keepsakes:
    """Takes files of pages into the session's folder, and writes the run as a page there; `offer` hands a file to who looks."""

    def __init__(self, feed: Feed, session: Session, offer: Callable[[str, bytes], None]) -> None:
        self._session, self._offer = session, offer
        self._parts: dict[Visitor, bytearray] = {}
        feed.on("out.part", self._take)
        feed.on("out.share", lambda visitor, message: self._in_background(self.share))
        feed.left(self._forget)

    def _forget(self, visitor: Visitor) -> None:
        self._parts.pop(visitor, None)

    def _take(self, visitor: Visitor, message: dict[str, Any]) -> None:
        kind, data = str(message.get("kind")), message.get("data")
        if kind not in SUFFIXES or not isinstance(data, str):
            return
        if message.get("first") is True:
            self._parts[visitor] = bytearray()
        whole = self._parts.get(visitor)
        if whole is None:
            return
        try:
            whole += base64.b64decode(data, validate=True)
        except (binascii.Error, ValueError):
            whole.clear()
        if not whole.startswith(SUFFIXES[kind]) or len(whole) > LARGEST:
            del self._parts[visitor]
        elif message.get("last") is True:
            del self._parts[visitor]
            self._in_background(lambda: self._keep(kind, bytes(whole)))

    def _keep(self, kind: str, content: bytes) -> None:
        file = self._new(kind)
        file.write_bytes(content)
        self._session.notify("Kept", f"{file.name} is in the folder of recordings as well")

    def _new(self, suffix: str) -> Path:
        """A file of the folder that is not there yet."""
        folder, name = self._session.folder, self._session.twin.name
        folder.mkdir(parents=True, exist_ok=True)
        return next(file for i in range(1, 10**6) if not (file := folder / f"{name}-{i:03d}.{suffix}").exists())

    @staticmethod
    def _in_background(work: Callable[[], None]) -> None:
        threading.Thread(target=work, name="didymos-keepsake", daemon=True).start()

    def share(self) -> None:
        """Write the run until now as one HTML file into the folder, and offer it."""
        from didymos.web.export.export_page import export_page

        if self._session.live.simulation.tick == 0:
            self._session.notify("Not shared", "nothing has happened yet; play the run first")
            return
        file = self._new("html")
        try:
            page = export_page([self._session.live.log], file, twin=self._session.twin)
        except DidymosError as error:
            self._session.notify("Not shared", str(error))
            return
        self._session.notify("Share as a page", f"{file.name}, {page.size / 1e6:.1f} MB, is in the folder of recordings as well")
        self._offer(file.name, file.read_bytes())
