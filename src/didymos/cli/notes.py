"""Notes on a description for people: those of one kind in one line, a hundred harmless ones would hide the one that matters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from didymos.describe.description import Note

__all__ = ["count_of", "note_facts", "print_notes", "sum_up_notes"]

_MOST_KINDS = 8
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
    for first, *more in _by_kind(notes):
        print(f"{first}" if not more else f"{len(more) + 1} x {first.what}, first at {_place(first)}")


def sum_up_notes(notes: Iterable[Note]) -> None:
    """Print the notes of each file under its name, the most frequent kinds first, in a line each, and no more than some."""
    files: dict[str, list[Note]] = {}
    for note in notes:
        files.setdefault(str(note.file), []).append(note)
    for file, own in files.items():
        kinds = sorted(_by_kind(own), key=lambda kind: -len(kind))
        print(f"{count_of(own)} on {file}:")
        for first, *more in kinds[:_MOST_KINDS]:
            line = "" if first.line is None else f"line {first.line}"
            times = f"  ({len(more) + 1} x{', first in ' + line if line else ''})" if more else f"  ({line})" if line else ""
            print(f"  {first.what}{times}")
        if len(kinds) > _MOST_KINDS:
            print(f"  and {len(kinds) - _MOST_KINDS} more kinds: --notes shows all")


def _by_kind(notes: Iterable[Note]) -> list[list[Note]]:
    kinds: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        kinds.setdefault((str(note.file), _VARIES.sub("", note.what)), []).append(note)
    return list(kinds.values())


def count_of(notes: Iterable[Note]) -> str:
    """How many notes there are, in words."""
    count = len(list(notes))
    return {0: "nothing to note", 1: "1 note"}.get(count, f"{count} notes")


def _place(note: Note) -> str:
    return str(note.file) if note.line is None else f"{note.file}:{note.line}"
