"""Who may come in, and which messages may pass.

viser answers every page that finds its port. Here a request has to name this machine (or a page elsewhere could reach it
through a name of its own, by DNS rebinding), a web socket has to come from the cockpit's page and not from another page in
the same browser, and where a token is set, the request has to bring it. Messages that the page has no reason to send, or that
cannot be read, are dropped. viser has no place for such rules, so its call of `websockets.serve` is given them.
"""

from __future__ import annotations

import gzip
import hmac
import http
import warnings
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import viser
import websockets.asyncio.server
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Response

from didymos.cockpit.feed import Feed
from didymos.web.scripts import TYPES, scripts

__all__ = ["COOKIE", "DROP", "FEED", "HTML", "STICKS", "Auth"]

COOKIE = "didymos"
STICKS = "/sticks"
"""Path of the web socket on which the page sends where the sticks are."""

FEED = "/feed"
"""Path of the web socket of our own scripts on the page, see `feed.py`."""

DROP = "/drop"
"""Path of the web socket on which files come that were dropped on the home page, see `drop.py`."""

HTML = "text/html; charset=utf-8"
SCRIPTS = "/web/"
"""Where the page finds our scripts."""

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
LARGEST_UPLOAD = 2**29  # bytes
_OURS = (
    b'<script src="web/theme.js"></script><link rel="stylesheet" href="web/layout.css">'
    b'<script src="web/sticks.js" defer></script><script type="module" src="web/cockpit.js"></script>'
)  # before viser's own: the first picture has the right colours already
_ALWAYS = {
    "Content-Security-Policy": "frame-ancestors 'self'",  # no other page shows this one and has its visitor click in it
    "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
}  # fmt: skip
_MISFIT = r"(?s)\[viser\] .* does not match annotation"  # viser's warning about a message that it would take all the same
_MAY_PASS = {
    "ViewerCameraMessage", "GuiUpdateMessage", "GuiButtonHoldMessage", "SceneNodeClickMessage", "CommandTriggerMessage",
    "SceneNodeDragMessage", "TransformControlsUpdateMessage", "TransformControlsDragStartMessage",
    "TransformControlsDragEndMessage",
    "FileTransferStartUpload", "FileTransferPart", "FileTransferPartAck", "GetRenderResponseMessage",
}  # fmt: skip


class Auth:
    """Rules for one server. `token`: what every visitor has to bring; without one, only this machine may come in.

    `receive` takes what the sticks say. `front` is asked before viser for what stands at a path: its type and bytes. `drop`
    attends web sockets on which files come.
    """

    def __init__(self, token: str | None, receive: Callable[[str | bytes], None], feed: Feed) -> None:
        self.token, self.receive, self._feed = token, receive, feed
        self.front: Callable[[str, dict[str, list[str]]], tuple[str, bytes] | None] = lambda path, query: None
        self.drop: Callable[[Any], Awaitable[None]] | None = None
        page = (Path(viser.__file__).parent / "client" / "build" / "index.html").read_bytes()
        self._page = gzip.compress(page.replace(b"<head>", b"<head>" + _OURS, 1), 6)
        warnings.filterwarnings("error", _MISFIT, UserWarning)

    def refusal(self, path: str, headers: Mapping[str, str]) -> str:
        """Why a request may not come in; empty where it may."""
        host = headers.get("Host", "")
        if self.token is None and (urlsplit(f"//{host}").hostname or "") not in LOOPBACK:
            return "This cockpit answers only on the machine that it runs on."
        origin = headers.get("Origin")
        if origin is not None and urlsplit(origin).netloc != host:
            return "This cockpit answers only to its own page."
        if self.token is not None and not self._has_token(path, headers):
            return "This cockpit needs a token: open the address that it printed when it started."
        return ""

    def _has_token(self, path: str, headers: Mapping[str, str]) -> bool:
        assert self.token is not None
        brought = parse_qs(urlsplit(path).query).get("token", [])
        brought += [value for name, _, value in (item.strip().partition("=") for item in headers.get("Cookie", "").split(";"))
                    if name == COOKIE]  # fmt: skip
        return any(hmac.compare_digest(value.encode(), self.token.encode()) for value in brought)

    def answer(self, connection: Any, request: Any, otherwise: Callable[[Any, Any], Any]) -> Any:
        """The response to a request, or None where a web socket may open; `otherwise` is viser's own."""
        try:
            why = self.refusal(request.path, request.headers)
            opens_socket = request.headers.get("Upgrade", "").lower() == "websocket"
        except (ValueError, UnicodeError, websockets.datastructures.MultipleValuesError):
            why = "This request cannot be read."
        if why:
            return _response(http.HTTPStatus.FORBIDDEN, "text/plain; charset=utf-8", why.encode())
        if opens_socket:
            return None
        path, query = urlsplit(request.path).path, parse_qs(urlsplit(request.path).query)
        ours = self.front(path, query)
        if ours is not None or path in ("/", "/index.html"):
            response = _response(http.HTTPStatus.OK, *(ours or (HTML, self._page)))
            if ours is None:
                response.headers["Content-Encoding"] = "gzip"
            if self.token is not None:
                response.headers["Set-Cookie"] = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
            return response
        script = scripts().get(path.removeprefix(SCRIPTS)) if path.startswith(SCRIPTS) else None
        if script is not None:
            return _response(http.HTTPStatus.OK, TYPES[Path(path).suffix], script)
        return otherwise(connection, request)

    async def attend(self, connection: Any, otherwise: Callable[[Any], Any]) -> None:
        """Serve an open web socket: those of our scripts here, all others as viser does, with its messages looked at."""
        path = urlsplit(connection.request.path).path
        if path == FEED:
            await self._feed.attend(connection)
            return
        if path == DROP and self.drop is not None:
            await self.drop(connection)
            return
        if path != STICKS:
            await otherwise(_Screened(connection))
            return
        try:
            async for message in connection:
                self.receive(message)
        except ConnectionClosed:
            pass
        finally:
            self.receive("{}")

    @contextmanager
    def installed(self) -> Iterator[None]:
        """While this lasts, a server that opens in this process gets the rules."""
        plain = websockets.asyncio.server.serve

        def serve(handler: Any, *arguments: Any, process_request: Any, **options: Any) -> Any:
            return plain(
                lambda connection: self.attend(connection, handler),
                *arguments,
                process_request=lambda connection, request: self.answer(connection, request, process_request),
                **options,
            )

        websockets.asyncio.server.serve = serve
        try:
            yield
        finally:
            websockets.asyncio.server.serve = plain


class _Screened:
    """A connection whose `recv` skips what must not pass."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def recv(self) -> bytes:
        while True:
            raw = await self._connection.recv()
            if isinstance(raw, bytes) and may_pass(raw):
                return raw


def may_pass(raw: bytes) -> bool:
    """Whether bytes are a message that a page may send to viser."""
    try:
        fields = msgspec.msgpack.decode(raw)
        if not isinstance(fields, dict) or fields.get("type") not in _MAY_PASS:
            return False
        if fields["type"] == "GuiUpdateMessage" and set(fields["updates"]) != {"value"}:
            return False
        if fields["type"] == "FileTransferStartUpload" and not 0 <= fields["size_bytes"] <= LARGEST_UPLOAD:
            return False
        viser._messages.Message.deserialize(raw)
    except Exception:  # whatever else is wrong with foreign bytes
        return False
    return True


def _response(status: http.HTTPStatus, kind: str, body: bytes) -> Response:
    headers = Headers({"Content-Type": kind, "Content-Length": str(len(body)), "Connection": "close", **_ALWAYS})
    return Response(status.value, status.phrase, headers, body)
