"""The home page: what can be opened, and the cockpit that is open; one server for all of them, one twin at a time.

    page      home.list                                          what there is
              home.open   key, scenario, seed, variant, with, sure   open it; `with` is the twin of a log, `sure` ends a recording
              home.about                                         what is open now
    cockpit   home.entries entries / home.picture key            a picture has been drawn
              home.opening name / home.opened key / home.error text
              home.sure text, asked / home.which text, keys, asked    a question: `asked` is what was asked for, to be sent again
              home.about   open, key, name, scenario, seed, variant, notes

A twin is loaded and its run is made before the one that is open is closed: what cannot be opened leaves it alone.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from websockets.exceptions import ConnectionClosed

from didymos.cockpit.auth import HTML
from didymos.cockpit.catalogue import Entry, bundled_entries, entries_in
from didymos.cockpit.cockpit import Cockpit
from didymos.cockpit.drop import Drop
from didymos.cockpit.feed import Visitor
from didymos.cockpit.receive_drop import receive_drop
from didymos.cockpit.server import Server
from didymos.cockpit.thumbnails import kept_thumbnail
from didymos.describe.twin import Twin
from didymos.describe.world import World
from didymos.errors import DidymosError, InputError
from didymos.record.log import Log
from didymos.web.scripts import home_page

__all__ = ["Home", "Load"]

Load = Callable[[Entry, str | None, Drop | None], Twin | World]
"""Loads an entry, in a variant; `Drop` is where a dropped one lies, of which no code may run."""

Draw = Callable[[Path, Path, threading.Event], bool]
"""Draws a thumbnail of a twin file, world file or description, unless an event ends it before; whether it could."""

MOST_DROPS = 4
MOST_DRAWN = 40  # pictures that are drawn for a folder
MOST_NOTES = 200
_LOGGER = logging.getLogger(__name__)


class Home:
    """Serves the home page and the cockpits that are opened from it. Use it with `with`, or call `close`.

    Args:
        load, draw: see `Load`, `Draw`.
        here: the folder whose twins, descriptions and logs are offered.
        folder: where recordings go; its logs are offered as well.
        host, port, token, light: see `Cockpit`.
    """

    def __init__(
        self,
        load: Load,
        draw: Draw,
        *,
        here: Path,
        folder: Path = Path("recordings"),
        host: str = "127.0.0.1",
        port: int = 8080,
        token: str | None = None,
        light: bool = False,
    ) -> None:
        self._load, self._draw, self._here, self._folder, self._light = load, draw, here, folder, light
        self.cockpit: Cockpit | None = None
        self._open: Entry | None = None
        self._drops: dict[str, Drop] = {}
        self._entries: dict[str, Entry] = {}
        self._closed = threading.Event()
        self.server = Server(host=host, port=port, token=token)
        self.server.auth.front, self.server.auth.drop = self._respond, self._attend_drop
        self._work = ThreadPoolExecutor(1, thread_name_prefix="didymos-home")
        self._drawing = ThreadPoolExecutor(1, thread_name_prefix="didymos-thumbnail")
        feed = self.server.feed
        feed.on("home.list", lambda visitor, _: self._do(self._list, visitor))
        feed.on("home.open", lambda visitor, message: self._do(self._ask_to_open, visitor, message))
        feed.on("home.about", lambda visitor, _: visitor.send("home.about", self.about()))

    @property
    def url(self) -> str:
        """Where a person opens it."""
        return self.server.url

    def show(self, what: Twin | World, key: str, **choice: Any) -> Cockpit:
        """Open a twin or a world that is loaded already, under a key that links to it; `choice` as for `Cockpit`."""
        made = Cockpit(what, folder=self._folder, light=self._light, server=self.server, replaces=self.cockpit, **choice)
        self.cockpit = made
        self._open = self._find(key) or Entry(key, "world" if isinstance(what, World) else "twin", what.name, Path(key))
        return made

    def close(self) -> None:
        """End the run, complete its recording, close all pages; a second call does nothing."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._drawing.shutdown(wait=True, cancel_futures=True)
        self._work.shutdown(wait=True, cancel_futures=True)
        if self.cockpit is not None:
            self.cockpit.close()
        self.server.stop()
        for drop in self._drops.values():
            drop.close()

    def __enter__(self) -> Home:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def about(self) -> dict[str, Any]:
        """What is open now, as a page is told."""
        cockpit, entry = self.cockpit, self._open
        if cockpit is None or entry is None:
            return {"open": False}
        choice, twin = cockpit.session.live.choice, cockpit.session.twin
        told = twin.notes[:MOST_NOTES] if entry.where != "bundled" else ()
        texts = (f"{Path(note.file).name}{f':{note.line}' if note.line else ''}: {note.what}" for note in told)
        notes = list(dict.fromkeys(map(self._told, texts)))
        return {
            "open": True, "key": entry.key, "name": twin.name, "scenario": choice.scenario or "", "seed": choice.seed,
            "variant": getattr(twin, "variant", None) or "", "notes": notes, "dropped": entry.where == "dropped",
        }  # fmt: skip

    def _do(self, work: Callable[..., None], visitor: Visitor, *arguments: Any) -> None:
        """Do something on the worker's thread; whatever is wrong with it is a sentence on the page."""

        def guarded() -> None:
            try:
                work(visitor, *arguments)
            except DidymosError as error:
                visitor.send("home.error", {"text": self._told(str(error))})
            except Exception as error:  # a defect of ours must not end the house
                _LOGGER.exception("the home page could not do what it was asked for")
                visitor.send("home.error", {"text": f"this could not be opened ({type(error).__name__}: {str(error)[:200]})"})

        with contextlib.suppress(RuntimeError):  # closed in the meantime
            self._work.submit(guarded)

    def _told(self, text: str) -> str:
        """A sentence without the folders in which what was dropped lies for a while."""
        for drop in tuple(self._drops.values()):
            text = text.replace(f"{drop.folder}/", "")
        return text

    def _find(self, key: str) -> Entry | None:
        if key not in self._entries:
            self._look()
        return self._entries.get(key)

    def _look(self) -> None:
        found = [*entries_in(self._here, self._here / self._folder), *bundled_entries()]
        dropped = {key: entry for key, entry in self._entries.items() if entry.where == "dropped"}
        self._entries = {entry.key: entry for entry in found} | dropped

    def _list(self, visitor: Visitor) -> None:
        self._look()
        offered = [entry for entry in self._entries.values() if entry.where != "dropped"]
        visitor.send("home.entries", {"entries": [self._facts(entry) for entry in offered], "about": self.about()})
        own = [entry for entry in offered if entry.where == "here" and entry.kind != "log"][:MOST_DRAWN]
        for entry in own:
            if not self._picture(entry):
                with contextlib.suppress(RuntimeError):
                    self._drawing.submit(self._draw_picture, entry)

    def _facts(self, entry: Entry) -> dict[str, Any]:
        return {
            "key": entry.key, "kind": entry.kind, "name": entry.name, "title": entry.title, "variants": entry.variants,
            "where": entry.where, "picture": self._picture(entry) is not None,
        }  # fmt: skip

    def _picture(self, entry: Entry) -> Path | None:
        """The file of an entry's picture, where there is one."""
        if entry.kind == "log":
            return None
        try:
            file = entry.bundled_picture or kept_thumbnail(entry.source)
        except OSError:
            return None
        return file if file.is_file() and file.stat().st_size else None

    def _draw_picture(self, entry: Entry) -> None:
        if self._closed.is_set() or self._picture(entry) is not None:
            return
        try:
            if self._draw(entry.source, kept_thumbnail(entry.source), self._closed):
                self.server.feed.tell("home.picture", {"key": entry.key})
        except OSError:
            _LOGGER.info("no picture of %s is kept", entry.source, exc_info=True)

    def _ask_to_open(self, visitor: Visitor, asked: dict[str, Any]) -> None:
        entry = self._find(str(asked.get("key")))
        if entry is None:
            raise InputError(f"there is no {str(asked.get('key'))[:80]!r} here any more")
        cockpit = self.cockpit
        if cockpit is not None and cockpit.session.status.recording and not asked.get("sure"):
            name = cockpit.session.status.recording
            visitor.send("home.sure", {"asked": asked, "text": f"{name} is being recorded. Complete it and open {entry.name}?"})
            return
        visitor.send("home.opening", {"name": entry.name})
        with_key, log = str(asked.get("with") or ""), None
        chosen = {name: str(asked.get(name) or "") for name in ("scenario", "variant", "seed")}
        model = entry
        if entry.kind == "log":
            log = Log.load(entry.source)
            chosen = {name: chosen[name] or log.metadata.get(name, "") for name in chosen}
            found = self._find(with_key) if with_key else self._twin_of(log)
            if found is None:
                self._ask_which(visitor, asked, f"Which twin is {entry.name} a log of?", self._models_open_first())
                return
            model = found
        drop = next((drop for drop in self._drops.values() if model.source.is_relative_to(drop.folder)), None)
        loaded = self._load(model, chosen["variant"] or None, drop)
        scenario = chosen["scenario"] if chosen["scenario"] in loaded.scenarios else next(iter(loaded.scenarios), None)
        seed = int(chosen["seed"]) if chosen["seed"].isdigit() else 0
        made = self.show(loaded, entry.key, scenario=scenario, seed=min(seed, 2**31))
        if log is not None:
            made.page.replay.show(entry.source)
        self.server.feed.tell("home.opened", {"key": entry.key, "scenario": scenario or "", "asked": asked})

    def _twin_of(self, log: Log) -> Entry | None:
        name = log.metadata.get("twin", "")
        return next((entry for entry in self._models() if _twin_name(entry) == name), None)

    def _models(self) -> list[Entry]:
        return [entry for entry in self._entries.values() if entry.kind != "log"]

    def _models_open_first(self) -> list[Entry]:
        name = self.cockpit.session.twin.name if self.cockpit is not None else ""
        return sorted(self._models(), key=lambda entry: _twin_name(entry) != name)

    def _ask_which(self, visitor: Visitor, asked: dict[str, Any], text: str, offered: Sequence[Entry]) -> None:
        visitor.send("home.which", {"asked": asked, "text": text, "entries": [self._facts(entry) for entry in offered]})

    def _respond(self, path: str, query: dict[str, list[str]]) -> tuple[str, bytes] | None:
        """What stands at a path of ours; None for viser's page and all that belongs to it."""
        if path == "/home":
            return HTML, home_page()
        if path in ("/", "/index.html"):
            wanted = query.get("twin", [""])[0]
            here = self.cockpit is not None and (not wanted or (self._open is not None and wanted == self._open.key))
            return None if here else (HTML, home_page())
        if path.startswith("/thumbnails/"):
            entry = self._entries.get(unquote(path.removeprefix("/thumbnails/")))
            file = self._picture(entry) if entry is not None else None
            if file is not None:
                return "image/webp", file.read_bytes()
        return None

    async def _attend_drop(self, connection: Any) -> None:
        """Take files that a page sends, and tell it what of them may be meant."""
        drop = Drop()
        try:
            choices = await receive_drop(connection, drop)
            while len(self._drops) >= MOST_DROPS:
                used = self._open.source if self._open is not None else Path()
                old = next(key for key, item in self._drops.items() if not used.is_relative_to(item.folder))
                self._drops.pop(old).close()
            self._drops[drop.folder.name] = drop
            self._entries |= {entry.key: entry for entry in choices}
            await connection.send(json.dumps({"entries": [self._facts(entry) for entry in choices]}))
        except InputError as error:
            drop.close()
            with contextlib.suppress(ConnectionClosed):
                await connection.send(json.dumps({"error": str(error)}))
        except ConnectionClosed:
            drop.close()
        except Exception as error:  # a defect of ours must not end in silence
            drop.close()
            _LOGGER.exception("what was dropped could not be taken")
            with contextlib.suppress(ConnectionClosed):
                await connection.send(json.dumps({"error": f"this could not be taken ({type(error).__name__})"}))


def _twin_name(entry: Entry) -> str:
    """The name of the twin that an entry becomes."""
    return entry.name.partition(".")[0] if entry.kind == "description" else entry.name
