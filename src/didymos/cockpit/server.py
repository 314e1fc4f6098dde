"""The server of the page: viser behind our rules of who may come in, on loopback unless another address is given."""

from __future__ import annotations

import contextlib
import io
import secrets
import socket
from collections.abc import Callable

import viser

from didymos.cockpit.auth import LOOPBACK, Auth
from didymos.cockpit.feed import Feed
from didymos.errors import InputError

__all__ = ["Server"]


Receive = Callable[[str | bytes], None]


def _try_address(host: str) -> None:
    """Raise OSError where this machine cannot listen on an address: viser would wait for ever on its own thread."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM)[0]
    with socket.socket(family, kind, protocol) as trial:
        trial.bind(address)


class Server:
    """A viser server that looks at who comes in. `url` is where a person opens it, token included; `feed` our own line to it."""

    def __init__(
        self, *, host: str = "127.0.0.1", port: int = 8080, token: str | None = None, receive: Receive = lambda text: None
    ) -> None:
        if token is not None and (len(token) < 8 or not token.isascii() or not token.replace("-", "").replace("_", "").isalnum()):
            raise InputError("expected at least 8 letters, digits, '-' or '_'", option="token")
        if host not in LOOPBACK and token is None:
            token = secrets.token_urlsafe(24)
        self.feed = Feed()
        self.auth = Auth(token, receive, self.feed)
        try:
            _try_address(host)
            with self.auth.installed(), contextlib.redirect_stdout(io.StringIO()):  # viser prints a banner
                self.viser = viser.ViserServer(host=host, port=port, label="Didymos", verbose=False)
        except (OSError, OverflowError) as error:
            raise InputError(f"cannot listen on {host}:{port}: {error}", option="port") from None
        self.host, self.port, self.token = host, self.viser.get_port(), token
        self.connected: Callable[[viser.ClientHandle], None] = lambda client: None  # what happens when a page opens
        self.gone: Callable[[], None] = lambda: None  # what happens when a page closes
        self.viser.on_client_connect(lambda client: self.connected(client))
        self.viser.on_client_disconnect(lambda _: self.gone())

    @property
    def url(self) -> str:
        """The address of the page."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{name}:{self.port}/" + (f"?token={self.token}" if self.token is not None else "")

    def notify(self, title: str, text: str) -> None:
        """Tell every open page."""
        for client in self.viser.get_clients().values():
            client.add_notification(title, text, auto_close_seconds=8.0)

    def clear(self, keep: str = "") -> None:
        """Take everything off the page, for another twin; our own topics that begin with `keep` stay."""
        self.feed.clear(keep or "\0")
        self.auth.receive, self.connected, self.gone = lambda text: None, lambda client: None, lambda: None
        with self.viser.atomic():
            self.viser.gui.reset()
            self.viser.scene.reset()

    def stop(self) -> None:
        """Close all pages' connections and the port."""
        with contextlib.redirect_stdout(io.StringIO()):
            self.viser.stop()
