"""What the home page offers: the bundled twins and worlds, and what lies in a folder of the user's.

Files are looked at by their names and first lines only. A page names what it wants by an entry's `key`, never by a path.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from didymos.cockpit.thumbnails import BUNDLED
from didymos.describe.bundled import ROBOTS, WORLDS, bundled, bundled_worlds
from didymos.describe.headline import headline_of
from didymos.record.formats import LOG_ENDINGS

__all__ = ["DESCRIPTIONS", "Entry", "Kind", "bundled_entries", "entries_in", "is_model"]

Kind = Literal["twin", "world", "description", "log"]
DESCRIPTIONS = (".urdf", ".xacro", ".sdf", ".world", ".mjcf", ".xml")
_MODELS: tuple[Kind, ...] = ("twin", "world")
MOST = 200  # entries of a folder
_ROOTS = (b"<robot", b"<mujoco", b"<sdf")
_HEAD = 4096  # bytes of a file in which its first element stands


@dataclass(frozen=True)
class Entry:
    """Something that can be opened. `source` is its file; `key` names it to a page, `where` says where it lies."""

    key: str
    kind: Kind
    name: str
    source: Path
    title: str = ""
    variants: tuple[str, ...] = ()
    where: str = "bundled"

    @property
    def bundled_picture(self) -> Path | None:
        """The picture that comes with the package."""
        file = BUNDLED / f"{self.name}.webp"
        return file if self.where == "bundled" and file.is_file() else None


def bundled_entries() -> list[Entry]:
    """All that comes with the package."""
    found = [_entry(name, "twin", name, ROBOTS / name / "twin.yaml", "bundled") for name in bundled()]
    return found + [_entry(name, "world", name, WORLDS / name / "world.yaml", "bundled") for name in bundled_worlds()]


def _entry(key: str, kind: Kind, name: str, source: Path, where: str) -> Entry:
    headline = headline_of(source)
    return Entry(key, kind, name, source, headline.title[:200], headline.variants, where)


def entries_in(folder: Path, *logs: Path) -> list[Entry]:
    """Twins and worlds of a folder and of those in it, descriptions in it, and the newest logs of it and of further folders."""
    found = []
    for place in (folder, *_inside(folder)):
        for kind in _MODELS:
            file = place / f"{kind}.yaml"
            if file.is_file():
                found.append(_entry(f"./{file.relative_to(folder).with_suffix('')}", kind, place.resolve().name, file, "here"))
    for file in _files(folder, DESCRIPTIONS):
        if is_model(file):
            found.append(Entry(f"./{file.name}", "description", file.name, file, where="here"))
    newest: dict[Path, Path] = {file.resolve(): file for place in (folder, *logs) for file in _files(place, LOG_ENDINGS)}
    for file in sorted(newest.values(), key=_changed, reverse=True)[:MOST]:
        where = file.parent.resolve().name
        found.append(Entry(f"log:{where}/{file.name}", "log", file.name, file, where=f"in {where}"))
    return found


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(item for item in folder.iterdir() if item.is_dir() and not item.name.startswith("."))[:MOST]
    except OSError:
        return []


def _files(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return
    for item in inside[: 10 * MOST]:
        if item.suffix.lower() in endings and not item.name.startswith(".") and item.is_file():
            yield item


def _changed(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def is_model(file: Path) -> bool:
    """Whether a file begins as a robot description or a scene does."""
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return file.suffix.lower() in DESCRIPTIONS and any(root in head for root in _ROOTS)
