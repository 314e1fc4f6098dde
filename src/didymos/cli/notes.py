"""Notes on a description for people: those of one kind in one line, a hundred harmless ones would hide the one that matters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from didymos.describe.description import Note

__all__ = ["count_of", "note_facts", "print_notes"]

_VARIES = re.compile(r"'[^']*'|[-+]?\d[\d.e+-]*")
_LINES_SHOWN = 5


def note_facts(notes: Iterable[Note]) -> list[dict[str, Any]]:
    """As `--json` prints them: every note by itself."""
    return [{"file": str(note.file), "line": note.line, "what": note.what} for note in notes]


def print_notes(notes: Iterable[Note]) -> None:
    """Print each kind of note once: the first of it, how many more there are, and where; names and numbers make no kind."""
    kinds: dict[tuple[str, str], list[Note]] = {}
    for note in notes:
        kinds.setdefault((str(note.file), _VARIES.sub("", note.what)), []).append(note)
    for first, *more in kinds.values():
        print(f"{first}{_more(more)}")


def count_of(notes: Iterable[Note]) -> str:
    """How many notes there are, in words."""
    count = len(list(notes))
    return {0: "nothing to note", 1: "1 note"}.get(count, f"{count} notes")


def _more(notes: list[Note]) -> str:
    if not notes:
        return ""
    lines = [str(line) for line in dict.fromkeys(note.line for note in notes) if line is not None]
    where = f", lines {', '.join(lines[:_LINES_SHOWN])}{', ...' if len(lines) > _LINES_SHOWN else ''}" if lines else ""
    return f" (and {len(notes)} more of this kind{where})"
