"""Notes on a description for people: those of one kind in one line, a hundred harmless ones would hide the one that matters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from didymos.describe.description import Note

__all__ = ["count_of", "note_facts", "print_notes"]

_VARIES = re.compile(r"'[^']*'|[-+]?\d[\d.e+-]*")


def note_facts(notes: Iterable[Note]) -> list[dict[str, Any]]:
    """As `--json` prints them: every note by itself."""
    return [{"file": str(note.file), "line": note.line, "what": note.what} for note in notes]


def print_notes(notes: Iterable[Note], *, all_of_them: bool = False) -> None:
    """Print each kind of note once, the first of it with how many there are; or all. Names and numbers make no kind."""
    if all_of_them:
        for note in notes:
            print(note)
        return
    kinds: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        kinds.setdefault((str(note.file), _VARIES.sub("", note.what)), []).append(note)
    for first, *more in kinds.values():
        print(f"{first}" if not more else f"{len(more) + 1} x {first.what}, first at {_place(first)}")


def count_of(notes: Iterable[Note]) -> str:
    """How many notes there are, in words."""
    count = len(list(notes))
    return {0: "nothing to note", 1: "1 note"}.get(count, f"{count} notes")


def _place(note: Note) -> str:
    return str(note.file) if note.line is None else f"{note.file}:{note.line}"
