"""The cockpit: a session, its page and its server, opened and closed together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from didymos.cockpit.live_run import Programs, from_its_start
from didymos.cockpit.page import Page
from didymos.cockpit.server import Server
from didymos.cockpit.session import Session
from didymos.describe.twin import Twin
from didymos.describe.world import World

if TYPE_CHECKING:
    from didymos.cockpit.shadow_view import ShadowView

__all__ = ["HOME", "Cockpit"]


HOME = "home."
"""Topics of the home page, which stay while cockpits come and go."""


class Cockpit:
    """A twin, or a world of several, in the browser. Use it with `with`, or call `close`: that completes a recording.

    Args:
        twin, scenario, seed, control, folder: see `Session`.
        host, port, token: see `Server`; port 0 takes a free one.
        light: for slow lines and machines without a graphics card: no shadows, 10 pictures a second instead of 30.
        shadow: what there is to see of a shadow, see `watch_shadow`.
        server: one that is there already, and stays; then `host`, `port` and `token` are its own.
        replaces: a cockpit on that server, which is closed once this one can run.
    """

    def __init__(
        self,
        twin: Twin | World,
        *,
        scenario: str | None = None,
        seed: int = 0,
        control: Callable[[], Programs] | None = None,
        folder: str | Path = "recordings",
        host: str = "127.0.0.1",
        port: int = 8080,
        token: str | None = None,
        light: bool = False,
        shadow: ShadowView | None = None,
        server: Server | None = None,
        replaces: Cockpit | None = None,
    ) -> None:
        begin = from_its_start if shadow is None else shadow.begin
        self.session = Session(twin, scenario=scenario, seed=seed, control=control, folder=Path(folder), begin=begin)
        self._keeps_server = server is not None
        try:
            self.server = server or Server(host=host, port=port, token=token)
            if replaces is not None:
                replaces.close()
        except Exception:
            self.session.close()
            raise
        self.server.auth.receive = self.session.sticks.receive
        self.session.notify = self.server.notify
        self.page = Page(self.server, self.session, light=light, shadow=shadow)

    @property
    def url(self) -> str:
        """Where a person opens it."""
        return self.server.url

    def close(self) -> None:
        """End the run, complete its recording, close the page; a second call does nothing."""
        self.page.close()
        self.session.close()
        if self._keeps_server:
            self.server.clear(keep=HOME)
        else:
            self.server.stop()

    def __enter__(self) -> Cockpit:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
